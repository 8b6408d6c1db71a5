/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "machine_traffic.h"

#include "cli.h"
#include "network.h"
#include "output.h"
#include "progress.h"

#include "host/report/machine_forms.h"
#include "phasebench/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_form machine_forms[] = {{"machine.txt", pb_report_machine_text},
                                         {"machine.json", pb_report_machine_json},
                                         {"machine.csv", pb_report_machine_csv},
                                         {"machine.html", pb_report_machine_html},
                                         {.name = NULL}};

/* ---- values of the command line */

static int kill_one(struct pb_machine_sweep *sweep, const char *text)
{
    const struct pb_network *network = sweep->network;
    char node[40];
    const char *dot = strchr(text, '.');
    const size_t length = dot ? (size_t)(dot - text) : strlen(text);
    uint32_t address;
    unsigned port;

    snprintf(node, sizeof node, "%.*s", length < sizeof node ? (int)length : (int)sizeof node - 1, text);
    if (!cli_address("--dead", node, network, &address))
        return CLI_USAGE;
    if (!dot) {
        pb_machine_kill_node(sweep->dead, address);
        return CLI_PASS;
    }
    if (!cli_unsigned("--dead, port", dot + 1, 0, network->ports - 1, &port))
        return CLI_USAGE;
    if (!pb_network_has_wire(network, address, port))
        return cli_fail(CLI_USAGE, "--dead: node 0x%" PRIX32 " has no wire %u; give another", address, port);
    pb_machine_kill_link(sweep->dead, address, port);
    return CLI_PASS;
}

static int read_dead(struct pb_machine_sweep *sweep, const struct machine_traffic_request *request)
{
    int exit_code = CLI_PASS;

    if (!request->dead)
        return CLI_PASS;
    if (sweep->rule != PB_RULE_ECUBE)
        return cli_fail(CLI_USAGE,
                        "machine: with --rule opportunistic a message has many paths, and none is counted "
                        "as unreachable; leave out --dead, or take ecube");
    char *list = strdup(request->dead), *rest = NULL;
    if (!list || pb_machine_dead_create(&sweep->dead, sweep->network))
        exit_code = cli_fail(CLI_BENCH_FAILED, "machine: no memory for what is dead; give fewer nodes");
    for (char *at = list, *word; exit_code == CLI_PASS && (word = strtok_r(at, ",", &rest)); at = NULL)
        exit_code = kill_one(sweep, word);
    free(list);
    struct pb_diag diag;
    if (exit_code == CLI_PASS)
        exit_code = cli_outcome(pb_machine_unreachable(sweep->dead, &sweep->unreachable, &diag), &diag);
    sweep->how.dead = sweep->dead;
    return exit_code;
}

int machine_check_line(const struct machine_traffic_request *request)
{
    static const struct pb_machine_line usual = PB_MACHINE_LINE_DEFAULT;
    const struct pb_machine_line *const line = &request->line;
    const bool late = line->irq_latency_ps != usual.irq_latency_ps || line->irq_jitter_ps;
    const bool rate = request->pattern && line->phase_rate_mhz != usual.phase_rate_mhz;
    const bool other = rate || late || line->clock_ppm || line->baud_hz != usual.baud_hz;
    const enum pb_machine_engine engine = request->engine;
    if (request->image && engine < PB_ENGINE_IMAGE)
        return cli_fail(CLI_USAGE, "machine: --image is of --engine image or all; give one of them");
    if ((other && engine < PB_ENGINE_WIRE) || (late && engine == PB_ENGINE_IMAGE))
        return cli_fail(CLI_USAGE,
                        "machine: phase rate, baud and ppm are of --engine wire, image or all, latency and "
                        "jitter of wire or all; leave them out, or give one of these");
    return CLI_PASS;
}

static int read_request(struct pb_machine_sweep *sweep, const struct machine_traffic_request *request)
{
    struct pb_machine_traffic_options *how = &sweep->how;
    struct pb_diag diag;
    int exit_code = cli_outcome(pb_machine_sweep_check_pattern(request->pattern, &diag), &diag);

    *how = (struct pb_machine_traffic_options){.pattern = request->pattern,
                                               .batch = request->batch,
                                               .burst = request->burst,
                                               .hot = (double)request->hot_millionths / 1e6,
                                               .any_phase = request->birth == MACHINE_BIRTH_ANY,
                                               .valiant = request->valiant,
                                               .seed = request->seed};
    if (exit_code == CLI_PASS &&
        (request->load != NULL) + (request->window != NULL) + (request->batch != 0) > 1)
        exit_code = cli_fail(CLI_USAGE, "machine: --load, --window and --batch exclude each other; give one");
    const char *const trace = cli_traffic_file(request->pattern);
    if (exit_code == CLI_PASS && trace && (request->load || request->window || request->batch))
        exit_code =
            cli_fail(CLI_USAGE, "machine: a trace has all messages itself; leave out --load, --window and "
                                "--batch");
    if (exit_code == CLI_PASS && request->saturation &&
        (trace || request->window || request->batch || request->room || request->room_port))
        exit_code =
            cli_fail(CLI_USAGE, "machine: --saturation is of an open loop with unbounded rooms, where queues "
                                "can grow; leave out --window, --batch, the trace and the rooms");
    if (exit_code == CLI_PASS && request->saturation && sweep->rule != PB_RULE_ECUBE)
        exit_code = cli_fail(CLI_USAGE, "machine: --saturation watches the queues of the links, which --rule "
                                        "opportunistic has not; take ecube, or a range of loads");
    if (exit_code == CLI_PASS && request->room_port && sweep->rule != PB_RULE_ECUBE)
        exit_code =
            cli_fail(CLI_USAGE, "machine: with --rule opportunistic a node has no queue of a port; give "
                                "--room");
    if (exit_code == CLI_PASS && request->saturation && sweep->engine != PB_ENGINE_SLOT)
        exit_code = cli_fail(CLI_USAGE,
                             "machine: --saturation needs unbounded rooms, and a node of the firmware has "
                             "room for %u messages; take --engine slot, or a range of loads",
                             PB_MACHINE_FIRMWARE_ROOM);
    if (exit_code == CLI_PASS)
        exit_code = machine_check_line(request);
    if (exit_code == CLI_PASS)
        exit_code = cli_outcome(
            pb_machine_engine_check(sweep->engine, sweep->network, request->room, request->room_port, &diag),
            &diag);
    if (exit_code == CLI_PASS)
        exit_code = read_dead(sweep, request);
    if (exit_code == CLI_PASS && trace) {
        exit_code = cli_read_traffic(&sweep->trace, sweep->network, trace, true);
        how->pattern = NULL;
        how->trace = &sweep->trace;
    }
    if (exit_code == CLI_PASS && (request->load || request->window || !request->saturation))
        exit_code = cli_outcome(pb_machine_sweep_points(sweep, request->load, request->window, &diag), &diag);
    sweep->superframes = pb_machine_sweep_once(sweep) ? MACHINE_SUPERFRAMES_MAX : request->superframes;
    return exit_code == CLI_PASS ? cli_outcome(pb_machine_sweep_open(sweep, &diag), &diag) : exit_code;
}

/* ---- runs */

static void show_steps(void *progress, uint64_t done, uint64_t all)
{
    progress_count(progress, "superframes", done, all);
}

static int run_all(struct pb_machine_sweep *sweep, const struct machine_traffic_request *request,
                   struct machine_bench *bench)
{
    struct progress progress;
    struct pb_diag diag;
    int code = pb_machine_sweep_limit(sweep, &diag);
    if (!code)
        code = pb_machine_sweep_fit(sweep, (uint64_t)request->memory_mb * 1000000, &diag);
    const int exit_code = code ? CLI_PASS : machine_bench_open(bench, sweep);
    if (exit_code != CLI_PASS)
        return exit_code;
    progress_begin(&progress, "machine", !request->watch);
    sweep->progress = show_steps;
    sweep->context = &progress;
    if (!code)
        code = pb_machine_sweep_run(sweep, &diag);
    progress_end(&progress);
    const struct pb_machine_difference *difference = code ? NULL : pb_machine_sweep_difference(sweep);
    char text[PB_DIFFERENCE_TEXT_SIZE];
    if (difference)
        return cli_fail(CLI_NODE_FAILED, "machine: the engines differ: %s",
                        pb_machine_difference_text(difference, sweep->network, text));
    return cli_outcome(code, &diag);
}

int machine_traffic(const struct machine_traffic_request *request)
{
    struct pb_machine_sweep sweep = {.network = &request->network,
                                     .pattern = request->pattern,
                                     .rule = request->rule,
                                     .engine = request->engine,
                                     .line = request->line,
                                     .image = request->image,
                                     .seed = request->seed,
                                     .warm_up = request->warm_up > MACHINE_SUPERFRAMES_MAX ? PB_MACHINE_DETECT
                                                                                           : request->warm_up,
                                     .room = request->room,
                                     .room_port = request->room_port,
                                     .checkpoint = request->checkpoint,
                                     .checkpoint_every = request->checkpoint_every,
                                     .resume = request->resume,
                                     .jobs = request->jobs,
                                     .threads = request->threads,
                                     .closed = request->window != NULL,
                                     .search = request->saturation};
    sweep.line.seed = request->seed;
    struct machine_bench bench = {.bench = NULL};
    int exit_code = machine_bench_read(&bench, &sweep, request);

    if (exit_code == CLI_PASS)
        exit_code = read_request(&sweep, request);
    const bool shows = pb_machine_sweep_shows(&sweep);
    if (exit_code == CLI_PASS && shows)
        exit_code = output_forms_begin(request->out, machine_forms);
    if (exit_code == CLI_PASS)
        exit_code = run_all(&sweep, request, &bench);
    if (exit_code == CLI_PASS && shows)
        exit_code = output_forms_end(request->out, machine_forms, &sweep, request->form);
    if (exit_code == CLI_PASS && pb_machine_sweep_doubts(&sweep))
        exit_code = pb_machine_sweep_findings(&sweep) ? CLI_NODE_FAILED : CLI_INCONCLUSIVE;
    machine_bench_close(&bench);
    pb_machine_sweep_free(&sweep);
    return exit_code;
}
