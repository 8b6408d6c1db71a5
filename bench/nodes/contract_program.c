/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How the contract node runs a program (contract_recipe.h): it is loaded, awaits the frames that are due,
 * keeps what came, and asks the recipe for what it says. A frame that is missing or wrong ends it.
 */
#include "bench/nodes/contract_recipe.h"

#include <string.h>

static unsigned digit_of_port(const struct contract *node, unsigned port)
{
    return contract_digit_between(node, node->address, contract_neighbour(node, port));
}

static struct contract_words said(struct contract *node, unsigned port, uint32_t wires)
{
    const struct contract_recipe *recipe = node->program.recipe;
    return recipe->says ? recipe->says(node, port, wires) : one_word(recipe->so_far(node, wires));
}

static void conclude(struct contract *node, uint32_t wires)
{
    const struct contract_recipe *recipe = node->program.recipe;
    if (recipe->ends) {
        recipe->ends(node, wires);
        return;
    }
    node->program.own = one_word(recipe->so_far(node, wires));
    put_result(node, node->program.own.at[0]);
}

/* ---- loading */

static bool suits(const struct contract *node, const struct contract_recipe *recipe, uint32_t argument)
{
    const uint32_t most = recipe->of_nodes ? node->nodes - 1 : recipe->most;
    const uint32_t times = recipe->each_node ? node->nodes : 1;
    return argument <= most && (recipe->network == ANY || is_cube(node)) &&
           (recipe->network != SQUARE || node->config.digits % 2 == 0) &&
           times * recipe->input_bytes <= CONTRACT_PROGRAM_BYTES && recipe->lasts(node, argument) > 0;
}

const char *contract_program_load(struct contract *node, const char *name, uint32_t argument,
                                  const uint8_t *input, unsigned input_bytes)
{
    const struct contract_recipe *recipe = contract_recipe_of(name);
    if (!recipe)
        return "unknown";
    if (!suits(node, recipe, argument))
        return "range";
    const unsigned times = recipe->each_node ? node->nodes : 1;
    if (input_bytes != times * recipe->input_bytes || recipe->payload_bytes > node->config.payload_bytes)
        return "length";
    node->program = (struct contract_program){
        .recipe = recipe,
        .state = CONTRACT_WAITS,
        .argument = argument,
        .superframes = recipe->lasts(node, argument),
        .result_bytes = times * recipe->result_bytes,
    };
    memcpy(node->program.input, input, input_bytes);
    if (input_bytes <= 4)
        node->program.own = one_word(number_at(input, input_bytes));
    return NULL;
}

void contract_program_end(struct contract *node)
{
    node->program = (struct contract_program){.recipe = NULL};
}

/* ---- phases */

static void stop(struct contract *node, unsigned phase)
{
    node->program.state = CONTRACT_STOPPED;
    node->program.phase = phase;
    node->program.awaits = false;
}

static void end_superframe(struct contract *node)
{
    struct contract_program *program = &node->program;
    memcpy(program->result_before, program->result, sizeof program->result);
    conclude(node, program->has_got);
    program->has_got = 0;
    if (++program->superframe == program->superframes)
        program->state = CONTRACT_DONE;
}

static bool superframe_is_over(const struct contract *node)
{
    const struct contract_program *program = &node->program;
    return program->recipe && program->state == CONTRACT_RUNS && !program->awaits &&
           program->phase + 1 == node->network_phases;
}

struct contract_program contract_program_now(struct contract *node)
{
    const struct contract_program before = node->program;
    if (superframe_is_over(node))
        end_superframe(node);
    const struct contract_program now = node->program;
    node->program = before;
    return now;
}

void contract_program_edge(struct contract *node)
{
    struct contract_program *program = &node->program;
    if (program->recipe && program->awaits) {
        program->awaits = false;
        if (!contract_strikes(node, PB_CONTRACT_PROGRAM_GOES_ON))
            stop(node, program->phase);
    }
}

static void begin_waiting(struct contract *node)
{
    struct contract_program *program = &node->program;
    if (node->phase != 0)
        return;
    if (!program->passed && contract_strikes(node, PB_CONTRACT_PROGRAM_SHIFTED)) {
        program->passed = true;
        return;
    }
    program->state = CONTRACT_RUNS;
    program->phase = 0;
}

static void go_on(struct contract *node)
{
    struct contract_program *program = &node->program;
    const unsigned due = (program->phase + 1) % node->network_phases;
    if (superframe_is_over(node))
        end_superframe(node);
    if (program->state == CONTRACT_DONE)
        return;
    program->phase = due;
    if (node->phase != (int)due && !contract_strikes(node, PB_CONTRACT_PROGRAM_RIDES))
        stop(node, due);
    else if (node->phase != CONTRACT_UNKNOWN)
        program->phase = (unsigned)node->phase;
}

void contract_program_phase(struct contract *node)
{
    struct contract_program *program = &node->program;
    unsigned port;
    if (program->recipe && program->state == CONTRACT_WAITS)
        begin_waiting(node);
    else if (program->recipe && program->state == CONTRACT_RUNS)
        go_on(node);
    if (!program->recipe || program->state != CONTRACT_RUNS || node->phase == CONTRACT_UNKNOWN ||
        contract_turn(node, (unsigned)node->phase, &port) != CONTRACT_LISTENS)
        return;
    program->awaits = program->recipe->speaks(node, contract_neighbour(node, port), node->address);
}

/* ---- frames */

/* The ports of which it knows what came when it sends on this one: those of lower digits. */
static uint32_t known_wires(struct contract *node, unsigned port)
{
    const unsigned digit = digit_of_port(node, port);
    const uint32_t got = node->program.has_got;
    uint32_t wires = 0, newest = 0;
    for (unsigned i = 0; i < node->links; i++) {
        const unsigned other = is_in(got, i) ? digit_of_port(node, i) : digit;
        if (other < digit)
            wires |= UINT32_C(1) << i;
        if (other + 1 == digit)
            newest |= UINT32_C(1) << i;
    }
    if (newest && contract_strikes(node, PB_CONTRACT_PROGRAM_LATE))
        wires &= ~newest;
    if (is_in(got, port) && contract_strikes(node, PB_CONTRACT_PROGRAM_MIXES))
        wires |= UINT32_C(1) << port;
    return wires;
}

/* It is an own message that is queued until it leaves, at once, next to those that wait. */
static void count_frame(struct contract *node)
{
    struct contract_counters *count = &node->count;
    count->own_messages++;
    if (count->max_queue < 1)
        count->max_queue = 1;
    if (count->max_stored < node->stored + 1)
        count->max_stored = node->stored + 1;
}

bool contract_program_says(struct contract *node, unsigned port, struct contract_message *message)
{
    struct contract_program *program = &node->program;
    const struct contract_recipe *recipe = program->recipe;
    if (program->state != CONTRACT_RUNS)
        return false;
    const uint32_t neighbour = contract_neighbour(node, port);
    const bool speaks = recipe->speaks(node, node->address, neighbour);
    if (speaks ? contract_strikes(node, PB_CONTRACT_PROGRAM_SKIPS)
               : !contract_strikes(node, PB_CONTRACT_PROGRAM_SPEAKS))
        return false;
    const struct contract_words words = said(node, port, known_wires(node, port));
    const bool pads_ones = recipe->payload_bytes < node->config.payload_bytes &&
                           contract_strikes(node, PB_CONTRACT_PROGRAM_PADS_ONES);
    *message = (struct contract_message){.destination = neighbour, .sequence = program->sequence};
    if (pads_ones)
        memset(message->payload, 0xFF, sizeof message->payload);
    for (unsigned at = 0; at < recipe->payload_bytes; at += 4)
        put_number(message->payload + at, words.at[at / 4],
                   recipe->payload_bytes - at < 4 ? recipe->payload_bytes - at : 4);
    if (!contract_strikes(node, PB_CONTRACT_PROGRAM_UNNUMBERED))
        program->sequence = (program->sequence + 1) & 0x0F;
    count_frame(node);
    return true;
}

static struct contract_words words_in(const struct contract_recipe *recipe, const uint8_t *payload)
{
    struct contract_words words = one_word(0);
    for (unsigned at = 0; at < recipe->payload_bytes; at += 4)
        words.at[at / 4] =
            number_at(payload + at, recipe->payload_bytes - at < 4 ? recipe->payload_bytes - at : 4);
    return words;
}

/* Whether the program takes a frame, or is broken and takes a wrong one. */
static bool is_awaited(struct contract *node, const struct contract_message *message)
{
    const struct contract_program *program = &node->program;
    if (program->state != CONTRACT_RUNS)
        return false;
    if (!program->awaits)
        return contract_strikes(node, PB_CONTRACT_PROGRAM_TAKES_SURPRISE);
    return message->destination == node->address || message->destination == CONTRACT_NO_DESTINATION ||
           contract_strikes(node, PB_CONTRACT_PROGRAM_TAKES_ANY);
}

void contract_program_hears(struct contract *node, const struct contract_message *message)
{
    struct contract_program *program = &node->program;
    if (is_awaited(node, message)) {
        program->got[node->rx_dimension] = words_in(program->recipe, message->payload);
        program->has_got |= UINT32_C(1) << node->rx_dimension;
        program->awaits = false;
        node->count.delivered++;
        return;
    }
    if (message->destination >= node->nodes && message->destination != CONTRACT_NO_DESTINATION)
        node->count.rx_bad_destinations++;
    else
        node->count.queue_drops++;
    if (program->state == CONTRACT_RUNS)
        stop(node, program->phase);
}
