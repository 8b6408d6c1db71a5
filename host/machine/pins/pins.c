/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "pins.h"

#include "bench/nodes/native/native.h"
#include "bench/nodes/trouble.h"
#include "bench/nodes/uart.h"
#include "phasebench/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESET_PS INT64_C(1000000)
#define START_PS INT64_C(1001000000) /* limits.boot of a scenario, after the reset */
/* An image has started when it sleeps for this long, or after the other: an RP2040 takes 14 ms. */
#define ASLEEP_PS INT64_C(20000000000)
#define AWAKE_PS INT64_C(60000000000)
#define ANSWER_PS INT64_C(60000000000)              /* a node has 50 ms */
#define AFTER_ANSWER_PS INT64_C(10000000)           /* its last stop bit */
#define TICKS_PS INT64_C(100000)                    /* what the native port rounds */
#define LONGEST_PS (INT64_C(90) * 86400 * PS_PER_S) /* of 106 days that are there */
#define PS_PER_S INT64_C(1000000000000)
enum { NO_PORT = 0xFF, HEADER_BYTES = 2, CHECK_BYTES = 1, BYTE_BITS = 10, SAMPLES = 16 };
#define OUT_OF_HEAP UINT32_MAX

struct pin_node {
    struct pb_node *node;
    struct pb_node_inputs in;
    int64_t wake_ps, now_ps;
    uint32_t heap;         /* place in the heap, or OUT_OF_HEAP */
    uint16_t pull, others; /* links that it pulls, and that the nodes at their other ends pull */
    uint8_t sends;         /* its port in this phase, or NO_PORT */
    bool console;          /* level of UART0_TX */
    struct uart_rx tap;    /* of what it sends */
};

struct pair {
    uint32_t node[2]; /* the sender first; the same twice: a node without a partner in this phase */
    uint8_t port[2];
};

struct edge { /* of a wire */
    int64_t at_ps;
    bool pulled;
};

struct pb_pins {
    struct pb_network network;
    struct pb_machine_line line;
    struct clock_rate console_rate, console_sampling, sampling;
    struct pin_node *node;
    bool in_pairs, images, whole, apart;
    struct edge *edge; /* of the wire of the present pair */
    size_t edges, edge_room;
    bool no_memory;
    uint16_t links;    /* of a node, bit per port */
    struct pair *pair; /* [phase * nodes + i] */
    uint32_t *pairs;   /* [phase] */
    uint8_t *sends;    /* [phase * nodes + node] */
    uint32_t *heap, *all;
    uint32_t heaped;
    int64_t period_ps, now_ps, wait_ps; /* now: end of the last phase; the next one begins after wait_ps */
    bool clocked;
    struct pb_pins_frame *frame; /* of the present phase */
    bool astray;                 /* a link without a wire was pulled; in pairs: a wire of no pair */
    uint32_t stray;
    unsigned stray_port;
};

unsigned pb_pins_frame_bytes(const struct pb_machine_line *line)
{
    return HEADER_BYTES + line->payload_bytes + CHECK_BYTES;
}

static int64_t period_of(const struct pb_machine_line *line)
{
    return PS_PER_S * 1000 / (int64_t)line->phase_rate_mhz;
}

bool pb_pins_in_pairs(const struct pb_machine_line *line)
{
    const int64_t bits = pb_pins_frame_bytes(line) * BYTE_BITS;
    const int64_t frame_ps = bits * PS_PER_S / line->baud_hz;
    /* Both ends err, in opposite directions. */
    const int64_t error_ps = (frame_ps + line->head_guard_ps) / 1000000 * 2 * line->clock_ppm + TICKS_PS;
    return line->irq_latency_ps + line->irq_jitter_ps + error_ps < line->head_guard_ps &&
           line->head_guard_ps + frame_ps + error_ps < period_of(line);
}

/* ---- nodes in the order of the time at which each is advanced next */

static bool before(const struct pb_pins *pins, uint32_t left, uint32_t right)
{
    const int64_t a = pins->node[left].wake_ps, b = pins->node[right].wake_ps;
    return a != b ? a < b : left < right;
}

static void put(struct pb_pins *pins, uint32_t place, uint32_t node)
{
    pins->heap[place] = node;
    pins->node[node].heap = place;
}

static void sink(struct pb_pins *pins, uint32_t place)
{
    const uint32_t node = pins->heap[place];
    for (uint32_t child; (child = 2 * place + 1) < pins->heaped; place = child) {
        if (child + 1 < pins->heaped && before(pins, pins->heap[child + 1], pins->heap[child]))
            child++;
        if (before(pins, node, pins->heap[child]))
            break;
        put(pins, place, pins->heap[child]);
    }
    put(pins, place, node);
}

static void rise(struct pb_pins *pins, uint32_t place)
{
    const uint32_t node = pins->heap[place];
    for (; place && before(pins, node, pins->heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(pins, place, pins->heap[(place - 1) / 2]);
    put(pins, place, node);
}

static void order(struct pb_pins *pins)
{
    for (uint32_t place = pins->heaped / 2; place-- > 0;)
        sink(pins, place);
}

/* ---- wires */

static void note_byte(struct pb_pins *pins, uint32_t sender, struct uart_byte byte)
{
    struct pb_pins_frame *frame = &pins->frame[sender];
    frame->broken |= !byte.framing_ok || frame->length == PB_PINS_FRAME_MAX;
    if (!frame->broken)
        frame->bytes[frame->length++] = byte.value;
}

static void tap(struct pb_pins *pins, uint32_t sender, int64_t now_ps, bool level)
{
    struct uart_byte byte;
    if (uart_rx_advance(&pins->node[sender].tap, now_ps, level, &byte))
        note_byte(pins, sender, byte);
}

static void note_stray(struct pb_pins *pins, uint32_t at, unsigned port)
{
    if (pins->astray)
        return;
    pins->astray = true;
    pins->stray = at;
    pins->stray_port = port;
}

/* A node has pulled or released a link. */
static void change_wire(struct pb_pins *pins, uint32_t at, unsigned port, int64_t now_ps)
{
    struct pin_node *node = &pins->node[at];
    if (port >= pins->network.ports) {
        note_stray(pins, at, port); /* a link that the network does not have */
        return;
    }
    const struct pb_peer end = pb_network_peer(&pins->network, at, port);
    struct pin_node *peer = &pins->node[end.node];
    const bool pulled = node->pull >> port & 1;
    const uint16_t bit = (uint16_t)(1u << end.port);

    peer->others = (uint16_t)(pulled ? peer->others | bit : peer->others & ~bit);
    if (node->sends == port)
        tap(pins, at, now_ps, !pulled && !(node->others >> port & 1));
    else if (peer->sends == end.port)
        tap(pins, end.node, now_ps, !pulled && !(peer->pull & bit));
    if (peer->heap == OUT_OF_HEAP) {
        if (pins->in_pairs)
            note_stray(pins, at, port);
        return;
    }
    if (now_ps < peer->wake_ps) {
        peer->wake_ps = now_ps;
        rise(pins, peer->heap);
    }
}

static void advance(struct pb_pins *pins, uint32_t at, int64_t now_ps)
{
    struct pin_node *node = &pins->node[at];
    struct pb_node_outputs out;

    node->in.line = (uint16_t)(~(node->pull | node->others) & pins->links);
    node->wake_ps = node->node->ops->advance(node->node, now_ps, &node->in, &out);
    node->now_ps = now_ps;
    node->console = out.uart0_tx;
    uint16_t changed = out.pull_low ^ node->pull;
    node->pull = out.pull_low;
    /* The native port receives nothing of its own; an image may read its pins. */
    if (node->wake_ps <= now_ps || (changed && pins->images))
        node->wake_ps = now_ps + 1;
    for (; changed; changed &= (uint16_t)(changed - 1))
        change_wire(pins, at, (unsigned)__builtin_ctz(changed), now_ps);
}

static void run(struct pb_pins *pins, int64_t until_ps)
{
    while (pins->node[pins->heap[0]].wake_ps < until_ps) {
        const uint32_t at = pins->heap[0];
        advance(pins, at, pins->node[at].wake_ps);
        sink(pins, pins->node[at].heap);
    }
}

static void run_alone(struct pb_pins *pins, uint32_t at, int64_t until_ps)
{
    while (pins->node[at].wake_ps < until_ps)
        advance(pins, at, pins->node[at].wake_ps);
}

/* ---- a phase */

static void clock_to(struct pb_pins *pins, bool high, bool sync, int64_t now_ps)
{
    for (uint32_t i = 0; i < pins->heaped; i++) {
        struct pin_node *node = &pins->node[pins->heap[i]];
        node->in.tdma_clk = high;
        node->in.tdma_sync = sync;
        node->wake_ps = now_ps;
    }
    order(pins);
}

static void run_together(struct pb_pins *pins, const uint32_t *member, uint32_t count, unsigned phase,
                         int64_t begin_ps)
{
    const uint8_t *sends = pins->sends + (size_t)phase * pins->network.nodes;

    pins->heaped = count;
    for (uint32_t i = 0; i < count; i++)
        put(pins, i, member[i]);
    order(pins);
    run(pins, begin_ps);
    for (uint32_t i = 0; i < count; i++) {
        struct pin_node *node = &pins->node[member[i]];
        node->sends = sends[member[i]];
        if (node->sends != NO_PORT)
            uart_rx_start(&node->tap, pins->sampling, begin_ps,
                          !((node->pull | node->others) >> node->sends & 1));
    }
    clock_to(pins, true, phase == 0, begin_ps);
    run(pins, begin_ps + pins->period_ps / 2);
    clock_to(pins, false, phase == 0, begin_ps + pins->period_ps / 2);
    run(pins, begin_ps + pins->period_ps);
    for (uint32_t i = 0; i < count; i++) {
        struct pin_node *node = &pins->node[member[i]];
        node->heap = OUT_OF_HEAP;
        if (node->sends != NO_PORT)
            tap(pins, member[i], begin_ps + pins->period_ps,
                !((node->pull | node->others) >> node->sends & 1));
    }
}

/* The same of native nodes, with whole bytes. */
static void run_whole(struct pb_pins *pins, const struct pair *pair, unsigned phase, int64_t begin_ps)
{
    const uint32_t sender = pair->node[0], receiver = pair->node[1];
    struct pb_pins_frame *frame = &pins->frame[sender];
    unsigned length;

    for (unsigned i = 0; i < (sender == receiver ? 1u : 2u); i++) {
        run_alone(pins, pair->node[i], begin_ps);
        pb_node_native_edge(pins->node[pair->node[i]].node, begin_ps, phase == 0);
        pins->node[pair->node[i]].now_ps = begin_ps + pins->period_ps - 1;
        pins->node[pair->node[i]].wake_ps = INT64_MAX;
    }
    if (sender == receiver)
        return;
    const uint8_t *bytes = pb_node_native_sent(pins->node[sender].node, pair->port[0], &length);
    frame->broken = length > PB_PINS_FRAME_MAX;
    frame->length = (uint8_t)(frame->broken ? 0 : length);
    if (frame->length)
        memcpy(frame->bytes, bytes, frame->length);
    pb_node_native_receive(pins->node[receiver].node, pair->port[1], bytes, length);
}

/* ---- a pair of images, the sender first */

static bool note_edge(struct pb_pins *pins, int64_t at_ps, bool pulled)
{
    if (pins->edges == pins->edge_room) {
        const size_t room = pins->edge_room ? 2 * pins->edge_room : 256;
        struct edge *const edge = realloc(pins->edge, room * sizeof *edge);
        if (!edge)
            return false;
        pins->edge = edge;
        pins->edge_room = room;
    }
    pins->edge[pins->edges++] = (struct edge){at_ps, pulled};
    return true;
}

struct played {
    struct pb_pins *pins;
    uint32_t at;
    struct uart_rx *console; /* NULL: nothing is typed */
};

static void note_outputs(void *context, int64_t at_ps, const struct pb_node_outputs *out)
{
    const struct played *played = context;
    struct pb_pins *pins = played->pins;
    struct pin_node *node = &pins->node[played->at];
    uint16_t changed = out->pull_low ^ node->pull;
    struct uart_byte byte;

    /* No byte of the console ends here: pb_pins_type has seen to that. */
    if (played->console && node->console != out->uart0_tx)
        uart_rx_advance(played->console, at_ps, out->uart0_tx, &byte);
    node->console = out->uart0_tx;
    node->pull = out->pull_low;
    for (; changed; changed &= (uint16_t)(changed - 1)) {
        const unsigned port = (unsigned)__builtin_ctz(changed);
        const bool pulled = node->pull >> port & 1;
        if (port != node->sends) {
            note_stray(pins, played->at, port);
            continue;
        }
        tap(pins, played->at, at_ps, !pulled);
        pins->no_memory |= !note_edge(pins, at_ps, pulled);
    }
}

static void play_until(struct pb_pins *pins, uint32_t at, int64_t now_ps, int64_t until_ps,
                       struct uart_rx *console)
{
    struct pin_node *node = &pins->node[at];
    struct played played = {pins, at, console};
    const struct pb_node_changes changes = {note_outputs, &played};

    node->in.line = (uint16_t)(~node->others & pins->links);
    node->wake_ps = node->node->ops->advance_until(node->node, now_ps, until_ps, &node->in, &changes);
    node->now_ps = until_ps - 1;
}

/* The period of a node that gets the edges. `bit`: of the wire at its end. */
static void play_phase(struct pb_pins *pins, uint32_t at, unsigned phase, int64_t begin_ps, uint16_t bit,
                       size_t edges)
{
    const int64_t middle_ps = begin_ps + pins->period_ps / 2, end_ps = begin_ps + pins->period_ps;
    struct pin_node *node = &pins->node[at];
    size_t next = 0;

    node->in.tdma_clk = true;
    node->in.tdma_sync = phase == 0;
    for (int64_t now_ps = begin_ps; now_ps < end_ps;) {
        if (now_ps >= middle_ps)
            node->in.tdma_clk = false;
        for (; next < edges && pins->edge[next].at_ps <= now_ps; next++)
            node->others = (uint16_t)(pins->edge[next].pulled ? node->others | bit : node->others & ~bit);
        int64_t until_ps = now_ps < middle_ps ? middle_ps : end_ps;
        if (next < edges && pins->edge[next].at_ps < until_ps)
            until_ps = pins->edge[next].at_ps;
        play_until(pins, at, now_ps, until_ps, NULL);
        now_ps = until_ps;
    }
}

/* Whether no line is low that one of them would have to see at its time. */
static bool is_quiet(const struct pb_pins *pins, const struct pair *pair)
{
    const struct pin_node *const a = &pins->node[pair->node[0]], *const b = &pins->node[pair->node[1]];
    return !(a->pull | a->others | b->pull | b->others);
}

/* The receiver pulls no wire, so the sender does not depend on it. */
static void run_apart(struct pb_pins *pins, const struct pair *pair, unsigned phase, int64_t begin_ps)
{
    const uint32_t sender = pair->node[0], receiver = pair->node[1];
    struct pin_node *const from = &pins->node[sender], *const to = &pins->node[receiver];

    from->sends = to->sends = NO_PORT;
    run_alone(pins, sender, begin_ps);
    if (sender != receiver) {
        run_alone(pins, receiver, begin_ps);
        from->sends = pair->port[0];
        uart_rx_start(&from->tap, pins->sampling, begin_ps, true);
    }
    pins->edges = 0;
    play_phase(pins, sender, phase, begin_ps, 0, 0);
    if (sender == receiver)
        return;
    tap(pins, sender, begin_ps + pins->period_ps, !(from->pull >> from->sends & 1));
    play_phase(pins, receiver, phase, begin_ps, (uint16_t)(1u << pair->port[1]), pins->edges);
}

static int check_nodes(const struct pb_pins *pins, unsigned phase, struct pb_diag *diag)
{
    if (pins->no_memory)
        return pb_fail(diag, PB_ERR_MEMORY, "machine: no memory for the edges of a phase; give fewer nodes");
    if (pins->astray)
        return pb_fail(diag, PB_ERR_IO,
                       "machine: in phase %u node 0x%" PRIX32
                       " pulls the wire of port %u, on which it does not "
                       "send; %s",
                       phase, pins->stray, pins->stray_port,
                       pins->images ? "mend its firmware" : "report this as a defect of phasebench");
    for (uint32_t at = 0; pins->images && at < pins->network.nodes; at++) {
        struct pb_node_trouble trouble = {.kind = PB_TROUBLE_NONE};
        pins->node[at].node->ops->trouble(pins->node[at].node, &trouble);
        if (trouble.kind != PB_TROUBLE_NONE)
            return pb_fail(diag, PB_ERR_IO, "machine: node 0x%" PRIX32 " %s: %s; mend its firmware", at,
                           trouble.text, trouble.output);
    }
    return PB_OK;
}

int pb_pins_phase(struct pb_pins *pins, unsigned phase, struct pb_pins_frame *frame, struct pb_diag *diag)
{
    const uint32_t nodes = pins->network.nodes;
    const int64_t begin_ps = pins->now_ps > pins->wait_ps ? pins->now_ps : pins->wait_ps;

    if (begin_ps > LONGEST_PS)
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "machine: the nodes have run for 90 days of their time, as long as they can; run fewer "
            "superframes");
    pins->frame = frame;
    for (uint32_t at = 0; at < nodes; at++) {
        frame[at].length = 0;
        frame[at].broken = false;
    }
    for (uint32_t at = 0; !pins->clocked && at < nodes; at++) {
        run_alone(pins, at, begin_ps);
        pins->node[at].node->ops->align(pins->node[at].node, begin_ps);
    }
    pins->clocked = true;
    if (pins->in_pairs) {
        const struct pair *pair = pins->pair + (size_t)phase * nodes;
        for (uint32_t i = 0; i < pins->pairs[phase]; i++)
            if (pins->whole)
                run_whole(pins, &pair[i], phase, begin_ps);
            else if (pins->apart && is_quiet(pins, &pair[i]))
                run_apart(pins, &pair[i], phase, begin_ps);
            else
                run_together(pins, pair[i].node, pair[i].node[0] == pair[i].node[1] ? 1 : 2, phase, begin_ps);
    } else {
        run_together(pins, pins->all, nodes, phase, begin_ps);
    }
    pins->now_ps = begin_ps + pins->period_ps;
    return check_nodes(pins, phase, diag);
}

/* ---- consoles */

int pb_pins_type(struct pb_pins *pins, uint32_t at, const char *line, char answer[PB_PINS_LINE_MAX],
                 struct pb_diag *diag)
{
    struct pin_node *node = &pins->node[at];
    const int64_t begin_ps = node->now_ps > pins->now_ps ? node->now_ps : pins->now_ps;
    char text[PB_PINS_LINE_MAX + 2];
    const unsigned length = (unsigned)snprintf(text, sizeof text, "%s\n", line);
    size_t got = 0;
    struct uart_tx tx;
    struct uart_rx rx;
    struct uart_byte byte;

    run_alone(pins, at, begin_ps);
    if (pins->whole) {
        node->now_ps = begin_ps + pb_node_native_type(node->node, line, answer, PB_PINS_LINE_MAX);
        if (pins->wait_ps < node->now_ps)
            pins->wait_ps = node->now_ps;
        return PB_OK;
    }
    uart_tx_init(&tx, pins->console_rate);
    uart_tx_start(&tx, begin_ps, (const uint8_t *)text, length);
    uart_rx_start(&rx, pins->console_sampling, begin_ps, node->console);
    const int64_t answer_ps = clock_ps(pins->console_rate, (int64_t)PB_PINS_LINE_MAX * BYTE_BITS);
    const int64_t end_ps = uart_tx_end_ps(&tx) + answer_ps + ANSWER_PS,
                  stop_ps = clock_ps(pins->console_rate, BYTE_BITS - 1);
    for (int64_t now_ps = begin_ps; now_ps < end_ps;) {
        uart_tx_advance(&tx, now_ps);
        node->in.uart0_rx = tx.level;
        advance(pins, at, now_ps);
        if (uart_rx_advance(&rx, now_ps, node->console, &byte) && byte.value != '\r') {
            if (byte.value == '\n') {
                answer[got] = '\0';
                if (pins->wait_ps < now_ps + AFTER_ANSWER_PS)
                    pins->wait_ps = now_ps + AFTER_ANSWER_PS;
                return PB_OK;
            }
            answer[got++] = (char)byte.value;
            if (got == PB_PINS_LINE_MAX)
                return pb_fail(diag, PB_ERR_IO,
                               "machine: node 0x%" PRIX32 " answers '%.40s' with %zu characters and more; "
                               "an answer has 2000 at most, see docs/node.md, C1",
                               at, line, got);
        }
        int64_t input_ps = rx.next_ps < tx.next_ps ? rx.next_ps : tx.next_ps;
        if (pins->apart &&
            !(node->pull | node->others)) { /* a byte that begins now ends after its stop bit has begun */
            input_ps = input_ps < now_ps + stop_ps ? input_ps : now_ps + stop_ps;
            if (node->wake_ps < input_ps)
                play_until(pins, at, node->wake_ps, input_ps, &rx);
        }
        now_ps = node->wake_ps < input_ps ? node->wake_ps : input_ps;
    }
    const int code = check_nodes(pins, 0, diag);
    return code ? code
                : pb_fail(diag, PB_ERR_IO,
                          "machine: node 0x%" PRIX32 " does not answer '%.40s' within 60 ms; lower the "
                          "error of the clocks, or mend the firmware (docs/node.md, C1)",
                          at, line);
}

/* ---- the machine */

/* Of a message about a scenario, what is wrong with its key `kind`. */
static struct pb_diag without_key(const struct pb_diag *diag)
{
    static const char key[] = "kind: ";
    struct pb_diag without = *diag;
    if (strncmp(diag->text, key, strlen(key)) == 0)
        snprintf(without.text, sizeof without.text, "%s", diag->text + strlen(key));
    return without;
}

static int make_node(struct pb_pins *pins, uint32_t at, const struct pb_pins_options *options,
                     uint64_t *random, struct pb_diag *diag)
{
    const struct pb_network *network = options->network;
    const struct pb_machine_line *line = options->line;
    struct pb_node_config config = {
        .address = at,
        .digits = network->digits,
        .rule = options->rule == PB_RULE_ECUBE ? PB_NODE_ECUBE : PB_NODE_OPPORTUNISTIC,
        .codec = PB_NODE_CODEC_SLOT,
        .payload_bytes = line->payload_bytes,
        .phase_rate_mhz = line->phase_rate_mhz,
        .baud_hz = line->baud_hz,
        .console_baud_hz = line->console_baud_hz,
        .head_guard_ps = line->head_guard_ps,
        .tail_guard_ps = line->head_guard_ps,
        .irq_latency_ps = line->irq_latency_ps,
        .irq_jitter_ps = line->irq_jitter_ps,
        .clock_ppm =
            (int32_t)(pb_splitmix64(random) % (2 * (uint64_t)line->clock_ppm + 1)) - (int32_t)line->clock_ppm,
        .seed = pb_splitmix64(random),
    };
    for (unsigned digit = 0; digit < network->digits; digit++)
        config.radix[digit] = (uint8_t)network->radix[digit];
    struct pin_node *node = &pins->node[at];
    if (options->images) {
        const int code =
            pb_node_image_create(&node->node, &config, options->image[at % options->images], NULL, diag);
        if (code)
            return diag ? pb_fail(diag, code, "machine: engine image: %s", without_key(diag).text) : code;
    } else {
        const int code = pb_node_native_check(&config, diag);
        if (code)
            return PB_ERR_ARGUMENT;
        node->node = pb_node_native_create(&config);
    }
    if (!node->node)
        return pb_fail(diag, PB_ERR_MEMORY, "machine: no memory for node 0x%" PRIX32 "; give fewer", at);
    node->in = (struct pb_node_inputs){.line = pins->links, .uart0_rx = true};
    node->sends = NO_PORT;
    node->heap = OUT_OF_HEAP;
    node->console = true;
    return PB_OK;
}

static void start(struct pb_pins *pins, uint32_t at)
{
    struct pin_node *node = &pins->node[at];

    advance(pins, at, 0);
    run_alone(pins, at, RESET_PS);
    node->in.nrst = true;
    advance(pins, at, RESET_PS);
    run_alone(pins, at, START_PS);
    while (pins->images && node->wake_ps < node->now_ps + ASLEEP_PS && node->wake_ps < AWAKE_PS)
        advance(pins, at, node->wake_ps);
    if (pins->now_ps < node->now_ps)
        pins->now_ps = node->now_ps;
}

static void list_pairs(struct pb_pins *pins)
{
    const struct pb_network *network = &pins->network;

    for (unsigned phase = 0; phase < network->phases; phase++)
        for (uint32_t at = 0; at < network->nodes; at++) {
            const size_t first = (size_t)phase * network->nodes;
            const struct pb_slot slot = pb_network_slot(network, at, phase);
            pins->sends[first + at] = slot.role == PB_ROLE_SEND ? (uint8_t)slot.port : NO_PORT;
            if (slot.role == PB_ROLE_LISTEN)
                continue;
            const struct pb_peer peer = slot.role == PB_ROLE_SEND ? pb_network_peer(network, at, slot.port)
                                                                  : (struct pb_peer){.node = at};
            pins->pair[first + pins->pairs[phase]++] =
                (struct pair){{at, peer.node}, {(uint8_t)slot.port, (uint8_t)peer.port}};
        }
    for (uint32_t at = 0; at < network->nodes; at++)
        pins->all[at] = at;
}

int pb_pins_create(struct pb_pins **out, const struct pb_pins_options *options, struct pb_diag *diag)
{
    const struct pb_network *network = options->network;
    const struct pb_machine_line *line = options->line;
    const size_t nodes = network->nodes, slots = nodes * network->phases;
    struct pb_pins *pins = calloc(1, sizeof *pins);
    int code = PB_ERR_MEMORY;

    *out = NULL;
    if (pins) {
        *pins = (struct pb_pins){
            .network = *network,
            .line = *line,
            .console_rate = clock_rate(line->console_baud_hz, 0),
            .console_sampling = clock_rate(SAMPLES * (uint64_t)line->console_baud_hz, 0),
            .sampling = clock_rate(SAMPLES * (uint64_t)line->baud_hz, 0),
            .node = calloc(nodes, sizeof *pins->node),
            .in_pairs = options->images || pb_pins_in_pairs(line),
            .images = options->images > 0,
            .whole = pb_pins_in_pairs(line) && !options->bit_by_bit && line->clock_ppm < PB_NODE_WHOLE_PPM,
            .apart = options->images && !options->bit_by_bit,
            .links = (uint16_t)((1u << network->ports) - 1),
            .pair = calloc(slots, sizeof *pins->pair),
            .pairs = calloc(network->phases, sizeof *pins->pairs),
            .sends = calloc(slots, 1),
            .heap = calloc(nodes, sizeof *pins->heap),
            .all = calloc(nodes, sizeof *pins->all),
            .period_ps = period_of(line),
            .now_ps = START_PS,
        };
        if (pins->node && pins->pair && pins->pairs && pins->sends && pins->heap && pins->all)
            code = PB_OK;
    }
    if (code)
        pb_fail(diag, code, "machine: no memory for the wires of %zu nodes; give fewer", nodes);
    uint64_t random = line->seed;
    if (code == PB_OK)
        list_pairs(pins);
    for (uint32_t at = 0; code == PB_OK && at < nodes; at++)
        code = make_node(pins, at, options, &random, diag);
    for (uint32_t at = 0; code == PB_OK && at < nodes; at++) {
        pins->whole &= pb_node_is_native(pins->node[at].node);
        pins->apart &= pins->node[at].node->ops->advance_until != NULL;
        start(pins, at);
    }
    if (code == PB_OK)
        code = check_nodes(pins, 0, diag);
    if (code) {
        pb_pins_free(pins);
        return code;
    }
    *out = pins;
    return PB_OK;
}

void pb_pins_free(struct pb_pins *pins)
{
    if (!pins)
        return;
    for (uint32_t at = 0; pins->node && at < pins->network.nodes; at++)
        pb_node_destroy(pins->node[at].node);
    free(pins->node);
    free(pins->pair);
    free(pins->pairs);
    free(pins->sends);
    free(pins->heap);
    free(pins->all);
    free(pins->edge);
    free(pins);
}
