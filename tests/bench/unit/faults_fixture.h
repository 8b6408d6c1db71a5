/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A model of bench, node and wires, for observations that no core need make: open-drain lines as sums of low
 * pulses, a receiver that samples them, and a clock whose edges can be put anywhere. Owes nothing to plan or
 * core.
 *
 * Node 5 of a 3-cube at 10 kHz and 1 Mbaud, core at 48 MHz: a phase is 4800 ticks, a bit 48, a frame 9 bytes,
 * the head guard 240 ticks, either guard 5 us. In each of 10 superframes but the last two all nodes send to
 * their complement, so each line carries a frame in each of its two phases:
 *
 *     phase   0      1     2     3      4      5
 *     link    0      0     1     1      2      2
 *     sender  bench  node  node  bench  bench  node
 */
#ifndef FAULTS_FIXTURE_H
#define FAULTS_FIXTURE_H

#include "host/check/check.h"
#include "phasebench/fault.h"
#include "tests/bench/unit/run_fixture.h"

enum {
    M_CLOCK_HZ = 48000000,
    M_PHASE = 4800,
    M_PHASES = 6,
    M_SUPERFRAMES = 10,
    M_BUSY = 8, /* superframes with traffic */
    M_EDGES = M_PHASES * M_SUPERFRAMES,
    M_LINKS = 3,
    M_BIT = 48,
    M_US = 48,
    M_HEAD = 240,
    M_BYTES = 9,
    M_FRAME = 90 * M_BIT, /* length */
    M_START = 100000,
    M_FRAMES_MAX = 100,
    M_LOWS_MAX = 400,
    M_EXTRA_MAX = 2000
};

struct model_frame {
    uint32_t superframe;
    unsigned phase, link;
    bool bench, absent;
    uint64_t start;
    unsigned bit_q8; /* ticks in 1/256 */
    unsigned count;
    uint8_t byte[120];
    bool last_stop_low;
};

struct model {
    struct pb_scenario *scenario;
    struct model_frame frame[M_FRAMES_MAX];
    unsigned frames;
    struct {
        unsigned link;
        uint64_t from, to;
    } low[M_LOWS_MAX], cut[8], slow[8],
        joined[8]; /* cut: lines stay high; joined: with `other`, slow: by `delay` */
    unsigned lows, cuts, slows, joins;
    unsigned slow_delay[8], join_other[8];
    uint64_t ideal[M_EDGES];
    int64_t tie[M_EDGES]; /* of the edge at the pin */
    bool absent[M_EDGES], sync[M_EDGES];
    int64_t sync_ago[M_EDGES]; /* ticks from the last change of TDMA_SYNC to the edge; below 0: not known */
    struct pb_event extra[M_EXTRA_MAX];
    unsigned extras;
    bool no_tdma;
    int64_t rise_ps; /* what the lines are said to take */
    struct pb_fault fault[16];
};

/* All as it should be. */
void model_open(struct model *model);
void model_close(struct model *model);
/* The model of a program, open while a test runs that is between the two. */
extern struct model model;
void open_model(void);
void close_model(void);
/* First tick of a phase. */
uint64_t model_at(uint32_t superframe, unsigned phase);
struct model_frame *model_find(struct model *model, uint32_t superframe, unsigned phase);
/* Of a bit of a frame, ten a byte. */
bool model_level(const struct model_frame *frame, unsigned bit);
void model_low(struct model *model, unsigned link, uint64_t from, unsigned ticks);
void model_cut(struct model *model, unsigned link, uint64_t from, uint64_t to);
void model_slow(struct model *model, unsigned link, uint64_t from, uint64_t to, unsigned delay);
void model_join(struct model *model, unsigned link, unsigned other, uint64_t from, uint64_t to);
/* An edge, and with it what the node sends after it. */
void model_displace(struct model *model, uint32_t superframe, unsigned phase, int64_t ticks);
/* The schedule itself: `excess` ticks a phase more from an edge on, in 1/1000. */
void model_stretch(struct model *model, unsigned from, int excess);
/* Afresh, with an external clock whose phases have that excess: the bench follows its edges, PHASE events are
 * two ticks late. */
void model_follow(struct model *model, int excess);
void model_event(struct model *model, uint8_t kind, unsigned link, uint64_t tick, uint32_t value);
void model_alarm(struct model *model, unsigned code, unsigned link, uint64_t tick);
/* The scenario orders a fault at this place; the receipts say that it was there. Returns its number. */
unsigned model_order(struct model *model, unsigned kind, unsigned link, uint32_t superframe, unsigned phase);
void model_receipt(struct model *model, unsigned number, unsigned what, uint64_t tick);
unsigned model_inject(struct model *model, unsigned kind, unsigned link, uint32_t superframe, unsigned phase,
                      uint64_t from, uint64_t to);

/* What would be captured; the check takes it. */
struct pb_observation model_play(const struct model *model);
struct pb_result *model_judge(const struct model *model);

size_t model_count(const struct pb_result *result, enum pb_finding_kind kind);
/* No finding at all. */
void model_expect_clean(const struct model *model);

#endif
