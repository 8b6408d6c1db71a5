/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * phasebench machine: under one traffic, at one load or at several (machine_traffic.c), and with a program,
 * what all nodes compute together (machine_program.c). A function that returns an exit code has reported the
 * error.
 */
#ifndef CLI_MACHINE_TRAFFIC_H
#define CLI_MACHINE_TRAFFIC_H

#include "rows.h"
#include "source.h"
#include "vusb.h"

#include "phasebench/budget.h"
#include "phasebench/machine_bench.h"

#define MACHINE_SUPERFRAMES_MAX 10000000u

enum machine_form { MACHINE_TEXT, MACHINE_JSON, MACHINE_CSV };

struct machine_traffic_request {
    const char *pattern, *load, *window, *dead, *out, *image, *checkpoint;
    const char *bench, *rig_url; /* a scenario whose nodes are real, and where; NULL: none */
    struct pb_network network;
    bool network_given;
    enum pb_rule rule;
    enum pb_machine_engine engine;
    bool engine_given, rule_given;
    enum pb_valiant valiant;
    enum { MACHINE_BIRTH_START, MACHINE_BIRTH_ANY } birth;
    unsigned batch, burst, superframes, warm_up, room, room_port, memory_mb, jobs, threads, checkpoint_every;
    uint64_t hot_millionths, seed;
    struct pb_machine_line line;
    enum machine_form form;
    bool saturation, watch, resume;
};

/* The rows of the table of options; `field`: a struct machine_traffic_request in the request of the verb. */
#define MACHINE_TRAFFIC_ROWS(type, field)                                                                    \
    {"traffic", "PATTERN", CLI_TEXT, CLI_AT(type, field.pattern), .use = CLI_READS,                          \
     .words = "uniform bitrev transpose complement shuffle perm xor: hotspot: uniform: perm: total file:",   \
     .help = "who sends to whom, as of bound; uniform, perm and xors also by --seed"},                       \
    {"load", "A[:B:STEP]", CLI_TEXT, CLI_AT(type, field.load), .with = "traffic", .otherwise = "0.5",        \
     .help = "messages that a node releases in a superframe on average, or a range of loads"},               \
    {"saturation", NULL, CLI_FLAG, CLI_AT(type, field.saturation), .with = "traffic",                        \
     .help = "search the load from which on queues grow without end, to 0.5 % at best"},                     \
    {"window", "A[:B:STEP]", CLI_TEXT, CLI_AT(type, field.window), .with = "traffic",                        \
     .help = "closed loop in place of a load: requests that a node has without an answer, 1 to 10000"},      \
    {"batch", "N", CLI_COUNT, CLI_AT(type, field.batch), .with = "traffic", .least = 1, .most = 10000,       \
     .otherwise = "none",                                                                                    \
     .help = "in place of a load: N messages of each node at once, until all have arrived"},                 \
    {"rule", "RULE", CLI_CHOICE, CLI_AT(type, field.rule), CLI_GIVEN(type, field.rule_given),                \
     .with = "traffic", .words = "ecube opportunistic", .initial = "ecube",                               \
     .help = "order in which a message crosses its dimensions"},                                             \
    {"engine", "WHAT", CLI_CHOICE, CLI_AT(type, field.engine),                                               \
     .given = CLI_GIVEN(type, field.engine_given), .words = "slot firmware wire image all",                  \
     .otherwise = "slot; of a program firmware, if that takes it",                                           \
     .help = "what moves them: messages alone, the firmware in each node, the same at its pins, a firmware " \
             "image at its pins, or all, compared; of a program each but slot is compared with it"},         \
    {"image", "FILE", CLI_FILE, CLI_AT(type, field.image), .use = CLI_READS,                                 \
     .help = "firmware of --engine image, and of all: ELF, UF2"},                                            \
    {"bench", "SCENARIO", CLI_FILE, CLI_AT(type, field.bench), .with = "traffic", .use = CLI_READS,          \
     .help = "the nodes of this scenario are real, on its network; all others react to what they do"},       \
    {"rig", "URL", CLI_RIG, CLI_AT(type, field.rig_url), .with = "bench", .words = CLI_RIG_WORDS,            \
     .otherwise = "sim:", .help = "where they are, as of phasebench run; no recording"},                     \
    CLI_ROW_PHASE_HZ(type, field.line.phase_rate_mhz, " (10000)"),                                           \
    {"baud", "B", CLI_COUNT, CLI_AT(type, field.line.baud_hz), .least = PB_BAUD_MIN_HZ,                      \
     .most = PB_BAUD_MAX_HZ, .unit = "baud", .quantity = PB_QUANTITY_BAUD, .initial = "1000000",             \
     .help = "bits a second on the links of wire and image"},                                                \
    {"ppm", "X", CLI_COUNT, CLI_AT(type, field.line.clock_ppm),                                              \
     .most = PB_CLOCK_MAX_PPM, .unit = "ppm", .quantity = PB_QUANTITY_RATIO, .initial = "0",                 \
     .help = "most by which the clock of their nodes errs, drawn by the seed"},                              \
    {"latency-us", "L", CLI_DECIMAL, CLI_AT(type, field.line.irq_latency_ps),                                \
     .most = PB_GUARD_MAX_PS, .decimals = 6, .unit = "us", .quantity = PB_QUANTITY_TIME, .initial = "1",     \
     .help = "of a node of wire, from an edge of the phase clock to its handler"},                           \
    {"jitter-us", "J", CLI_DECIMAL, CLI_AT(type, field.line.irq_jitter_ps),                                  \
     .most = PB_GUARD_MAX_PS, .decimals = 6, .unit = "us", .quantity = PB_QUANTITY_TIME, .initial = "0",     \
     .help = "that comes to the latency, drawn for each edge"},                                              \
    {"jobs", "N", CLI_COUNT, CLI_AT(type, field.jobs), .with = "traffic", .least = 1, .most = 256,           \
     .otherwise = "one for each processor", .letter = 'j', .help = "how many loads at a time"},              \
    {"threads", "N", CLI_COUNT, CLI_AT(type, field.threads), .with = "traffic", .least = 1, .most = 256,     \
     .otherwise = "one for each processor that no load has, and for 8192 nodes",                             \
     .help = "of each load, with --engine slot; the results are those of one"},                              \
    {"valiant", "HOW", CLI_CHOICE, CLI_AT(type, field.valiant), .with = "traffic",                           \
     .words = "none free barrier", .initial = "none",                                                        \
     .help = "send each message to a random node first; barrier: on only when all are there"},               \
    {"burst", "N", CLI_COUNT, CLI_AT(type, field.burst), .with = "traffic", .least = 1, .most = 10000,       \
     .initial = "1", .help = "messages that a node releases together"},                                      \
    {"hot", "SHARE", CLI_DECIMAL, CLI_AT(type, field.hot_millionths), .with = "traffic", .least = 1,         \
     .most = 1000000, .decimals = 6, .initial = "1",                                                         \
     .help = "share of the messages of hotspot that go there; the others go anywhere"},                      \
    {"birth", "WHEN", CLI_CHOICE, CLI_AT(type, field.birth), .with = "traffic", .words = "start any",        \
     .initial = "start", .help = "releases at the start of a superframe, or in any phase"},                  \
    {"superframes", "N", CLI_COUNT, CLI_AT(type, field.superframes), .with = "traffic", .least = 1,          \
     .most = MACHINE_SUPERFRAMES_MAX, .initial = "500", .help = "that are measured at each load"},           \
    {"warm-up", "N", CLI_COUNT, CLI_AT(type, field.warm_up), .with = "traffic",                              \
     .most = MACHINE_SUPERFRAMES_MAX + 1, .words = "detect", .initial = "detect",                            \
     .help = "superframes before them"},                                                                     \
    {"room", "N", CLI_COUNT, CLI_AT(type, field.room), .with = "traffic", .least = 1, .most = 1000000,       \
     .otherwise = "unbounded", .help = "messages that a node holds; it drops others"},                       \
    {"port-room", "N", CLI_COUNT, CLI_AT(type, field.room_port), .with = "traffic", .least = 1,              \
     .most = 1000000, .otherwise = "unbounded", .help = "the same of the queue of each port, with ecube"},   \
    {"dead", "LIST", CLI_TEXT, CLI_AT(type, field.dead), .with = "traffic", .otherwise = "nothing",          \
     .help = "nodes, and links as NODE.PORT, separated by commas; with ecube"},                              \
    {"memory", "MB", CLI_COUNT, CLI_AT(type, field.memory_mb), .with = "traffic", .least = 1,                \
     .most = 1u << 30, .otherwise = "what is free", .help = "a run that may need more is not begun"},        \
    {"checkpoint", "FILE", CLI_FILE, CLI_AT(type, field.checkpoint), .with = "traffic", .use = CLI_WRITES,   \
     .help = "keep the state of the run in this file, to go on from it after an end of the process"},        \
    {"checkpoint-every", "N", CLI_COUNT, CLI_AT(type, field.checkpoint_every), .with = "checkpoint",         \
     .least = 1, .most = MACHINE_SUPERFRAMES_MAX, .otherwise = "by time, 10 s",                              \
     .help = "superframes of a load from one checkpoint to the next"},                                       \
    {"resume", NULL, CLI_FLAG, CLI_AT(type, field.resume), .with = "checkpoint",                             \
     .help = "go on from the checkpoint; the result is that of a run in one piece"}

struct machine_program_request {
    const char *program;
    uint64_t argument;
    const char *input, *gif; /* files; NULL: none */
    bool argument_given;
};

struct pb_machine_sweep;
/* Nodes that are real, with what they need; empty: none. */
struct machine_bench {
    struct source source;
    struct vusb vusb;
    struct pb_machine_bench *bench;
};
/* Reads the scenario of --bench, whose network is that of the sweep; and opens its rig. */
int machine_bench_read(struct machine_bench *bench, struct pb_machine_sweep *sweep,
                       const struct machine_traffic_request *request);
int machine_bench_open(struct machine_bench *bench, struct pb_machine_sweep *sweep);
void machine_bench_close(struct machine_bench *bench);

/* Whether the engine has this line, and an image. */
int machine_check_line(const struct machine_traffic_request *request);
int machine_traffic(const struct machine_traffic_request *request);
/* Plays a program, and shows and checks its result. Of `common`: what both have. */
int machine_program(const struct machine_program_request *request,
                    const struct machine_traffic_request *common);

#endif
