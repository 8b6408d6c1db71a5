/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A child process in a process group of its own, with a stream socket as its file descriptor 3. What it
 * writes on stdout and stderr is collected.
 */
#ifndef PB_CHILD_H
#define PB_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pb_diag; /* phasebench/error.h */
struct pb_child;

enum pb_child_state {
    PB_CHILD_FINE,
    PB_CHILD_GONE, /* it ended, or closed its socket */
    PB_CHILD_HUNG  /* no answer within the limit */
};

/* Starts the first of the words, a path or a name in PATH, in `folder` (NULL: the present one). The words
 * are only read. PB_ERR_CONFIG: it cannot be started; PB_ERR_MEMORY; PB_ERR_IO: no process or socket left. */
int pb_child_start(struct pb_child **out, char *const *word, const char *folder, struct pb_diag *diag);

/* Sends all bytes; then receives exactly `size`. Blocks up to limit_ps of wall time for each call. A child
 * that is ready to run and has had less than a quarter of this as CPU time gets four times as much: the
 * computer may be busy. */
enum pb_child_state pb_child_send(struct pb_child *child, const uint8_t *bytes, size_t size,
                                  int64_t limit_ps);
enum pb_child_state pb_child_receive(struct pb_child *child, uint8_t *bytes, size_t size, int64_t limit_ps);

/* Kills its process group, waits for the child and collects the rest of its output. Writes how it ended:
 * "exited with code 3". A child that ends by itself within `grace_ms` is not killed first. No effect when
 * called again, but for the text. */
void pb_child_stop(struct pb_child *child, unsigned grace_ms, char *text, size_t size);

/* Writes the last bytes of its output so far, as one printable line, at most size - 1 bytes; "": none. */
void pb_child_output(struct pb_child *child, char *text, size_t size);

/* Stops it at once if it still runs, and frees. NULL: no effect. */
void pb_child_free(struct pb_child *child);

#endif
