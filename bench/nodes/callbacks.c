/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The timing model is that of the native node (bench/nodes/native/native.c), with its clock and UARTs. The
 * firmware counts 64-bit ticks that never decrease, also when the phase clock starts and the node's time
 * jumps.
 */
#include "bench/nodes/callbacks.h"
#include "bench/nodes/uart.h"
#include "phasebench/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pb_callbacks_port {
    struct pb_bench_services services; /* first member */
    const struct pb_callbacks_node *node;
    struct pb_process_hello config;
    uint64_t random;
    struct clock_rate tick, baud, sampling, console_baud, console_sampling;

    int64_t lead_ps; /* of the node's time over that of the bench */
    int64_t now_ps;  /* node's time, as all times of this struct */
    int64_t ticks;   /* that the firmware counts more than the node's time has */
    uint32_t inputs;
    bool running, edge_pending;
    int64_t edge_ticks, handler_ps, timer_ticks;

    struct uart_tx tx;
    unsigned tx_port, rx_port;
    struct uart_rx rx;
    bool listening;
    uint8_t frame[PB_BENCH_SEND_MAX];

    struct uart_rx console_rx;
    struct uart_tx console_tx;
    uint8_t console[PB_BENCH_CONSOLE_MAX]; /* ring of text to send */
    size_t console_at, console_used, console_sending;
};

/* ---- services ---- */

static struct pb_callbacks_port *port_of(const struct pb_bench_services *bench)
{
    return (struct pb_callbacks_port *)(uintptr_t)bench;
}

static void check(bool good, const char *service, const char *what, size_t value, size_t least, size_t most)
{
    if (good)
        return;
    fprintf(stderr, "%s: %s is %zu; give %zu to %zu\n", service, what, value, least, most);
    exit(2);
}

static void check_port(const struct pb_callbacks_port *port, const char *service, unsigned link)
{
    check(link < port->services.ports, service, "the port", link, 0, port->services.ports - 1);
}

/* Time of a tick of the firmware. */
static int64_t time_of(const struct pb_callbacks_port *port, int64_t ticks)
{
    const int64_t most = clock_ticks(port->tick, CLOCK_EPOCHS_MAX * CLOCK_EPOCH_PS);
    if (ticks > most + port->ticks)
        return INT64_MAX;
    return clock_ps(port->tick, ticks < port->ticks ? 0 : ticks - port->ticks);
}

static int64_t service_now(const struct pb_bench_services *bench)
{
    const struct pb_callbacks_port *port = port_of(bench);
    return clock_ticks(port->tick, port->now_ps) + port->ticks;
}

static bool service_send(const struct pb_bench_services *bench, unsigned link, int64_t start_ticks,
                         const uint8_t *bytes, size_t length)
{
    struct pb_callbacks_port *port = port_of(bench);
    check_port(port, "link_send", link);
    check(length && length <= PB_BENCH_SEND_MAX, "link_send", "the length", length, 1, PB_BENCH_SEND_MAX);
    const int64_t start_ps = time_of(port, start_ticks);
    const bool in_time = start_ps >= port->now_ps;
    memcpy(port->frame, bytes, length);
    port->tx_port = link;
    uart_tx_start(&port->tx, in_time ? start_ps : port->now_ps, port->frame, (unsigned)length);
    return in_time;
}

static void service_listen(const struct pb_bench_services *bench, unsigned link)
{
    struct pb_callbacks_port *port = port_of(bench);
    check_port(port, "link_listen", link);
    port->listening = true;
    port->rx_port = link;
    uart_rx_start(&port->rx, port->sampling, port->now_ps, port->inputs >> link & 1);
}

static bool service_release(const struct pb_bench_services *bench)
{
    struct pb_callbacks_port *port = port_of(bench);
    const bool cut = port->tx.busy;
    uart_tx_stop(&port->tx);
    port->listening = false;
    return cut;
}

static bool service_console(const struct pb_bench_services *bench, const char *text, size_t length)
{
    struct pb_callbacks_port *port = port_of(bench);
    if (length > PB_BENCH_CONSOLE_MAX - port->console_used)
        return false;
    for (size_t i = 0; i < length; i++)
        port->console[(port->console_at + port->console_used++) % PB_BENCH_CONSOLE_MAX] = (uint8_t)text[i];
    return true;
}

static void service_timer(const struct pb_bench_services *bench, int64_t at_ticks)
{
    const int64_t next = service_now(bench) + 1;
    port_of(bench)->timer_ticks = at_ticks < next ? next : at_ticks;
}

/* ---- the pins ---- */

static void listen_to_console(struct pb_callbacks_port *port)
{
    uart_rx_start(&port->console_rx, port->console_sampling, port->now_ps,
                  port->inputs & PB_PROCESS_UART0_RX);
}

static void boot(struct pb_callbacks_port *port)
{
    port->running = true;
    port->edge_pending = port->listening = false;
    port->timer_ticks = PB_BENCH_NEVER;
    uart_tx_init(&port->tx, port->baud);
    uart_tx_init(&port->console_tx, port->console_baud);
    listen_to_console(port);
    port->console_at = port->console_used = port->console_sending = 0;
    port->node->reset();
}

static void capture_edge(struct pb_callbacks_port *port)
{
    port->edge_ticks = service_now(&port->services);
    if (port->edge_pending)
        return;
    port->edge_pending = true;
    port->handler_ps = port->now_ps + port->config.irq_latency_ps;
    if (port->config.irq_jitter_ps > 0)
        port->handler_ps +=
            (int64_t)(pb_splitmix64(&port->random) % ((uint64_t)port->config.irq_jitter_ps + 1));
}

static void advance_links(struct pb_callbacks_port *port, uint32_t before)
{
    const struct pb_callbacks_node *node = port->node;
    struct uart_byte byte;
    const bool sending = port->tx.busy;
    uart_tx_advance(&port->tx, port->now_ps);
    if (sending && !port->tx.busy && node->link_sent)
        node->link_sent();
    if (port->listening &&
        uart_rx_advance(&port->rx, port->now_ps, port->inputs >> port->rx_port & 1, &byte) && node->link_byte)
        node->link_byte(byte.value, byte.framing_ok);
    if ((port->inputs ^ before) & PB_PROCESS_SYNC && node->sync)
        node->sync(port->inputs & PB_PROCESS_SYNC);
    if (port->inputs & ~before & PB_PROCESS_CLK)
        capture_edge(port);
    if (port->edge_pending && port->handler_ps <= port->now_ps) {
        port->edge_pending = false;
        node->edge(port->edge_ticks, port->inputs & PB_PROCESS_SYNC);
    }
    if (time_of(port, port->timer_ticks) <= port->now_ps) {
        port->timer_ticks = PB_BENCH_NEVER;
        if (node->timer)
            node->timer();
    }
}

static void advance_console(struct pb_callbacks_port *port)
{
    struct uart_byte byte;
    if (uart_rx_advance(&port->console_rx, port->now_ps, port->inputs & PB_PROCESS_UART0_RX, &byte) &&
        port->node->console_byte)
        port->node->console_byte(byte.value, byte.framing_ok);
    uart_tx_advance(&port->console_tx, port->now_ps);
    if (port->console_tx.busy)
        return;
    port->console_at = (port->console_at + port->console_sending) % PB_BENCH_CONSOLE_MAX;
    port->console_used -= port->console_sending;
    port->console_sending = port->console_used;
    if (port->console_sending > PB_BENCH_CONSOLE_MAX - port->console_at)
        port->console_sending = PB_BENCH_CONSOLE_MAX - port->console_at;
    if (!port->console_sending)
        return;
    uart_tx_start(&port->console_tx, port->now_ps, port->console + port->console_at,
                  (unsigned)port->console_sending);
    uart_tx_advance(&port->console_tx, port->now_ps);
}

static void sooner(int64_t *next_ps, int64_t at_ps)
{
    *next_ps = at_ps < *next_ps ? at_ps : *next_ps;
}

static int64_t next_of(const struct pb_callbacks_port *port)
{
    int64_t next_ps = time_of(port, port->timer_ticks);
    sooner(&next_ps, port->tx.next_ps);
    sooner(&next_ps, port->console_tx.next_ps);
    sooner(&next_ps, port->console_rx.next_ps);
    if (port->listening)
        sooner(&next_ps, port->rx.next_ps);
    if (port->edge_pending)
        sooner(&next_ps, port->handler_ps);
    return next_ps == INT64_MAX ? next_ps : next_ps - port->lead_ps;
}

/* Levels of the outputs, for these transmitters. */
static uint32_t outputs_at(const struct pb_callbacks_port *port, int64_t now_ps, const struct uart_tx *tx,
                           const struct uart_tx *console)
{
    uint32_t outputs = console->level ? PB_PROCESS_UART0_TX : 0;
    if (!tx->level)
        outputs |= 1u << port->tx_port;
    else if (port->config.push_pull && tx->busy && tx->start_ps <= now_ps)
        outputs |= 1u << (PB_PROCESS_HIGH_SHIFT + port->tx_port);
    return outputs;
}

uint32_t pb_callbacks_advance(void *state, int64_t now_ps, uint32_t inputs, int64_t *next_ps)
{
    struct pb_callbacks_port *port = state;
    const uint32_t before = port->inputs;
    port->inputs = inputs;
    port->now_ps = now_ps + port->lead_ps;
    *next_ps = INT64_MAX;
    if (!(inputs & PB_PROCESS_NRST)) {
        port->running = false;
        return PB_PROCESS_UART0_TX;
    }
    if (!port->running)
        boot(port);
    advance_links(port, before);
    advance_console(port);
    uart_tx_advance(&port->tx, port->now_ps); /* what a handler has started now */
    *next_ps = next_of(port);
    return outputs_at(port, port->now_ps, &port->tx, &port->console_tx);
}

/* ---- look-ahead ----
 *
 * The firmware cannot be set back, so nothing is called ahead of its time: each handler runs in the ADVANCE
 * of its instant, with the same `now` and the same inputs as without look-ahead. Between two handlers the
 * port alone decides, and its future is known:
 *
 * - A transmitter's edges depend on nothing but its start. They are the schedule.
 * - A receiver calls its handler at the middle of a stop bit. On an idle line that is at least nine bits
 *   after the next falling edge, which therefore is urgent: it sets that time. During a byte the time of the
 *   handler is known, and a byte that begins later ends later, also if this one turns out to be noise. So
 *   further edges wait for that time.
 * - TDMA_CLK, NRST, and TDMA_SYNC if there is a handler of it, are urgent. Links without the receiver and
 *   BOOT0 have no effect. */

/* Node's time of the next instant at which a handler runs or the console goes on. */
static int64_t next_handler_ps(const struct pb_callbacks_port *port)
{
    int64_t next_ps = time_of(port, port->timer_ticks);
    sooner(&next_ps, port->console_rx.next_ps);
    if (port->listening)
        sooner(&next_ps, port->rx.next_ps);
    if (port->edge_pending)
        sooner(&next_ps, port->handler_ps);
    if (port->tx.busy && port->node->link_sent)
        sooner(&next_ps, uart_tx_end_ps(&port->tx));
    if (port->console_tx.busy)
        sooner(&next_ps, uart_tx_end_ps(&port->console_tx));
    return next_ps;
}

static uint32_t urgent_falls(const struct pb_callbacks_port *port)
{
    return (port->console_rx.next_ps == UART_NEVER ? PB_PROCESS_UART0_RX : 0) |
           (port->listening && port->rx.next_ps == UART_NEVER ? 1u << port->rx_port : 0);
}

void pb_callbacks_ahead(void *state, struct pb_process_answer *answer, struct pb_process_change *schedule)
{
    const struct pb_callbacks_port *port = state;
    const uint32_t both = PB_PROCESS_NRST | (port->node->sync ? PB_PROCESS_SYNC : 0);
    if (!port->running) {
        answer->urgent_rise = answer->urgent_fall = PB_PROCESS_NRST;
        return;
    }
    answer->urgent_rise = both | PB_PROCESS_CLK;
    answer->urgent_fall = both | urgent_falls(port);

    struct uart_tx tx = port->tx, console = port->console_tx;
    int64_t wake_ps = next_handler_ps(port);
    for (;;) {
        int64_t at_ps = tx.next_ps;
        sooner(&at_ps, console.next_ps);
        if (at_ps < wake_ps && answer->count == PB_PROCESS_CHANGES_MAX)
            wake_ps = at_ps;
        if (at_ps >= wake_ps)
            break;
        uart_tx_advance(&tx, at_ps);
        uart_tx_advance(&console, at_ps);
        schedule[answer->count++] = (struct pb_process_change){
            .at_ps = at_ps - port->lead_ps,
            .pins = outputs_at(port, at_ps, &tx, &console),
        };
    }
    answer->wake_ps = wake_ps == INT64_MAX ? wake_ps : wake_ps - port->lead_ps;
}

static void move(int64_t *at_ps, int64_t by_ps)
{
    *at_ps += *at_ps == INT64_MAX ? 0 : by_ps;
}

void pb_callbacks_align(void *state, int64_t now_ps)
{
    struct pb_callbacks_port *port = state;
    const int64_t ticks = clock_ticks(port->tick, now_ps + port->lead_ps);
    const int64_t by_ps = CLOCK_EPOCH_PS - CLOCK_START_PS - now_ps - port->lead_ps;
    port->lead_ps += by_ps;
    port->now_ps = now_ps + port->lead_ps;
    port->ticks += ticks - clock_ticks(port->tick, port->now_ps);
    if (!port->running)
        return;
    port->handler_ps += by_ps;
    struct uart_tx *const tx[] = {&port->tx, &port->console_tx};
    for (int i = 0; i < 2; i++) {
        tx[i]->start_ps += by_ps;
        move(&tx[i]->next_ps, by_ps);
    }
    listen_to_console(port);
    if (port->listening)
        uart_rx_start(&port->rx, port->sampling, port->now_ps, port->inputs >> port->rx_port & 1);
}

static unsigned links_of(const struct pb_process_hello *config)
{
    unsigned links = 0;
    for (unsigned i = 0; i < config->digits && i < sizeof config->radix; i++)
        links += config->radix[i] - 1u;
    return links;
}

static bool is_possible(const struct pb_process_hello *config)
{
    const unsigned links = links_of(config);
    return links >= 1 && links <= PB_BENCH_PORTS_MAX && config->baud_hz >= CLOCK_BAUD_MIN_HZ &&
           config->baud_hz <= CLOCK_BAUD_MAX_HZ && config->console_baud_hz >= CLOCK_BAUD_MIN_HZ &&
           config->console_baud_hz <= CLOCK_BAUD_MAX_HZ && config->clock_ppm >= -CLOCK_PPM_MAX &&
           config->clock_ppm <= CLOCK_PPM_MAX && config->phase_rate_mhz;
}

struct pb_callbacks_port *pb_callbacks_create(const struct pb_callbacks_node *node,
                                              const struct pb_process_hello *config)
{
    struct pb_callbacks_port *port = is_possible(config) ? calloc(1, sizeof *port) : NULL;
    if (!port)
        return NULL;
    port->services = (struct pb_bench_services){
        .ports = links_of(config),
        .head_guard_ticks = clock_ticks(clock_rate(PB_BENCH_TICK_HZ, 0), config->head_guard_ps),
        .phase_ticks =
            ((int64_t)PB_BENCH_TICK_HZ * 1000 + config->phase_rate_mhz / 2) / config->phase_rate_mhz,
        .now = service_now,
        .link_send = service_send,
        .link_listen = service_listen,
        .link_release = service_release,
        .console_write = service_console,
        .timer_set = service_timer,
    };
    port->node = node;
    port->config = *config;
    port->random = config->seed;
    port->tick = clock_rate(PB_BENCH_TICK_HZ, config->clock_ppm);
    port->baud = clock_rate(config->baud_hz, config->clock_ppm);
    port->sampling = clock_rate(16 * (uint64_t)config->baud_hz, config->clock_ppm);
    port->console_baud = clock_rate(config->console_baud_hz, config->clock_ppm);
    port->console_sampling = clock_rate(16 * (uint64_t)config->console_baud_hz, config->clock_ppm);
    port->timer_ticks = PB_BENCH_NEVER;
    port->inputs = PB_PROCESS_CLK; /* a clock that is high at power-up gives no edge */
    if (node->create(&port->config, &port->services))
        return port;
    free(port);
    return NULL;
}

void pb_callbacks_free(struct pb_callbacks_port *port)
{
    free(port);
}
