/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A node in a process of its own, at the far end of the protocol of phasebench/node_process.h. Its time is
 * exact: a change of its outputs comes at the instant that the node gave, however late it was asked.
 *
 * A process that ends, does not answer or breaks the protocol is stopped; its node has released all lines
 * from then on and does nothing more.
 */
#ifndef PB_PROCESS_NODE_H
#define PB_PROCESS_NODE_H

#include "bench/nodes/child.h"
#include "bench/nodes/node.h"
#include "bench/nodes/trouble.h"

#define PB_PROCESS_LIMIT_PS INT64_C(5000000000000) /* wall time for an answer, if none is given */

struct pb_process_setting {
    const char *folder;  /* in which the command runs; NULL: the present one */
    int64_t limit_ps;    /* wall time for each answer; 0: PB_PROCESS_LIMIT_PS */
    struct pb_halt halt; /* ends the wait for an answer */
};

/* Starts the command and greets it. PB_ERR_CONFIG: the command cannot be started, ended, did not answer, or
 * speaks another version; PB_ERR_MEMORY; PB_ERR_IO; PB_ERR_INTERRUPTED, PB_ERR_TIMEOUT: halted. */
int pb_node_process_create(struct pb_node **out, const struct pb_node_config *config, const char *command,
                           const struct pb_process_setting *setting, struct pb_diag *diag);

/* The same for a shared library (phasebench/node_library.h), which `phasebench node-host FILE` loads in the
 * process; a relative path is meant from the folder. PB_ERR_CONFIG: also, the library cannot be loaded. */
int pb_node_library_create(struct pb_node **out, const struct pb_node_config *config, const char *file,
                           const struct pb_process_setting *setting, struct pb_diag *diag);

/* The program that loads libraries: the phasebench command gives its own. Static. Otherwise it is that in the
 * environment variable PHASEBENCH, or `phasebench` in PATH. */
void pb_node_host_set(const char *program);

enum { PB_NODE_HOST_REFUSED = 3 }; /* exit code of node-host: its last line says why */

/* PB_OK; PB_ERR_INTERRUPTED or PB_ERR_TIMEOUT: a halt ended the wait for an answer, so that what the node did
 * from then on means nothing. Its process is stopped. */
int pb_node_process_halted(const struct pb_node *node);

#endif
