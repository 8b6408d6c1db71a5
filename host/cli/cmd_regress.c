/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The cases become scenarios in the folder of the results, and run as a suite: `phasebench run` repeats any
 * one of them.
 */
#define _DEFAULT_SOURCE
#include "cli.h"
#include "coverage.h"
#include "rows.h"
#include "suite.h"

#include "phasebench/regress.h"
#include "phasebench/rig.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FOLDER_SIZE = 4096 };

struct request {
    struct run_request run;
    struct rigs rigs; /* of a rig map: */
    struct pb_regress_node node;
    const char *only, *skip, *compare;
    uint64_t address;
    bool address_given, list, overflow;
    unsigned seeds;
};

static int list(void)
{
    for (size_t i = 0; pb_regress_case_name(i); i++)
        cli_say("%-20s  %s", pb_regress_case_name(i), pb_regress_case_purpose(i));
    return cli_flush();
}

/* ---- the suite */

/* Kind of the target, without the part after the colon. */
static size_t kind_length(const char *kind)
{
    return strcspn(kind, ":");
}

/* What the map says of the node of a board must be what is tested. */
static int check_boards(const struct request *request)
{
    const char *kind = request->node.kind;
    for (size_t i = 0; i < request->rigs.count; i++) {
        const struct pb_map_entry *entry = rigs_entry(&request->rigs, i);
        const char *path = pb_map_path(request->rigs.map);
        if (*entry->node.kind && (kind_length(entry->node.kind) != kind_length(kind) ||
                                  strncmp(entry->node.kind, kind, kind_length(kind))))
            return cli_fail(
                CLI_USAGE,
                "regress: %s:%u: the node of %s is of kind %s, the target is %s; give that target, or "
                "disable the board",
                path, entry->line, pb_map_name(entry), entry->node.kind, kind);
        if (entry->node.address_given && entry->node.address != request->node.address)
            return cli_fail(
                CLI_USAGE,
                "regress: %s:%u: the node of %s has address 0x%X, the cases are of 0x%X; give --address "
                "0x%X, or disable the board",
                path, entry->line, pb_map_name(entry), entry->node.address, request->node.address,
                entry->node.address);
    }
    return CLI_PASS;
}

static int on_chosen(void *context, size_t cases, struct pb_diag *diag)
{
    const struct run_request *run = &((const struct request *)context)->run;
    if (run->gdb.given && cases != 1)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "regress: --gdb controls the node of one case, %zu are chosen; choose one with --only",
                       cases);
    /* The list of last failures is in a file that output_prepare would remove. */
    return suite_reported(run->select.last_failed ? output_begin(run->out) : output_prepare(run->out), diag);
}

static int write_text(FILE *stream, void *context)
{
    return fputs(context, stream) < 0 ? PB_ERR_IO : PB_OK;
}

static int on_scenario(void *context, const char *path, const char *text, struct pb_diag *diag)
{
    const struct pb_file_output file = {.path = path};
    (void)context;
    return suite_reported(output_form(&file, write_text, (void *)(uintptr_t)text), diag);
}

static int begin(void *context, struct pb_suite_results **out, const struct pb_procedure *procedure,
                 const struct pb_suite_options *suite, struct pb_diag *diag)
{
    const struct request *request = context;
    const struct pb_regress_options options = {
        .node = request->node,
        .overflow = request->overflow,
        .only = request->only,
        .skip = request->skip,
        .seeds = request->seeds,
        .seed = request->run.overrides.seed_given ? request->run.overrides.seed : 1,
        .folder = request->run.out,
        .chosen = on_chosen,
        .scenario = on_scenario,
        .context = context,
        .suite = *suite};
    return pb_regress(out, procedure, &options, diag);
}

static int run(struct request *request)
{
    struct run_request run = request->run;
    size_t kinds = 0;
    while (pb_regress_case_name(kinds))
        kinds++;
    run.rigs = request->rigs.count ? &request->rigs : NULL;
    return suite_run(request->seeds * kinds, &run, begin, request);
}

/* ---- command line */

static const struct cli_option options[] = {
    {"list", NULL, CLI_FLAG, CLI_AT(request, list), .help = "names and purposes of the cases; no run"},
    {"only", "NAMES", CLI_TEXT, CLI_AT(request, only),
     .help = "these cases, separated by commas, with * and ? as in a shell"},
    {"skip", "NAMES", CLI_TEXT, CLI_AT(request, skip), .help = "all but these cases, in the same form"},
    {"seeds", "N", CLI_COUNT, CLI_AT(request, seeds), .least = 1, .most = PB_REGRESS_SEEDS_MAX,
     .initial = "1", .help = "repeat each case with N seeds, from --seed on"},
    {"compare", "OLD", CLI_FILE, CLI_AT(request, compare), .use = CLI_READS,
     .help = "then compare with the folder of an earlier regress, or with another target, which runs first"},
    {"soak", "MESSAGES", CLI_NUMBER, CLI_AT(request, node.soak), .least = 1, .most = UINT64_C(10000000000),
     .help = "also run full load until the node has handled this many messages"},
    {"overflow", NULL, CLI_FLAG, CLI_AT(request, overflow),
     .help = "also send more messages than the node has room for: 40, or its key room"},
    {"dims", "N", CLI_COUNT, CLI_AT(request, node.dims), .least = 1, .most = PB_WIRE_PORTS_MAX,
     .initial = "12", .help = "dimensions of the cube", .gap = true},
    {"address", "A", CLI_NUMBER, CLI_AT(request, address), CLI_GIVEN(request, address_given),
     .most = PB_WIRE_NODES_MAX - 1, .otherwise = "0x2A3 cut to the dimensions; 1 of three, 0 of fewer",
     .help = "address of the node"},
    {"rule", "RULE", CLI_TEXT, CLI_AT(request, node.rule), .words = "ecube opportunistic",
     .otherwise = "ecube", .help = "routing rule of the network"},
    {"no-console", NULL, CLI_FLAG, CLI_AT(request, node.mute),
     .help = "the node has no console: no messages of its own"},
    {"link", "KEYS", CLI_TEXT, CLI_AT(request, node.link),
     .help = "keys of link in every scenario, as 'baud: 500 kbaud, phase_rate: 5 kHz'"},
    {"node", "KEYS", CLI_TEXT, CLI_AT(request, node.keys),
     .help = "keys of the node in every scenario, as 'irq_latency: 3 us'"},
    {"defect", "NAME", CLI_TEXT, CLI_AT(request, node.defect),
     .help = "of a kind with defects: what is broken on purpose"},
    {"rig", "URL", CLI_RIG, CLI_AT(request, run.runner.options.rig_url), .words = CLI_RIG_WORDS,
     .otherwise = "sim:",
     .help = CLI_RIG_HELP "; map:FILE: all enabled boards of a hardware map at once (docs/use/map.md)",
     .gap = true},
    {"seed", "N", CLI_NUMBER, CLI_AT(request, run.overrides.seed),
     CLI_GIVEN(request, run.overrides.seed_given), .most = UINT64_MAX, .otherwise = "1",
     .help = "places of faults, permutations, payloads and jitter"},
    CLI_ROW_HISTORY(request, run.history),
    CLI_ROW_CAPTURE(request, run.overrides.capture, run.overrides.capture_given),
    CLI_ROW_TIMEOUT(request, run.runner.options.timeout_s, "limit of wall time for each case",
                    .otherwise = RUNNER_TIMEOUT_DEFAULT " and twice the length of the run"),
    {"jobs", "N", CLI_COUNT, CLI_AT(request, run.jobs), .least = 1, .most = PB_SUITE_JOBS_MAX,
     .otherwise = "one for each processor; 1 on other rigs than sim:", .letter = 'j',
     .help = "how many cases at a time, only on rig sim:; on map: one for each board"},
    CLI_ROW_CAL(request, run.cal),
    CLI_ROW_RETRY(request, run.retry),
    CLI_ROW_QUARANTINE(request, run.quarantine_path),
    CLI_ROW_SELECT(request, run.select),
    {"out", "DIR", CLI_FOLDER, CLI_AT(request, run.out), .use = CLI_WRITES, .initial = RUN_OUT_DEFAULT,
     .help = "folder for the scenarios and the reports, made when missing"},
    {"json", NULL, CLI_SET, CLI_AT(request, run.form), .least = RUN_FORM_JSON,
     .help = "one JSON document on stdout, with the totals and a list of the results"},
    {"tap", NULL, CLI_SET, CLI_AT(request, run.form), .least = RUN_FORM_TAP, .help = "TAP on stdout"},
    {"junit", "FILE", CLI_FILE, CLI_AT(request, run.junit_path), .use = CLI_WRITES,
     .help = "JUnit XML of all cases"},
    {"csv", "FILE", CLI_FILE, CLI_AT(request, run.csv_path), .use = CLI_WRITES,
     .help = "every transmission of all cases, one row each; columns: phasebench-method(7)"},
    CLI_ROW_COVERAGE(request, run.coverage_path),
    CLI_ROW_GDB(request, run.gdb_text),
    {"vcd", NULL, CLI_FLAG, CLI_AT(request, run.runner.options.trace_vcd),
     .help = "the pins of the waveform of a failure as VCD, too, one scalar each: failure.vcd"},
    {"quiet", NULL, CLI_FLAG, CLI_AT(request, run.runner.quiet), .help = "no progress and no table"},
    {.name = NULL},
};

const struct cli_verb verb_regress = {
    .name = "regress",
    .summary = "run firmware through all cases of the contract",
    .usage = "TARGET [options]\n--list",
    .about = "Runs one node through a suite: own messages, every dimension and direction, forwarding between "
             "every pair of links, full load, queues, start-up, clock and SYNC faults, wrong frames, line "
             "faults, and variants of codec, rule, rates and drive. Each case is a scenario with one "
             "purpose, judged like any other run.\n"
             "\n"
             "TARGET is the path of a program, script or shared library that is a node by "
             "docs/start/your-firmware.md, or of a firmware image (ELF, UF2) for an emulated part, or a kind "
             "of node: 'exec:COMMAND', 'so:FILE', 'elf:FILE', native, ref, contract, board. It runs in the "
             "present folder, in a process of its own for each case.",
    .options = options,
    .more =
        "DIR gets each case as NAME.yaml, its report in NAME/, and index.html: 'phasebench run "
        "DIR/NAME.yaml' repeats a case. DIR/result.json is the result of all, for 'phasebench compare'.\n"
        "\n"
        "A case of another configuration (codec, rule, rates, drive, clock error) is skipped when the "
        "node refuses it: a process that ends before it greets. The reason is in every form; in JUnit "
        "the case is skipped.\n"
        "\n"
        "With --retry a case that does not pass runs again as it was, with its seed; the files of its first "
        "run "
        "are in DIR/NAME/first. A case of --quarantine runs, and its failure changes no exit code; an entry "
        "whose "
        "date is over, or that names no case, is an error. A case that passes in quarantine is reported.\n"
        "\n"
        "On --rig map:FILE a board that cannot be opened any more, or is unplugged, is taken out, and its "
        "case "
        "runs again on another; the summary names it.\n"
        "\n"
        "A case fails at its first finding: the report shows superframe, phase and what was expected. "
        "The margin is the smallest distance of a transmission from the limits of its start.",
    .exits = "as of run: 0 all passed (skipped ones do not count), 1 the node failed, or became worse in "
             "--compare, 2 wrong usage, 3 the target is no node or does not start, 4 the bench failed, 5 "
             "inconclusive, 124 timeout, 130 "
             "interrupted.",
    .examples = "  phasebench regress ./mynode\n"
                "  phasebench regress ./mynode.so\n"
                "  phasebench regress 'exec:python3 my_node.py' --junit regress.xml\n"
                "  phasebench regress ./mynode --only 'clock-*,sync-*' --seeds 20\n"
                "  phasebench regress ./mynode --dims 4 --link 'baud: 500 kbaud, phase_rate: 5 kHz'\n"
                "  phasebench regress ./mynode --out new --compare ./mynode.old\n"
                "  phasebench regress ./mynode --soak 1000000 --only soak\n"
                "  phasebench regress contract --defect late_start\n"
                "  phasebench regress board --rig ftdi:\n"
                "  phasebench regress board --rig map:station.yaml --retry 1 --quarantine my_known.yaml\n",
    .most = 1,
    .operand = CLI_OPERAND_TARGET,
    .run = cmd_regress,
};

static int check(const struct request *request)
{
    const char *url = request->run.runner.options.rig_url;
    if (pb_rig_target_of(url).replays)
        return cli_fail(CLI_USAGE, "regress: a recording holds one run, not a suite; give another --rig");
    if (request->run.jobs > 1 && pb_map_url(url))
        return cli_fail(
            CLI_USAGE,
            "regress: --jobs is %u, and each board of a map runs one case at a time; leave --jobs out",
            request->run.jobs);
    if (request->run.jobs > 1 && !pb_rig_target_of(url).in_process)
        return cli_fail(CLI_USAGE,
                        "regress: --jobs is %u, and rig '%.60s' carries one run at a time; leave --jobs out, "
                        "or use --rig sim:",
                        request->run.jobs, url);
    if (request->address_given && request->address >> request->node.dims)
        return cli_fail(CLI_USAGE, "regress: --address is 0x%llX, a cube of %u dimensions has 0 to 0x%llX",
                        (unsigned long long)request->address, request->node.dims,
                        (1ull << request->node.dims) - 1);
    if (request->compare && request->run.form != RUN_FORM_TEXT)
        return cli_fail(CLI_USAGE,
                        "regress: --compare prints a table, so --json and --tap are not possible with "
                        "it; leave one out, and run 'phasebench compare --json'");
    int exit_code = request->run.coverage_path ? coverage_check_rig(url) : CLI_PASS;
    if (request->run.gdb.given && request->compare)
        return cli_fail(CLI_USAGE, "regress: --gdb and --compare do not go together; leave one out");
    struct pb_diag diag;
    int code = exit_code == CLI_PASS ? pb_regress_check_names("--only", request->only, &diag) : PB_OK;
    if (exit_code == CLI_PASS && !code)
        code = pb_regress_check_names("--skip", request->skip, &diag);
    return code ? cli_outcome_of("regress", code, &diag) : exit_code;
}

static int take_target(struct request *request, struct pb_target *target, const char *text,
                       char folder[FOLDER_SIZE])
{
    struct pb_diag diag;
    const int code = pb_target_read(target, text, &diag);
    if (code)
        return cli_fail(pb_error_exit_code(code), "%s", target->why);
    request->node.kind = target->kind;
    request->node.folder = strchr(target->kind, ':') ? getcwd(folder, FOLDER_SIZE) : NULL;
    if (strchr(target->kind, ':') && !request->node.folder)
        return cli_fail(CLI_USAGE, "regress: the present folder has no path; change to another one");
    return CLI_PASS;
}

/* The old results: those of the folder, or of a run of the old target in the folder `old` of the new one. A
 * failure of the old one is what the comparison starts from, not a failure of the command. */
static int find_old(char path[OUTPUT_PATH_SIZE], const struct request *request, char folder[FOLDER_SIZE])
{
    struct request old = *request;
    struct pb_target target;
    char out[OUTPUT_PATH_SIZE];
    if (output_path(path, request->compare, OUTPUT_RESULT) && access(path, R_OK) == 0)
        return CLI_PASS;
    int exit_code = take_target(&old, &target, request->compare, folder);
    if (exit_code == CLI_PASS && (!output_path(out, request->run.out, "old") || output_prepare(out)))
        exit_code = CLI_BENCH_FAILED;
    if (exit_code != CLI_PASS)
        return exit_code;
    old.run.out = out;
    old.node.defect = NULL; /* of the new target, as is the history */
    old.run.history.path = old.run.quarantine_path = NULL;
    old.run.retry = 0;
    old.run.select = (struct suite_selection){.max_failures = 0};
    old.run.runner.quiet = true;
    old.run.junit_path = old.run.csv_path = old.run.coverage_path = NULL;
    exit_code = run(&old);
    if (exit_code != CLI_PASS && exit_code != CLI_NODE_FAILED && exit_code != CLI_INCONCLUSIVE)
        return exit_code;
    return output_path(path, out, OUTPUT_RESULT) ? CLI_PASS : CLI_BENCH_FAILED;
}

static int run_and_compare(struct request *request, char folder[FOLDER_SIZE])
{
    char old[OUTPUT_PATH_SIZE], new[OUTPUT_PATH_SIZE];
    int exit_code = find_old(old, request, folder);
    if (exit_code != CLI_PASS)
        return exit_code;
    exit_code = run(request);
    if (runner_stopped() || !output_path(new, request->run.out, OUTPUT_RESULT) || access(new, R_OK))
        return exit_code;
    putchar('\n');
    return cli_worse(exit_code, cmd_compare(3, (char *[]){"compare", old, new, NULL}));
}

int cmd_regress(int argc, char **argv)
{
    struct request request = {.run.form = RUN_FORM_TEXT};
    struct pb_target target;
    char folder[FOLDER_SIZE];
    int exit_code;
    char **const operand = cli_parse(&verb_regress, &request, argc, argv, &exit_code);
    if (!operand)
        return exit_code;
    if (request.list)
        return list();
    if (!operand[0])
        return cli_fail(CLI_USAGE, "regress: no target given, so nothing would be tested; give a program, "
                                   "exec:COMMAND, or native");
    if (request.run.gdb_text && (exit_code = gdb_take(&request.run.gdb, request.run.gdb_text,
                                                      request.run.runner.options.rig_url)) != CLI_PASS)
        return exit_code;
    exit_code = check(&request);
    if (exit_code == CLI_PASS)
        exit_code = suite_selection_take(&request.run.select);
    if (exit_code == CLI_PASS)
        exit_code = take_target(&request, &target, operand[0], folder);
    if (exit_code == CLI_PASS && request.run.coverage_path && strncmp(target.kind, "elf:", 4))
        exit_code = coverage_refuse(operand[0]);
    if (exit_code == CLI_PASS)
        exit_code = history_check(&request.run.history);
    if (exit_code == CLI_PASS && request.run.cal.path)
        exit_code =
            pb_map_url(request.run.runner.options.rig_url)
                ? cli_fail(CLI_USAGE, "regress: --cal is of one board; leave it out, each takes its own")
                : cal_check(&request.run.cal, request.run.runner.options.rig_url);
    if (exit_code == CLI_PASS)
        exit_code = history_reach(&request.run.history);
    if (exit_code != CLI_PASS)
        return exit_code;
    if (pb_map_url(request.run.runner.options.rig_url) &&
        (exit_code = rigs_open(&request.rigs, request.run.runner.options.rig_url)) != CLI_PASS)
        return exit_code;
    request.node.address =
        request.address_given ? (uint32_t)request.address : pb_regress_address(request.node.dims);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!request.run.jobs && pb_rig_target_of(request.run.runner.options.rig_url).in_process &&
        processors > 1)
        request.run.jobs = processors < (long)PB_SUITE_JOBS_MAX ? (unsigned)processors : PB_SUITE_JOBS_MAX;
    runner_catch_signals();
    exit_code = check_boards(&request);
    if (exit_code == CLI_PASS)
        exit_code = request.compare ? run_and_compare(&request, folder) : run(&request);
    rigs_close(&request.rigs);
    return exit_code;
}
