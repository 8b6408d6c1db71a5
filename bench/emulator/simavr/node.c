/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An ATmega1284P as a node in a process of its own, of kind "exec:build/simavr-node FILE", FILE the ELF of
 * the firmware (docs/reference/avr.md). Its processor and devices are those of libsimavr, which is under the
 * GNU GPL, version 3 or later; so is this program as a whole.
 *
 * Time. At each ADVANCE the part runs from the last one to the present, through the changes of its inputs at
 * their times. Then it runs ahead with the inputs as they are, which gives the schedule of its outputs, and
 * is set back. Every input that it can see is urgent, so the schedule holds up to the next ADVANCE, and all
 * outputs are exact to the cycle.
 */
#include "bench/emulator/image/image.h"
#include "bench/emulator/image/settings_block.h"
#include "bench/nodes/uart.h"
#include "mcu.h"
#include "phasebench/node_pins.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#define AHEAD_PS INT64_C(10000000000)
#define CRASH_PS INT64_C(1000000)
#define SILENCE_PS                                                                                           \
    INT64_C(10000000000) /* firmware that has not begun to speak by then accepts its settings */
enum { SCHEDULE_MAX = 128 };

struct node {
    struct mcu *mcu;
    const struct pb_image *image;
    struct clock_rate clock;
    uint32_t pins;
    struct uart_rx console;
    uint32_t console_bit; /* cycles, for which `console` is set up; 0: not yet */
    int64_t console_ps;   /* when a byte ends */
    uint32_t out;
};

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t cycle_of(const struct node *node, int64_t ps)
{
    return (int64_t)((unsigned __int128)ps * node->clock.micro_hz / CLOCK_PS_MICRO);
}

static void run_to(struct node *node, int64_t ps)
{
    char place[160];
    if (mcu_run(node->mcu, cycle_of(node, ps)))
        return;
    pb_image_place(node->image, mcu_pc(node->mcu), place, sizeof place);
    fprintf(stderr,
            "simavr-node: the part stopped at %s: an illegal instruction, or a jump beyond the flash\n",
            place);
    exit(2);
}

static void advance_console(struct node *node, int64_t ps)
{
    const uint32_t bit = mcu_console_bit(node->mcu);
    const bool level = node->pins & PB_PROCESS_UART0_RX;
    struct uart_byte byte;
    if (bit != node->console_bit) {
        node->console_bit = bit;
        node->console_ps = UART_NEVER;
        if (bit)
            uart_rx_start(&node->console, (struct clock_rate){node->clock.micro_hz * 16 / bit}, ps, level);
    }
    if (!bit)
        return;
    if (uart_rx_advance(&node->console, ps, level, &byte))
        mcu_console_byte(node->mcu, byte.value, byte.framing_ok);
    node->console_ps = node->console.next_ps;
}

/* Runs to an instant and applies the inputs from then on. */
static void step(struct node *node, int64_t ps, uint32_t pins)
{
    while (node->console_ps < ps) {
        const int64_t end_ps = node->console_ps;
        run_to(node, end_ps);
        advance_console(node, end_ps);
    }
    run_to(node, ps);
    if (pins != node->pins)
        mcu_input(node->mcu, pins);
    node->pins = pins;
    advance_console(node, ps);
}

/* ---- the bench */

static void answer(struct node *node, const uint8_t *body)
{
    static uint8_t
        bytes[PB_PROCESS_HEADER + PB_PROCESS_ANSWER_BYTES + SCHEDULE_MAX * PB_PROCESS_CHANGE_BYTES];
    const struct pb_process_advance advance = pb_process_get_advance(body);
    const int64_t now_ps = advance.now_ps;
    struct mcu_event event;
    for (uint32_t i = 0; i < advance.count; i++) {
        const struct pb_process_change change =
            pb_process_get_change(body + PB_PROCESS_ADVANCE_BYTES + i * PB_PROCESS_CHANGE_BYTES);
        step(node, change.at_ps, change.pins);
    }
    step(node, now_ps, advance.pins);

    while (mcu_take(node->mcu, cycle_of(node, now_ps), &event))
        node->out = event.pins;
    struct pb_process_answer reply = {.serial = advance.serial,
                                      .urgent_rise = PB_PROCESS_INPUTS,
                                      .urgent_fall = PB_PROCESS_INPUTS,
                                      .pins = node->out};
    if (node->console_ps != UART_NEVER) { /* a byte of the console: its bits count at its end */
        reply.urgent_rise &= ~(uint32_t)PB_PROCESS_UART0_RX;
        reply.urgent_fall &= ~(uint32_t)PB_PROCESS_UART0_RX;
    }
    const int64_t ahead_ps = earlier(now_ps + AHEAD_PS, node->console_ps), ahead = cycle_of(node, ahead_ps);
    const int64_t reached = mcu_look_ahead(node->mcu, ahead);
    reply.wake_ps = reached == ahead ? ahead_ps : clock_ps(node->clock, reached);
    if (reply.wake_ps <= now_ps) /* a crash, which shows when the part gets there */
        reply.wake_ps = now_ps + CRASH_PS;

    uint8_t *schedule = bytes + PB_PROCESS_HEADER + PB_PROCESS_ANSWER_BYTES;
    int64_t last_ps = now_ps;
    for (unsigned i = 0; i < SCHEDULE_MAX && mcu_coming(node->mcu, i, &event); i++) {
        struct pb_process_change change = {.at_ps = clock_ps(node->clock, event.cycle), .pins = event.pins};
        if (change.at_ps <= now_ps)
            change.at_ps = now_ps + 1;
        reply.count += change.at_ps > last_ps; /* else in place of the one before */
        last_ps = change.at_ps;
        pb_process_put_change(schedule + (reply.count - 1) * PB_PROCESS_CHANGE_BYTES, &change);
    }
    const uint32_t size = PB_PROCESS_ANSWER_BYTES + reply.count * PB_PROCESS_CHANGE_BYTES;
    pb_process_put_header(bytes, size, PB_PROCESS_ANSWER);
    pb_process_put_answer(bytes + PB_PROCESS_HEADER, &reply);
    if (!pb_pins_write(bytes, PB_PROCESS_HEADER + size))
        exit(1);
}

/* ---- start */

static void fail(const char *file, const char *wrong)
{
    fprintf(stderr, "simavr-node: %s: %s\n", file, wrong);
    exit(1);
}

static struct mcu *make_part(const struct pb_image *image, const struct pb_process_hello *hello,
                             const char *file)
{
    struct pb_node_config config = {
        .address = hello->address,
        .digits = hello->digits,
        .rule = hello->rule == PB_PROCESS_OPPORTUNISTIC ? PB_NODE_OPPORTUNISTIC : PB_NODE_ECUBE,
        .codec = hello->codec == PB_PROCESS_STARC ? PB_NODE_CODEC_STARC : PB_NODE_CODEC_SLOT,
        .payload_bytes = hello->payload_bytes,
        .phase_rate_mhz = hello->phase_rate_mhz,
        .baud_hz = hello->baud_hz,
        .console_baud_hz = hello->console_baud_hz,
        .head_guard_ps = hello->head_guard_ps,
    };
    uint8_t settings[PB_SETTINGS_BYTES];
    const char *wrong;
    memcpy(config.radix, hello->radix, sizeof config.radix);
    pb_settings_block(&config, settings);
    struct mcu *mcu = mcu_create(image, settings, &wrong);
    if (!mcu)
        fail(file, wrong);
    return mcu;
}

/* Firmware that cannot do its settings says so in its first line after power-up. */
static void ask_settings(struct mcu *mcu)
{
    const int64_t boot = (int64_t)(PB_IMAGE_BOOT_PS / 1000 * MCU_CLOCK_HZ / 1000000000);
    const int64_t silence = (int64_t)(SILENCE_PS / 1000 * MCU_CLOCK_HZ / 1000000000);
    struct mcu_event event;
    mcu_input(mcu, PB_PROCESS_INPUTS & ~(PB_PROCESS_CLK | PB_PROCESS_SYNC));
    bool spoke = false;
    for (int64_t cycle = 0; cycle < (spoke ? boot : silence) && !mcu_first_line(mcu); cycle += 1000) {
        if (!mcu_run(mcu, cycle))
            return; /* the run will say where */
        while (mcu_take(mcu, cycle, &event))
            spoke = true;
    }
    const char *line = mcu_first_line(mcu);
    if (line && !strncmp(line, "-settings", strlen("-settings"))) {
        fprintf(stderr, "the firmware refuses its settings:%s\n",
                line[strlen("-settings")] ? line + strlen("-settings") : " it does not say which");
        exit(1);
    }
}

static void greet(struct node *node, const struct pb_process_hello *hello, const char *file)
{
    const struct pb_pins_node self = {.name = "simavr"};
    if (hello->version != PB_PROCESS_VERSION)
        fail(file, "the bench speaks another version of the protocol");
    if (hello->push_pull)
        fail("link.drive push_pull", "the ports of the part drive open drain only");
    struct mcu *probe = make_part(node->image, hello, file);
    ask_settings(probe);
    mcu_destroy(probe);
    node->mcu = make_part(node->image, hello, file);
    node->clock = clock_rate(MCU_CLOCK_HZ, hello->clock_ppm);
    node->console_ps = UART_NEVER;
    node->out = PB_PROCESS_UART0_TX;
    if (!pb_pins_greet(&self))
        exit(1);
}

int main(int argc, char **argv)
{
    static uint8_t body[PB_PROCESS_BODY_MAX];
    uint8_t header[PB_PROCESS_HEADER];
    struct node node = {0};
    struct pb_image *image;
    struct pb_diag diag;
    if (argc != 2) {
        fprintf(stderr, "usage: simavr-node FILE, started by phasebench: kind \"exec:simavr-node FILE\"\n");
        return 1;
    }
    if (pb_image_read(&image, argv[1], &diag)) {
        fprintf(stderr, "simavr-node: %s\n", diag.text);
        return 1;
    }
    if (image->machine != EM_AVR)
        fail(argv[1], "it is no program for an AVR; phasebench runs the other images itself");
    node.image = image;
    while (pb_pins_read(header, sizeof header)) {
        const uint32_t size = pb_process_get32(header), type = pb_process_get32(header + 4);
        if (type == PB_PROCESS_END)
            return 0;
        if (size > sizeof body || !pb_pins_read(body, size))
            return 1;
        if (type == PB_PROCESS_HELLO && !node.mcu) {
            const struct pb_process_hello hello = pb_process_get_hello(body);
            greet(&node, &hello, argv[1]);
        } else if (type == PB_PROCESS_ADVANCE && node.mcu) {
            answer(&node, body);
        } else {
            return 1;
        }
    }
    return 1;
}
