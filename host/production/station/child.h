/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The process of one validation: start, events, stop, end. It has a process group of its own, so Ctrl-C of a
 * terminal reaches the station alone. If the station dies, the process gets SIGINT, which stops it safely.
 * Nothing here blocks. */
#ifndef PB_STATION_CHILD_H
#define PB_STATION_CHILD_H

#include "state.h"

#include <poll.h>
#include <sys/types.h>

#define STATION_EVENTS_FD 3                /* in the process */
#define STATION_EVENTS_PATH "/dev/fd/3"    /* for its --events */
#define STATION_STOP_NS INT64_C(10000000000) /* from SIGINT to SIGKILL for the validation */
#define STATION_WRAPPER_NS INT64_C(5000000000) /* from there to SIGKILL for its wrapper */

struct station_child {
    pid_t pid;          /* 0: none */
    pid_t validation;   /* pid, or a process that a wrapper has started; 0: it has not said its number */
    int events, errors; /* read ends of its pipes; -1: closed */
    int64_t stop_ns;    /* when SIGINT was sent; 0: not yet */
    bool begun; /* an event has come */
    bool killed; /* the validation */
    struct station_lines lines;
    char said[STATION_REASON_SIZE]; /* its last whole line on stderr, after "phasebench: " */
    char saying[STATION_REASON_SIZE]; /* the present one */
    size_t saying_length;
};

/* Starts word[0] with these arguments; stdin and stdout are /dev/null. A program that cannot be executed ends
 * with exit code 4 and a message. other: the program may be a wrapper; the validation has to report its
 * process number. Returns 0, or PB_ERR_IO: no pipe or no process. */
int station_child_start(struct station_child *child, char *const *word, bool other, struct pb_diag *diag);
/* Takes the process number that the validation reports; accepted if the process is in the group. */
void station_child_named(struct station_child *child, pid_t validation);

/* Fills two entries for poll(2). */
void station_child_poll(const struct station_child *child, struct pollfd wait[2]);
/* Reads the pending output, at most 64 KiB. */
void station_child_read(struct station_child *child, const struct station_lines_sink *sink);
/* Sends SIGINT to its group, once. */
void station_child_stop(struct station_child *child, int64_t now_ns);
/* If it did not stop in time, sends SIGKILL to the validation, and then to the whole group: at once without a
 * wrapper, and later with one, which meanwhile switches the supply off. */
void station_child_tick(struct station_child *child, int64_t now_ns);
/* True once it has ended. Its output was then read, the rest of its group is killed, and *end is filled
 * except `report`. */
bool station_child_ended(struct station_child *child, const struct station_lines_sink *sink,
                         struct station_end *end);

#endif
