/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A random script on a node, side by side with the native node.
 */
#include "tests/bench/unit/node_sentence.h"

#include "phasebench/random.h"
#include "tests/bench/unit/contract_log.h"

/* ---- side by side with the native node */

static uint64_t below(uint64_t *random, uint64_t bound)
{
    return pb_splitmix64(random) % bound;
}

/* A frame of the neighbour: sound, or with a flipped bit, too short, too long, or for an address outside. */
static void random_neighbour(struct log *log, uint64_t *random, unsigned edge, unsigned dimension)
{
    uint8_t frame[FRAME + 2];
    size_t count = FRAME;
    const uint8_t outside = below(random, 10) == 0 ? 0x10 : 0;
    log_frame(frame, (uint8_t)(below(random, 16) | outside), (uint8_t)below(random, 16),
              (uint8_t)below(random, 256), (uint8_t)below(random, 256));
    frame[FRAME] = (uint8_t)below(random, 256);
    frame[FRAME + 1] = (uint8_t)below(random, 256);
    switch (below(random, 8)) {
    case 0:
        frame[below(random, FRAME)] ^= (uint8_t)(1 + below(random, 255));
        break;
    case 1:
        count = 1 + below(random, FRAME - 1);
        break;
    case 2:
        count = FRAME + 1 + below(random, 2);
        break;
    default:
        break;
    }
    log_neighbour(log, edge, (int)dimension, frame, count);
}

/* Frames in three listening phases of four, messages typed at random times, and now and then a TDMA_SYNC
 * that is missing or out of turn, or an extra edge in mid-phase. Images take other times for a line (the
 * FIFO of the AG32VF303 32 bits more) and to release a frame (0.8 to 1.2 us; a bit is sampled 0.25 and 1.25
 * us later): the ends of their lines keep off edges and ends of frames. */
static void play_random(struct log *log, bool image, uint64_t seed)
{
    enum { SUPERFRAMES = 12 };
    uint64_t random = seed;
    pins_run(&log->pins, 20 * MS - MS / 2); /* boot */
    for (unsigned i = 0; i < SUPERFRAMES * PHASES; i++) {
        const unsigned bench_phase = i % PHASES, dimension = bench_phase / 2;
        const int64_t at = 20 * MS + i * PERIOD;
        const bool strange = below(&random, 60) == 0;
        const unsigned edge = log_edge(log, at, (bench_phase == 0) != strange);
        const bool listens = (ADDRESS >> dimension & 1) != (bench_phase & 1);
        if (listens && below(&random, 4) > 0)
            random_neighbour(log, &random, edge, dimension);
        else if (below(&random, 60) == 0 && !(image && bench_phase % 2))
            log_edge(log, at + (int64_t)(20 + below(&random, 40)) * US + (image ? US / 4 : US / 2), false);
        if (bench_phase % 2 == 0 && i + PHASES < SUPERFRAMES * PHASES && below(&random, 5) == 0) {
            char line[24];
            const int length = snprintf(line, sizeof line, "S %X %02X\n", (unsigned)below(&random, 18),
                                        (unsigned)below(&random, 256));
            const int64_t end = at + PERIOD + (int64_t)(7 + below(&random, 4)) * US;
            const int64_t start = image ? end - length * 10 * BIT : at + (int64_t)below(&random, 50) * US;
            pins_uart(&log->pins, PIN_UART0_RX, start, BIT, line, (size_t)length);
        }
    }
    log_play(log, 20 * MS + SUPERFRAMES * PHASES * PERIOD);
    log_counters(log);
}

/* An edge within a frame releases the line after the latency of the node, which differs: removes these
 * lines. */
static void without_releases(char *text)
{
    for (char *at; (at = strstr(text, " low ")) || (at = strstr(text, " pulse "));) {
        char *begin = at, *end = strchr(at, '\n') + 1;
        while (begin > text && begin[-1] != '\n')
            begin--;
        memmove(begin, end, strlen(end) + 1);
    }
}

void does_what_the_native_node_does(const struct node_kind *kind)
{
    static struct log seen, native;
    const bool image = kind->bit & IMAGES;
    const unsigned seeds = kind->slow ? 10 : 120;
    size_t frames = 0;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct pb_node_config config = log_config();
        config.rule = seed % 2 ? PB_NODE_OPPORTUNISTIC : PB_NODE_ECUBE;
        log_open(&seen, kind->make(&config));
        log_open(&native, pb_node_native_create(&config));
        play_random(&seen, image, seed);
        play_random(&native, image, seed);
        if (image) {
            without_releases(seen.text);
            without_releases(native.text);
        }
        if (strcmp(seen.text, native.text) != 0)
            fail_msg("seed %d: native\n%s\n%s\n%s", (int)seed, native.text, kind->name, seen.text);
        for (const char *at = native.text; (at = strstr(at, " +5.0 ")); at++)
            frames++;
        assert_no_trap(kind, seen.pins.node[0]);
        log_close(&seen);
        log_close(&native);
    }
    assert_true(frames > seeds * 20);
}
