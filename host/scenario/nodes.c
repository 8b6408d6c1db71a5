/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "compile.h"
#include "kinds.h"

#include "bench/nodes/words.h"
#include "phasebench/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CORE_LINKS 64 /* link pins of the FPGA core */

static const char *node_place(struct pb_place *place, unsigned index, const char *key)
{
    return pb_place(place, "nodes", index, key);
}

int pb_read_address(const struct pb_reader *reader, const char *place, const char *text,
                    const struct pb_network *network, uint32_t *address)
{
    uint64_t value = 0, last = network->nodes - 1;
    char size[PB_NETWORK_TEXT_SIZE];
    const bool is_number = pb_parse_number(text, strlen(text), &value);
    *address = 0;
    if (!is_number || value > last)
        return pb_reject_value(reader, place, is_number,
                               "'%.*s' is not an address of the network of %s; give 0x0 to 0x%" PRIX64
                               " (%" PRIu64 ")%s",
                               pb_shown(text), text, pb_network_text(network, size), last, last,
                               network->nodes < PB_WIRE_NODES_MAX ? ", or a larger network" : "");
    *address = (uint32_t)value;
    return PB_OK;
}

static int read_address(const struct pb_reader *reader, const struct pb_raw_nodes *raw, unsigned index,
                        struct pb_scenario *scenario)
{
    struct pb_place place;
    struct pb_scenario_node *node = &scenario->node[index];
    node_place(&place, index, "address");
    if (!raw->address)
        return pb_reject_entry(reader, place.text,
                               "is missing; give the address of the node, for example 0x0");
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

static const struct {
    const char *name;
    size_t offset; /* in struct pb_raw_nodes */
} keys[PB_NODE_KEYS] = {
#define KEY(id, key) [PB_NODE_KEY_##id] = {#key, offsetof(struct pb_raw_nodes, key)},
    PB_NODE_KEY_LIST(KEY)
#undef KEY
};

static const char *value_of(const struct pb_raw_nodes *raw, enum pb_node_key key)
{
    return *(char *const *)((const char *)raw + keys[key].offset);
}

static bool takes_key(const struct pb_node_kind *kind, unsigned key)
{
    return kind->keys >> key & 1;
}

static bool takes_codec(const struct pb_node_kind *kind, unsigned codec)
{
    return kind->codecs >> codec & 1;
}

static bool takes_network(const struct pb_node_kind *kind, unsigned binary)
{
    return kind->any_radix || binary;
}

static bool takes_rule(const struct pb_node_kind *kind, unsigned rule)
{
    return kind->rules >> rule & 1;
}

/* Keys that the kind takes, and no other. The first one that describes a model is kept: only a rig that makes
 * models can honour it. `defect: none` describes nothing. */
static int check_keys(const struct pb_reader *reader, const struct pb_raw_nodes *raw, unsigned index,
                      const struct pb_node_kind *kind, struct pb_scenario_node *node)
{
    struct pb_place place;
    char others[PB_KINDS_TEXT];
    for (unsigned key = 0; key < PB_NODE_KEYS; key++) {
        const char *value = value_of(raw, (enum pb_node_key)key);
        if (!value || (key == PB_NODE_KEY_DEFECT && !strcmp(value, "none")))
            continue;
        if (!takes_key(kind, key))
            return pb_reject(reader, node_place(&place, index, keys[key].name),
                             "kind '%s' does not take it; remove the key or use kind %s", kind->name,
                             pb_kinds_that(others, takes_key, key));
        if (!node->model_key && key != PB_NODE_KEY_ROOM)
            node->model_key = keys[key].name;
    }
    node->kind_given = raw->kind && kind->model && !kind->argument;
    if (raw->kind && kind->model && !node->model_key)
        node->model_key = "kind";
    return PB_OK;
}

static int check_rate(const struct pb_reader *reader, unsigned index, const struct pb_node_kind *kind,
                      const char *key, uint64_t baud_hz, int64_t least_hz, int64_t most_hz)
{
    struct pb_place place;
    if ((int64_t)baud_hz >= least_hz && (int64_t)baud_hz <= most_hz)
        return PB_OK;
    return pb_reject(reader, node_place(&place, index, "kind"),
                     "kind '%s' takes %" PRId64 " to %" PRId64 " baud, %s is %" PRIu64
                     "; change it or use another kind",
                     kind->name, least_hz, most_hz, key, baud_hz);
}

/* What the rest of the scenario asks of every node. */
static int check_network(const struct pb_reader *reader, unsigned index, const struct pb_node_kind *kind,
                         const struct pb_scenario *scenario)
{
    struct pb_place place;
    char others[PB_KINDS_TEXT], size[PB_NETWORK_TEXT_SIZE];
    node_place(&place, index, "kind");
    if (!takes_network(kind, pb_network_is_binary(&scenario->network)))
        return pb_reject(reader, place.text,
                         "kind '%s' knows binary cubes only, and network is %s; change it or use kind %s",
                         kind->name, pb_network_text(&scenario->network, size),
                         pb_kinds_that(others, takes_network, false));
    if (!takes_codec(kind, scenario->codec))
        return pb_reject(reader, place.text,
                         "kind '%s' does not speak codec %s, which is link.codec; change it or use kind %s",
                         kind->name, pb_codec_name(scenario->codec),
                         pb_kinds_that(others, takes_codec, scenario->codec));
    if (!takes_rule(kind, scenario->rule))
        return pb_reject(
            reader, place.text,
            "kind '%s' does not route by rule %s, which is the rule of the network; change it or use kind %s",
            kind->name, pb_rule_name(scenario->rule), pb_kinds_that(others, takes_rule, scenario->rule));
    const int code = check_rate(reader, index, kind, "link.baud", scenario->baud_hz, kind->link.least_hz,
                                kind->link.most_hz);
    return code ? code
                : check_rate(reader, index, kind, "link.console_baud", scenario->console_baud_hz,
                             kind->console.least_hz, kind->console.most_hz);
}

static int read_timing(const struct pb_reader *reader, const struct pb_raw_nodes *raw, unsigned index,
                       const struct pb_node_kind *kind, struct pb_scenario *scenario)
{
    struct pb_place place;
    struct pb_scenario_node *node = &scenario->node[index];
    int64_t clock_error = 0;
    uint64_t flash_miss = 0;
    if (!kind->logic)
        pb_default_latency(scenario, node);
    int code = pb_read_key(reader, PB_KEY_nodes_clock_error, raw, index, &clock_error);
    if (code == PB_OK)
        code = pb_read_quantity(reader, node_place(&place, index, "irq_latency"), raw->irq_latency,
                                PB_QUANTITY_TIME, 0, pb_phase_ps(scenario), &node->irq_latency_ps);
    if (code == PB_OK)
        code = pb_read_quantity(reader, node_place(&place, index, "irq_jitter"), raw->irq_jitter,
                                PB_QUANTITY_TIME, 0, pb_phase_ps(scenario), &node->irq_jitter_ps);
    node->clock_error_ppm = (int32_t)clock_error;
    if (code == PB_OK)
        code = pb_read_key(reader, PB_KEY_nodes_answer_limit, raw, index, &node->answer_limit_ps);
    if (code == PB_OK)
        code = pb_read_key(reader, PB_KEY_nodes_flash_miss, raw, index, &flash_miss);
    node->flash_miss_cycles = (unsigned)flash_miss;
    return code;
}

/* "exec:COMMAND": the kind is "exec", and the command is a copy; "so:FILE" likewise. */
static int read_argument(const struct pb_reader *reader, const char *place, const char *text,
                         const struct pb_node_kind *kind, struct pb_scenario_node *node)
{
    const char *argument = text + strlen(kind->name) + 1;
    char **word = kind->words ? pb_words_split(argument) : NULL;
    if (!kind->words && !*argument)
        return pb_reject(reader, place, "'%.*s' names no %s after the colon; write %s:%s", pb_shown(text),
                         text, kind->argument, kind->name, kind->argument);
    if (kind->words && !word && errno == EINVAL)
        return pb_reject(reader, place,
                         "'%.*s' has an open quote or no word after the colon; write %s:%s, as in a shell",
                         pb_shown(text), text, kind->name, kind->argument);
    free(word);
    node->argument = word || !kind->words ? strdup(argument) : NULL;
    return node->argument ? PB_OK
                          : pb_fail(reader->diag, PB_ERR_MEMORY,
                                    "%s: no memory for the scenario; close other programs", reader->path);
}

static int read_folder(const struct pb_reader *reader, const struct pb_raw_nodes *raw, unsigned index,
                       struct pb_scenario_node *node)
{
    struct pb_place place;
    if (!raw->folder)
        return PB_OK;
    if (!*raw->folder)
        return pb_reject(reader, node_place(&place, index, "folder"),
                         "is empty; give the path of a folder, or remove the key");
    node->folder = strdup(raw->folder);
    return node->folder ? PB_OK
                        : pb_fail(reader->diag, PB_ERR_MEMORY,
                                  "%s: no memory for the scenario; close other programs", reader->path);
}

static int read_kind(const struct pb_reader *reader, const struct pb_raw_nodes *raw, unsigned index,
                     const struct pb_node_kind **kind, struct pb_scenario_node *node)
{
    const char *name[PB_KINDS_MAX];
    struct pb_place place;
    unsigned count;
    size_t choice = 0;
    const struct pb_node_kind *all = pb_node_kinds(&count);
    node_place(&place, index, "kind");
    for (unsigned i = 0; i < count; i++) {
        const size_t length = strlen(all[i].name);
        name[i] = all[i].name;
        if (all[i].argument && raw->kind && !strncmp(raw->kind, name[i], length) &&
            raw->kind[length] == ':') {
            *kind = &all[i];
            return read_argument(reader, place.text, raw->kind, *kind, node);
        }
    }
    const int code = pb_read_choice(reader, place.text, raw->kind, name, count, &choice);
    *kind = &all[choice];
    return code || !all[choice].argument
               ? code
               : pb_reject(reader, place.text, "'%s' names no %s; write %s:%s", all[choice].name,
                           all[choice].argument, all[choice].name, all[choice].argument);
}

static int read_room(const struct pb_reader *reader, const struct pb_raw_nodes *raw, unsigned index,
                     const struct pb_node_kind *kind, struct pb_scenario_node *node)
{
    uint64_t room = kind->room;
    node->room = kind->room;
    node->room_known = raw->room || (kind->model && !kind->argument);
    if (!raw->room)
        return PB_OK;
    const int code = pb_read_key(reader, PB_KEY_nodes_room, raw, index, &room);
    node->room = (unsigned)room;
    return code;
}

static int read_node(const struct pb_reader *reader, const struct pb_raw_nodes *raw, unsigned index,
                     struct pb_scenario *scenario)
{
    const struct pb_node_kind *kind;
    int code = read_address(reader, raw, index, scenario);
    if (code == PB_OK)
        code = read_kind(reader, raw, index, &kind, &scenario->node[index]);
    if (code == PB_OK)
        code = check_network(reader, index, kind, scenario);
    if (code != PB_OK)
        return code;
    struct pb_scenario_node *node = &scenario->node[index];
    node->kind = kind->name;
    node->room_per_dimension = kind->room_per_dimension;
    code = check_keys(reader, raw, index, kind, node);
    if (code == PB_OK)
        code = read_room(reader, raw, index, kind, node);
    if (code == PB_OK)
        code = read_timing(reader, raw, index, kind, scenario);
    if (code == PB_OK)
        code = read_folder(reader, raw, index, node);
    if (code == PB_OK)
        code = pb_read_defect(reader, raw, index, kind, scenario);
    if (code == PB_OK)
        code = pb_read_freedoms(reader, raw, index, node);
    return code;
}

int pb_compile_nodes(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                     struct pb_scenario *scenario)
{
    unsigned most = CORE_LINKS / scenario->network.ports;
    if (most > PB_SCENARIO_NODES_MAX)
        most = PB_SCENARIO_NODES_MAX;
    if (raw->node_count == 0)
        return pb_reject_entry(reader, "nodes",
                               "names no node; give at least one, for example '- {address: 0x0}'");
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
    unsigned kinds;
    for (unsigned i = 0; i < raw->node_count && code == PB_OK; i++) {
        /* What is read next needs the kind of a refused node, too. */
        scenario->node[i].kind = pb_node_kinds(&kinds)->name;
        code = pb_go_on(reader, read_node(reader, &raw->node[i], i, scenario));
    }
    return code;
}
