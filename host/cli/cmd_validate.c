/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "history_keep.h"
#include "manual.h"
#include "output.h"
#include "rigs.h"
#include "rows.h"
#include "runner.h"
#include "host/base/shell_word.h"
#include "source.h"
#include "validate_watch.h"
#include "vusb.h"

#include "host/base/secret.h"
#include "host/usb/lock.h"

#include "phasebench/regress.h"
#include "phasebench/rig.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof((struct pb_validation *)NULL)->measurements == MANUAL_LINK_SIZE, "a link fits");

#define OUTPUT_VALIDATION_PAGE "validation.html"
#define OUTPUT_VALIDATION_JSON "validation.json"
enum { LIMITS_FILE_MOST = 1 << 20 };

enum form { FORM_TEXT, FORM_JSON, FORM_TAP, FORM_NONE };

struct request {
    struct pb_scenario_overrides overrides;
    struct history_options history;
    const char *rig_url, *node, *limits_path, *out, *junit_path, *csv_path, *events_path, *only;
    uint64_t address;
    bool address_given, quiet, list;
    enum pb_validate_profile profile;
    enum form form;
    unsigned timeout_s;
    char **argv; /* of the command line that repeats it */
    int argc;
};

/* What is left of the validation of one board of several. */
struct outcome {
    enum pb_go go;
    bool ran;
    char look[200];
};

/* The base: a scenario of one node, as the command line changes it. */
struct base {
    struct source source;
    struct pb_scenario_setting setting[PB_VALIDATE_SETTINGS]; /* before those of each case */
    unsigned settings;
    char address[24];
};

/* ---- list */

static int list(void)
{
    const struct pb_validate_step *step;
    for (unsigned i = 0; (step = pb_validate_step(i)); i++)
        cli_say("%-10s  %-6s%s", step->id, step->cost_s[PB_VALIDATE_QUICK] > 0 ? "quick" : "full",
                step->purpose);
    return cli_flush();
}

static int check_only(const char *only)
{
    struct pb_diag diag;
    return cli_outcome_of("--only", pb_validate_check_only(only, &diag), &diag);
}

/* The labels are in the reports, too. */
static int check_history(struct history_options *history)
{
    int exit_code = history_check_labels(history, "serial");
    const bool kept = history->path || history->spool || history_default();
    if (exit_code == CLI_PASS && kept)
        exit_code = history_check(history);
    return exit_code;
}

/* ---- limits */

static int read_limits(struct pb_validation *validation, const char *path)
{
    struct pb_diag diag;
    char *text = NULL;
    size_t length;
    int code;
    if (path) {
        const int exit_code = cli_read_file(path, LIMITS_FILE_MOST, &text, &length);
        if (exit_code != CLI_PASS)
            return exit_code;
        code = pb_limits_parse(&validation->limits, path, text, length, &diag);
    } else {
        path = "default";
        code = cli_default_limits(&validation->limits, &diag);
    }
    free(text);
    snprintf(validation->limits_path, sizeof validation->limits_path, "%s", path);
    return cli_outcome(code, &diag);
}

/* ---- the base */

static bool is_simulated(const char *rig_url)
{
    const enum pb_rig_kind kind = pb_rig_target_of(rig_url).kind;
    return kind == PB_RIG_SIM || kind == PB_RIG_SERVED || kind == PB_RIG_VUSB;
}

static void set(struct base *base, const char *place, const char *value)
{
    base->setting[base->settings++] = (struct pb_scenario_setting){place, value};
}

/* The source, and the scenario again with the node of the command line. */
static int open_base(struct base *base, const struct request *request, const char *path,
                     struct pb_target *target)
{
    struct pb_diag diag;
    int exit_code = path ? source_open(&base->source, path, request->rig_url, &request->overrides)
                         : source_open_demo(&base->source, request->rig_url);
    if (exit_code != CLI_PASS)
        return exit_code;
    if (request->node) {
        const int code = pb_target_read(target, request->node, NULL);
        exit_code = code ? cli_fail(pb_error_exit_code(code), "%s", target->why) : CLI_PASS;
        set(base, "nodes[0].kind", target->kind);
    }
    if (request->address_given) {
        snprintf(base->address, sizeof base->address, "0x%llX", (unsigned long long)request->address);
        set(base, "nodes[0].address", base->address);
    }
    /* A node that starts from its flash takes longer than a simulated one. */
    if (!path && !is_simulated(request->rig_url))
        set(base, "limits.boot", "50 ms");
    if (exit_code != CLI_PASS || !base->settings)
        return exit_code;
    /* What the base plays is not used: with another address it might not even be possible. */
    set(base, "traffic", "[{pattern: uniform:1}]");
    pb_scenario_free(base->source.scenario);
    const int code = pb_scenario_parse_settings(&base->source.scenario, &base->source.texts, base->setting,
                                                base->settings, &diag);
    if (code)
        base->source.scenario = NULL;
    return cli_outcome(code, &diag);
}

/* ---- the validation */

static void describe(struct pb_validation *validation, const struct request *request)
{
#define COPY(field, text) snprintf(validation->field, sizeof validation->field, "%s", (text) ? (text) : "")
    COPY(unit, request->history.unit);
    COPY(station, request->history.station);
    COPY(operator_name, request->history.operator_name);
#undef COPY
    snprintf(validation->command, sizeof validation->command, "phasebench");
    for (int i = 0; i < request->argc; i++) {
        char word[sizeof validation->command];
        snprintf(word, sizeof word, "%s", request->argv[i]);
        pb_hide_passwords(word);
        pb_shell_append(validation->command, sizeof validation->command, word);
    }
}

CLI_FORM_BY(write_json, pb_report_validation_json)
CLI_FORM_BY(write_html, pb_report_validation_html)
CLI_FORM_BY(write_csv, pb_report_validation_csv)
CLI_FORM_BY(write_junit, pb_report_validation_junit)

struct files {
    struct pb_file_output junit, csv;
};

static int report(const struct request *request, const struct files *files, struct pb_validation *validation)
{
    const struct pb_report_style style = output_style();
    int exit_code = CLI_PASS;
    if (request->out) {
        manual_link(validation->measurements, request->out);
        exit_code = output_form_in(request->out, OUTPUT_VALIDATION_JSON, write_json, validation);
        exit_code = cli_worse(exit_code,
                              output_form_in(request->out, OUTPUT_VALIDATION_PAGE, write_html, validation));
    }
    exit_code = cli_worse(exit_code, output_form(&files->junit, write_junit, validation));
    exit_code = cli_worse(exit_code, output_form(&files->csv, write_csv, validation));
    if (request->form == FORM_NONE)
        return exit_code;
    const int code = request->form == FORM_JSON  ? pb_report_validation_json(stdout, validation)
                     : request->form == FORM_TAP ? pb_report_validation_tap(stdout, validation)
                                                 : pb_report_validation_text(stdout, validation, &style);
    exit_code = cli_worse(exit_code, output_end(code));
    if (exit_code != CLI_PASS || !request->out || request->form != FORM_TEXT)
        return exit_code;
    cli_say("report       %s/" OUTPUT_VALIDATION_PAGE, request->out);
    return cli_flush();
}

static void take_outcome(struct outcome *outcome, const struct pb_validation *validation)
{
    const struct pb_step *look = pb_validation_first(validation);
    *outcome = (struct outcome){.go = pb_validation_go(validation), .ran = true};
    char unjudged[PB_UNJUDGED_SIZE];
    if (look)
        snprintf(outcome->look, sizeof outcome->look, "%s: %.160s", look->id, look->reason);
    else
        snprintf(outcome->look, sizeof outcome->look, "%.160s", pb_validation_unjudged(validation, unjudged));
}

static int exit_code_of(const struct pb_validation *validation)
{
    switch (pb_validation_go(validation)) {
    case PB_GO:
    case PB_GO_MARGINAL:
        return CLI_PASS;
    case PB_NO_GO:
        return *validation->incomplete && runner_stopped() ? CLI_INTERRUPTED : CLI_NODE_FAILED;
    case PB_GO_NOT_READY:
        return runner_stopped() ? CLI_INTERRUPTED : CLI_BENCH_FAILED;
    case PB_GO_INCOMPLETE:
        break;
    }
    return runner_stopped() ? CLI_INTERRUPTED : CLI_INCONCLUSIVE;
}

static int run(struct pb_validation *validation, struct validate_watch *watch, const struct request *request,
               const struct files *files, const struct pb_procedure *procedure,
               const struct pb_validate_options *options)
{
    static struct history_images images;
    struct pb_diag diag;
    runner_catch_signals();
    history_look(&images, options->scenario, request->rig_url);
    const int refused = pb_validate(validation, procedure, options, &diag);
    if (refused)
        return cli_worse(cli_outcome(refused, &diag), validate_live_close(watch));
    validate_live_end(watch, validation);
    int exit_code = exit_code_of(validation);
    if (watch->unwritten)
        exit_code = cli_worse(exit_code, CLI_BENCH_FAILED);
    exit_code = cli_worse(exit_code, history_keep_validation(&request->history, &images, validation));
    exit_code = cli_worse(exit_code, report(request, files, validation));
    return cli_worse(exit_code, validate_live_close(watch));
}

static int check_base(const struct pb_procedure *procedure, const struct pb_validate_options *options)
{
    struct pb_diag diag;
    return cli_outcome(pb_validate_check(procedure, options, &diag), &diag);
}

/* The files, and what else could refuse them before the first step. */
static int prepare(struct pb_validation *validation, const struct request *request, struct files *files,
                   const struct pb_procedure *procedure, const struct pb_validate_options *options)
{
    int exit_code = check_base(procedure, options);
    if (exit_code == CLI_PASS)
        exit_code = read_limits(validation, request->limits_path);
    if (exit_code == CLI_PASS && request->out)
        exit_code = output_prepare(request->out);
    if (exit_code == CLI_PASS)
        exit_code = output_check_file(&files->junit, request->junit_path);
    if (exit_code == CLI_PASS)
        exit_code = output_check_file(&files->csv, request->csv_path);
    return exit_code;
}

/* One validation at a time on a rig that others reach: the lock of its board is free between two runs. */
static int hold_rig(int *lock, const char *url)
{
    char name[PB_MAP_URL_SIZE];
    struct pb_diag diag;
    *lock = -1;
    if (pb_rig_target_of(url).in_process || pb_vusb_is_private(url))
        return CLI_PASS;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(url, "?"), url);
    return cli_outcome_of("--rig", pb_lock(lock, name, &diag), &diag);
}

static int check_rig(const char *url)
{
    const int exit_code = vusb_check_url(url);
    if (exit_code == CLI_PASS && pb_rig_target_of(url).replays)
        return cli_fail(CLI_USAGE, "validate: a recording has one run; give another --rig");
    return exit_code;
}

int validate_check(const char *scenario_path, const char *rig_url, const char *node, const char *limits_path)
{
    const struct request request = {.rig_url = rig_url, .node = node, .limits_path = limits_path};
    struct pb_validation validation = {.unit = ""};
    struct base base = {.settings = 0};
    struct pb_target target;
    int exit_code = check_rig(rig_url);
    if (exit_code == CLI_PASS)
        exit_code = open_base(&base, &request, scenario_path, &target);
    if (exit_code == CLI_PASS) {
        const struct pb_procedure procedure = {.rig_url = rig_url};
        const struct pb_validate_options options = {.scenario = base.source.scenario};
        exit_code = check_base(&procedure, &options);
    }
    if (exit_code == CLI_PASS)
        exit_code = read_limits(&validation, limits_path);
    pb_validation_clear(&validation);
    source_close(&base.source);
    return exit_code;
}

/* *outcome, unless NULL, is set when the steps were tried. */
static int validate(struct request *request, const char *scenario_path, struct outcome *outcome)
{
    struct pb_validation validation = {.unit = ""};
    struct validate_watch watch = {
        .rig_url = request->rig_url, .out = request->out, .timeout_s = request->timeout_s};
    struct base base = {.settings = 0};
    struct vusb vusb;
    struct pb_target target;
    struct files files;
    int lock = -1;
    const struct pb_procedure procedure = runner_procedure(&vusb, request->rig_url, request->timeout_s);
    struct pb_validate_options options = {
        .texts = &base.source.texts,
        .setting = base.setting,
        .seed = request->overrides.seed_given ? &request->overrides.seed : NULL,
        .profile = request->profile,
        .only = request->only,
        .observer = {validate_live_plan, validate_live_step, validate_live_value, validate_live_progress,
                     request->out ? validate_keep_files : NULL, &watch},
    };
    int exit_code = check_rig(request->rig_url);
    if (exit_code == CLI_PASS)
        exit_code = check_only(request->only);
    if (exit_code == CLI_PASS)
        exit_code = check_history(&request->history);
    if (exit_code == CLI_PASS)
        exit_code = open_base(&base, request, scenario_path, &target);
    options.scenario = base.source.scenario;
    options.settings = base.settings;
    if (exit_code == CLI_PASS)
        exit_code = prepare(&validation, request, &files, &procedure, &options);
    if (exit_code == CLI_PASS)
        exit_code = hold_rig(&lock, request->rig_url);
    if (exit_code == CLI_PASS)
        exit_code = history_reach(&request->history);
    if (exit_code == CLI_PASS)
        exit_code = validate_live_begin(&watch, request->events_path, request->quiet);
    if (exit_code == CLI_PASS) {
        describe(&validation, request);
        exit_code = run(&validation, &watch, request, &files, &procedure, &options);
        if (outcome)
            take_outcome(outcome, &validation);
    }
    pb_unlock(lock);
    pb_validation_clear(&validation);
    source_close(&base.source);
    return exit_code;
}

/* ---- several boards */

struct all {
    const struct request *request;
    const struct rigs *rigs;
    const char *scenario_path;
    json_t *list; /* owned; of --json */
    size_t go, done;
    int exit_code;
};

/* What the board is called in the reports: its unit, or the FPGA board. */
static const char *unit_of(const struct pb_map_entry *entry)
{
    return *entry->node.unit ? entry->node.unit : pb_map_name(entry);
}

/* The unit, with '_' for what cannot be in the name of a folder. */
static void name_folder(char name[PB_MAP_URL_SIZE], const struct pb_map_entry *entry)
{
    snprintf(name, PB_MAP_URL_SIZE, "%s", unit_of(entry));
    for (char *at = name; *at; at++)
        if (*at == '/' || (at == name && *at == '.'))
            *at = '_';
}

/* One folder, and one unit of a history, would get the results of two boards. */
static int check_units(const struct rigs *rigs)
{
    char name[PB_MAP_URL_SIZE], other[PB_MAP_URL_SIZE];
    for (size_t i = 0; i < rigs->count; i++) {
        name_folder(name, rigs_entry(rigs, i));
        for (size_t k = 0; k < i; k++) {
            name_folder(other, rigs_entry(rigs, k));
            if (!strcmp(name, other))
                return cli_fail(CLI_USAGE,
                                "validate: %s:%u: unit '%s' has the folder of unit '%s' in line %u; give "
                                "each board a node.unit of its own",
                                pb_map_path(rigs->map), rigs_entry(rigs, i)->line,
                                unit_of(rigs_entry(rigs, i)), unit_of(rigs_entry(rigs, k)),
                                rigs_entry(rigs, k)->line);
        }
    }
    return CLI_PASS;
}

/* DIR/UNIT */
static int folder_of(char path[OUTPUT_PATH_SIZE], const char *out, const struct pb_map_entry *entry)
{
    char name[PB_MAP_URL_SIZE];
    name_folder(name, entry);
    return output_path(path, out, name) ? CLI_PASS : CLI_BENCH_FAILED;
}

static int work(void *context, const struct pb_map_entry *entry, size_t index, void *share)
{
    const struct all *all = context;
    struct request one = *all->request;
    char out[OUTPUT_PATH_SIZE];
    (void)index;
    one.rig_url = entry->rig;
    one.history.unit = unit_of(entry);
    if (*entry->station)
        one.history.station = entry->station;
    if (*entry->node.kind && !one.node)
        one.node = entry->node.kind;
    if (entry->node.address_given && !one.address_given) {
        one.address = entry->node.address;
        one.address_given = true;
    }
    one.form = FORM_NONE;
    one.quiet = true;
    if (one.out && folder_of(out, one.out, entry))
        return CLI_BENCH_FAILED;
    one.out = one.out ? out : NULL;
    return validate(&one, all->scenario_path, share);
}

static void ended(void *context, size_t index, int exit_code, const char *failure, const void *share)
{
    struct all *all = context;
    const struct pb_map_entry *entry = rigs_entry(all->rigs, index);
    const struct outcome *outcome = share;
    const char *const go = outcome->ran ? pb_go_name(outcome->go) : "not tried";
    all->done++;
    all->go += outcome->ran && (outcome->go == PB_GO || outcome->go == PB_GO_MARGINAL);
    all->exit_code = cli_worse(all->exit_code, failure ? CLI_BENCH_FAILED : exit_code);
    if (all->list)
        pb_form_add(all->list, json_pack("{s:o, s:s, s:s, s:o, s:i}", "unit", pb_form_text(unit_of(entry)),
                                         "rig", entry->rig, "go", go, "look_at",
                                         pb_form_text(failure ? failure : outcome->look), "exit_code",
                                         failure ? CLI_BENCH_FAILED : exit_code));
    else
        cli_say("%-16s  %-15s  %-24s  %s", go, unit_of(entry), entry->rig, failure ? failure : outcome->look);
}

/* The wall time of a validation; a run in it has a limit of its own. */
static unsigned limit_s(const struct request *request)
{
    static const unsigned limit[PB_VALIDATE_PROFILES] = {3600, 6 * 3600, 24 * 3600};
    return limit[request->profile];
}

static int validate_all(const struct request *request, const char *scenario_path)
{
    struct rigs rigs;
    if (request->junit_path || request->csv_path || request->events_path || request->form == FORM_TAP ||
        request->history.unit)
        return cli_fail(CLI_USAGE,
                        "validate: --serial, --tap, --junit, --csv and --events are of one board; the map "
                        "names the units, and --out has a folder for each");
    int exit_code = rigs_open(&rigs, request->rig_url);
    if (exit_code == CLI_PASS)
        exit_code = check_units(&rigs);
    if (exit_code != CLI_PASS) {
        rigs_close(&rigs);
        return exit_code;
    }
    struct all all = {.request = request,
                      .rigs = &rigs,
                      .scenario_path = scenario_path,
                      .list = request->form == FORM_JSON ? json_array() : NULL};
    const struct rigs_tasks tasks = {.work = work,
                                     .ended = ended,
                                     .context = &all,
                                     .share_bytes = sizeof(struct outcome),
                                     .limit_s = limit_s(request)};
    exit_code = rigs_run(&rigs, &tasks);
    exit_code = cli_worse(exit_code, all.exit_code);
    if (all.list)
        exit_code =
            cli_worse(exit_code, cli_print_json(json_pack("{s:i, s:i, s:o}", "boards", (int)rigs.count, "go",
                                                          (int)all.go, "validations", all.list)));
    else
        cli_say("%zu of %zu boards are a go", all.go, rigs.count);
    rigs_close(&rigs);
    return cli_worse(exit_code, cli_flush());
}

/* ---- command line */

static const char *const files[] = {OUTPUT_VALIDATION_PAGE, OUTPUT_VALIDATION_JSON, NULL};

static const struct cli_option options[] = {
    {"list", NULL, CLI_FLAG, CLI_AT(request, list), .help = "the steps; no run"},
    {"serial", "S", CLI_TEXT, CLI_AT(request, history.unit), .help = "serial number of the node board"},
    {"operator", "NAME", CLI_TEXT, CLI_AT(request, history.operator_name), .help = "who tests it"},
    {"station", "NAME", CLI_TEXT, CLI_AT(request, history.station), .otherwise = "name of this computer",
     .help = "where it is tested"},
    {"profile", "P", CLI_CHOICE, CLI_AT(request, profile), .words = "quick full characterise",
     .initial = "quick",
     .help = "how much: a board in production, a board for release, a design"},
    {"limits", "FILE", CLI_FILE, CLI_AT(request, limits_path), .use = CLI_READS,
     .otherwise = "the limits of this program",
     .help = "limits of the values, with the rule that decides"},
    {"only", "STEPS", CLI_TEXT, CLI_AT(request, only),
     .help = "these steps, separated by commas; what they rest on is not tried"},
    {"node", "KIND", CLI_TEXT, CLI_AT(request, node), .use = CLI_READS,
     .words = "native ref contract elf: so: exec: board",
     .help = "kind of the node, or the path of its firmware, in place of the scenario's", .gap = true},
    {"address", "A", CLI_NUMBER, CLI_AT(request, address), CLI_GIVEN(request, address_given),
     .most = PB_WIRE_NODES_MAX - 1, .otherwise = "the scenario's", .help = "address of the node"},
    {"rig", "URL", CLI_RIG, CLI_AT(request, rig_url), .words = CLI_RIG_WORDS, .otherwise = "sim:",
     .help = CLI_RIG_HELP "; map:FILE: all enabled boards of a hardware map at once (docs/use/map.md)"},
    CLI_ROW_SEED(request, overrides.seed, overrides.seed_given),
    CLI_ROW_TIMEOUT(request, timeout_s, "limit of wall time of each run",
                    .otherwise = RUNNER_TIMEOUT_DEFAULT " and twice the length of the run"),
    {"out", "DIR", CLI_FOLDER, CLI_AT(request, out), .use = CLI_WRITES, .files = files,
     .help = "folder for " OUTPUT_VALIDATION_PAGE ", " OUTPUT_VALIDATION_JSON
             " and the report of each run that fails, made when missing",
     .gap = true},
    CLI_ROW_HISTORY_PLACE(request, history),
    {"json", NULL, CLI_SET, CLI_AT(request, form), .least = FORM_JSON, .help = "one JSON document on stdout"},
    {"tap", NULL, CLI_SET, CLI_AT(request, form), .least = FORM_TAP, .help = "TAP on stdout"},
    {"junit", "FILE", CLI_FILE, CLI_AT(request, junit_path), .use = CLI_WRITES,
     .help = "JUnit XML, one case for each step"},
    {"csv", "FILE", CLI_FILE, CLI_AT(request, csv_path), .use = CLI_WRITES,
     .help = "every value, one row each"},
    {"events", "FILE", CLI_FILE, CLI_AT(request, events_path), .use = CLI_WRITES,
     .help = "what happens, as JSON lines, while it happens; a file, or a pipe, with whose reader it ends"},
    {"quiet", NULL, CLI_FLAG, CLI_AT(request, quiet), .help = "no progress"},
    {.name = NULL},
};

const struct cli_verb verb_validate = {
    .name = "validate",
    .summary = "go or no-go of a node board, from measured values and their limits",
    .usage = "[options] [SCENARIO]\n--list",
    .most = 1,
    .operand = CLI_OPERAND_SCENARIO,
    .about =
        "Takes one node board through steps: the bench itself, each line, identity, clock, every port, idle "
        "lines, bit rates, forwarding, load, queues, faults, rates; in the other profiles also several "
        "nodes, the "
        "shortest phase, the highest rate and a soak. Each step gives values with unit, limits, uncertainty "
        "and "
        "judgement. A step that rests on one which did not pass is skipped, with the reason.\n"
        "\n"
        "SCENARIO describes the node, its network and its link; what it plays is not used, but it "
        "needs a message. Without it the node is that of the demo: address 0x2A3 of a 12-cube.",
    .options = options,
    .exits = "0 go, also if marginal; 1 no-go, 2 wrong usage, 3 wrong scenario or limits, 4 the bench is not "
             "ready or failed, 5 incomplete, 130 interrupted",
    .examples = "  phasebench validate --serial TM-0042 --out TM-0042\n"
                "  phasebench validate --node ./mynode.so --profile full\n"
                "  phasebench validate board.yaml --rig ftdi: --serial TM-0042 --history line.db\n"
                "  phasebench validate board.yaml --rig map:station.yaml --out today\n"
                "  phasebench validate --only lines,ports --json\n",
    .run = cmd_validate,
};

int cmd_validate(int argc, char **argv)
{
    struct request request = {.argc = argc, .argv = argv};
    int exit_code;
    char **const operand = cli_parse(&verb_validate, &request, argc, argv, &exit_code);
    if (!operand)
        return exit_code;
    if (request.list)
        return list();
    return pb_map_url(request.rig_url) ? validate_all(&request, operand[0])
                                       : validate(&request, operand[0], NULL);
}
