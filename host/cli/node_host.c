/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * `phasebench node-host FILE`: the process of a node of kind so:FILE. No verb for users: the bench starts it.
 */
#include "cli.h"

#include "bench/nodes/library_host.h"
#include "phasebench/node_process.h"

#include <sys/stat.h>

int cli_node_host(int argc, char **argv)
{
    struct stat status;
    if (argc != 1 || fstat(PB_PROCESS_FD, &status) || !S_ISSOCK(status.st_mode))
        return cli_fail(CLI_USAGE,
                        "node-host: is started by a run; name the library in a scenario, as kind so:FILE");
    return pb_library_host_serve(argv[0]);
}
