/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tests which points of two parameters of a scenario pass. Only points near a boundary run: a cell of the
 * coarse grid whose four corners agree is assumed to be equal to them.
 */
#ifndef PHASEBENCH_CLI_SHMOO_H
#define PHASEBENCH_CLI_SHMOO_H

#include "runner.h"
#include "source.h"

#include <stdbool.h>
#include <stdio.h>

#define SHMOO_STEPS_MAX 64 /* of an axis: 65 points */
#define SHMOO_TEXT 96
#define SHMOO_PAYLOAD "link.payload"

enum shmoo_state {
    SHMOO_UNKNOWN,
    SHMOO_PASS,
    SHMOO_MARGINAL,
    SHMOO_FAIL,
    SHMOO_INCONCLUSIVE, /* or without a result */
    SHMOO_REFUSED,      /* there is no such scenario */
    SHMOO_STATES
};

struct shmoo_axis {
    char place[SHMOO_TEXT], unit[32];
    double from, to;
    bool placed; /* the operating point is known, as: */
    double point;
};

struct shmoo_point {
    enum shmoo_state state;
    bool ran, margin_known;
    int64_t margin_ps; /* the least of the starts of nodes */
    char reason[160];
};

struct shmoo {
    const struct source *source;
    const struct runner *runner;
    struct shmoo_axis axis[2]; /* x, y */
    unsigned steps, jobs;
    bool full; /* every point runs */
    unsigned runs;
    bool stopped;              /* by a signal or an error: some points are unknown */
    struct shmoo_point *point; /* owned, shared with the processes; (steps + 1)^2, y after y, then the
                                  operating point itself */
};

/* "link.baud=200..2000 kbaud": fills an axis. Returns an exit code, after the error has been reported. */
int shmoo_axis_read(struct shmoo_axis *axis, const char *option, const char *text);
/* The number of point i of an axis, and its value as a scenario has it: "200 kbaud". */
double shmoo_axis_number(const struct shmoo_axis *axis, unsigned steps, unsigned i);
void shmoo_axis_value(const struct shmoo_axis *axis, unsigned steps, unsigned i, char text[SHMOO_TEXT]);
/* Takes the operating point of an axis from the scenario, in the unit of the axis: the value that is written,
 * else the default. */
void shmoo_axis_place(struct shmoo_axis *axis, const struct source *source);

/* Runs the points. Returns an exit code, after the error has been reported; after a signal some are unknown.
 */
int shmoo_run(struct shmoo *shmoo);
void shmoo_free(struct shmoo *shmoo);

static inline struct shmoo_point *shmoo_at(const struct shmoo *shmoo, unsigned x, unsigned y)
{
    return &shmoo->point[(size_t)y * (shmoo->steps + 1) + x];
}

/* Distance of the operating point from the nearest point that does not pass, along one axis at the other's
 * nearest grid line, downwards and upwards, in the unit of the axis. Not found: the axis ends before. */
struct shmoo_margin {
    bool below_found, above_found;
    double below, above;
};
/* False: no operating point within the grid. */
bool shmoo_margin(const struct shmoo *shmoo, unsigned axis, struct shmoo_margin *margin);
/* The point of the grid that is nearest to the operating point; false: there is none within it. */
bool shmoo_operates_at(const struct shmoo *shmoo, unsigned *x, unsigned *y);
static inline bool shmoo_is_operating(const struct shmoo *shmoo, unsigned x, unsigned y)
{
    unsigned at_x, at_y;
    return shmoo_operates_at(shmoo, &at_x, &at_y) && at_x == x && at_y == y;
}
/* State of the operating point itself; SHMOO_UNKNOWN: none. */
enum shmoo_state shmoo_operating(const struct shmoo *shmoo);
const char *shmoo_state_name(enum shmoo_state state);
/* In both pictures: one of a point that ran, or of one that is taken to be like its corners. */
char shmoo_sign(const struct shmoo_point *point);
/* True if the payload is left to what fits and no axis varies it: every point then has that of the operating
 * point, as the text. Else the frame would change from point to point. */
bool shmoo_holds_frame(const struct shmoo *shmoo, char text[SHMOO_TEXT]);

/* Forms: a picture of characters, JSON, CSV, a page. All but the picture return 0 or a negative code. */
void shmoo_print(const struct shmoo *shmoo);
int shmoo_json(FILE *stream, void *shmoo);
int shmoo_csv(FILE *stream, void *shmoo);
int shmoo_html(FILE *stream, void *shmoo);

#endif
