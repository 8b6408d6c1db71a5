/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/scenario.h"

#include "compile.h"
#include "program.h"
#include "outline_set.h"
#include "text_file.h"
#include "source_texts.h"

#include <stdlib.h>
#include <string.h>

#define NAME_BYTES_MAX 80 /* of reports, which print it in one line */

/* What pb_scenario_free gets back is the first member. */
struct owner {
    struct pb_scenario scenario;
    char *name, *description, *path;
};

/* "demo" for "scenarios/demo.yaml". */
static char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return strndup(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

static int name_scenario(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                         struct owner *owner)
{
    if (raw->name && (!*raw->name || strlen(raw->name) > NAME_BYTES_MAX || strpbrk(raw->name, "\r\n")))
        return pb_reject(reader, "name", "'%.*s' is not a name; give one line of 1 to %d bytes",
                         pb_shown(raw->name), raw->name, NAME_BYTES_MAX);
    owner->name = raw->name ? strdup(raw->name) : base_name(reader->path);
    owner->description = strdup(raw->description ? raw->description : "");
    owner->path = strdup(reader->path);
    if (!owner->name || !owner->description || !owner->path)
        return pb_fail(reader->diag, PB_ERR_MEMORY, "%s: no memory for the scenario; close other programs",
                       reader->path);
    owner->scenario.name = owner->name;
    owner->scenario.description = owner->description;
    owner->scenario.path = owner->path;
    return PB_OK;
}

static int end_section(const struct pb_reader *reader, int code)
{
    if (pb_is_doubtful(reader))
        reader->refusals->before = true;
    return pb_go_on(reader, code);
}

/* When all errors are requested, no section uses data that only a valid earlier section provides: wiring and
 * reach need the nodes, faults at least one node. */
static int compile(struct pb_scenario **out, const struct pb_reader *reader,
                   const struct pb_raw_scenario *raw)
{
    struct owner *owner = calloc(1, sizeof *owner);
    if (!owner)
        return pb_fail(reader->diag, PB_ERR_MEMORY, "%s: no memory for the scenario; close other programs",
                       reader->path);
    int code = end_section(reader, name_scenario(reader, raw, owner));
    if (code == PB_OK)
        code = end_section(reader, pb_compile_link(reader, raw, &owner->scenario));
    if (code == PB_OK)
        code = end_section(reader, pb_compile_clock(reader, raw, &owner->scenario));
    if (code == PB_OK)
        code = end_section(reader, pb_compile_nodes(reader, raw, &owner->scenario));
    if (code == PB_OK && !pb_is_doubtful(reader))
        code = end_section(reader, pb_compile_wiring(reader, raw, &owner->scenario));
    if (code == PB_OK)
        code = end_section(reader, pb_compile_limits(reader, raw, &owner->scenario));
    if (code == PB_OK)
        code = end_section(reader, pb_compile_traffic(reader, raw, &owner->scenario));
    if (code == PB_OK && !pb_is_doubtful(reader))
        code = end_section(reader, pb_compile_reach(reader, &owner->scenario));
    if (code == PB_OK && owner->scenario.node_count)
        code = end_section(reader, pb_compile_faults(reader, raw, &owner->scenario));
    if (pb_is_doubtful(reader))
        code = PB_ERR_CONFIG;
    if (code == PB_OK)
        *out = &owner->scenario;
    else
        pb_scenario_free(&owner->scenario);
    return code;
}

static int refuse_binary(const char *path, const char *text, size_t length, struct pb_diag *diag)
{
    unsigned line = 1;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        line += byte == '\n';
        if (byte < ' ' && byte != '\n' && byte != '\r' && byte != '\t')
            return pb_fail(diag, PB_ERR_CONFIG,
                           "%s:%u: byte 0x%02x at offset %zu: a binary file; a scenario is YAML text", path,
                           line, byte, i);
    }
    return PB_OK;
}

static int parse(struct pb_scenario **out, struct pb_scenario_texts *texts, bool closed,
                 const struct pb_scenario_setting *setting, size_t settings, struct pb_refusals *refusals,
                 struct pb_diag *diag)
{
    /* The list moves when a file is added; what its entries point to does not. */
    const char *path = texts->text[0].name, *text = texts->text[0].text;
    const size_t length = texts->text[0].length;
    *out = NULL;
    if (length > PB_TEXT_BYTES_MAX)
        return pb_fail(diag, PB_ERR_CONFIG, "%s: has %zu bytes, at most %zu are read; move traffic to a file",
                       path, length, PB_TEXT_BYTES_MAX);
    int code = refuse_binary(path, text, length, diag);
    if (code != PB_OK)
        return code;
    struct pb_outline outline;
    struct pb_raw_scenario raw = {.name = NULL};
    struct pb_reader reader = {.path = path,
                               .outline = &outline,
                               .texts = texts,
                               .closed = closed,
                               .diag = diag,
                               .refusals = refusals};
    code = pb_outline_read(&outline, path, text, length, diag);
    if (code == PB_OK && !outline.count)
        code = pb_fail(diag, PB_ERR_CONFIG, "%s: is empty; a scenario has at least nodes and traffic", path);
    for (size_t i = 0; code == PB_OK && i < settings; i++)
        code = pb_outline_set(&outline, path, setting[i].place, setting[i].value, diag);
    if (code == PB_OK)
        code = pb_raw_fill(&raw, &outline, path, refusals, diag);
    if (pb_is_doubtful(&reader))
        refusals->keys = refusals->before = refusals->doubt = true;
    if (code == PB_OK)
        code = compile(out, &reader, &raw);
    pb_raw_free(&raw);
    pb_outline_free(&outline);
    return code;
}

int pb_scenario_parse_texts(struct pb_scenario **out, struct pb_scenario_texts *texts, bool closed,
                            struct pb_diag *diag)
{
    return parse(out, texts, closed, NULL, 0, NULL, diag);
}

int pb_scenario_parse_settings(struct pb_scenario **out, struct pb_scenario_texts *texts,
                               const struct pb_scenario_setting *setting, size_t settings,
                               struct pb_diag *diag)
{
    return parse(out, texts, true, setting, settings, NULL, diag);
}

int pb_scenario_parse(struct pb_scenario **out, const char *path, const char *text, size_t length,
                      struct pb_diag *diag)
{
    struct pb_scenario_texts texts = {0};
    *out = NULL;
    int code = pb_scenario_texts_add(&texts, path, text, length);
    if (code != PB_OK)
        pb_fail(diag, code, "%s: no memory for %zu bytes; close other programs", path, length);
    else
        code = pb_scenario_parse_texts(out, &texts, false, diag);
    pb_scenario_texts_free(&texts);
    return code;
}

int pb_scenario_load_texts(struct pb_scenario **out, struct pb_scenario_texts *texts, const char *path,
                           struct pb_diag *diag)
{
    *out = NULL;
    int code = pb_texts_read(texts, path, path, diag);
    return code == PB_OK ? pb_scenario_parse_texts(out, texts, false, diag) : code;
}

int pb_scenario_load(struct pb_scenario **out, const char *path, struct pb_diag *diag)
{
    struct pb_scenario_texts texts = {0};
    const int code = pb_scenario_load_texts(out, &texts, path, diag);
    pb_scenario_texts_free(&texts);
    return code;
}

static void sort_by_line(struct pb_diag *error, unsigned *line, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct pb_diag moved = error[i];
        const unsigned moved_line = line[i];
        size_t at = i;
        for (; at > 0 && line[at - 1] > moved_line; at--) {
            error[at] = error[at - 1];
            line[at] = line[at - 1];
        }
        error[at] = moved;
        line[at] = moved_line;
    }
}

size_t pb_scenario_errors(const char *path, struct pb_diag *error, size_t most)
{
    struct pb_scenario_texts texts = {0};
    struct pb_refusals refusals = {
        .text = error, .line = calloc(most + 1, sizeof *refusals.line), .most = most};
    struct pb_scenario *scenario = NULL;
    struct pb_diag diag;
    if (!refusals.line) {
        if (most)
            pb_fail(error, PB_ERR_MEMORY, "%s: no memory for its errors; close other programs", path);
        return 1;
    }
    int code = pb_texts_read(&texts, path, path, &diag);
    if (code == PB_OK)
        code = parse(&scenario, &texts, false, NULL, 0, &refusals, &diag);
    if (code != PB_OK && !refusals.count)
        pb_refusals_add(&refusals, &diag, 0);
    sort_by_line(error, refusals.line, refusals.count < most ? refusals.count : most);
    free(refusals.line);
    pb_scenario_free(scenario);
    pb_scenario_texts_free(&texts);
    return refusals.count;
}

void pb_scenario_free(struct pb_scenario *scenario)
{
    if (!scenario)
        return;
    struct owner *owner = (struct owner *)scenario;
    pb_traffic_free(&scenario->traffic);
    for (unsigned i = 0; i < scenario->endless_count; i++) {
        free(scenario->endless[i].pattern);
        pb_traffic_free(&scenario->endless[i].list);
    }
    free(scenario->endless);
    pb_scenario_program_free(scenario->program);
    for (unsigned i = 0; i < scenario->node_count; i++) {
        free(scenario->node[i].argument);
        free(scenario->node[i].folder);
    }
    free(scenario->node);
    free(scenario->wiring);
    free(scenario->fault);
    free(owner->name);
    free(owner->description);
    free(owner->path);
    free(owner);
}

bool pb_scenario_written(const struct pb_scenario_texts *texts, const char *place, char *value, size_t size)
{
    struct pb_outline outline;
    struct pb_diag diag;
    const char *written = NULL;
    if (!pb_outline_read(&outline, texts->text[0].name, texts->text[0].text, texts->text[0].length, &diag) &&
        outline.count)
        written = pb_outline_value(&outline, place);
    const bool fits = written && strlen(written) < size;
    if (fits)
        memcpy(value, written, strlen(written) + 1);
    pb_outline_free(&outline);
    return fits;
}
