/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "gdb.h"

#include "cli.h"
#include "runner.h"

#include "bench/registry/kinds.h"
#include "phasebench/rig.h"

#include <string.h>

enum { PORT_MAX = 65535 };

int gdb_take(struct gdb_place *place, const char *text, const char *url)
{
    char port[8];
    const char *colon = strchr(text, ':');
    const size_t length = colon ? (size_t)(colon - text) : strlen(text);
    *place = (struct gdb_place){.given = true};
    snprintf(port, sizeof port, "%.*s", length < sizeof port ? (int)length : 7, text);
    if (!cli_unsigned("--gdb, port,", port, 1, PORT_MAX, &place->port) ||
        (colon && !cli_unsigned("--gdb, node,", colon + 1, 0, PB_SCENARIO_NODES_MAX - 1, &place->node)))
        return CLI_USAGE;
    if (pb_rig_target_of(url).in_process)
        return CLI_PASS;
    return cli_fail(CLI_USAGE,
                    "--gdb controls an emulated node, which rig '%.60s' does not have in this process; use "
                    "--rig sim:",
                    url);
}

int gdb_check(const struct gdb_place *place, const struct pb_scenario *scenario)
{
    if (place->node >= scenario->node_count)
        return cli_fail(CLI_USAGE, "--gdb: %s has no nodes[%u]; give 0 to %u", scenario->path, place->node,
                        scenario->node_count - 1);
    const char *kind = scenario->node[place->node].kind;
    if (pb_node_kind_is_image(kind))
        return CLI_PASS;
    if (!strcmp(kind, "exec") || !strcmp(kind, "so"))
        return cli_fail(
            CLI_USAGE,
            "--gdb controls firmware images, and nodes[%u] is a process of this computer; raise its "
            "answer_limit, begin the run, and attach with gdb -p",
            place->node);
    return cli_fail(CLI_USAGE,
                    "--gdb controls firmware images, and nodes[%u] of %s is of kind %s; give a node of kind "
                    "elf:FILE",
                    place->node, scenario->path, kind);
}

int gdb_begin(struct pb_gdb **out, const struct gdb_place *place)
{
    struct pb_diag diag;
    const int code = pb_gdb_open(out, place->port, place->node, runner_stop_flag(), &diag);
    if (code)
        return cli_outcome(code, &diag);
    return cli_fail(CLI_PASS, "nodes[%u] waits up to %d s for gdb: target remote 127.0.0.1:%u", place->node,
                    PB_GDB_WAIT_S, place->port);
}
