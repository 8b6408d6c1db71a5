/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The list of deliberate faults: kinds, which keys each takes, places, order. What only the plan can know
 * (which frames the bench sends, what the core can do) is refused there.
 */
#include "fault_entry.h"
#include "host/base/nearest_word.h"
#include "phasebench/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_S INT64_C(1000000000000)
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Bits of the keys, from the first on. */
#define K(key) (1u << (PB_KEY_faults_##key - PB_KEYS_faults))
#define TIME (K(superframe) | K(repeat))
#define CLOCK (TIME | K(phase))
#define FRAME (TIME | K(phase) | K(node) | K(dimension))
#define LINE (FRAME | K(at) | K(length))

static const unsigned takes[] = {
    [PB_FAULT_STUCK_LOW] = LINE,
    [PB_FAULT_OPEN] = LINE,
    [PB_FAULT_SHORT] = LINE | K(other),
    [PB_FAULT_SLOW_RISE] = LINE | K(amount) | K(time_constant),
    [PB_FAULT_GLITCH] = LINE,
    [PB_FAULT_SECOND_DRIVER] = LINE | K(amount),
    [PB_FAULT_LATE_EDGE] = CLOCK | K(amount),
    [PB_FAULT_EARLY_EDGE] = CLOCK | K(amount),
    [PB_FAULT_MISSING_EDGE] = CLOCK,
    [PB_FAULT_EXTRA_EDGE] = CLOCK,
    [PB_FAULT_MISSING_SYNC] = TIME,
    [PB_FAULT_EXTRA_SYNC] = CLOCK,
    [PB_FAULT_JITTER] = CLOCK | K(length) | K(amount) | K(shape) | K(seed),
    [PB_FAULT_DRIFT] = CLOCK | K(length) | K(ppm),
    [PB_FAULT_WRONG_BYTES] = FRAME,
    [PB_FAULT_FRAMING] = FRAME | K(bytes),
    [PB_FAULT_BAUD] = FRAME | K(ppm),
    [PB_FAULT_EARLY_START] = FRAME | K(amount),
    [PB_FAULT_LATE_START] = FRAME | K(amount),
    [PB_FAULT_BABBLE] = FRAME | K(at) | K(bytes),
    [PB_FAULT_SHORT_FRAME] = FRAME | K(bytes),
    [PB_FAULT_LONG_FRAME] = FRAME | K(bytes),
    [PB_FAULT_WRONG_LENGTH] = FRAME,
    [PB_FAULT_OUTSIDE_ADDRESS] = FRAME,
};

const char *pb_entry_value(const struct pb_fault_entry *entry, enum pb_key_id key)
{
    const bool other = key == PB_KEY_other_node || key == PB_KEY_other_dimension;
    const char *structure = (const char *)entry->text + (other ? offsetof(struct pb_fault_text, other) : 0);
    return *(const char *const *)(structure + pb_keys[key].at);
}

bool pb_entry_given(const struct pb_fault_entry *entry, enum pb_key_id key)
{
    return pb_entry_value(entry, key) || (key == FAULT(other) && entry->text->other.dimension);
}

static const char *name_of(enum pb_key_id key)
{
    return key == PB_KEY_other_node        ? "other.node"
           : key == PB_KEY_other_dimension ? "other.dimension"
                                           : pb_keys[key].name;
}

/* As the user writes it: `time_constant`, or `--time-constant`. */
static const char *key_name(const struct pb_fault_entry *entry, enum pb_key_id key, char name[24])
{
    const bool option = entry->index == PB_ENTRY_NOT_LISTED;
    /* The command has --seed for the whole run. */
    snprintf(name, 24, "%s%s%s", option ? "--" : "", option && key == FAULT(seed) ? "jitter-" : "",
             name_of(key));
    for (char *c = name; option && *c; c++)
        if (*c == '_' || *c == '.')
            *c = '-';
    return name;
}

const char *pb_entry_place(struct pb_place *place, const struct pb_fault_entry *entry, enum pb_key_id key)
{
    if (entry->index != PB_ENTRY_NOT_LISTED)
        return pb_place(place, "faults", entry->index, name_of(key));
    return key_name(entry, key, place->text);
}

int pb_entry_number(const struct pb_fault_entry *entry, enum pb_key_id key, uint64_t least, uint64_t most,
                    uint64_t *value)
{
    struct pb_place place;
    return pb_read_number(entry->reader, pb_entry_place(&place, entry, key), pb_entry_value(entry, key),
                          least, most, value);
}

/* ---- kind and keys */

static int read_kind(struct pb_fault_entry *entry)
{
    unsigned count;
    size_t choice = 0;
    const struct pb_fault_info *info = pb_fault_infos(&count);
    const char *name[COUNT(takes)];
    char list[320];
    struct pb_place place;
    for (unsigned i = 0; i < count; i++)
        name[i] = info[i].id;
    if (!entry->text->kind)
        return PB_ENTRY_LACKS(entry, FAULT(kind), "is missing; give one of %s",
                              pb_word_list(list, sizeof list, name, count));
    int code = pb_read_choice(entry->reader, pb_entry_place(&place, entry, FAULT(kind)), entry->text->kind,
                              name, count, &choice);
    entry->info = &info[choice];
    entry->fault.kind = info[choice].kind;
    return code;
}

static int refuse_senseless_keys(const struct pb_fault_entry *entry)
{
    char name[KEYS][24], list[240];
    const char *taken[KEYS];
    size_t count = 0;
    const unsigned known = takes[entry->info->kind];
    for (unsigned bit = 0; bit < KEYS; bit++)
        if (known >> bit & 1)
            taken[count++] = key_name(entry, PB_KEYS_faults + bit, name[bit]);
    for (unsigned bit = 0; bit < KEYS; bit++) {
        const enum pb_key_id key = PB_KEYS_faults + bit;
        if (known >> bit & 1 || key == FAULT(kind) || !pb_entry_given(entry, key))
            continue;
        const char *wrong = key_name(entry, key, name[bit]);
        char hint[PB_HINT_SIZE];
        return PB_ENTRY_REJECT(
            entry, key, "means nothing to '%s'%s It takes %s", entry->info->id,
            pb_hint(hint, "", wrong, taken, count, "."), pb_word_list(list, sizeof list, taken, count));
    }
    return PB_OK;
}

/* ---- place */

int pb_entry_node_index(const struct pb_fault_entry *entry, enum pb_key_id key, unsigned *node_index)
{
    const struct pb_scenario *scenario = entry->scenario;
    struct pb_place place;
    uint32_t address;
    if (!pb_entry_value(entry, key))
        return PB_ENTRY_REJECT(
            entry, key, "is missing; give the address of the node whose line it is, for example 0x%" PRIX32,
            scenario->node[0].address);
    int code = pb_read_address(entry->reader, pb_entry_place(&place, entry, key), pb_entry_value(entry, key),
                               &scenario->network, &address);
    if (code != PB_OK)
        return code;
    for (unsigned i = 0; i < scenario->node_count; i++)
        if (scenario->node[i].address == address) {
            *node_index = i;
            return PB_OK;
        }
    char list[160] = "";
    for (unsigned i = 0; i < scenario->node_count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s0x%" PRIX32, i ? ", " : "",
                 scenario->node[i].address);
    return PB_ENTRY_REJECT(entry, key, "0x%" PRIX32 " is not on the bench; give one of %s", address, list);
}

static int read_line(struct pb_fault_entry *entry)
{
    struct pb_fault *fault = &entry->fault;
    const struct pb_network *network = &entry->scenario->network;
    uint64_t dimension = 0, phase = 0;
    int code = pb_entry_node_index(entry, FAULT(node), &fault->node_index);
    if (code == PB_OK && !pb_entry_given(entry, FAULT(dimension)) && !pb_entry_given(entry, FAULT(phase)))
        code = PB_ENTRY_REJECT(entry, FAULT(dimension), "is missing; give 0 to %u, or the phase",
                               network->ports - 1);
    if (code == PB_OK)
        code = pb_entry_number(entry, FAULT(phase), 0, network->phases - 1, &phase);
    if (code != PB_OK)
        return code;
    const uint32_t address = entry->scenario->node[fault->node_index].address;
    dimension = pb_network_slot(network, address, (unsigned)phase).port;
    code = pb_entry_number(entry, FAULT(dimension), 0, network->ports - 1, &dimension);
    fault->dimension = (unsigned)dimension;
    fault->phase = (unsigned)phase;
    /* The phase in which the bench sends to the node; for a second driver the phase in which the node
     * sends. */
    if (!pb_entry_given(entry, FAULT(phase)))
        fault->phase = fault->kind == PB_FAULT_SECOND_DRIVER
                           ? pb_network_send_phase(network, address, fault->dimension)
                           : pb_network_listen_phase(network, address, fault->dimension);
    return code;
}

/* A frame of the bench: there must be a virtual neighbour, and it sends in one phase only. */
static int check_frame_place(const struct pb_fault_entry *entry)
{
    const struct pb_scenario *scenario = entry->scenario;
    const struct pb_fault *fault = &entry->fault;
    const uint32_t address = scenario->node[fault->node_index].address,
                   neighbour = pb_network_neighbour(&scenario->network, address, fault->dimension);
    const unsigned phase = pb_network_listen_phase(&scenario->network, address, fault->dimension);
    for (unsigned i = 0; i < scenario->node_count; i++)
        if (scenario->node[i].address == neighbour)
            return PB_ENTRY_REJECT(
                entry, pb_entry_given(entry, FAULT(dimension)) ? FAULT(dimension) : FAULT(phase),
                "dimension %u leads to 0x%" PRIX32
                ", which is on the bench itself, so no virtual neighbour sends there; give another",
                fault->dimension, neighbour);
    if (fault->kind != PB_FAULT_BABBLE && fault->phase != phase)
        return PB_ENTRY_REJECT(entry, FAULT(phase),
                               "the bench sends to 0x%" PRIX32
                               " on dimension %u in phase %u, not in %u; give that or remove the key",
                               address, fault->dimension, phase, fault->phase);
    return PB_OK;
}

static int read_clock_place(struct pb_fault_entry *entry)
{
    /* By default in the middle of a superframe, away from SYNC. */
    uint64_t phase = entry->scenario->network.phases / 2;
    if (entry->fault.kind == PB_FAULT_MISSING_SYNC || entry->fault.kind == PB_FAULT_JITTER ||
        entry->fault.kind == PB_FAULT_DRIFT)
        phase = 0;
    if (entry->scenario->follow)
        return PB_ENTRY_REJECT(
            entry, FAULT(kind),
            "'%s' corrupts the bench's own clock, here the clock is external; remove the "
            "fault or set clock.source bench",
            entry->info->id);
    int code = pb_entry_number(entry, FAULT(phase), 0, entry->scenario->network.phases - 1, &phase);
    entry->fault.phase = (unsigned)phase;
    if (code == PB_OK && entry->fault.kind == PB_FAULT_EXTRA_SYNC && phase == 0)
        code = PB_ENTRY_REJECT(entry, FAULT(phase), "TDMA_SYNC is high in phase 0 anyway; give 1 to %u",
                               entry->scenario->network.phases - 1);
    return code;
}

static int read_place(struct pb_fault_entry *entry)
{
    const uint32_t superframes = entry->scenario->superframes;
    uint64_t superframe = 0;
    if (!pb_entry_given(entry, FAULT(superframe)))
        return PB_ENTRY_LACKS(entry, FAULT(superframe), "is missing; give 0 to %" PRIu32, superframes - 1);
    int code = pb_entry_number(entry, FAULT(superframe), 0, superframes - 1, &superframe);
    entry->fault.superframe = (uint32_t)superframe;
    entry->repeat = 1;
    if (code == PB_OK)
        code = pb_entry_number(entry, FAULT(repeat), 1, superframes - superframe, &entry->repeat);
    if (code == PB_OK)
        code = entry->info->place == PB_FAULT_ON_CLOCK ? read_clock_place(entry) : read_line(entry);
    if (code == PB_OK && entry->info->place == PB_FAULT_ON_FRAME)
        code = check_frame_place(entry);
    if (code == PB_OK && entry->fault.kind == PB_FAULT_EARLY_EDGE && superframe == 0 &&
        entry->fault.phase == 0)
        code = PB_ENTRY_REJECT(entry, FAULT(phase),
                               "the first edge of all has no phase before it; give a later one");
    return code;
}

/* ---- the list */

static bool collide(const struct pb_fault *a, const struct pb_fault *b)
{
    const enum pb_fault_place place = pb_fault_info(a->kind)->place;
    if (a->superframe != b->superframe || a->phase != b->phase)
        return false;
    if (place == PB_FAULT_ON_CLOCK)
        return a->kind == b->kind;
    if (place != pb_fault_info(b->kind)->place || a->node_index != b->node_index ||
        a->dimension != b->dimension)
        return false;
    return place == PB_FAULT_ON_FRAME || (a->kind == b->kind && a->at_ps == b->at_ps);
}

static int add(const struct pb_fault_entry *entry, const struct pb_fault *fault)
{
    struct pb_scenario *scenario = entry->scenario;
    for (unsigned i = 0; i < scenario->fault_count; i++)
        if (collide(&scenario->fault[i], fault))
            return PB_ENTRY_REJECT(
                entry, FAULT(kind),
                "in superframe %" PRIu32 ", phase %u there is a '%s' at the same place; remove one",
                fault->superframe, fault->phase, pb_fault_info(scenario->fault[i].kind)->id);
    if (scenario->fault_count == PB_FAULTS_MAX)
        return PB_ENTRY_REJECT(
            entry, FAULT(repeat),
            "makes more than %d faults in the scenario; lower repeat or the number of entries",
            PB_FAULTS_MAX);
    struct pb_fault *grown = realloc(scenario->fault, (scenario->fault_count + 1) * sizeof *grown);
    if (!grown)
        return pb_fail(entry->reader->diag, PB_ERR_MEMORY, "%s: no memory for %u faults; lower repeat",
                       entry->reader->path, scenario->fault_count + 1);
    scenario->fault = grown;
    grown[scenario->fault_count] = *fault;
    grown[scenario->fault_count].number = scenario->fault_count;
    scenario->fault_count++;
    return PB_OK;
}

static int by_time(const void *left, const void *right)
{
    const struct pb_fault *a = left, *b = right;
    if (a->superframe != b->superframe)
        return a->superframe < b->superframe ? -1 : 1;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void number(struct pb_scenario *scenario)
{
    if (scenario->fault_count)
        qsort(scenario->fault, scenario->fault_count, sizeof *scenario->fault, by_time);
    for (unsigned i = 0; i < scenario->fault_count; i++)
        scenario->fault[i].number = i;
}

/* The seed says which number is the first; the faults of the kind then have each in turn. */
static unsigned other_bytes(const struct pb_fault_entry *entry)
{
    const struct pb_scenario *scenario = entry->scenario;
    uint64_t state = scenario->seed, turn = pb_splitmix64(&state) % entry->bytes_most;
    for (unsigned i = 0; i < scenario->fault_count; i++)
        turn += scenario->fault[i].kind == entry->fault.kind;
    return (unsigned)(turn % entry->bytes_most) + 1;
}

static int compile(const struct pb_reader *reader, const struct pb_fault_text *text, size_t index,
                   struct pb_scenario *scenario)
{
    const int64_t baud = (int64_t)scenario->baud_hz;
    struct pb_fault_entry entry = {
        .reader = reader,
        .text = text,
        .index = index,
        .scenario = scenario,
        .phase_ps = pb_phase_ps(scenario),
        .bit_ps = PS_PER_S / baud,
        .byte_ps = 10 * PS_PER_S / baud,
        .frame_ps = 10 * PS_PER_S * scenario->frame_bytes / baud,
    };
    int code = read_kind(&entry);
    if (code == PB_OK)
        code = refuse_senseless_keys(&entry);
    if (code == PB_OK)
        code = read_place(&entry);
    if (code == PB_OK)
        code = pb_entry_values(&entry);
    for (; code == PB_OK && entry.repeat; entry.repeat--) {
        if (entry.bytes_most)
            entry.fault.bytes = other_bytes(&entry);
        code = add(&entry, &entry.fault);
        entry.fault.superframe++;
    }
    return code;
}

/* A fault and a program, with the place of either before it. */
#define NO_FAULTS                                                                                            \
    "a fault ends a program at the first frame that it alters; leave one of both out, or send messages"

int pb_compile_faults(const struct pb_reader *reader, const struct pb_raw_scenario *raw,
                      struct pb_scenario *scenario)
{
    int code = PB_OK;
    if (raw->fault_count && scenario->program)
        return pb_go_on(reader, pb_reject(reader, "faults", "%s", NO_FAULTS));
    for (unsigned i = 0; i < raw->fault_count && code == PB_OK; i++)
        code = pb_go_on(reader, compile(reader, &raw->fault[i], i, scenario));
    number(scenario);
    return code;
}

int pb_scenario_add_fault(struct pb_scenario *scenario, const struct pb_fault_text *text,
                          struct pb_diag *diag)
{
    const struct pb_outline nothing = {0};
    const struct pb_reader reader = {.path = "fault", .outline = &nothing, .diag = diag};
    const unsigned before = scenario->fault_count;
    if (scenario->program)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "%s: traffic[0].program: " NO_FAULTS, scenario->path);
    const int code = compile(&reader, text, PB_ENTRY_NOT_LISTED, scenario);
    if (code != PB_OK)
        scenario->fault_count = before; /* the new entries are the last */
    number(scenario);
    return code;
}
