/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include "host/base/utf8.h"

#include "phasebench/validation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* ---- a run */

static int make_key(char key[PB_HISTORY_KEY_SIZE], struct pb_diag *diag)
{
    unsigned char bytes[(PB_HISTORY_KEY_SIZE - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return pb_fail(diag, PB_ERR_IO, "the history has no random numbers for the key of a run: %s",
                       strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(key + 2 * i, 3, "%02x", bytes[i]);
    return PB_OK;
}

/* The value of "key=value; ..." in the environment of a result; "" if it has none. */
static void find_in_environment(char *out, size_t size, const char *environment, const char *key)
{
    const size_t length = strlen(key);
    *out = '\0';
    for (const char *at = environment; at; at = strstr(at, "; ") ? strstr(at, "; ") + 2 : NULL)
        if (!strncmp(at, key, length) && at[length] == '=') {
            char value[sizeof((struct pb_result *)0)->environment];
            snprintf(value, sizeof value, "%.*s", (int)strcspn(at + length + 1, ";"), at + length + 1);
            pb_utf8_clean(out, size, value);
            return;
        }
}

static void fill_label(char out[PB_HISTORY_LABEL_SIZE], const char *label, const char *otherwise)
{
    pb_utf8_clean(out, PB_HISTORY_LABEL_SIZE, label ? label : otherwise);
}

static void fill_run(struct pb_history_run *run, const struct pb_result *result,
                     const struct pb_history_labels *labels)
{
    *run = (struct pb_history_run){.seed = result->seed,
                                   .verdict = result->verdict,
                                   .findings = result->findings_total,
                                   .limits_crc32 = PB_ABSENT};
    pb_utf8_clean(run->started_utc, sizeof run->started_utc, result->started_utc);
    pb_utf8_clean(run->scenario, sizeof run->scenario, result->scenario);
    pb_utf8_clean(run->rig, sizeof run->rig, result->rig);
    pb_utf8_clean(run->reason, sizeof run->reason, result->reason);
    pb_utf8_clean(run->incomplete, sizeof run->incomplete, result->incomplete);
    fill_label(run->unit, labels->unit, "");
    fill_label(run->station, labels->station, "");
    fill_label(run->operator_name, labels->operator_name, "");
    pb_utf8_clean(run->environment, sizeof run->environment, result->environment);
    find_in_environment(run->program, sizeof run->program, result->environment, "phasebench");
    find_in_environment(run->core, sizeof run->core, result->environment, "core");
    find_in_environment(run->map_hash, sizeof run->map_hash, result->environment, "map");
}

static void fill_node(struct pb_history_node *node, const struct pb_node_row *row,
                      const struct pb_history_node *image)
{
    *node = (struct pb_history_node){.address = row->address,
                                     .image_bytes = image ? image->image_bytes : -1,
                                     .image_crc32 = image ? image->image_crc32 : 0};
    pb_utf8_clean(node->kind, sizeof node->kind, row->kind);
    pb_utf8_clean(node->identity, sizeof node->identity, row->identity);
}

static void fill_figure(struct pb_history_figure *figure, const struct pb_measurement *from)
{
    *figure = (struct pb_history_figure){.n = from->n,
                                         .min = from->min,
                                         .mean = from->mean,
                                         .max = from->max,
                                         .sd = from->sd,
                                         .u95 = from->u95,
                                         .lower = from->lower,
                                         .upper = from->upper,
                                         .margin = from->margin};
    snprintf(figure->id, sizeof figure->id, "%s", pb_measurement_id(from).text);
    snprintf(figure->unit, sizeof figure->unit, "%s", pb_unit_name(pb_figure_unit(from->figure)));
    snprintf(figure->judgement, sizeof figure->judgement, "%s", pb_judgement_name(from->judgement));
}

static size_t count_findings(struct pb_history_finding out[PB_FINDING_KINDS], const struct pb_result *result)
{
    uint64_t count[PB_FINDING_KINDS] = {0};
    size_t kinds = 0;
    for (size_t i = 0; i < result->findings; i++)
        count[result->finding[i].kind]++;
    for (int kind = 0; kind < PB_FINDING_KINDS; kind++)
        if (count[kind]) {
            out[kinds] = (struct pb_history_finding){.count = count[kind]};
            snprintf(out[kinds].kind, sizeof out[kinds].kind, "%s", pb_finding_id(kind));
            kinds++;
        }
    return kinds;
}

/* Room for the lists; at least one element each. */
static int make_room(struct pb_history_record *record, size_t nodes, size_t figures, size_t findings,
                     struct pb_diag *diag)
{
    *record = (struct pb_history_record){.node = calloc(nodes + 1, sizeof *record->node),
                                         .figure = calloc(figures + 1, sizeof *record->figure),
                                         .finding = calloc(findings + 1, sizeof *record->finding),
                                         .nodes = nodes,
                                         .figures = figures};
    return record->node && record->figure && record->finding
               ? PB_OK
               : pb_fail(diag, PB_ERR_MEMORY, "no memory for %zu measurements of the history", figures);
}

int pb_record_of_result(struct pb_history_record *record, const struct pb_result *result,
                        const struct pb_history_labels *labels, struct pb_diag *diag)
{
    const int code = make_room(record, result->node_rows, result->measurements, PB_FINDING_KINDS, diag);
    if (code)
        return code;
    fill_run(&record->run, result, labels);
    for (size_t i = 0; i < record->nodes; i++)
        fill_node(&record->node[i], &result->node[i], i < labels->images ? &labels->image[i] : NULL);
    for (size_t i = 0; i < record->figures; i++)
        fill_figure(&record->figure[i], &result->measurement[i]);
    record->findings = count_findings(record->finding, result);
    return make_key(record->run.key, diag);
}

/* ---- a validation */

static enum pb_verdict verdict_of(enum pb_go go)
{
    switch (go) {
    case PB_GO:
        return PB_VERDICT_PASS;
    case PB_GO_MARGINAL:
        return PB_VERDICT_MARGINAL;
    case PB_NO_GO:
        return PB_VERDICT_FAIL;
    default:
        return PB_VERDICT_INCONCLUSIVE;
    }
}

/* The step to look at, or what the whole says. */
static void fill_reason(struct pb_history_run *run, const struct pb_validation *validation, enum pb_go go)
{
    char text[sizeof validation->step[0].reason + 64];
    const struct pb_step *step = pb_validation_first(validation);
    char unjudged[PB_UNJUDGED_SIZE];
    if (step)
        snprintf(text, sizeof text, "step %s: %s", step->id, step->reason);
    else if (*validation->incomplete)
        snprintf(text, sizeof text, "%s", validation->incomplete);
    else if (*pb_validation_unjudged(validation, unjudged))
        snprintf(text, sizeof text, "%s", unjudged);
    else
        snprintf(text, sizeof text, "%s: %u steps", pb_go_name(go), validation->steps);
    pb_utf8_clean(run->reason, sizeof run->reason, text);
}

/* The map hash in what the core reports of itself: "..., map 0x1234abcd". */
static void fill_map(struct pb_history_run *run, const char *core)
{
    const char *map = strstr(core, "map"), *hash = map ? strstr(map, "0x") : NULL;
    if (hash)
        snprintf(run->map_hash, sizeof run->map_hash, "0x%.*s",
                 (int)strspn(hash + 2, "0123456789abcdefABCDEF"), hash + 2);
}

static void fill_validation(struct pb_history_run *run, const struct pb_validation *validation,
                            const struct pb_history_labels *labels)
{
    const enum pb_go go = pb_validation_go(validation);
    char text[sizeof run->environment];
    *run = (struct pb_history_run){.seed = validation->seed,
                                   .verdict = verdict_of(go),
                                   .limits_crc32 = validation->limits.crc32};
    fill_reason(run, validation, go);
    snprintf(text, sizeof text, "validate/%s", validation->profile);
    pb_utf8_clean(run->scenario, sizeof run->scenario, text);
    pb_utf8_clean(run->started_utc, sizeof run->started_utc, validation->started_utc);
    pb_utf8_clean(run->rig, sizeof run->rig, validation->rig);
    pb_utf8_clean(run->incomplete, sizeof run->incomplete, validation->incomplete);
    fill_label(run->unit, labels->unit, validation->unit);
    fill_label(run->station, labels->station, validation->station);
    fill_label(run->operator_name, labels->operator_name, validation->operator_name);
    pb_utf8_clean(run->program, sizeof run->program, validation->program);
    pb_utf8_clean(run->core, sizeof run->core, validation->core);
    fill_map(run, validation->core);
    pb_utf8_clean(run->limits_version, sizeof run->limits_version, validation->limits.version);
    snprintf(text, sizeof text, "phasebench=%s; core=%s; scenario=%s", validation->program, validation->core,
             validation->scenario);
    pb_utf8_clean(run->environment, sizeof run->environment, text);
}

/* A value without a kept distribution is one value, independent of its number of bits or frames. */
static void fill_value(struct pb_history_figure *figure, const struct pb_item_value *from)
{
    *figure = (struct pb_history_figure){.n = from->min == from->max ? 1 : from->n,
                                         .min = from->min,
                                         .mean = from->mean,
                                         .max = from->max,
                                         .sd = from->sd,
                                         .u95 = from->u95,
                                         .lower = from->lower,
                                         .upper = from->upper,
                                         .margin = from->margin};
    pb_utf8_clean(figure->id, sizeof figure->id, from->name);
    snprintf(figure->unit, sizeof figure->unit, "%s", pb_unit_name(pb_item_unit(from->item)));
    snprintf(figure->judgement, sizeof figure->judgement, "%s", pb_judgement_name(from->judgement));
}

/* The steps that failed, each with its values that fail. */
static void fill_steps(struct pb_history_record *record, const struct pb_validation *validation)
{
    for (unsigned i = 0; i < validation->steps; i++) {
        const struct pb_step *step = &validation->step[i];
        struct pb_history_finding *finding = &record->finding[record->findings];
        if (step->state != PB_STEP_FAIL)
            continue;
        for (size_t k = step->first; k < step->first + step->count; k++)
            finding->count += validation->value[k].judgement == PB_JUDGED_FAIL;
        finding->count += finding->count == 0;
        record->run.findings += finding->count;
        record->findings++;
        snprintf(finding->kind, sizeof finding->kind, "step/%s", step->id);
    }
}

int pb_record_of_validation(struct pb_history_record *record, const struct pb_validation *validation,
                            const struct pb_history_labels *labels, struct pb_diag *diag)
{
    const size_t nodes = labels->images ? labels->images : *validation->nodes != '\0';
    const int code = make_room(record, nodes, validation->values, validation->steps, diag);
    if (code)
        return code;
    fill_validation(&record->run, validation, labels);
    for (size_t i = 0; i < nodes; i++)
        record->node[i] = labels->images ? labels->image[i] : (struct pb_history_node){.image_bytes = -1};
    if (nodes)
        pb_utf8_clean(record->node[0].identity, sizeof record->node[0].identity, validation->nodes);
    for (size_t i = 0; i < record->figures; i++)
        fill_value(&record->figure[i], &validation->value[i]);
    fill_steps(record, validation);
    return make_key(record->run.key, diag);
}
