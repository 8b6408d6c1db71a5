/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A child process in a process group of its own, with a stream socket as its file descriptor 3. What it
 * writes on stdout and stderr is collected.
 */
#ifndef PB_CHILD_H
#define PB_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pb_diag; /* phasebench/error.h */
struct pb_child;

enum pb_child_state {
    PB_CHILD_FINE,
    PB_CHILD_GONE,  /* it ended, or closed its socket */
    PB_CHILD_HUNG,  /* no answer within the limit */
    PB_CHILD_HALTED /* the bench itself must end */
};

/* What ends a wait for a child. All zero: nothing. */
struct pb_halt {
    const volatile sig_atomic_t *stop; /* once it is not zero; NULL: never */
    int64_t deadline_ns;               /* of CLOCK_MONOTONIC; 0: none */
};

/* PB_OK; PB_ERR_INTERRUPTED: stopped; PB_ERR_TIMEOUT: past the deadline. */
int pb_halt_code(const struct pb_halt *halt);

/* Starts the first of the words, a path or a name in PATH, in `folder` (NULL: the present one). The words
 * are only read. PB_ERR_CONFIG: it cannot be started; PB_ERR_MEMORY; PB_ERR_IO: no process or socket left. */
int pb_child_start(struct pb_child **out, char *const *word, const char *folder, struct pb_diag *diag);

/* Of all further waits. Copied. */
void pb_child_heed(struct pb_child *child, const struct pb_halt *halt);

/* Sends all bytes; then receives exactly `size`. Blocks up to limit_ps of wall time for each call. A child
 * that is ready to run and has had less than a quarter of this as CPU time gets four times as much: the
 * computer may be busy. PB_CHILD_HALTED: at most a tenth of a second after the halt. */
enum pb_child_state pb_child_send(struct pb_child *child, const uint8_t *bytes, size_t size,
                                  int64_t limit_ps);
enum pb_child_state pb_child_receive(struct pb_child *child, uint8_t *bytes, size_t size, int64_t limit_ps);

/* Kills its process group, waits for the child and collects the rest of its output. Writes how it ended:
 * "exited with code 3". A child that ends by itself within `grace_ms` is not killed first: then true. No
 * effect when called again, except text and result. */
bool pb_child_stop(struct pb_child *child, unsigned grace_ms, char *text, size_t size);

/* Writes the last bytes of its output so far, as one printable line, at most size - 1 bytes; "": none. */
void pb_child_output(struct pb_child *child, char *text, size_t size);

/* Stops it at once if it still runs, and frees. NULL: no effect. */
void pb_child_free(struct pb_child *child);

#endif
