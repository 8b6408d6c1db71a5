/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Example validations for the tests of their forms: node 0x2A3 with 12 links. All are handed over.
 */
#ifndef PB_TESTS_VALIDATION_FIXTURE_H
#define PB_TESTS_VALIDATION_FIXTURE_H

#include "phasebench/validation.h"

struct pb_validation *validation_go(void);         /* every step passes, two are skipped */
struct pb_validation *validation_marginal(void);   /* the rise of link 7 lies at its limit */
struct pb_validation *validation_no_go(void);      /* steps of every state, values of every judgement */
struct pb_validation *validation_not_ready(void);  /* the first step ends in an error */
struct pb_validation *validation_incomplete(void); /* stopped after its second step */

/* These, and one with no step, no limit and every text empty. */
#define VALIDATIONS 6
extern struct pb_validation *(*const validation_make[VALIDATIONS])(void);
#define EACH_VALIDATION(validation, i)                                                                       \
    for (size_t i = 0; i < VALIDATIONS; i++)                                                                 \
        for (struct pb_validation *validation = validation_make[i](); validation; validation = NULL)

/* Puts the same hostile text into every string: as much of it as there is room, or once. */
void validation_make_hostile(struct pb_validation *validation, bool long_texts);

#endif
