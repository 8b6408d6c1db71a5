/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/unit/node_fixture.h"

#include "bench/emulator/soc/soc.h"
#include "bench/nodes/process.h"
#include "phasebench/error.h"
#include "tests/bench/unit/check_values.h"

#include <unistd.h>

/* ---- kinds */

static struct pb_node *make_contract(const struct pb_node_config *config)
{
    return pb_node_contract_create(config, NULL);
}

/* The image is read once in a program. */
static struct pb_node *make_image(const struct pb_mcu_soc *soc, struct pb_image **image, const char *file,
                                  const struct pb_node_config *config)
{
    struct pb_node *node = NULL;
    struct pb_diag diag = {""};
    if ((!*image && pb_image_read(image, file, &diag)) || soc->create(&node, *image, config, &diag))
        fail_msg("%s", diag.text);
    return node;
}

static struct pb_node *make_ag32(const struct pb_node_config *config)
{
    static struct pb_image *image;
    return make_image(&pb_soc_ag32, &image, "build/ag32/node.elf", config);
}

static struct pb_node *make_rp2040(const struct pb_node_config *config)
{
    static struct pb_image *image;
    return make_image(&pb_soc_rp2040, &image, "build/rp2040/node.elf", config);
}

/* This program again, which then serves a node. */
static struct pb_node *make_process(const char *word, const struct pb_node_config *config)
{
    char self[200] = "", command[300];
    struct pb_diag diag = {""};
    struct pb_node *node = NULL;
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(command, sizeof command, "%s %s", self, word);
    if (pb_node_process_create(&node, config, command, &(struct pb_process_setting){.limit_ps = 0}, &diag))
        fail_msg("%s", diag.text);
    return node;
}

static struct pb_node *make_pins(const struct pb_node_config *config)
{
    return make_process("pins", config);
}

static struct pb_node *make_library(const struct pb_node_config *config)
{
    return make_process("library", config);
}

/* A tick of 48, 32, 16 and 100 MHz, rounded up, and a cycle of 125 MHz. The divisor of the AG32VF303 has
 * steps of 1/64, so that a bit is less than 1/400 off, that of the RP2040 steps of 1/256. The bit of the
 * reference node is rounded to a sixteenth of its clock, 1/32 clock off in each of 90 bits. */
/* clang-format off */
const struct node_kind
    kind_native = {.name = "native", .bit = KIND_NATIVE, .make = pb_node_native_create, .late_ps = 2 * 20834,
                   .off_ps = 10, .release_ps = US, .guard_ps = 100000, .most_baud = 2900000, .room = 40},
    kind_contract = {.name = "contract", .bit = KIND_CONTRACT, .make = make_contract, .late_ps = 2 * 31250,
                     .off_ps = 2, .release_ps = US, .guard_ps = 100000, .most_baud = 2900000, .room = 40},
    kind_ref = {.name = "ref", .bit = KIND_REF, .make = pb_node_ref_create, .late_ps = 3 * 62500,
                .off_ps = 4 * 62500, .release_ps = 7 * 62500, .guard_ps = 2500000,
                .reaction_ps = 21 * 62500, .job_ps = GUARD, .most_baud = 1000000, .room = 32, .slow = true},
    kind_process = {.name = "native", .bit = KIND_PROCESS, .make = make_pins, .late_ps = 2 * 20834,
                    .off_ps = 10, .release_ps = US, .guard_ps = 100000, .most_baud = 2900000, .room = 40,
                    .slow = true},
    kind_library = {.name = "myfirmware", .bit = KIND_LIBRARY, .make = make_library, .late_ps = 2 * 20834,
                    .off_ps = 10, .release_ps = 2 * US, .guard_ps = 2500000, .most_baud = 2900000, .room = 40,
                    .slow = true},
    kind_ag32 = {.name = "ag32", .bit = KIND_AG32, .make = make_ag32, .soc = &pb_soc_ag32, .boot_ps = MS,
                 .late_ps = 20000, .late_part = 16, .off_ps = 10000, .off_part = 400, .release_ps = 2 * US,
                 .guard_ps = GUARD, .reaction_ps = GUARD, .job_ps = GUARD, .most_baud = 1000000, .room = 40,
                 .slow = true},
    kind_rp2040 = {.name = "rp2040", .bit = KIND_RP2040, .make = make_rp2040, .soc = &pb_soc_rp2040,
                   .boot_ps = 20 * MS, .late_ps = 8000, .odd_part = 40, .off_ps = 1, .off_part = 512,
                   .odd_off_ps = 8000, .release_ps = 2 * US, .guard_ps = 3500000, .job_ps = GUARD,
                   .most_baud = 1000000, .room = 40, .slow = true};
/* clang-format on */

void assert_no_trap(const struct node_kind *kind, const struct pb_node *node)
{
    struct pb_mcu_trap trap;
    const char *words = NULL;
    if (kind->soc && kind->soc->trapped(node, &trap, &words))
        fail_msg("trap %d at pc %08x, address %08x: %s", trap.kind, (unsigned)trap.pc, (unsigned)trap.address,
                 words ? words : "");
}

void pins_open(struct pins *pins, const struct node_kind *kind, const struct pb_node_config *config)
{
    pins_init(pins, kind->make(config), NULL);
    pins->console_bit_ps =
        INT64_C(1000000000000000000) / config->console_baud_hz / (1000000 + config->clock_ppm);
    pins_run(pins, kind->boot_ps);
    pins->first = pins->now;
}

/* ---- pins */

void pins_init(struct pins *pins, struct pb_node *first, struct pb_node *second)
{
    memset(pins, 0, sizeof *pins);
    assert_non_null(first);
    pins->node[0] = first;
    pins->node[1] = second;
    pins->console_bit_ps = CONSOLE_BIT_PS;
    pins->nodes = second ? 2 : 1;
    for (unsigned i = 0; i < PIN_COUNT; i++)
        pins->level[i] = i != PIN_CLK && i != PIN_SYNC;
    pins->out[0].uart0_tx = pins->out[1].uart0_tx = true;
}

void pins_free(struct pins *pins)
{
    pb_node_destroy(pins->node[0]);
    pb_node_destroy(pins->node[1]);
    free(pins->change);
    free(pins->sample);
}

void pins_change(struct pins *pins, int64_t ps, enum pin pin, bool level)
{
    if (pins->changes == pins->changes_size) {
        pins->changes_size = pins->changes_size ? 2 * pins->changes_size : 1024;
        pins->change = realloc(pins->change, pins->changes_size * sizeof *pins->change);
        assert_non_null(pins->change);
    }
    assert_true(ps >= pins->now);
    size_t at = pins->changes++;
    for (; at > pins->changes_done && pins->change[at - 1].ps > ps; at--)
        pins->change[at] = pins->change[at - 1];
    pins->change[at] = (struct change){ps, pin, level};
}

int64_t pins_uart(struct pins *pins, enum pin pin, int64_t start, int64_t bit_ps,
                  const void *bytes, size_t length)
{
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < length; i++) {
        const int64_t begin = start + (int64_t)i * 10 * bit_ps;
        pins_change(pins, begin, pin, false);
        for (int b = 0; b < 8; b++)
            pins_change(pins, begin + (1 + b) * bit_ps, pin, (byte[i] >> b) & 1);
        pins_change(pins, begin + 9 * bit_ps, pin, true);
    }
    return start + (int64_t)length * 10 * bit_ps;
}

void pins_phase(struct pins *pins, int64_t ps, int64_t period, bool sync)
{
    pins_change(pins, ps, PIN_SYNC, sync);
    pins_change(pins, ps, PIN_CLK, true);
    pins_change(pins, ps + period / 2, PIN_CLK, false);
}

int64_t pins_phases(struct pins *pins, int64_t ps, int64_t period, unsigned per_superframe,
                    unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        pins_phase(pins, ps + (int64_t)i * period, period, i % per_superframe == 0);
    return ps + (int64_t)count * period;
}

static uint16_t pins_line(const struct pins *pins)
{
    uint16_t line = (uint16_t) ~(pins->out[0].pull_low | pins->out[1].pull_low);
    for (unsigned d = 0; d < 12; d++)
        if (!pins->level[PIN_LINE0 + d])
            line &= (uint16_t) ~(1u << d);
    return line;
}

/* At each change of an input, and of what is logged: a node of logic is called at each of its clocks. */
static void pins_log(struct pins *pins, bool inputs)
{
    const struct sample now = {pins->now,
                               pins_line(pins),
                               {pins->out[0].pull_low, pins->out[1].pull_low},
                               {pins->out[0].drive_high, pins->out[1].drive_high},
                               {pins->out[0].uart0_tx, pins->out[1].uart0_tx}};
    const struct sample *last = pins->samples ? &pins->sample[pins->samples - 1] : NULL;
    if (!inputs && last && !memcmp(last->pull, now.pull, sizeof now.pull) && last->line == now.line &&
        !memcmp(last->high, now.high, sizeof now.high) &&
        !memcmp(last->uart0_tx, now.uart0_tx, sizeof now.uart0_tx))
        return;
    if (pins->samples == pins->samples_size) {
        pins->samples_size = pins->samples_size ? 2 * pins->samples_size : 1024;
        pins->sample = realloc(pins->sample, pins->samples_size * sizeof *pins->sample);
        assert_non_null(pins->sample);
    }
    pins->sample[pins->samples++] = now;
}

static void pins_advance(struct pins *pins, bool inputs)
{
    uint16_t line;
    do {
        line = pins_line(pins);
        for (unsigned n = 0; n < pins->nodes; n++) {
            const struct pb_node_inputs in = {
                .line = line,
                .tdma_clk = pins->level[PIN_CLK],
                .tdma_sync = pins->level[PIN_SYNC],
                .nrst = pins->level[PIN_NRST],
                .boot0 = pins->boot0,
                .uart0_rx = n == pins->console ? pins->level[PIN_UART0_RX] : true,
            };
            pins->due[n] = pins->node[n]->ops->advance(pins->node[n], pins->now, &in, &pins->out[n]);
            pins->calls++;
            assert_true(pins->due[n] > pins->now);
            assert_int_equal(pins->out[n].pull_low & pins->out[n].drive_high, 0);
        }
    } while (pins_line(pins) != line);
    pins_log(pins, inputs);
}

void pins_run(struct pins *pins, int64_t until)
{
    pins_advance(pins, true);
    for (;;) {
        int64_t next = until;
        const size_t done = pins->changes_done;
        for (unsigned n = 0; n < pins->nodes; n++)
            if (pins->due[n] < next)
                next = pins->due[n];
        if (pins->changes_done < pins->changes && pins->change[pins->changes_done].ps < next)
            next = pins->change[pins->changes_done].ps;
        pins->now = next;
        while (pins->changes_done < pins->changes && pins->change[pins->changes_done].ps == next) {
            const struct change *change = &pins->change[pins->changes_done++];
            pins->level[change->pin] = change->level;
        }
        pins_advance(pins, pins->changes_done > done || next == until);
        if (next == until)
            return;
    }
}

bool probe_level(const struct sample *sample, struct probe probe)
{
    return probe.dimension < 0 ? sample->uart0_tx[probe.node]
                               : !((sample->pull[probe.node] >> probe.dimension) & 1);
}

/* Of the last sample at or before ps, which holds at ps; 0: none is. */
static size_t sample_at(const struct pins *pins, int64_t ps)
{
    size_t low = 0, high = pins->samples;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (pins->sample[middle].ps <= ps)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Of the first sample at or after ps; several can have one time. */
static size_t first_from(const struct pins *pins, int64_t ps)
{
    size_t i = sample_at(pins, ps);
    while (i > 0 && pins->sample[i].ps >= ps)
        i--;
    while (i < pins->samples && pins->sample[i].ps < ps)
        i++;
    return i;
}

bool level_at(const struct pins *pins, struct probe probe, int64_t ps)
{
    return probe_level(&pins->sample[sample_at(pins, ps)], probe);
}

int64_t next_fall(const struct pins *pins, struct probe probe, int64_t ps)
{
    for (size_t i = first_from(pins, ps); i < pins->samples; i++)
        if (i > 0 && !probe_level(&pins->sample[i], probe) && probe_level(&pins->sample[i - 1], probe))
            return pins->sample[i].ps;
    return -1;
}

void decode_uart(const struct pins *pins, struct probe probe, int64_t bit_ps, int64_t from,
                 int64_t to, struct decoded *decoded)
{
    memset(decoded, 0, sizeof *decoded);
    int64_t fall = next_fall(pins, probe, from);
    while (fall >= 0 && fall < to && decoded->length < sizeof decoded->byte) {
        uint8_t byte = 0;
        for (int b = 0; b < 8; b++)
            byte |= (uint8_t)(level_at(pins, probe, fall + bit_ps / 2 + (1 + b) * bit_ps) << b);
        decoded->framing_errors += !level_at(pins, probe, fall + bit_ps / 2 + 9 * bit_ps);
        decoded->start[decoded->length] = fall;
        decoded->byte[decoded->length++] = byte;
        fall = next_fall(pins, probe, fall + bit_ps / 2 + 9 * bit_ps);
    }
}

bool pulled(const struct pins *pins, unsigned node, int64_t from, int64_t to)
{
    for (size_t i = sample_at(pins, from); i < pins->samples && pins->sample[i].ps < to; i++)
        if (pins->sample[i].pull[node] != 0)
            return true;
    return false;
}

const char *console_ask(struct pins *pins, unsigned node, const char *text)
{
    const int64_t bit_ps = pins->console_bit_ps;
    static char answer[2048];
    const struct probe probe = {node, -1};
    const int64_t from = pins->now + 2 * bit_ps;
    size_t length = 0;

    pins->console = node;
    const int64_t end = pins_uart(pins, PIN_UART0_RX, from, bit_ps, text, strlen(text));
    pins_run(pins, end);
    for (int waits = 0; waits < 60; waits++) {
        struct decoded decoded;
        int64_t at = from;
        length = 0;
        do {
            decode_uart(pins, probe, bit_ps, at, pins->now - 10 * bit_ps, &decoded);
            memcpy(answer + length, decoded.byte, decoded.length);
            length += decoded.length;
            if (decoded.length > 0)
                at = decoded.start[decoded.length - 1] + 9 * bit_ps;
        } while (decoded.length == sizeof decoded.byte && length + sizeof decoded.byte < sizeof answer);
        if (length > 0 && answer[length - 1] == '\n')
            break;
        pins_run(pins, pins->now + 200 * bit_ps);
    }
    assert_true(length > 0 && answer[length - 1] == '\n');
    answer[length - 1] = '\0';
    return answer;
}

uint32_t console_counter(struct pins *pins, unsigned node, const char *name)
{
    char key[40];
    snprintf(key, sizeof key, " %s=", name);
    const char *at = strstr(console_ask(pins, node, "T\n"), key);
    assert_non_null(at);
    return (uint32_t)strtoul(at + strlen(key), NULL, 16);
}

struct pb_node_config config_of(uint32_t address)
{
    return (struct pb_node_config){
        .address = address,
        PB_NODE_CUBE(12),
        .payload_bytes = 6,
        .phase_rate_mhz = 10000000,
        .baud_hz = 1000000,
        .console_baud_hz = 1000000,
        .head_guard_ps = GUARD,
        .seed = 1,
    };
}

size_t seal_frame(uint8_t *frame, size_t length)
{
    frame[length] = crc8(frame, length);
    return length + 1;
}

size_t make_frame(uint8_t *frame, unsigned destination, unsigned sequence, unsigned payload, unsigned first,
                  unsigned step)
{
    frame[0] = (uint8_t)destination;
    frame[1] = (uint8_t)(destination >> 8 | sequence << 4);
    for (unsigned i = 0; i < payload; i++)
        frame[2 + i] = (uint8_t)(first + step * i);
    return seal_frame(frame, 2 + payload);
}

const uint8_t *slot_frame(uint16_t destination, uint8_t sequence, uint8_t payload)
{
    static uint8_t frame[100];
    make_frame(frame, destination, sequence, payload, 1, 1);
    return frame;
}

const uint8_t *frame_to(uint16_t destination)
{
    return slot_frame(destination, 0, 6);
}

int64_t sent_within(struct pins *pins, struct probe probe, int64_t from, int64_t to,
                    int64_t bit_ps, const uint8_t *frame, size_t length, int64_t tolerance_ps)
{
    struct decoded decoded;
    decode_uart(pins, probe, bit_ps, from, to, &decoded);
    assert_int_equal(decoded.length, length);
    assert_int_equal(decoded.framing_errors, 0);
    assert_memory_equal(decoded.byte, frame, length);
    for (size_t i = 1; i < length; i++) {
        const int64_t off = decoded.start[i] - decoded.start[0] - 10 * (int64_t)i * bit_ps;
        assert_in_range(off + tolerance_ps, 0, 2 * tolerance_ps);
    }
    return decoded.start[0];
}
