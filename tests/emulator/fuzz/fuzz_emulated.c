/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The images of this repository on the emulated parts, at their pins: bytes and levels on links and console,
 * and edges of TDMA_CLK, at any time. The processor never stops, no line is driven high, none is held when
 * the clock has stopped, and the console answers. Each input begins in the state after the boot.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "bench/emulator/soc/soc.h"

#include <string.h>

#define US INT64_C(1000000)
#define BOOT_PS (25000 * US)
#define PERIOD_PS (100 * US)
#define BIT_PS US
#define SILENCE_PS (5000 * US) /* the longest answer, that to T, ends in it, and a frame */
enum { ADDRESS = 0x2A3, LINKS = 12, INPUT_MAX = 48, LOG_BITS = 2048 };

static struct part {
    const struct pb_mcu_soc *soc;
    const char *file, *identity; /* identity: up to the address, which the input may set */
    struct pb_node *node;
    struct pb_mcu_state *booted;
} parts[] = {
    {&pb_soc_ag32, "build/ag32/node.elf", "+I node=ag32 addr=", NULL, NULL},
    {&pb_soc_rp2040, "build/rp2040/node.elf", "+I node=rp2040 addr=", NULL, NULL},
};

struct bench {
    const struct part *part;
    int64_t now_ps;
    struct pb_node_inputs in;
    struct pb_node_outputs out;
    /* The console from listen_ps on, sampled once a bit after each falling edge of a start bit. */
    bool listens, in_byte;
    int64_t sample_ps;
    unsigned bit;
    uint8_t shift;
    char heard[64];
    size_t heard_bytes;
};

static void hear(struct bench *bench)
{
    if (bench->bit++ < 8) {
        bench->shift = (uint8_t)(bench->shift >> 1 | bench->out.uart0_tx << 7);
        bench->sample_ps += BIT_PS;
        return;
    }
    MUST(bench->out.uart0_tx); /* the stop bit */
    MUST(bench->heard_bytes + 1 < sizeof bench->heard);
    bench->heard[bench->heard_bytes++] = (char)bench->shift;
    bench->in_byte = false;
}

static void run(struct bench *bench, int64_t until_ps)
{
    const struct pb_node_ops *ops = bench->part->node->ops;
    struct pb_mcu_trap trap;
    const char *words;
    for (;;) {
        int64_t next_ps = ops->advance(bench->part->node, bench->now_ps, &bench->in, &bench->out);
        MUST(next_ps > bench->now_ps);
        MUST(!bench->out.drive_high && !(bench->out.pull_low >> LINKS));
        MUST(!bench->part->soc->trapped(bench->part->node, &trap, &words));
        if (bench->in_byte && bench->sample_ps == bench->now_ps)
            hear(bench);
        if (bench->listens && !bench->in_byte && !bench->out.uart0_tx) {
            bench->in_byte = true;
            bench->bit = 0;
            bench->sample_ps = bench->now_ps + BIT_PS * 3 / 2;
        }
        if (bench->now_ps == until_ps)
            return;
        if (bench->in_byte && bench->sample_ps < next_ps)
            next_ps = bench->sample_ps;
        bench->now_ps = next_ps < until_ps ? next_ps : until_ps;
    }
}

static void set_level(struct bench *bench, unsigned pin, bool level)
{
    if (pin == LINKS)
        bench->in.uart0_rx = level;
    else if (level)
        bench->in.line |= (uint16_t)(1u << pin);
    else
        bench->in.line &= (uint16_t) ~(1u << pin);
}

/* pin: a link, or LINKS, the console. */
static void send(struct bench *bench, unsigned pin, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (unsigned bit = 0; bit < 10; bit++) {
            set_level(bench, pin, bit == 9 || (bit > 0 && bytes[i] >> (bit - 1) & 1));
            run(bench, bench->now_ps + BIT_PS);
        }
}

static void rise(struct bench *bench, bool sync)
{
    bench->in.tdma_sync = sync;
    bench->in.tdma_clk = true;
    run(bench, bench->now_ps + PERIOD_PS / 20);
    bench->in.tdma_clk = false;
    run(bench, bench->now_ps);
}

static const struct pb_node_inputs idle = {.line = 0xFFFF, .nrst = true, .uart0_rx = true};

static void boot(struct part *part)
{
    const struct pb_node_config config = {
        .address = ADDRESS,
        .digits = LINKS,
        .radix = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
        .payload_bytes = 6,
        .phase_rate_mhz = 10000000,
        .baud_hz = 1000000,
        .console_baud_hz = 1000000,
        .head_guard_ps = 5 * US,
    };
    static struct pb_image *image[sizeof parts / sizeof parts[0]]; /* outlive the nodes */
    struct bench bench = {.part = part, .in = idle};
    struct pb_diag diag = {""};
    MUST(!pb_image_read(&image[part - parts], part->file, &diag));
    MUST(!part->soc->create(&part->node, image[part - parts], &config, &diag));
    run(&bench, BOOT_PS);
    MUST((part->booted = part->soc->save(part->node)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size < INPUT_MAX ? size : INPUT_MAX};
    struct part *part = &parts[take(&input) & 1];
    struct bench bench = {.part = part, .now_ps = BOOT_PS, .in = idle};
    if (!part->node)
        boot(part);
    MUST(part->soc->restore(part->node, part->booted));
    while (input.left) {
        const unsigned what = take(&input);
        size_t count;
        const uint8_t *bytes;
        switch (what & 7) {
        case 0: /* bytes for the console */
            bytes = take_bytes(&input, what >> 3, &count);
            send(&bench, LINKS, bytes, count);
            break;
        case 1: /* on a link */
            bytes = take_bytes(&input, 1 + (what >> 4), &count);
            send(&bench, count ? bytes[0] % LINKS : 0, bytes, count);
            break;
        case 2: /* a level that stays for a while, or longer */
            set_level(&bench, (what >> 4) % (LINKS + 1), what & 8);
            run(&bench, bench.now_ps + take(&input) * US / 16);
            break;
        case 3: /* any time */
            run(&bench, bench.now_ps + (what >> 3) * (US / 8));
            break;
        case 4: /* an edge too many */
            rise(&bench, what & 8);
            break;
        default: /* phases */
            for (unsigned i = 0; i <= what >> 4; i++) {
                rise(&bench, what & 8 && i == 0);
                run(&bench, bench.now_ps + PERIOD_PS * 19 / 20);
            }
        }
    }
    bench.in = idle;
    run(&bench, bench.now_ps + SILENCE_PS);
    MUST(!bench.out.pull_low);
    send(&bench, LINKS, (const uint8_t *)"\n", 1); /* ends a line that the input began */
    run(&bench, bench.now_ps + SILENCE_PS);
    bench.listens = true;
    send(&bench, LINKS, (const uint8_t *)"I\n", 2);
    run(&bench, bench.now_ps + SILENCE_PS);
    const size_t before = strlen(part->identity);
    MUST(!strncmp(bench.heard, part->identity, before));
    const size_t digits = strspn(bench.heard + before, "0123456789ABCDEF");
    MUST(digits > 0 && digits <= 3);
    MUST(!strcmp(bench.heard + before + digits, " dims=C fw=100\n"));
    return 0;
}
