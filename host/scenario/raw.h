/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A scenario file as libcyaml loads it: the structure is checked, every value is still text. NULL: not in the
 * file.
 */
#ifndef PB_RAW_H
#define PB_RAW_H

#include "yaml_lines.h"

#include "phasebench/scenario.h"

#include <stddef.h>

struct pb_raw_cube {
    char *dims, *rule;
};

struct pb_raw_network {
    char *family, *dims, *rule, **radix;
    unsigned radix_count;
};

struct pb_raw_link {
    char *phase_rate, *baud, *guard, *head_guard, *codec, *payload, *console_baud, *drive, *rise,
        *simulated_rise;
};

struct pb_raw_clock {
    char *source, *error, *jitter;
};

struct pb_raw_node {
    char *address, *kind, *clock_error, *irq_latency, *irq_jitter, *defect, *defect_amount, *defect_from,
        *defect_every;
};

struct pb_raw_traffic {
    char *pattern, *from, *to, *file, *superframe, *phase, *repeat;
};

struct pb_raw_limits {
    char *start_early, *start_late, *max_superframes, *max_occupancy, *overflow, *recovery;
};

struct pb_raw_scenario {
    char *name, *description, *superframes, *seed, *capture;
    struct pb_raw_cube cube;
    struct pb_raw_network network;
    struct pb_raw_link link;
    struct pb_raw_clock clock;
    struct pb_raw_limits limits;
    struct pb_raw_node *node;
    unsigned node_count;
    struct pb_raw_traffic *traffic;
    unsigned traffic_count;
    struct pb_fault_text *fault;
    unsigned fault_count;
};

/* Loads a text that pb_outline_read accepted. PB_ERR_CONFIG for unknown keys (with the nearest known one) and
 * values of the wrong form. *out is NULL on failure; release with pb_raw_free. */
int pb_raw_load(struct pb_raw_scenario **out, const struct pb_outline *outline, const char *path,
                const char *text, size_t length, struct pb_diag *diag);
void pb_raw_free(struct pb_raw_scenario *raw); /* NULL is fine */

#endif
