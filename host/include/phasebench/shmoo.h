/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tests which points of two parameters of a scenario pass. Only points near a boundary run: a cell of the
 * coarse grid whose four corners agree is assumed to be equal to them. docs/use/shmoo.md describes the map.
 */
#ifndef PHASEBENCH_SHMOO_H
#define PHASEBENCH_SHMOO_H

#include "phasebench/api.h"
#include "phasebench/error.h"
#include "phasebench/procedure.h"
#include "phasebench/scenario.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

PB_API_BEGIN

#define PB_SHMOO_STEPS_MAX 64 /* of an axis: 65 points */
#define PB_SHMOO_TEXT 96

enum pb_shmoo_state {
    PB_SHMOO_UNKNOWN,
    PB_SHMOO_PASS,
    PB_SHMOO_MARGINAL,
    PB_SHMOO_FAIL,
    PB_SHMOO_INCONCLUSIVE, /* or without a result */
    PB_SHMOO_REFUSED,      /* there is no such scenario */
    PB_SHMOO_STATES
};

struct pb_shmoo_axis {
    char place[PB_SHMOO_TEXT], unit[32];
    double from, to;
    bool placed; /* the operating point is known, as: */
    double point;
};

struct pb_shmoo_point {
    enum pb_shmoo_state state;
    bool ran, margin_known;
    int64_t margin_ps; /* the least of the starts of nodes */
    char reason[160];
};

struct pb_shmoo {
    const struct pb_scenario *scenario; /* borrowed; the operating point */
    struct pb_shmoo_axis axis[2];       /* x, y */
    unsigned steps, runs;
    bool stopped;                 /* by a request or an error: some points are unknown */
    bool holds_frame;             /* the payload is left to what fits and no axis varies it: every point has
                                     that of the operating point, else the frame would change */
    struct pb_shmoo_point *point; /* owned, shared with forked processes; (steps + 1)^2, y after y, then the
                                     operating point itself */
};

#define PB_SHMOO_JOBS_MAX 256u

/* What pb_shmoo_run calls; NULL: not called. */
struct pb_shmoo_observer {
    void (*point)(void *context, const struct pb_shmoo *shmoo, unsigned runs); /* after each run */
    void *context;
};

struct pb_shmoo_options {
    const struct pb_scenario *scenario;  /* the operating point; must last as long as the map */
    struct pb_scenario_texts *texts;     /* what it was made of; unchanged */
    uint32_t superframes;                /* of each run; 0: the scenario's */
    const uint64_t *seed;                /* in place of the scenario's; NULL: none */
    struct pb_shmoo_axis axis[2];        /* of pb_shmoo_axis_read */
    unsigned steps;                      /* 1..PB_SHMOO_STEPS_MAX */
    bool full;                           /* every point runs */
    /* Points that run at a time, each in a forked process whose stderr is dropped, as the reason is in the
     * point; at most PB_SHMOO_JOBS_MAX. 0: one after the other in this process. */
    unsigned jobs;
    struct pb_shmoo_observer observer;
};

/* "link.baud=200..2000 kbaud": fills place, unit and range. PB_ERR_ARGUMENT: the text is none. */
int pb_shmoo_axis_read(struct pb_shmoo_axis *axis, const char *text, struct pb_diag *diag);
/* PB_ERR_CONFIG: the scenario refuses each of the values of this axis, 0 or 1, as it does an unknown key; the
 * diagnostic is that of the last one. */
int pb_shmoo_check_axis(const struct pb_shmoo_options *options, unsigned axis, struct pb_diag *diag);
/* A number on an axis as a scenario has it: "200 kbaud". The number of point i, and its value. */
void pb_shmoo_value(const struct pb_shmoo_axis *axis, double number, char text[PB_SHMOO_TEXT]);
double pb_shmoo_axis_number(const struct pb_shmoo_axis *axis, unsigned steps, unsigned i);
void pb_shmoo_axis_value(const struct pb_shmoo_axis *axis, unsigned steps, unsigned i,
                         char text[PB_SHMOO_TEXT]);

/* Runs the points, each as pb_run on the rig of the procedure, and takes the operating point from the
 * scenario: the value that is written, else the default. Blocks for as long as the runs take. Returns 0 with
 * the map in *shmoo, also if runs failed; else PB_ERR_INTERRUPTED, PB_ERR_MEMORY or PB_ERR_IO, with the
 * points so far, if shmoo->point is not NULL. Release it with pb_shmoo_free in every case. */
int pb_shmoo_run(struct pb_shmoo *shmoo, const struct pb_procedure *procedure,
                 const struct pb_shmoo_options *options, struct pb_diag *diag);
void pb_shmoo_free(struct pb_shmoo *shmoo);

static inline struct pb_shmoo_point *pb_shmoo_at(const struct pb_shmoo *shmoo, unsigned x, unsigned y)
{
    return &shmoo->point[(size_t)y * (shmoo->steps + 1) + x];
}

/* Distance of the operating point from the nearest point that does not pass, along one axis, downwards and
 * upwards, in the unit of the axis. It is taken on the nearest grid line of the other axis. Not found: the
 * axis ends before. */
struct pb_shmoo_margin {
    bool below_found, above_found;
    double below, above;
};
/* False: no operating point within the grid, or stopped: points next to it may be unknown. */
bool pb_shmoo_margin(const struct pb_shmoo *shmoo, unsigned axis, struct pb_shmoo_margin *margin);
/* The point of the grid that is nearest to the operating point; false: there is none within it. */
bool pb_shmoo_operates_at(const struct pb_shmoo *shmoo, unsigned *x, unsigned *y);
static inline bool pb_shmoo_is_operating(const struct pb_shmoo *shmoo, unsigned x, unsigned y)
{
    unsigned at_x, at_y;
    return pb_shmoo_operates_at(shmoo, &at_x, &at_y) && at_x == x && at_y == y;
}
/* State of the operating point itself; PB_SHMOO_UNKNOWN: none. */
enum pb_shmoo_state pb_shmoo_operating(const struct pb_shmoo *shmoo);
const char *pb_shmoo_state_name(enum pb_shmoo_state state);
/* In all pictures: one of a point that ran, or of one that is taken to be like its corners. */
char pb_shmoo_sign(const struct pb_shmoo_point *point);

/* Forms: a picture of characters, JSON, CSV, a page. They return 0, PB_ERR_MEMORY or PB_ERR_IO, and do not
 * close the stream. */
int pb_report_shmoo_text(FILE *stream, const struct pb_shmoo *shmoo);
int pb_report_shmoo_json(FILE *stream, const struct pb_shmoo *shmoo);
int pb_report_shmoo_csv(FILE *stream, const struct pb_shmoo *shmoo);
int pb_report_shmoo_html(FILE *stream, const struct pb_shmoo *shmoo);

PB_API_END

#endif
