/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "compile.h"

#include "phasebench/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CORE_LINKS 64 /* link pins of the FPGA core */
#define CLOCK_ERROR_MAX_PPM 100000

static const char *const kinds[] = {"native", "ref", "board"};
enum kind { KIND_NATIVE, KIND_REF, KIND_BOARD };

static const char *const defects[] = {"none",        "wrong_order", "phase_off",    "late_start",
                                      "flipped_bit", "silent",      "swapped_links"};
enum defect {
    DEFECT_NONE,
    DEFECT_WRONG_ORDER,
    DEFECT_PHASE_OFF,
    DEFECT_LATE_START,
    DEFECT_FLIPPED_BIT,
    DEFECT_SILENT,
    DEFECT_SWAPPED_LINKS
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const char *node_place(struct pb_place *place, unsigned index, const char *key)
{
    return pb_place(place, "nodes", index, key);
}

int pb_read_address(const struct pb_reader *reader, const char *place, const char *text, unsigned dims,
                    uint32_t *address)
{
    uint64_t value = 0, last = pb_cube_nodes(dims) - 1;
    if (!pb_parse_number(text, strlen(text), &value) || value > last)
        return pb_reject(reader, place,
                         "'%.*s' is not an address of the %u-cube; give 0x0 to 0x%" PRIX64 " (%" PRIu64 ")%s",
                         pb_shown(text), text, dims, last, last,
                         dims < PB_WIRE_DIMS_MAX ? " or raise cube.dims" : "");
    *address = (uint32_t)value;
    return PB_OK;
}

static int read_address(const struct pb_reader *reader, const struct pb_raw_node *raw, unsigned index,
                        struct pb_scenario *scenario)
{
    struct pb_place place;
    struct pb_scenario_node *node = &scenario->node[index];
    node_place(&place, index, "address");
    if (!raw->address)
        return pb_reject(reader, place.text, "is missing; give the address of the node, for example 0x0");
    int code = pb_read_address(reader, place.text, raw->address, scenario->dims, &node->address);
    for (unsigned i = 0; i < index && code == PB_OK; i++)
        if (scenario->node[i].address == node->address) {
            struct pb_place other;
            code = pb_reject(
                reader, place.text, "0x%" PRIX32 " is the address of nodes[%u] (line %u), too; change one",
                node->address, i, pb_outline_line(reader->outline, node_place(&other, i, "address")));
        }
    return code;
}

/* The settings of a model, in the order in which they are refused. The first one that is given is kept: only
 * a rig that makes models can honour it. */
static int read_model(const struct pb_reader *reader, const struct pb_raw_node *raw, unsigned index,
                      enum kind kind, struct pb_scenario *scenario)
{
    const struct {
        const char *key;
        bool given;
    } setting[] = {
        {"defect", raw->defect && strcmp(raw->defect, "none")},
        {"defect_amount", raw->defect_amount},
        {"clock_error", raw->clock_error},
        {"irq_latency", raw->irq_latency},
        {"irq_jitter", raw->irq_jitter},
        {"kind", raw->kind && kind != KIND_BOARD},
    };
    struct pb_scenario_node *node = &scenario->node[index];
    node->kind_given = raw->kind && kind != KIND_BOARD;
    for (size_t i = 0; i < COUNT(setting) && !node->model_key; i++)
        if (setting[i].given)
            node->model_key = setting[i].key;
    if (kind != KIND_BOARD || !node->model_key)
        return PB_OK;
    struct pb_place place;
    return pb_reject(reader, node_place(&place, index, node->model_key),
                     "a 'board' is no model; remove the key or use kind native");
}

/* The interrupt model belongs to firmware; the reference node is logic and answers to the edge itself. */
static int read_timing(const struct pb_reader *reader, const struct pb_raw_node *raw, unsigned index,
                       enum kind kind, struct pb_scenario *scenario)
{
    struct pb_place place;
    struct pb_scenario_node *node = &scenario->node[index];
    int64_t clock_error = 0;
    if (kind == KIND_REF && (raw->irq_latency || raw->irq_jitter))
        return pb_reject(reader, node_place(&place, index, raw->irq_latency ? "irq_latency" : "irq_jitter"),
                         "a 'ref' node has no interrupts; remove the key or use kind native");
    if (kind == KIND_NATIVE) {
        node->irq_latency_ps = 1500000;
        node->irq_jitter_ps = 500000;
    }
    int code = pb_read_quantity(reader, node_place(&place, index, "clock_error"), raw->clock_error,
                                PB_QUANTITY_RATIO, -CLOCK_ERROR_MAX_PPM, CLOCK_ERROR_MAX_PPM, &clock_error);
    if (code == PB_OK)
        code = pb_read_quantity(reader, node_place(&place, index, "irq_latency"), raw->irq_latency,
                                PB_QUANTITY_TIME, 0, pb_phase_ps(scenario), &node->irq_latency_ps);
    if (code == PB_OK)
        code = pb_read_quantity(reader, node_place(&place, index, "irq_jitter"), raw->irq_jitter,
                                PB_QUANTITY_TIME, 0, pb_phase_ps(scenario), &node->irq_jitter_ps);
    node->clock_error_ppm = (int32_t)clock_error;
    return code;
}

static int read_defect(const struct pb_reader *reader, const struct pb_raw_node *raw, unsigned index,
                       enum kind kind, struct pb_scenario *scenario)
{
    struct pb_place place;
    struct pb_scenario_node *node = &scenario->node[index];
    size_t defect = DEFECT_NONE;
    node_place(&place, index, "defect");
    int code = pb_read_choice(reader, place.text, raw->defect, defects, COUNT(defects), &defect);
    if (code != PB_OK)
        return code;
    if (defect == DEFECT_WRONG_ORDER && kind != KIND_NATIVE)
        return pb_reject(reader, place.text,
                         "wrong_order is built into the firmware, kind '%s' has none; use kind native",
                         kinds[kind]);
    if (defect == DEFECT_SWAPPED_LINKS && scenario->dims < 2)
        return pb_reject(reader, place.text,
                         "swapped_links needs 2 links, the cube has %u dimension; raise cube.dims",
                         scenario->dims);
    node->defect = defects[defect];
    if (!raw->defect_amount)
        return PB_OK;
    node_place(&place, index, "defect_amount");
    if (defect != DEFECT_LATE_START)
        return pb_reject(reader, place.text, "defect '%s' has no amount, only late_start has; remove the key",
                         defects[defect]);
    return pb_read_quantity(reader, place.text, raw->defect_amount, PB_QUANTITY_TIME, 1,
                            pb_phase_ps(scenario), &node->defect_amount_ps);
}

static int read_node(const struct pb_reader *reader, const struct pb_raw_node *raw, unsigned index,
                     struct pb_scenario *scenario)
{
    struct pb_place place;
    size_t kind = KIND_NATIVE;
    node_place(&place, index, "kind");
    int code = read_address(reader, raw, index, scenario);
    if (code == PB_OK)
        code = pb_read_choice(reader, place.text, raw->kind, kinds, COUNT(kinds), &kind);
    if (code != PB_OK)
        return code;
    if (kind == KIND_REF && scenario->codec != PB_CODEC_SLOT)
        return pb_reject(reader, place.text,
                         "a 'ref' node speaks only codec slot, link.codec is %s; use kind native",
                         pb_codec_name(scenario->codec));
    if (kind == KIND_REF && scenario->rule != PB_RULE_ECUBE)
        return pb_reject(reader, place.text,
                         "a 'ref' node routes only by rule ecube, cube.rule is %s; use kind native",
                         pb_rule_name(scenario->rule));
    scenario->node[index].kind = kinds[kind];
    code = read_model(reader, raw, index, (enum kind)kind, scenario);
    if (code == PB_OK)
        code = read_timing(reader, raw, index, (enum kind)kind, scenario);
    if (code == PB_OK)
        code = read_defect(reader, raw, index, (enum kind)kind, scenario);
    return code;
}

int pb_compile_nodes(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                     struct pb_scenario *scenario)
{
    unsigned most = CORE_LINKS / scenario->dims;
    if (most > PB_SCENARIO_NODES_MAX)
        most = PB_SCENARIO_NODES_MAX;
    if (raw->node_count == 0)
        return pb_reject(reader, "nodes", "names no node; give at least one, for example '- {address: 0x0}'");
    if (raw->node_count > most)
        return pb_reject(
            reader, "nodes",
            "%u nodes with %u links each; the core has %d links and takes at most %u of these; remove some",
            raw->node_count, scenario->dims, CORE_LINKS, most);
    scenario->node = calloc(raw->node_count, sizeof *scenario->node);
    if (!scenario->node)
        return pb_fail(reader->diag, PB_ERR_MEMORY, "%s: no memory for the scenario; close other programs",
                       reader->path);
    scenario->node_count = raw->node_count;
    int code = PB_OK;
    for (unsigned i = 0; i < raw->node_count && code == PB_OK; i++)
        code = read_node(reader, &raw->node[i], i, scenario);
    return code;
}
