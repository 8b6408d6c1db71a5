/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whether a traffic pattern fits into one superframe of the 12-dimensional cube:
 *   cc bound.c $(pkg-config --cflags --libs phasebench) -o bound && ./bound complement */
#include <phasebench/flow.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    const struct pb_network cube = pb_network_cube(12);
    struct pb_traffic traffic;
    struct pb_flow_bound bound;
    struct pb_diag diag;

    if (argc != 2) {
        fprintf(stderr, "usage: bound PATTERN, for example complement or perm:1\n");
        return 2;
    }
    if (pb_traffic_generate(&traffic, &cube, argv[1], &diag)) {
        fprintf(stderr, "%s\n", diag.text);
        return 2;
    }
    const int code = pb_flow_analyse(&cube, &traffic, &bound);
    pb_traffic_free(&traffic);
    if (code) {
        fprintf(stderr, "%s\n", pb_error_text(code));
        return 4;
    }
    printf("%zu messages, at most %u on one link: %u superframe(s) of %u phases\n", bound.messages,
           bound.max_link_load, bound.fifo_superframes, cube.phases);
    return 0;
}
