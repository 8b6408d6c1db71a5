/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pin-level node model; replaces a node board on the simulated bench.
 *
 * Lines are open drain: the bench resolves a line as low while any driver pulls it low. Time is simulated
 * time in picoseconds since power-up and never decreases. A model has its own clock (with its own error), its
 * own interrupt latency and its own UART; it shares only the pins with the core.
 */
#ifndef PB_NODE_H
#define PB_NODE_H

#include "bench/nodes/defects.h"
#include "bench/nodes/freedoms.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pb_diag; /* phasebench/error.h */
struct pb_node_trouble;
struct pb_node_figures;
struct pb_node_watch;

struct pb_node_inputs {
    uint16_t line; /* bit d: resolved level of the link of dimension d (1 = high, idle) */
    bool tdma_clk, tdma_sync;
    bool nrst; /* false holds the node in reset */
    bool boot0;
    bool uart0_rx; /* level at the node's UART0 receive pin, idle high */
};

struct pb_node_outputs {
    uint16_t pull_low;   /* bit d: 1 = the node pulls the link of dimension d low */
    uint16_t drive_high; /* bit d: 1 = push-pull nodes: drives high (never together with pull_low) */
    bool uart0_tx;       /* idle high */
};

enum pb_node_rule { PB_NODE_ECUBE, PB_NODE_OPPORTUNISTIC };
enum pb_node_codec { PB_NODE_CODEC_SLOT, PB_NODE_CODEC_STARC, PB_NODE_CODEC_BARE };

#define PB_NODE_DIGITS_MAX 12
#define PB_NODE_LINKS_MAX 12
#define PB_NODE_CUBE(dims) .digits = (dims), .radix = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}

struct pb_node_config {
    uint32_t address; /* below the product of the radices */
    unsigned digits;  /* of an address, 1..PB_NODE_DIGITS_MAX */
    /* Of each digit, the least significant first; at least 2. All 2: the binary cube. A node has radix - 1
     * links for each digit, at most 12 in total. */
    uint8_t radix[PB_NODE_DIGITS_MAX];
    enum pb_node_rule rule;
    enum pb_node_codec codec;
    unsigned payload_bytes;   /* 0..80; every slot frame of a run carries this many */
    uint32_t phase_rate_mhz;  /* nominal, for the detection of missed edges; millihertz */
    uint32_t baud_hz;         /* links */
    uint32_t console_baud_hz; /* UART0 */
    int64_t head_guard_ps;    /* a transmission starts this long after the phase edge */
    int64_t tail_guard_ps;    /* the line is high this long before the next edge; a defect of `contract` */
    /* The stated timing model of the `native` and `contract` nodes (others may ignore it): */
    int32_t clock_ppm;      /* error of the node's clock; positive runs fast */
    int64_t irq_latency_ps; /* from the TDMA_CLK edge to the first instruction of the handler */
    int64_t irq_jitter_ps;  /* uniform 0..jitter is added, seeded */
    unsigned flash_miss_cycles; /* of an RP2040: of a miss in the cache of its flash; 0: by its registers */
    uint64_t seed;
    bool push_pull; /* drives the high level also while it sends */
};

/* Gets the outputs that hold from an instant on; instants never decrease. */
struct pb_node_changes {
    void (*changed)(void *context, int64_t at_ps, const struct pb_node_outputs *out);
    void *context;
};

struct pb_node;
struct pb_node_ops {
    /* Brings the model to now_ps. The given inputs hold from now_ps on, as do the outputs it writes. Returns
     * the latest time of the next call, even if no input changes (INT64_MAX: never). The caller calls at
     * every input change and at that time; further calls have no effect. Does not block, cannot fail. */
    int64_t (*advance)(struct pb_node *node, int64_t now_ps, const struct pb_node_inputs *in,
                       struct pb_node_outputs *out);
    /* The phase clock starts at now_ps: the node's own clock restarts its period, at an offset given by its
     * seed, so that a run does not depend on its start time. Called before the advance to now_ps. */
    void (*align)(struct pb_node *node, int64_t now_ps);
    void (*destroy)(struct pb_node *node);
    /* Fills *trouble (bench/nodes/trouble.h). NULL: nothing can end this node. */
    void (*trouble)(const struct pb_node *node, struct pb_node_trouble *trouble);
    /* As pb_node_figures (bench/nodes/figures.h). NULL: no processor. */
    bool (*figures)(const struct pb_node *node, struct pb_node_figures *figures);
    /* As pb_node_watch (bench/nodes/watch.h). NULL: no firmware image. */
    int (*watch)(struct pb_node *node, unsigned index, struct pb_node_watch *watch,
                 struct pb_diag *diag);
    /* All calls of `advance` from now_ps on that come before until_ps, by pb_node_steps_until, in one. Not of
     * a node that is watched. NULL: it has none. */
    int64_t (*advance_until)(struct pb_node *node, int64_t now_ps, int64_t until_ps,
                             const struct pb_node_inputs *in, const struct pb_node_changes *changes);
};
struct pb_node {
    const struct pb_node_ops *ops; /* first member of every model */
};

/* Brings a node to now_ps, and on as long as its next call comes before until_ps. The inputs stay, except
 * lines that the node pulls itself: in->line has them as the others leave them, and the node sees its own
 * pull a picosecond later. own: what it pulled before now_ps. `changes` gets the outputs at each change at
 * least. Returns as `advance`. */
static inline int64_t pb_node_steps_until(struct pb_node *node, uint16_t own, int64_t now_ps,
                                          int64_t until_ps, const struct pb_node_inputs *in,
                                          const struct pb_node_changes *changes)
{
    struct pb_node_inputs seen = *in;
    struct pb_node_outputs out;
    seen.line &= (uint16_t)~own;
    for (;;) {
        int64_t next_ps = node->ops->advance(node, now_ps, &seen, &out);
        changes->changed(changes->context, now_ps, &out);
        if (next_ps <= now_ps || seen.line != (uint16_t)(in->line & ~out.pull_low))
            next_ps = now_ps + 1;
        seen.line = (uint16_t)(in->line & ~out.pull_low);
        if (next_ps >= until_ps)
            return next_ps;
        now_ps = next_ps;
    }
}

/* Defect of a contract node, and when it acts; what it does of that which it may do. All zero: no defect. */
struct pb_contract_setting {
    enum pb_contract_defect defect;
    int64_t amount_ps; /* 0: the default of the table; at most 1 s */
    uint32_t from;     /* acts from this superframe on, counted by the node from 0 */
    uint32_t every;    /* acts at each k-th occasion; 0 and 1: at each; PB_DEFECT_ONCE: at the first only */
    unsigned port;     /* 0: on every link; k + 1: in the phases of link k alone */
    enum pb_defect_after after; /* what has happened to the node before */
    uint64_t freedoms; /* a set of freedoms.h */
    int64_t start_early_ps, start_late_ps; /* limits of a start, for the freedom starts_vary */
};
#define PB_DEFECT_ONCE UINT32_MAX

/* Return the number of links of a node, and of nodes of the network; 0: no valid network. */
unsigned pb_node_links(const struct pb_node_config *config);
uint32_t pb_node_addresses(const struct pb_node_config *config);

/* Check whether a kind of node supports a configuration: PB_OK, or PB_ERR_CONFIG and a diagnostic with the
 * scenario key, its value, the limit and a remedy. */
int pb_node_native_check(const struct pb_node_config *config, struct pb_diag *diag);
int pb_node_ref_check(const struct pb_node_config *config, struct pb_diag *diag);
int pb_node_contract_check(const struct pb_node_config *config, const struct pb_contract_setting *broken,
                           struct pb_diag *diag);

/* Each creates a node. NULL: out of memory (errno is ENOMEM), or the check refuses the configuration. */
struct pb_node *
pb_node_native_create(const struct pb_node_config *config); /* firmware/app on the native port */
/* For a caller that runs a native node ahead of its inputs. It is one block of this many bytes without a
 * pointer to itself from outside: a copy of them, written back to the same place, restores it. */
size_t pb_node_native_size(void);
/* End of the byte that its console receives, of which every input until then decides; INT64_MAX: none. */
int64_t pb_node_native_console_ps(const struct pb_node *node);
struct pb_node *pb_node_ref_create(
    const struct pb_node_config *config); /* rtl/node/ref_node.v, Verilated; slot codec, e-cube */
/* A firmware image on the emulated MCU for which it is linked (bench/emulator/). The path is relative to
 * `folder` (NULL: the current one). PB_OK, PB_ERR_IO, PB_ERR_CONFIG (no image, or none for an MCU of the
 * bench; the part refuses a setting), or PB_ERR_MEMORY. */
int pb_node_image_create(struct pb_node **out, const struct pb_node_config *config, const char *file,
                         const char *folder, struct pb_diag *diag);
/* The part that runs images of an ELF machine number, for users; NULL: the bench has none. */
const char *pb_node_image_part(unsigned machine);
/* docs/node.md in C, independent of firmware/ and rtl/; `broken` is copied, NULL: no defect. _strikes returns
 * how often the defect changed the behaviour; 0 for a node of another kind. */
struct pb_node *pb_node_contract_create(const struct pb_node_config *config,
                                        const struct pb_contract_setting *broken);
uint64_t pb_node_contract_strikes(const struct pb_node *node);

/* Wraps `inner`, which it then owns, and injects a defect at its pins. PB_DEFECT_NONE returns `inner`. NULL,
 * with `inner` destroyed: out of memory, PB_DEFECT_WRONG_ORDER (the pins cannot change a rule: use
 * pb_node_native_create_wrong_order), or amount_ps outside 0..1 ms. `inner` NULL returns NULL. amount_ps is
 * for LATE_START only; 0: its default (defects.h). */
struct pb_node *pb_node_native_create_wrong_order(const struct pb_node_config *config);
struct pb_node *pb_node_add_defect(struct pb_node *inner, const struct pb_node_config *config,
                                   enum pb_node_defect defect, int64_t amount_ps);

static inline void pb_node_destroy(struct pb_node *node)
{
    if (node)
        node->ops->destroy(node);
}

#endif
