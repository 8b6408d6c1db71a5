/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/unit/node_programs.h"

#include <stdarg.h>

enum { OWN = 0x5, DIMS = 4, PHASES = 2 * DIMS, PAYLOAD = 4, FRAME = PAYLOAD + 3, TEXT_SIZE = 4000 };

static struct {
    char text[TEXT_SIZE];
    size_t length;
    struct pins pins;
    int64_t first; /* edge of the present superframe */
} script;

struct pb_node_config program_config(void)
{
    struct pb_node_config config = config_of(OWN);
    config.digits = DIMS;
    config.payload_bytes = PAYLOAD;
    memset(config.radix + DIMS, 0, sizeof config.radix - DIMS);
    return config;
}

__attribute__((format(printf, 1, 2))) static void write_down(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    script.length += (size_t)vsnprintf(script.text + script.length, TEXT_SIZE - script.length, format, list);
    va_end(list);
    assert_true(script.length < TEXT_SIZE);
}

static void ask(const char *line)
{
    const char *answer = console_ask(&script.pins, 0, formatted("%s\n", line));
    write_down("> %s\n< %s\n", line, *answer == '-' ? "-" : answer);
}

/* ---- a superframe: its edges, the frames of the neighbours, then what the node sent */

static int64_t edge_at(unsigned edge)
{
    return script.first + edge * PERIOD;
}

static void begin(void)
{
    script.first = script.pins.now + MS;
}

/* TDMA_SYNC is high at edges with a 1. */
static void edges(const char *sync)
{
    for (unsigned i = 0; sync[i]; i++)
        pins_phase(&script.pins, edge_at(i), PERIOD, sync[i] == '1');
}

static void comes_for(uint32_t to, unsigned edge, unsigned number, uint32_t word)
{
    uint8_t frame[FRAME] = {(uint8_t)to, (uint8_t)(number << 4)};
    for (unsigned i = 0; i < PAYLOAD; i++)
        frame[2 + i] = (uint8_t)(word >> 8 * i);
    seal_frame(frame, 2 + PAYLOAD);
    pins_uart(&script.pins, PIN_LINE0 + (int)(edge % PHASES / 2), edge_at(edge) + GUARD, BIT, frame, FRAME);
}

static void comes(unsigned edge, uint32_t word)
{
    comes_for(OWN, edge, 7, word);
}

static void write_frame(unsigned edge, unsigned dimension)
{
    struct decoded decoded;
    decode_uart(&script.pins, (struct probe){0, (int)dimension}, BIT, edge_at(edge), edge_at(edge + 1),
                &decoded);
    if (decoded.length == 0)
        return;
    uint8_t again[FRAME];
    assert_int_equal(decoded.length, FRAME);
    memcpy(again, decoded.byte, FRAME);
    seal_frame(again, 2 + PAYLOAD);
    assert_memory_equal(again, decoded.byte, FRAME);
    write_down("e%u d%u to %X #%u %02X%02X%02X%02X\n", edge, dimension, decoded.byte[0],
               decoded.byte[1] >> 4, decoded.byte[2], decoded.byte[3], decoded.byte[4], decoded.byte[5]);
}

static void end(unsigned edges_of_it)
{
    pins_run(&script.pins, edge_at(edges_of_it));
    for (unsigned edge = 0; edge < edges_of_it; edge++)
        for (unsigned dimension = 0; dimension < DIMS; dimension++)
            write_frame(edge, dimension);
}

static void superframe(void)
{
    begin();
    edges("10000000");
}

/* ---- scripts */

/* What the neighbours send on dimensions 0 to 3. */
static void neighbours(uint32_t zero, uint32_t one, uint32_t two, uint32_t three)
{
    comes(0, zero);
    comes(3, one);
    comes(4, two);
    comes(7, three);
}

/* 1 and 10 is 11, and 100 is 111, and 1000 is 1111, and 10000 is 11111 = 0x2B67. */
static void play_sum(void)
{
    ask("P allreduce 0 01000000");
    superframe();
    neighbours(10, 100, 1000, 10000);
    end(8);
    ask("R");
}

/* The rank of address 0101 is 1010. Stage 1 descends, as bit 1 of the rank is 1: on dimension 3, bit 0 of
 * the rank, it keeps the larger key. Stage 2 ascends: the larger one on dimension 2, the smaller one on 3.
 * Stage 3 descends: larger, smaller, larger on 1, 2, 3. Stage 4: larger, smaller, larger, smaller. */
static void play_sort(void)
{
    ask("P sort 0 09000000");
    superframe();
    comes(7, 20); /* keeps 20 */
    end(8);
    superframe();
    comes(4, 30); /* 30 */
    comes(7, 25); /* 25 */
    end(8);
    ask("R");
    superframe();
    comes(3, 7);  /* 25 */
    comes(4, 18); /* 18 */
    comes(7, 40); /* 40 */
    end(8);
    superframe();
    neighbours(50, 45, 33, 60); /* 50, 45, 45, 45 */
    end(8);
    ask("R");
}

/* A payload that is shorter than that of the run. Cell (1, 1): dimensions 0 and 1 lead to (0, 1) and (2, 1),
 * and 2 and 3 to (1, 0) and (1, 2). Three cells around it live, so it does; then one, so it dies. */
static void play_short(void)
{
    ask("P life 2 00");
    superframe();
    neighbours(0, 1, 1, 1);
    end(8);
    superframe();
    neighbours(0, 0, 0, 1);
    end(8);
    ask("R");
}

/* Loaded in the middle of a superframe, with a message that waits. */
static void play_begin(void)
{
    begin();
    edges("1000");
    end(4);
    ask("S 4 01020304");
    ask("P broadcast 5 11000000");
    begin();
    edges("0000");
    end(4);
    ask("R");
    superframe();
    end(8);
    ask("R");
    ask("A 6");
    superframe();
    end(8);
    ask("R");
    ask("P");
    ask("R");
    superframe();
    end(8);
}

static void play_missing(void)
{
    ask("P scan 0 01000000");
    superframe();
    comes(3, 1);
    comes(4, 1);
    comes(7, 1);
    end(8);
    superframe();
    end(8);
    ask("R");
    ask("P broadcast 5 11000000");
    superframe();
    end(8);
}

static void play_foreign(void)
{
    ask("P scan 0 01000000");
    superframe();
    comes_for(4, 0, 7, 1);
    comes(3, 1);
    comes(4, 1);
    comes(7, 1);
    end(8);
    ask("R");
}

/* Node 5 is the root: no other node sends to it. */
static void play_surprise(void)
{
    ask("P broadcast 5 11000000");
    superframe();
    comes(0, 1);
    end(8);
    ask("R");
}

/* TDMA_SYNC in the place of phase 2. */
static void play_early(void)
{
    ask("P barrier 2 00000000");
    begin();
    edges("1010000000");
    comes(0, 1);
    end(10);
    ask("R");
}

/* What is refused changes nothing. */
static void play_refused(void)
{
    ask("R");
    ask("P sort 0 010000");
    ask("R");
    ask("P barrier 2 01000000");
    ask("P nonsense 0 00");
    ask("P filter 4 00");
    ask("P barrier 0 00000000");
    ask("P sort 0 0102");
    ask("P sort 0 0102030");
    ask("P exchange 0 00");
    ask("P broadcast 10 00000000");
    ask("P fft 0 00000000");
    ask("R 0");
    ask("R");
    superframe();
    neighbours(1, 1, 1, 1);
    end(8);
    ask("R");
    superframe();
    neighbours(1, 1, 1, 1);
    end(8);
    ask("R");
}

static void play_reset(void)
{
    ask("P broadcast 5 11000000");
    pins_change(&script.pins, script.pins.now + MS, PIN_NRST, false);
    pins_change(&script.pins, script.pins.now + 2 * MS, PIN_NRST, true);
    pins_run(&script.pins, script.pins.now + 24 * MS);
    ask("R");
    ask("S 4 01020304");
    superframe();
    end(8);
}

static void (*const scripts[PROGRAM_SCRIPTS])(void) = {
    play_sum,     play_sort,     play_short, play_begin,   play_missing,
    play_foreign, play_surprise, play_early, play_refused, play_reset,
};

#define ROOT_SENDS                                                                                           \
    "e1 d0 to 4 #0 11000000\ne2 d1 to 7 #1 11000000\ne5 d2 to 1 #2 11000000\ne6 d3 to D #3 11000000\n"

const char *const program_sound[PROGRAM_SCRIPTS] = {
    [PROGRAM_SUM] = "> P allreduce 0 01000000\n< +P 1\n"
                    "e1 d0 to 4 #0 01000000\ne2 d1 to 7 #1 0B000000\n"
                    "e5 d2 to 1 #2 6F000000\ne6 d3 to D #3 57040000\n"
                    "> R\n< +R state=done superframe=1 phase=7 result=672B0000\n",
    [PROGRAM_SORT] = "> P sort 0 09000000\n< +P 4\n"
                     "e6 d3 to D #0 09000000\n"
                     "e5 d2 to 1 #1 14000000\ne6 d3 to D #2 1E000000\n"
                     "> R\n< +R state=runs superframe=2 phase=7\n"
                     "e2 d1 to 7 #3 19000000\ne5 d2 to 1 #4 19000000\ne6 d3 to D #5 12000000\n"
                     "e1 d0 to 4 #6 28000000\ne2 d1 to 7 #7 32000000\n"
                     "e5 d2 to 1 #8 2D000000\ne6 d3 to D #9 2D000000\n"
                     "> R\n< +R state=done superframe=4 phase=7 result=2D000000\n",
    [PROGRAM_SHORT] = "> P life 2 00\n< +P 2\n"
                      "e1 d0 to 4 #0 00000000\ne2 d1 to 7 #1 00000000\n"
                      "e5 d2 to 1 #2 01000000\ne6 d3 to D #3 01000000\n"
                      "e1 d0 to 4 #4 01000000\ne2 d1 to 7 #5 01000000\n"
                      "e5 d2 to 1 #6 01000000\ne6 d3 to D #7 01000000\n"
                      "> R\n< +R state=done superframe=2 phase=7 result=00\n",
    [PROGRAM_BEGIN] = "> S 4 01020304\n< +S 0\n> P broadcast 5 11000000\n< +P 1\n"
                      "> R\n< +R state=waits superframe=0 phase=0\n" ROOT_SENDS
                      "> R\n< +R state=done superframe=1 phase=7 result=11000000\n> A 6\n< -\n"
                      "> R\n< +R state=done superframe=1 phase=7 result=11000000\n"
                      "> P\n< +P\n> R\n< +R state=none\ne1 d0 to 4 #0 01020304\n",
    [PROGRAM_MISSING] = "> P scan 0 01000000\n< +P 1\n"
                        "> R\n< +R state=stopped superframe=0 phase=0\n"
                        "> P broadcast 5 11000000\n< +P 1\n" ROOT_SENDS,
    [PROGRAM_FOREIGN] = "> P scan 0 01000000\n< +P 1\n> R\n< +R state=stopped superframe=0 phase=0\n",
    [PROGRAM_SURPRISE] = "> P broadcast 5 11000000\n< +P 1\n> R\n< +R state=stopped superframe=0 phase=0\n",
    [PROGRAM_EARLY] = "> P barrier 2 00000000\n< +P 2\ne1 d0 to 4 #0 01000000\n"
                      "> R\n< +R state=stopped superframe=0 phase=2\n",
    [PROGRAM_REFUSED] = "> R\n< +R state=none\n> P sort 0 010000\n< -\n> R\n< +R state=none\n"
                        "> P barrier 2 01000000\n< +P 2\n> P nonsense 0 00\n< -\n> P filter 4 00\n< -\n"
                        "> P barrier 0 00000000\n< -\n> P sort 0 0102\n< -\n> P sort 0 0102030\n< -\n"
                        "> P exchange 0 00\n< -\n> P broadcast 10 00000000\n< -\n> P fft 0 00000000\n< -\n"
                        "> R 0\n< -\n> R\n< +R state=waits superframe=0 phase=0\n"
                        "e1 d0 to 4 #0 00000000\ne2 d1 to 7 #1 00000000\n"
                        "e5 d2 to 1 #2 00000000\ne6 d3 to D #3 00000000\n"
                        "> R\n< +R state=runs superframe=1 phase=7\n"
                        "e1 d0 to 4 #4 01000000\ne2 d1 to 7 #5 01000000\n"
                        "e5 d2 to 1 #6 01000000\ne6 d3 to D #7 01000000\n"
                        "> R\n< +R state=done superframe=2 phase=7 result=02000000\n",
    [PROGRAM_RESET] = "> P broadcast 5 11000000\n< +P 1\n> R\n< +R state=none\n> S 4 01020304\n< +S 0\n"
                      "e1 d0 to 4 #0 01020304\n",
};

const char *program_play(enum program_script which, struct pb_node *node, int64_t boot_ps, uint64_t *strikes)
{
    script.length = 0;
    script.text[0] = '\0';
    pins_init(&script.pins, node, NULL);
    pins_run(&script.pins, boot_ps);
    scripts[which]();
    if (strikes)
        *strikes = pb_node_contract_strikes(node);
    pins_free(&script.pins);
    return script.text;
}
