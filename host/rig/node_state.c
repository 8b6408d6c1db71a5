/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/rig/node_state.h"
#include "host/base/json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_name[] = {
    [PB_TROUBLE_DIED] = "died",       [PB_TROUBLE_HUNG] = "hung", [PB_TROUBLE_BROKE] = "broke",
    [PB_TROUBLE_TRAPPED] = "trapped", [PB_TROUBLE_GAP] = "gap",
};
enum { KINDS = sizeof kind_name / sizeof kind_name[0] };

int pb_trouble_write(char text[PB_RECORDING_NODE_TEXT], const struct pb_node_trouble *trouble)
{
    /* JSON writes a control character as six. */
    enum {
        CHARACTERS = sizeof trouble->name + sizeof trouble->text + sizeof trouble->output +
                     sizeof trouble->document
    };
    _Static_assert(6 * CHARACTERS + 512 <= PB_RECORDING_NODE_TEXT, "the longest has room");
    *text = '\0';
    if (trouble->kind == PB_TROUBLE_NONE)
        return PB_OK;
    json_t *object =
        json_pack("{s:s, s:o, s:b, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "kind", kind_name[trouble->kind],
                  "name", pb_json_text(trouble->name), "clocked", trouble->clocked, "superframe",
                  (json_int_t)trouble->superframe, "phase", (json_int_t)trouble->phase, "in_phase_ps",
                  (json_int_t)trouble->in_phase_ps, "edge_ps", (json_int_t)trouble->edge_ps, "first_ps",
                  (json_int_t)trouble->first_ps, "text", pb_json_text(trouble->text), "output",
                  pb_json_text(trouble->output), "document", pb_json_text(trouble->document));
    char *dumped = object ? json_dumps(object, JSON_COMPACT) : NULL;
    if (dumped)
        snprintf(text, PB_RECORDING_NODE_TEXT, "%s", dumped);
    free(dumped);
    json_decref(object);
    return *text ? PB_OK : PB_ERR_MEMORY;
}

static enum pb_trouble_kind kind_of(const char *name)
{
    unsigned kind = KINDS - 1;
    while (kind > PB_TROUBLE_NONE && strcmp(name, kind_name[kind]))
        kind--;
    return (enum pb_trouble_kind)kind;
}

int pb_trouble_read(struct pb_node_trouble *trouble, const char *text)
{
    const char *kind, *name, *what, *output, *document;
    json_int_t superframe, phase, in_phase_ps, edge_ps, first_ps;
    int clocked;
    *trouble = (struct pb_node_trouble){.kind = PB_TROUBLE_NONE};
    if (!*text)
        return PB_OK;
    json_t *object = json_loads(text, 0, NULL);
    if (object && !json_unpack(object, "{s:s, s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:s}", "kind",
                               &kind, "name", &name, "clocked", &clocked, "superframe", &superframe, "phase",
                               &phase, "in_phase_ps", &in_phase_ps, "edge_ps", &edge_ps, "first_ps",
                               &first_ps, "text", &what, "output", &output, "document", &document)) {
        *trouble = (struct pb_node_trouble){.kind = kind_of(kind),
                                            .clocked = clocked,
                                            .superframe = (uint32_t)superframe,
                                            .phase = (unsigned)phase,
                                            .in_phase_ps = in_phase_ps,
                                            .edge_ps = edge_ps,
                                            .first_ps = first_ps};
        snprintf(trouble->name, sizeof trouble->name, "%s", name);
        snprintf(trouble->text, sizeof trouble->text, "%s", what);
        snprintf(trouble->output, sizeof trouble->output, "%s", output);
        snprintf(trouble->document, sizeof trouble->document, "%s", document);
    }
    json_decref(object);
    return trouble->kind == PB_TROUBLE_NONE ? PB_ERR_CONFIG : PB_OK;
}
