/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The cases become scenarios, and run as a suite: `phasebench run` repeats any one of them.
 */
#include "phasebench/regress.h"

#include "regress_cases.h"

#include "host/base/utf8.h"

#include "phasebench/device.h"
#include "phasebench/rig.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_LEAST = 32, PATH_SIZE = 4096, NAMES_SIZE = 1024 };

struct plan {
    const struct pb_procedure *procedure;
    const struct pb_regress_options *options;
    struct pb_regress_node node; /* with its room */
    struct regress_case *one;    /* owned, as their texts */
    struct pb_suite_entry *entry;
    char (*path)[PATH_SIZE];
    const char **kind; /* names of all kinds of case */
    size_t count, kinds;
    struct pb_diag *diag;
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

static bool is_chosen(const struct plan *plan, size_t index)
{
    const struct pb_regress_options *options = plan->options;
    const char *name = regress_case_name(index);
    return regress_case_applies(index, &plan->node) && (!options->only || matches(options->only, name)) &&
           (!options->skip || !matches(options->skip, name));
}

/* Each pattern must be that of a case: a misspelt one would leave out a test in silence. */
int pb_regress_check_names(const char *what, const char *names, struct pb_diag *diag)
{
    char pattern[NAMES_SIZE];
    while (names && *names) {
        const size_t length = strcspn(names, ",");
        size_t found = 0;
        if (length >= sizeof pattern)
            return pb_fail(diag, PB_ERR_ARGUMENT,
                           "a name of %s has %zu characters, at most %zu are possible", what, length,
                           sizeof pattern - 1);
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, names);
        for (size_t i = 0; i < regress_case_count(); i++)
            found += !fnmatch(pattern, regress_case_name(i), 0);
        if (!found)
            return pb_fail(diag, PB_ERR_ARGUMENT,
                           "%s: no case has the name '%.60s'; 'phasebench regress --list' shows all", what,
                           pattern);
        names += length + (names[length] == ',');
    }
    return PB_OK;
}

const char *pb_regress_case_name(size_t index)
{
    return index < regress_case_count() ? regress_case_name(index) : NULL;
}

const char *pb_regress_case_purpose(size_t index)
{
    return index < regress_case_count() ? regress_case_purpose(index) : NULL;
}

uint32_t pb_regress_address(unsigned dims)
{
    return dims < 4 ? dims / 3 : 0x2A3u & ((1u << dims) - 1);
}

/* ---- scenarios */

static int add(struct plan *plan, size_t index, unsigned number)
{
    struct regress_case *one = &plan->one[plan->count];
    if (regress_case_make(one, index, &plan->node, plan->options->seed + number - 1, number))
        return pb_fail(plan->diag, PB_ERR_MEMORY, "no memory for the cases; give fewer --seeds");
    plan->count++;
    return PB_OK;
}

static int choose(struct plan *plan)
{
    const struct pb_regress_options *options = plan->options;
    const unsigned seeds = options->seeds ? options->seeds : 1;
    int code = PB_OK;
    for (unsigned number = 1; number <= seeds && !code; number++)
        for (size_t i = 0; i < plan->kinds && !code; i++)
            if (is_chosen(plan, i))
                code = add(plan, i, number);
    plan->diag->text[0] = '\0';
    return code || !options->chosen ? code : options->chosen(options->context, plan->count, plan->diag);
}

/* Opens the rig with the case: starts the node and asks it for this configuration. */
static int try_rig(const struct plan *plan, const struct pb_scenario *scenario, const char *url,
                   struct pb_diag *diag)
{
    struct pb_transport *transport;
    const struct pb_rig_options options = {.url = url, .stop = plan->procedure->stop};
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
    const struct pb_suite_options *suite = &plan->options->suite;
    const size_t urls = suite->board ? suite->boards : 1;
    bool opened = false; /* a rig sim: alone says what the node takes; one is enough */
    struct pb_scenario *scenario = NULL;
    struct pb_diag diag;
    if (!one->text)
        return PB_OK;
    int code = pb_scenario_parse(&scenario, path, one->text, strlen(one->text), &diag);
    for (size_t i = 0; i < urls && !code && (first || one->variant); i++) {
        const char *url = suite->board ? suite->board[i].url : plan->procedure->rig_url;
        code = opened && pb_rig_target_of(url).in_process ? PB_OK : try_rig(plan, scenario, url, &diag);
        opened |= pb_rig_target_of(url).in_process;
    }
    pb_scenario_free(scenario);
    if (!code)
        return PB_OK;
    if (!one->variant || code != PB_ERR_CONFIG)
        return pb_fail(plan->diag, code, "%s: %s", one->name, diag.text);
    pb_utf8_shorten(one->reason, sizeof one->reason, "%s", diag.text);
    free(one->text);
    one->text = NULL;
    return PB_OK;
}

static int name_path(const struct plan *plan, size_t index)
{
    const char *folder = plan->options->folder ? plan->options->folder : ".";
    const int length =
        snprintf(plan->path[index], PATH_SIZE, "%s/%s.yaml", folder, plan->one[index].name);
    return length < PATH_SIZE
               ? PB_OK
               : pb_fail(plan->diag, PB_ERR_IO,
                         "the path '%.60s...' has %d characters; at most %d are possible, choose a shorter "
                         "--out",
                         plan->path[index], length, PATH_SIZE - 1);
}

/* The entry of a case, and its scenario for the caller to keep. */
static int make_entry(const struct plan *plan, struct pb_suite_entry *entry, size_t index)
{
    const struct pb_regress_options *options = plan->options;
    const struct regress_case *one = &plan->one[index];
    *entry = (struct pb_suite_entry){.path = plan->path[index],
                                     .text = one->text,
                                     .skipped = one->text ? NULL : one->reason,
                                     .group = one->group};
    plan->diag->text[0] = '\0';
    return one->text && options->scenario
               ? options->scenario(options->context, entry->path, one->text, plan->diag)
               : PB_OK;
}

static int make_entries(struct plan *plan)
{
    size_t at = 0;
    bool first = true, any = false;
    int code = PB_OK;
    for (size_t i = 0; i < plan->count && !code; i++) {
        code = name_path(plan, i);
        if (!code)
            code = probe(plan, &plan->one[i], plan->path[i], first);
        first &= !plan->one[i].text;
    }
    for (int skipped = 0; skipped < 2; skipped++) /* the skipped ones come last */
        for (size_t i = 0; i < plan->count && !code; i++) {
            if ((plan->one[i].text == NULL) != skipped)
                continue;
            any |= !skipped;
            code = make_entry(plan, &plan->entry[at++], i);
        }
    return code || any
               ? code
               : pb_fail(plan->diag, PB_ERR_ARGUMENT,
                         "regress: every case was skipped: %s; choose others, see --list",
                         plan->count
                             ? plan->one[0].reason
                             : "none is chosen; soak needs --soak, and queue-overflow --overflow");
}

/* The room of the node, as a scenario has it; that of the contract if no scenario can be made: the run says
 * why. */
static unsigned room_of(const struct pb_regress_node *node)
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

static int check(const struct pb_regress_options *options, struct pb_diag *diag)
{
    if (options->seeds > PB_REGRESS_SEEDS_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT, "%u seeds are too many; at most %u", options->seeds,
                       PB_REGRESS_SEEDS_MAX);
    const int code = pb_regress_check_names("only", options->only, diag);
    return code ? code : pb_regress_check_names("skip", options->skip, diag);
}

static int run(struct plan *plan, struct pb_suite_results **out)
{
    struct pb_suite_options suite = plan->options->suite;
    int code = choose(plan);
    if (!code)
        code = make_entries(plan);
    suite.entry = plan->entry;
    suite.count = plan->count;
    suite.overrides.seed_given = false; /* each scenario has its own */
    suite.also = plan->kind;
    suite.also_count = plan->kinds;
    return code ? code : pb_suite_run(out, plan->procedure, &suite, plan->diag);
}

int pb_regress(struct pb_suite_results **out, const struct pb_procedure *procedure,
               const struct pb_regress_options *options, struct pb_diag *diag)
{
    struct pb_diag own;
    struct plan plan = {.procedure = procedure,
                        .options = options,
                        .node = options->node,
                        .kinds = regress_case_count(),
                        .diag = diag ? diag : &own};
    *out = NULL;
    int code = check(options, plan.diag);
    if (code)
        return code;
    if (options->overflow)
        plan.node.room = room_of(&options->node);
    const size_t most = (options->seeds ? options->seeds : 1) * plan.kinds;
    plan.one = calloc(most, sizeof *plan.one);
    plan.entry = calloc(most, sizeof *plan.entry);
    plan.path = calloc(most, sizeof *plan.path);
    plan.kind = calloc(plan.kinds, sizeof *plan.kind);
    for (size_t i = 0; plan.kind && i < plan.kinds; i++)
        plan.kind[i] = regress_case_name(i);
    code = plan.one && plan.entry && plan.path && plan.kind
               ? run(&plan, out)
               : pb_fail(plan.diag, PB_ERR_MEMORY, "no memory for %zu cases; give fewer --seeds", most);
    for (size_t i = 0; i < plan.count; i++)
        free(plan.one[i].text);
    free(plan.one);
    free(plan.entry);
    free(plan.path);
    free(plan.kind);
    return code;
}
