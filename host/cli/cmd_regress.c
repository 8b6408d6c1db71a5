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
#include "target.h"

#include "host/base/utf8.h"
#include "host/procedure/regress_cases.h"
#include "phasebench/rig.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM_LEAST = 32, FOLDER_SIZE = 4096, SEEDS_MAX = 200, NAMES_SIZE = 1024 };

struct request {
    struct run_request run;
    struct rigs rigs; /* of a rig map: */
    struct regress_node node;
    const char *only, *skip, *compare;
    uint64_t address;
    bool address_given, list, overflow;
    unsigned seeds;
};

struct plan {
    const struct request *request;
    struct regress_case *one; /* owned, as their texts */
    struct pb_suite_entry *entry;
    char (*path)[OUTPUT_PATH_SIZE];
    const char **kind; /* names of all kinds of case */
    size_t count;
};

/* ---- choice of cases */

/* True if one of the patterns, separated by commas, is that of the name. */
static bool matches(const char *patterns, const char *name)
{
    char pattern[NAMES_SIZE];
    while (*patterns) {
        const size_t length = strcspn(patterns, ",");
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, patterns);
        if (!fnmatch(pattern, name, 0))
            return true;
        patterns += length + (patterns[length] == ',');
    }
    return false;
}

static bool is_chosen(const struct request *request, size_t index)
{
    const char *name = regress_case_name(index);
    return regress_case_applies(index, &request->node) && (!request->only || matches(request->only, name)) &&
           (!request->skip || !matches(request->skip, name));
}

/* Each pattern must be that of a case: a misspelt one would leave out a test in silence. */
static int check_patterns(const char *option, const char *patterns)
{
    char pattern[NAMES_SIZE];
    while (patterns && *patterns) {
        const size_t length = strcspn(patterns, ",");
        size_t found = 0;
        if (length >= sizeof pattern)
            return cli_fail(CLI_USAGE, "regress: a name of %s has %zu characters, at most %zu are possible",
                            option, length, sizeof pattern - 1);
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, patterns);
        for (size_t i = 0; i < regress_case_count(); i++)
            found += !fnmatch(pattern, regress_case_name(i), 0);
        if (!found)
            return cli_fail(CLI_USAGE,
                            "regress: %s: no case has the name '%.60s'; 'phasebench regress --list' shows "
                            "all",
                            option, pattern);
        patterns += length + (patterns[length] == ',');
    }
    return CLI_PASS;
}

static int list(void)
{
    for (size_t i = 0; i < regress_case_count(); i++)
        cli_say("%-20s  %s", regress_case_name(i), regress_case_purpose(i));
    return cli_flush();
}

/* ---- scenarios */

static int add(struct plan *plan, size_t index, unsigned number)
{
    const struct request *request = plan->request;
    struct regress_case *one = &plan->one[plan->count];
    const uint64_t seed = (request->run.overrides.seed_given ? request->run.overrides.seed : 1) + number - 1;
    if (regress_case_make(one, index, &request->node, seed, number))
        return cli_fail(CLI_BENCH_FAILED, "no memory for the cases; give fewer --seeds");
    plan->count++;
    return CLI_PASS;
}

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

/* Opens the rig with the case: starts the node and asks it for this configuration. */
static int try_rig(const struct pb_scenario *scenario, const char *url, struct pb_diag *diag)
{
    struct pb_transport *transport;
    const struct pb_rig_options options = {.url = url, .stop = runner_stop_flag()};
    int code = pb_rig_check_models(url, scenario, diag);
    if (!code && pb_rig_target_of(url).in_process)
        code = pb_rig_open(&transport, &options, scenario, diag);
    if (!code && pb_rig_target_of(url).in_process)
        transport->ops->close(transport);
    return code;
}

/* A variant that the node refuses is skipped; what all cases share must be accepted. */
static int probe(const struct plan *plan, struct regress_case *one, const char *path, bool first)
{
    const struct rigs *rigs = &plan->request->rigs;
    const size_t urls = rigs->count ? rigs->count : 1;
    bool opened = false; /* a rig sim: alone says what the node takes; one is enough */
    struct pb_scenario *scenario = NULL;
    struct pb_diag diag;
    if (!one->text)
        return CLI_PASS;
    int code = pb_scenario_parse(&scenario, path, one->text, strlen(one->text), &diag);
    for (size_t i = 0; i < urls && !code && (first || one->variant); i++) {
        const char *url = rigs->count ? rigs_entry(rigs, i)->rig : plan->request->run.runner.options.rig_url;
        code = opened && pb_rig_target_of(url).in_process ? PB_OK : try_rig(scenario, url, &diag);
        opened |= pb_rig_target_of(url).in_process;
    }
    pb_scenario_free(scenario);
    if (!code)
        return CLI_PASS;
    if (!one->variant || code != PB_ERR_CONFIG)
        return cli_fail(pb_error_exit_code(code), "%s: %s", one->name, diag.text);
    pb_utf8_shorten(one->reason, sizeof one->reason, "%s", diag.text);
    free(one->text);
    one->text = NULL;
    return CLI_PASS;
}

static int write_text(FILE *stream, void *context)
{
    const struct regress_case *one = context;
    return fputs(one->text, stream) < 0 ? PB_ERR_IO : PB_OK;
}

static int write_scenario(struct regress_case *one, const char *path)
{
    const struct output_file file = {.path = path};
    return output_form(&file, write_text, one);
}

static int make_entries(struct plan *plan)
{
    size_t at = 0;
    bool any = false;
    const struct run_request *request = &plan->request->run;
    /* The list of last failures is in a file that output_prepare would remove. */
    int exit_code =
        request->select.last_failed ? output_begin(request->out) : output_prepare(request->out);
    bool first = true;
    for (size_t i = 0; i < plan->count && exit_code == CLI_PASS; i++) {
        char name[sizeof plan->one[i].name + 8];
        snprintf(name, sizeof name, "%s.yaml", plan->one[i].name);
        exit_code = output_path(plan->path[i], plan->request->run.out, name) ? CLI_PASS : CLI_BENCH_FAILED;
        if (exit_code == CLI_PASS)
            exit_code = probe(plan, &plan->one[i], plan->path[i], first);
        first &= !plan->one[i].text;
    }
    for (int skipped = 0; skipped < 2; skipped++) /* the skipped ones come last */
        for (size_t i = 0; i < plan->count && exit_code == CLI_PASS; i++) {
            struct regress_case *one = &plan->one[i];
            if ((one->text == NULL) != skipped)
                continue;
            any |= !skipped;
            if (!skipped)
                exit_code = write_scenario(one, plan->path[i]);
            plan->entry[at++] = (struct pb_suite_entry){
                .path = plan->path[i],
                .text = one->text,
                .skipped = skipped ? one->reason : NULL,
                .group = one->group};
        }
    return exit_code == CLI_PASS && !any
               ? cli_fail(CLI_USAGE, "regress: every case was skipped: %s; choose others, see --list",
                          plan->count ? plan->one[0].reason
                                      : "none is chosen; soak needs --soak, and queue-overflow --overflow")
               : exit_code;
}

/* The room of the node, as a scenario has it; that of the contract if no scenario can be made: the run says
 * why. */
static unsigned room_of(const struct regress_node *node)
{
    struct regress_case one;
    struct pb_scenario *scenario;
    struct pb_diag diag;
    unsigned room = 0;
    for (size_t i = 0; i < regress_case_count() && !room; i++) {
        if (!regress_case_make(&one, i, node, 1, 1) && one.text &&
            !pb_scenario_parse(&scenario, one.name, one.text, strlen(one.text), &diag)) {
            room = regress_room(&scenario->node[0]);
            pb_scenario_free(scenario);
        }
        free(one.text);
    }
    return room ? room : ROOM_LEAST;
}

static int run_plan(struct plan *plan)
{
    const struct request *request = plan->request;
    struct run_request run = request->run;
    int exit_code = CLI_PASS;
    for (unsigned number = 1; number <= request->seeds; number++)
        for (size_t i = 0; i < regress_case_count() && exit_code == CLI_PASS; i++)
            if (is_chosen(request, i))
                exit_code = add(plan, i, number);
    if (exit_code == CLI_PASS && request->run.gdb.given && plan->count != 1)
        exit_code = cli_fail(CLI_USAGE,
                             "regress: --gdb controls the node of one case, %zu are chosen; choose one with "
                             "--only",
                             plan->count);
    if (exit_code == CLI_PASS)
        exit_code = make_entries(plan);
    run.overrides.seed_given = false; /* each scenario has its own */
    run.cases = plan->kind;
    run.case_count = regress_case_count();
    run.rigs = request->rigs.count ? &request->rigs : NULL;
    return exit_code == CLI_PASS ? suite_run(plan->entry, plan->count, &run) : exit_code;
}

static int run(struct request *request)
{
    request->node.room = request->overflow ? room_of(&request->node) : 0;
    const size_t most = request->seeds * regress_case_count();
    struct plan plan = {.request = request,
                        .one = calloc(most, sizeof *plan.one),
                        .entry = calloc(most, sizeof *plan.entry),
                        .path = calloc(most, sizeof *plan.path),
                        .kind = calloc(regress_case_count(), sizeof *plan.kind)};
    for (size_t i = 0; plan.kind && i < regress_case_count(); i++)
        plan.kind[i] = regress_case_name(i);
    const int exit_code =
        plan.one && plan.entry && plan.path && plan.kind
            ? run_plan(&plan)
            : cli_fail(CLI_BENCH_FAILED, "no memory for %zu cases; give fewer --seeds", most);
    for (size_t i = 0; i < plan.count; i++)
        free(plan.one[i].text);
    free(plan.one);
    free(plan.entry);
    free(plan.path);
    free(plan.kind);
    return exit_code;
}

/* ---- command line */

static const struct cli_option options[] = {
    {"list", NULL, CLI_FLAG, CLI_AT(request, list), .help = "names and purposes of the cases; no run"},
    {"only", "NAMES", CLI_TEXT, CLI_AT(request, only),
     .help = "these cases, separated by commas, with * and ? as in a shell"},
    {"skip", "NAMES", CLI_TEXT, CLI_AT(request, skip), .help = "all but these cases, in the same form"},
    {"seeds", "N", CLI_COUNT, CLI_AT(request, seeds), .least = 1, .most = SEEDS_MAX, .initial = "1",
     .help = "repeat each case with N seeds, from --seed on"},
    {"compare", "OLD", CLI_FILE, CLI_AT(request, compare), .use = CLI_READS,
     .help = "then compare with the folder of an earlier regress, or with another target, which runs first"},
    {"soak", "MESSAGES", CLI_NUMBER, CLI_AT(request, node.soak), .least = 1, .most = UINT64_C(10000000000),
     .help = "also run full load until the node has handled so many messages"},
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

/* One with two zeros side by side: a message can come in one phase and leave in the next (F1). */
static uint32_t address_of(unsigned dims)
{
    return dims < 4 ? dims / 3 : 0x2A3u & ((1u << dims) - 1);
}

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
    if (exit_code == CLI_PASS)
        exit_code = check_patterns("--only", request->only);
    return exit_code == CLI_PASS ? check_patterns("--skip", request->skip) : exit_code;
}

static int take_target(struct request *request, struct target *target, const char *text,
                       char folder[FOLDER_SIZE])
{
    const int exit_code = target_read(target, text);
    if (exit_code != CLI_PASS)
        return exit_code;
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
    struct target target;
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
    struct target target;
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
    request.node.address = request.address_given ? (uint32_t)request.address : address_of(request.node.dims);
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
