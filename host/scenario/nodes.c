/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "compile.h"
#include "movement.h"

#include "bench/nodes/defects.h"
#include "phasebench/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CORE_LINKS 64 /* link pins of the FPGA core */
#define CLOCK_ERROR_MAX_PPM 100000

static const char *const kinds[] = {"native", "ref", "contract", "board"};
enum kind { KIND_NATIVE, KIND_REF, KIND_CONTRACT, KIND_BOARD };

/* What can be broken at the pins of any node; a contract node has every defect of bench/nodes/defects.h. */
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

#define ONE_SECOND_PS INT64_C(1000000000000)
#define LATE_MAX_PS INT64_C(1000000000) /* of late_start at the pins, see bench/nodes/node.h */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool is_wrapped(const char *name)
{
    for (size_t i = 0; i < COUNT(defects); i++)
        if (!strcmp(name, defects[i]))
            return true;
    return false;
}

static const char *node_place(struct pb_place *place, unsigned index, const char *key)
{
    return pb_place(place, "nodes", index, key);
}

int pb_read_address(const struct pb_reader *reader, const char *place, const char *text,
                    const struct pb_network *network, uint32_t *address)
{
    uint64_t value = 0, last = network->nodes - 1;
    char size[PB_NETWORK_TEXT_SIZE];
    if (!pb_parse_number(text, strlen(text), &value) || value > last)
        return pb_reject(reader, place,
                         "'%.*s' is not an address of the network of %s; give 0x0 to 0x%" PRIX64 " (%" PRIu64 ")%s",
                         pb_shown(text), text, pb_network_text(network, size), last, last,
                         network->nodes < PB_WIRE_NODES_MAX ? ", or a larger network" : "");
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
    int code = pb_read_address(reader, place.text, raw->address, &scenario->network, &node->address);
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
        {"defect_from", raw->defect_from},
        {"defect_every", raw->defect_every},
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
                         "a 'ref' node has no interrupts; remove the key or use kind native or contract");
    if (kind != KIND_REF)
        pb_default_latency(scenario, node);
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

static int read_wrapped_defect(const struct pb_reader *reader, const struct pb_raw_node *raw, unsigned index,
                               enum kind kind, struct pb_scenario *scenario)
{
    struct pb_place place;
    struct pb_scenario_node *node = &scenario->node[index];
    size_t defect = DEFECT_NONE;
    node_place(&place, index, "defect");
    if (raw->defect && !is_wrapped(raw->defect) && pb_defect_of_name(raw->defect) > 0)
        return pb_reject(reader, place.text, "'%s' is a defect of kind contract only; use kind contract",
                         raw->defect);
    int code = pb_read_choice(reader, place.text, raw->defect, defects, COUNT(defects), &defect);
    if (code != PB_OK)
        return code;
    if (defect == DEFECT_WRONG_ORDER && kind != KIND_NATIVE)
        return pb_reject(reader, place.text,
                         "wrong_order is built into the firmware, kind '%s' has none; use kind native",
                         kinds[kind]);
    if (defect == DEFECT_SWAPPED_LINKS && scenario->network.ports < 2)
        return pb_reject(reader, place.text,
                         "swapped_links needs 2 links, a node of the network has %u; give a larger network",
                         scenario->network.ports);
    node->defect = defects[defect];
    if (raw->defect_from || raw->defect_every)
        return pb_reject(reader, node_place(&place, index, raw->defect_from ? "defect_from" : "defect_every"),
                         "only kind contract has it, this is kind '%s'; remove the key or use kind contract",
                         kinds[kind]);
    if (!raw->defect_amount)
        return PB_OK;
    node_place(&place, index, "defect_amount");
    if (defect != DEFECT_LATE_START)
        return pb_reject(reader, place.text, "defect '%s' has no amount, only late_start has; remove the key",
                         defects[defect]);
    const int64_t phase_ps = pb_phase_ps(scenario);
    return pb_read_quantity(reader, place.text, raw->defect_amount, PB_QUANTITY_TIME, 1,
                            phase_ps < LATE_MAX_PS ? phase_ps : LATE_MAX_PS, &node->defect_amount_ps);
}

/* What the settings of a scenario rule out, or NULL. */
static const char *obstacle_of(const struct pb_defect_info *info, const struct pb_scenario *scenario)
{
    if ((info->needs & PB_NEEDS_TWO_DIMS) && scenario->network.digits < 2)
        return "a network of 2 dimensions or more; give a larger one";
    if ((info->needs & PB_NEEDS_SPARE_LINK) && scenario->network.ports >= PB_WIRE_PORTS_MAX)
        return "a link that the network does not use; give a smaller one";
    if ((info->needs & PB_NEEDS_OPEN_DRAIN) && scenario->push_pull)
        return "lines with open drain; remove link.drive";
    if ((info->needs & PB_NEEDS_ECUBE) && scenario->rule != PB_RULE_ECUBE)
        return "rule ecube; change cube.rule";
    return NULL;
}

static int read_occasion(const struct pb_reader *reader, const struct pb_raw_node *raw, unsigned index,
                         const struct pb_defect_info *info, struct pb_scenario_node *node)
{
    struct pb_place place;
    uint64_t from = 0, every = 1;
    const bool given = raw->defect_from || raw->defect_every;
    node_place(&place, index, raw->defect_from ? "defect_from" : "defect_every");
    if (given && !info)
        return pb_reject(reader, place.text, "the node has no defect; remove the key or give a defect");
    if (given && (info->needs & PB_NEEDS_BEFORE_CLOCK))
        return pb_reject(
            reader, place.text,
            "defect '%s' acts before the phase clock starts, not in a superframe; remove the key",
            info->name);
    int code = pb_read_number(reader, node_place(&place, index, "defect_from"), raw->defect_from, 0,
                              PB_SUPERFRAMES_MAX - 1, &from);
    if (code == PB_OK && raw->defect_every && !strcmp(raw->defect_every, "once"))
        every = UINT32_MAX;
    else if (code == PB_OK)
        code = pb_read_number(reader, node_place(&place, index, "defect_every"), raw->defect_every, 1,
                              1000000, &every);
    node->defect_from = (uint32_t)from;
    node->defect_every = (uint32_t)every;
    return code;
}

static int read_contract_defect(const struct pb_reader *reader, const struct pb_raw_node *raw, unsigned index,
                                struct pb_scenario *scenario)
{
    const char *name[PB_CONTRACT_DEFECTS] = {"none"};
    unsigned count;
    const struct pb_defect_info *infos = pb_defect_infos(&count);
    struct pb_place place;
    struct pb_scenario_node *node = &scenario->node[index];
    size_t defect = 0;
    for (unsigned i = 0; i < count; i++)
        name[i + 1] = infos[i].name;
    int code =
        pb_read_choice(reader, node_place(&place, index, "defect"), raw->defect, name, count + 1, &defect);
    if (code != PB_OK)
        return code;
    const struct pb_defect_info *info = defect ? &infos[defect - 1] : NULL;
    const char *obstacle = info ? obstacle_of(info, scenario) : NULL;
    if (obstacle)
        return pb_reject(reader, place.text, "defect '%s' needs %s", info->name, obstacle);
    node->defect = info ? info->name : defects[DEFECT_NONE];
    code = read_occasion(reader, raw, index, info, node);
    if (code != PB_OK || !raw->defect_amount)
        return code;
    node_place(&place, index, "defect_amount");
    if (!info || (!info->default_amount_ps && !info->default_amount_bit))
        return pb_reject(reader, place.text, "defect '%s' has no amount; remove the key", node->defect);
    const int64_t most = info->needs & PB_NEEDS_BEFORE_CLOCK ? ONE_SECOND_PS : pb_phase_ps(scenario);
    return pb_read_quantity(reader, place.text, raw->defect_amount, PB_QUANTITY_TIME, 1, most,
                            &node->defect_amount_ps);
}

static int read_defect(const struct pb_reader *reader, const struct pb_raw_node *raw, unsigned index,
                       enum kind kind, struct pb_scenario *scenario)
{
    if (kind == KIND_CONTRACT)
        return read_contract_defect(reader, raw, index, scenario);
    return read_wrapped_defect(reader, raw, index, kind, scenario);
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
                         "a 'ref' node speaks only codec slot, link.codec is %s; use kind native or contract",
                         pb_codec_name(scenario->codec));
    if (kind == KIND_REF && scenario->rule != PB_RULE_ECUBE)
        return pb_reject(
            reader, place.text,
            "a 'ref' node routes only by rule ecube, cube.rule is %s; use kind native or contract",
            pb_rule_name(scenario->rule));
    scenario->node[index].kind = kinds[kind];
    pb_set_room(&scenario->node[index]);
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
    unsigned most = CORE_LINKS / scenario->network.ports;
    if (most > PB_SCENARIO_NODES_MAX)
        most = PB_SCENARIO_NODES_MAX;
    if (raw->node_count == 0)
        return pb_reject(reader, "nodes", "names no node; give at least one, for example '- {address: 0x0}'");
    if (raw->node_count > most)
        return pb_reject(
            reader, "nodes",
            "%u nodes with %u links each; the core has %d links and takes at most %u of these; remove some",
            raw->node_count, scenario->network.ports, CORE_LINKS, most);
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
