/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Example results for the tests of the reports (node 0x2A3 of a 12-cube at 10 kHz and 1 Mbaud), and what
 * those tests share. The results are handed over.
 */
#ifndef PB_TESTS_REPORT_FIXTURE_H
#define PB_TESTS_REPORT_FIXTURE_H

#include "phasebench/report.h"
#include "tests/bench/unit/run_fixture.h"

struct pb_result *fixture_pass(void);
struct pb_result *fixture_fail(void);   /* one wrong frame, one missing, one late, and more */
struct pb_result *
fixture_overload(void);                 /* meets its looser bound, two hypotheses fail, one marginal start */
struct pb_result *fixture_faults(void); /* passes with three injected faults */

/* These, and after the second one of which events were lost and no period was captured. */
#define FIXTURES 5
extern struct pb_result *(*const fixture_make[FIXTURES])(void);

/* Runs what follows with each fixture. */
#define EACH_FIXTURE(result, i)                                                                              \
    for (size_t i = 0; i < FIXTURES; i++)                                                                    \
        for (struct pb_result *result = fixture_make[i](); result; result = NULL)

/* Puts the same hostile text into every string that comes from outside. */
void fixture_make_hostile(struct pb_result *result);

enum form { TEXT, JSON, JUNIT, TAP, HTML, FORMS };
int fixture_write(FILE *stream, enum form form, const struct pb_result *result);

/* These stop the test when something goes wrong; the strings are handed over. */
char *fixture_rendered(enum form form, const struct pb_result *result);
char *fixture_replaced(const char *text, const char *part, const char *by); /* the first occurrence */
void fixture_contains(const char *text, const char *part);
void fixture_lacks(const char *text, const char *part);

#endif
