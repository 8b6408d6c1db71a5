/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/unit/core_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PS_PER_MS INT64_C(1000000000)
#define PS_PER_US 1000000u
#define CLOCKS_PER_US 48u
#define ANSWER_PS INT64_C(10000000) /* at 3 Mbaud and more, after the command has been sent */

int64_t core_now_ps(const struct core *core)
{
    return pb_sim_next_edge_ps(core->sim);
}

/* What the core finds at its pins in the next clock. */
static void set_pins(struct core *core)
{
    const bool clk = core->pins.tdma_clk_in;
    core->pins.tdma_clk_in = core->pins.tdma_drive && core->pins.tdma_clk;
    core->pins.tdma_sync_in = core->pins.tdma_drive && core->pins.tdma_sync;
    if (core->outside_ticks && !core->pins.tdma_drive) {
        const uint64_t clocks = pb_sim_clocks(core->sim);
        core->pins.tdma_clk_in = clocks % core->outside_ticks < core->outside_ticks / 2;
        core->pins.tdma_sync_in = clocks / core->outside_ticks % core->outside_phases == 0;
    }
    core->since_edge = core->pins.tdma_clk_in && !clk ? 0 : core->since_edge + 1;
    const bool low = core->pulsed && core->since_edge == core->low_tick;
    core->pins.link = ~(core->pins.link_pull | core->pull_outside | (uint64_t)low);
}

static void run(struct core *core, int64_t ps, bool stop_at_byte)
{
    const uint64_t end =
        pb_sim_clocks(core->sim) + ((uint64_t)ps * CLOCKS_PER_US + PS_PER_US - 1) / PS_PER_US;
    while (pb_sim_clocks(core->sim) < end && !(stop_at_byte && pb_sim_host_pending(core->sim))) {
        const bool clk = core->pins.tdma_clk;
        if (pb_sim_clock(core->sim, &core->pins))
            core->clock_rises += core->pins.tdma_clk && !clk;
        set_pins(core);
        core->pulled |= core->pins.link_pull;
        core->drives += core->pins.tdma_drive;
    }
}

void core_run(struct core *core, int64_t ps)
{
    run(core, ps, false);
}

static int core_write(struct pb_transport *base, const uint8_t *bytes, size_t count, struct pb_diag *diag)
{
    struct core *core = (struct core *)base;
    (void)diag;
    if (core->cut)
        return PB_OK;
    assert_int_equal(pb_sim_host_write(core->sim, bytes, count), 0);
    while (core->uart && pb_sim_host_unsent(core->sim))
        core_run(core, core->gather_ps);
    return PB_OK;
}

static uint64_t word_at(const uint8_t *bytes, unsigned size)
{
    uint64_t word = 0;
    while (size--)
        word = word << 8 | bytes[size];
    return word;
}

/* By the rule of docs/reference/protocol.md: the number in the header is that of the first event, and an
 * OVERFLOW further on counts what it reports. */
static void note_events(struct core *core, const struct pb_packet *packet)
{
    uint32_t number = (uint32_t)word_at(packet->payload, 4);
    assert_true(packet->length >= 12 && packet->length % 8 == 4);
    for (unsigned at = 4; at < packet->length; at += 8) {
        const uint64_t word = word_at(packet->payload + at, 8);
        const uint32_t reported = PB_GET(PB_EVENT_KIND, word) == PB_EVENT_OVERFLOW
                                      ? (uint32_t)PB_GET(PB_EVENT_OVERFLOW_COUNT, word)
                                      : 0;
        if (at > 4)
            number += reported;
        core->lost += reported;
        assert_int_equal(number, core->next_number + reported);
        if (core->words == core->capacity) {
            core->capacity = 2 * core->capacity + 1024;
            core->word = realloc(core->word, core->capacity * sizeof *core->word);
            core->number = realloc(core->number, core->capacity * sizeof *core->number);
            assert_true(core->word && core->number);
        }
        core->word[core->words] = word;
        core->number[core->words++] = number;
        core->next_number = ++number;
    }
}

static int core_read(struct pb_transport *base, uint8_t *bytes, size_t capacity, unsigned timeout_ms,
                     struct pb_diag *diag)
{
    struct core *core = (struct core *)base;
    (void)diag;
    if (core->cut) {
        core->waited_ms += timeout_ms;
        return 0;
    }
    if (timeout_ms) {
        run(core, core->hasty ? ANSWER_PS : timeout_ms * PS_PER_MS, true);
        const int64_t latest_ps = core_now_ps(core) + PS_PER_MS;
        for (size_t pending = 0; pb_sim_host_pending(core->sim) > pending && pending < capacity &&
                                 core_now_ps(core) < latest_ps;) {
            pending = pb_sim_host_pending(core->sim);
            core_run(core, core->gather_ps);
        }
    }
    const size_t count = pb_sim_host_read(core->sim, bytes, capacity);
    size_t begun = 0, kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct pb_packet packet;
        bytes[kept++] = bytes[i];
        if (!pb_packet_decode(&core->decoder, bytes[i], &packet))
            continue;
        if (packet.opcode == PB_OPCODE_EVENTS) {
            note_events(core, &packet);
            if (core->eventless)
                kept = begun;
        } else {
            core->replies++;
            if (core->deaf) {
                core->deaf--;
                kept = begun; /* a reply lies within one read: the pause after it ends the read */
            }
        }
        begun = kept;
    }
    return (int)kept;
}

static void core_close(struct pb_transport *base)
{
    (void)base;
}

static const struct pb_transport_ops core_ops = {core_write, core_read, core_close};

void core_make(struct core *core, unsigned clocks_per_bit)
{
    const struct pb_sim_config config = {.shape = PB_SIM_12,
                                         .port = clocks_per_bit ? PB_SIM_UART : PB_SIM_STREAM,
                                         .uart_clocks_per_bit = clocks_per_bit};
    memset(core, 0, sizeof *core);
    core->base.ops = &core_ops;
    core->sim = pb_sim_create(&config);
    assert_non_null(core->sim);
    core->uart = clocks_per_bit;
    core->gather_ps = INT64_C(250000) * (clocks_per_bit ? clocks_per_bit : 4);
    core->pins.link = ~UINT64_C(0);
    core->pins.uart0 = 0xffff;
}

void core_free(struct core *core)
{
    pb_sim_destroy(core->sim);
    free(core->word);
    free(core->number);
}
