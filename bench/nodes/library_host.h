/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The node of a shared library (phasebench/node_library.h), in a process that a run has started for it.
 */
#ifndef PB_NODES_LIBRARY_HOST_H
#define PB_NODES_LIBRARY_HOST_H

/* Loads the library and serves the bench on file descriptor PB_PROCESS_FD until the run ends. A name without
 * a slash is one in the present folder. Returns the exit code of the process: PB_NODE_HOST_REFUSED after a
 * library that is none, with the reason as the last line of stderr. */
int pb_library_host_serve(const char *file);

#endif
