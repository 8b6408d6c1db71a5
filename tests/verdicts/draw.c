/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Draws a case from a seed: settings, nodes, traffic, faults, defect. What is drawn and turns out not to be
 * legal is drawn again.
 */
#include "case.h"

#include "bench/nodes/freedoms.h"

#include <stdlib.h>
#include <string.h>

#define RUN_MAX_PS (20 * PS_PER_S / 1000) /* simulated time of the superframes */

static int64_t pick(struct random *random, const int64_t *list, size_t count)
{
    return list[random_below(random, count)];
}
#define PICK(random, ...)                                                                                    \
    pick(random, (const int64_t[]){__VA_ARGS__}, sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t))

/* ---- nodes */

static uint32_t draw_address(struct random *random, const struct test_case *test)
{
    for (;;) {
        uint32_t address = (uint32_t)random_below(random, places(test));
        if (test->nodes && random_chance(random, 60)) { /* a neighbour of another node */
            address = test->node[random_below(random, test->nodes)].address;
            address = neighbour(test, address, (unsigned)random_below(random, test->dims));
        }
        if (node_index(test, address) < 0)
            return address;
    }
}

static int32_t draw_ppm(struct random *random)
{
    const unsigned way = (unsigned)random_below(random, 100);
    const int64_t most = way < 40 ? 0 : way < 75 ? 100 : way < 93 ? 2000 : 10000;
    return (int32_t)random_between(random, -most, most);
}

static void draw_nodes(struct random *random, struct test_case *test, unsigned kinds)
{
    const unsigned way = (unsigned)random_below(random, 100);
    unsigned wanted = way < 60   ? 1
                      : way < 90 ? (unsigned)random_between(random, 2, 3)
                                 : (unsigned)random_between(random, 4, NODES_MAX);
    while (wanted * test->dims > 64 || wanted > places(test))
        wanted--;
    for (test->nodes = 0; test->nodes < wanted;) {
        struct case_node node = {.address = draw_address(random, test),
                                 .latency_ps = UNSET,
                                 .from = UNSET,
                                 .every = UNSET,
                                 .jitter_ps = UNSET,
                                 .amount_ps = UNSET};
        do
            node.kind = (enum kind)random_below(random, KINDS);
        while (!(kinds >> node.kind & 1));
        node.ppm = draw_ppm(random);
        if (random_chance(random, 40)) {
            node.latency_ps = random_between(random, 0, 3000) * 1000;
            node.jitter_ps = random_between(random, 0, 1000) * 1000;
        }
        test->node[test->nodes++] = node;
    }
}

static bool has_ref(const struct test_case *test)
{
    for (unsigned i = 0; i < test->nodes; i++)
        if (test->node[i].kind == KIND_REF)
            return true;
    return false;
}

/* ---- settings */

static bool draw_link(struct random *random, struct test_case *test)
{
    const unsigned most_core = test->nodes > 1 ? 3000000 : 6000000;
    const int64_t most_baud = has_ref(test) ? 2000000 : most_core, overhead = test->starc ? 7 : 3;
    test->rate_mhz =
        random_chance(random, 50)
            ? (uint64_t)PICK(random, 1000, 2000, 5000, 10000, 10000, 20000, 25000, 50000, 100000) * 1000
            : (uint64_t)random_log(random, 1e6, 1e8);
    const int64_t phase_ps = (int64_t)(UINT64_C(1000000000000000) / test->rate_mhz);
    int64_t guard_ps = 10000000;
    if (random_chance(random, 60) || phase_ps < 3 * guard_ps)
        test->guard_ps = guard_ps = random_between(random, phase_ps / 50, phase_ps * 2 / 5) / 1000 * 1000;
    if (random_chance(random, 50))
        test->head_ps = random_between(random, guard_ps / 5, guard_ps);
    const int64_t payload = random_chance(random, 80) ? random_between(random, 1, 12)
                                                      : random_between(random, 1, test->starc ? 78 : 80);
    const int64_t least_baud =
        (10 * (overhead + payload) * PS_PER_S + (phase_ps - guard_ps) - 1) / (phase_ps - guard_ps) + 1;
    if (least_baud > most_baud)
        return false;
    static const int64_t usual[] = {9600,   19200,  38400,   57600,   115200,  230400,  250000,  460800,
                                    500000, 921600, 1000000, 1500000, 2000000, 3000000, 4000000, 6000000};
    test->baud =
        (uint64_t)random_log(random, (double)(least_baud < 1200 ? 1200 : least_baud), (double)most_baud);
    if (random_chance(random, 60)) {
        const int64_t baud = pick(random, usual, sizeof usual / sizeof *usual);
        if (baud >= least_baud && baud <= most_baud)
            test->baud = (uint64_t)baud;
    }
    if (random_chance(random, 60))
        test->payload = payload;
    /* A run asks for counters of some 300 characters: on a slow console that is most of its time. */
    test->console_baud = 460800;
    if (random_chance(random, 80))
        test->console_baud = (uint64_t)random_log(random, random_chance(random, 15) ? 57600 : 460800,
                                                  has_ref(test) ? 1000000 : most_core);
    return true;
}

static void draw_limits(struct random *random, struct test_case *test)
{
    struct fit fit;
    if (!random_chance(random, 25) || !fit_settings(&fit, test))
        return;
    if (random_chance(random, 50))
        test->start_early_ps = random_between(random, 0, fit.head_ps);
    if (random_chance(random, 50))
        test->start_late_ps = random_between(random, 0, fit.phase_ps - fit.head_ps);
}

/* Settings at the ends of their ranges. */
static void seek_corner(struct random *random, struct test_case *test)
{
    const int64_t phase_ps = (int64_t)(UINT64_C(1000000000000000) / test->rate_mhz);
    struct case_node *node = &test->node[random_below(random, test->nodes)];
    switch (random_below(random, 4)) {
    case 0:
        node->latency_ps = random_between(random, 0, phase_ps);
        break;
    case 1:
        node->jitter_ps = random_between(random, 0, phase_ps);
        break;
    case 2:
        test->head_ps = random_chance(random, 30) ? 0 : random_between(random, 0, 2000000);
        break;
    default:
        test->guard_ps = random_chance(random, 30) ? 0 : random_between(random, 0, 1000000);
        test->head_ps = UNSET;
        break;
    }
}

/* Every edge that a line of each node makes in a phase, and its bytes, of 28/3 bytes each, on a link that
 * takes a byte in two clocks of the core: what is more is lost, and the run proves nothing. */
static bool edges_fit(const struct test_case *test)
{
    const uint64_t core_hz = test->nodes > 1 ? 24000000 : 48000000,
                   events = test->nodes * test->baud * 11 / 10;
    return events * 28 / 3 < core_hz / 2;
}

/* One case in seven has a network of mixed radix, which the reference node does not know. Returns the kinds
 * that may be drawn. */
static unsigned draw_network(struct random *random, struct test_case *test, unsigned kinds)
{
    if (!(kinds & ~(1u << KIND_REF)) || random_chance(random, 85)) {
        test->dims = (unsigned)PICK(random, 1, 2, 2, 3, 3, 4, 4, 5, 6, 8, 10, 12, 12);
        return kinds;
    }
    const unsigned digits = (unsigned)random_between(random, 1, 5);
    for (test->digits = 0; test->digits < digits;) {
        const unsigned radix = (unsigned)PICK(random, 2, 2, 3, 3, 4, 4, 5, 6, 7);
        if (test->dims + radix - 1 > 12)
            break;
        test->dims += radix - 1;
        test->radix[test->digits++] = radix;
    }
    return kinds & ~(1u << KIND_REF);
}

static bool draw_settings(struct random *random, struct test_case *test, unsigned kinds, bool corner)
{
    kinds = draw_network(random, test, kinds);
    draw_nodes(random, test, kinds);
    if (!has_ref(test)) {
        test->opportunistic = random_chance(random, 40);
        test->starc = random_chance(random, 35);
    }
    test->push_pull = random_chance(random, 25);
    if (!draw_link(random, test))
        return false;
    const int64_t phase_ps = (int64_t)(UINT64_C(1000000000000000) / test->rate_mhz);
    if (random_chance(random, 15)) {
        test->external = true;
        test->external_ppm = random_chance(random, 70) ? random_between(random, -100, 100)
                                                       : random_between(random, -10000, 10000);
        test->external_jitter_ps = random_chance(random, 30)   ? 0
                                   : random_chance(random, 70) ? random_between(random, 0, phase_ps / 200)
                                                               : random_between(random, 0, phase_ps / 8);
    }
    draw_limits(random, test);
    const unsigned capture = (unsigned)random_below(random, 4);
    test->capture = capture == 0 && edges_fit(test) ? "edges"
                    : capture == 1                  ? "bytes"
                    : capture == 2                  ? "auto"
                                                    : NULL;
    test->run_seed = random_chance(random, 90) ? random_below(random, 1000000) : random_bits(random);
    if (corner && random_chance(random, 60))
        seek_corner(random, test);
    struct fit fit;
    if (!fit_settings(&fit, test))
        return false;
    for (unsigned i = 0; i < test->nodes; i++) {
        const enum fit_node fits = fit_node(test, &fit, &test->node[i]);
        if (fits == FIT_OUTSIDE || (fits == FIT_CORNER && !corner))
            return false;
    }
    return true;
}

/* ---- traffic */

static void add_entry(struct test_case *test, struct case_entry entry)
{
    if (test->entries < ENTRIES_MAX)
        test->entry[test->entries++] = entry;
}

/* A line on UART0 is typed while the run goes on, unless its message is released with the first phase. */
static bool line_fits(const struct test_case *test, const struct fit *fit, const struct case_entry *entry)
{
    const int64_t characters = 2 + 4 + 2 * (int64_t)fit->payload + 12,
                  line_ps = characters * 10 * PS_PER_S / (int64_t)test->console_baud;
    if (test->opportunistic)
        return line_ps * 2 < fit->phase_ps;
    const unsigned own = send_phase(test, entry->from, first_port(test, entry->from, entry->to));
    const unsigned since =
        (entry->phase + fit->phases - 1 - own) % fit->phases; /* whole phases since it could send */
    return line_ps * 2 < (int64_t)since * fit->phase_ps;
}

static struct case_entry draw_message(struct random *random, const struct test_case *test,
                                      const struct fit *fit, int from)
{
    const uint32_t all = places(test), near = test->node[random_below(random, test->nodes)].address;
    struct case_entry entry = {.repeat = 1};
    for (;;) {
        /* From a neighbour of a node on the bench, from the node, or from anywhere. */
        const unsigned way = (unsigned)random_below(random, 10);
        entry.from = way < 5   ? neighbour(test, near, (unsigned)random_below(random, test->dims))
                     : way < 7 ? near
                               : (uint32_t)random_below(random, all);
        if (from >= 0)
            entry.from = test->node[from].address;
        entry.to = random_chance(random, 15) ? near : (uint32_t)random_below(random, all);
        if (entry.from == entry.to)
            continue;
        const bool own = node_index(test, entry.from) >= 0;
        entry.superframe = random_chance(random, 40) ? 0 : (uint32_t)random_below(random, 5);
        entry.phase = random_chance(random, 50) ? 0 : (uint32_t)random_below(random, fit->phases);
        entry.repeat = random_chance(random, 60) ? 1 : (uint32_t)random_between(random, 2, 6);
        if (own && test->external && entry.superframe == 0)
            entry.superframe = 1;
        if (own && (entry.superframe || entry.phase || entry.repeat > 1) && !line_fits(test, fit, &entry)) {
            if (test->external)
                return (struct case_entry){.repeat = 0};
            entry.superframe = entry.phase = 0;
            entry.repeat = 1;
        }
        return entry;
    }
}

static bool draw_pattern(struct random *random, const struct test_case *test, const struct fit *fit,
                         struct case_entry *entry)
{
    *entry = (struct case_entry){.repeat = (uint32_t)random_between(random, 1, 3)};
    entry->pattern = (enum pattern)random_between(random, P_XOR, PATTERNS - 1);
    if (test->digits)
        entry->pattern = P_HOTSPOT;
    if (entry->pattern == P_TRANSPOSE && test->dims % 2)
        return false;
    if ((entry->pattern == P_TOTAL && test->dims > 3) || (entry->pattern == P_HOTSPOT && places(test) > 32) ||
        (entry->pattern >= P_OPAQUE && test->dims > 4 && entry->pattern != P_XORS &&
         entry->pattern != P_PAIRS))
        return false;
    entry->argument = random_below(random, places(test));
    if (entry->pattern == P_PAIRS)
        entry->argument = test->node[random_below(random, test->nodes)].address;
    entry->superframe = test->external ? 1 : (uint32_t)random_below(random, 3);
    entry->phase = random_chance(random, 70) ? 0 : (uint32_t)random_below(random, fit->phases);
    if (entry->superframe || entry->phase || entry->repeat > 1)
        for (unsigned i = 0; i < test->nodes; i++) {
            /* Every node has a message of its own: as if it went over its last dimension, where the time is
             * shortest. */
            const uint32_t address = test->node[i].address;
            for (unsigned d = 0; d < test->dims; d++) {
                const struct case_entry own = {
                    .from = address, .to = neighbour(test, address, d), .phase = entry->phase};
                if (!line_fits(test, fit, &own))
                    return false;
            }
        }
    return true;
}

static bool draw_traffic(struct random *random, struct test_case *test, bool opaque, bool idle)
{
    struct fit fit;
    fit_settings(&fit, test);
    const bool receivers = random_chance(random, 6); /* nodes that need not send */
    for (unsigned i = 0; i < test->nodes && !idle && !receivers; i++) {
        const struct case_entry entry = draw_message(random, test, &fit, (int)i);
        if (!entry.repeat)
            return false;
        add_entry(test, entry);
    }
    const unsigned more = (unsigned)random_between(random, idle || receivers, 8);
    for (unsigned i = 0; i < more; i++) {
        struct case_entry entry = draw_message(random, test, &fit, -1);
        if (entry.repeat)
            add_entry(test, entry);
    }
    for (unsigned i = 0; i < 2 && !idle; i++) {
        struct case_entry entry;
        if (random_chance(random, 25) && draw_pattern(random, test, &fit, &entry) &&
            (opaque || entry.pattern < P_OPAQUE))
            add_entry(test, entry);
    }
    return test->entries > 0;
}

/* ---- the whole */

static bool short_enough(const struct test_case *test, uint32_t superframes)
{
    return (int64_t)superframes * phases_of(test) * (int64_t)(UINT64_C(1000000000000000) / test->rate_mhz) <=
           RUN_MAX_PS;
}

static void draw_defect(struct random *random, struct test_case *test, const struct defect *defect,
                        unsigned kinds)
{
    struct fit fit;
    struct case_node *node = &test->node[random_below(random, test->nodes)];
    fit_settings(&fit, test);
    if (!(defect->kinds >> node->kind & 1))
        for (unsigned kind = 0; kind < KINDS; kind++)
            if (defect->kinds & kinds & 1u << kind)
                node->kind = (enum kind)kind;
    node->defect = defect->name;
    const bool ready = node->kind == KIND_CONTRACT && !(defect->needs & PB_NEEDS_BEFORE_CLOCK) &&
                       !(defect->more & M_AFTER);
    if (defect->more & M_LATE)
        node->amount_ps =
            random_chance(random, 30) ? UNSET : random_between(random, fit.start_late_ps, fit.phase_ps - 1);
    else if (defect->more & M_EARLY)
        node->amount_ps =
            random_chance(random, 30) ? UNSET : random_between(random, fit.start_early_ps, fit.head_ps);
    else if (defect->more & M_CONSOLE_BIT)
        node->amount_ps = random_between(random, 2, 40) * PS_PER_S / (int64_t)test->console_baud;
    else if (defect->more & M_CONSOLE_STRETCH)
        node->amount_ps = random_between(random, 30, 100) * PS_PER_S / 1000 / (int64_t)test->console_baud;
    if (ready && random_chance(random, 40))
        node->from = (int64_t)random_below(random, 4);
    if (ready && !(defect->more & M_LASTS) && random_chance(random, 50))
        node->every = random_chance(random, 30) ? 0 : random_between(random, 2, 6);
}

static bool draw_once(struct random *random, struct test_case *test, const struct draw_options *options,
                      const char *class, bool faults)
{
    const struct defect *defect = defect_by_name(class);
    const bool idle = !strcmp(class, "idle");
    const enum fault_kind needed = defect ? fault_needed(defect) : FAULT_KINDS;
    if (needed != FAULT_KINDS)
        faults = true;
    if (!draw_settings(random, test, options->kinds, !strcmp(class, "corner")) ||
        !draw_traffic(random, test, !faults && !idle, idle))
        return false;
    struct movement movement;
    bool right = movement_make(&movement, test) && !movement.endless;
    uint32_t superframes = movement.opaque ? 12 : movement.superframes + 1;
    for (unsigned i = 0; i < test->entries; i++) /* the run goes beyond the last release */
        if (test->entry[i].superframe + test->entry[i].repeat + 1 > superframes)
            superframes = test->entry[i].superframe + test->entry[i].repeat + 1;
    if (faults)
        superframes += (uint32_t)random_between(random, 3, 12);
    if (faults && random_chance(random, 30))
        test->recovery = random_between(random, 1, 2);
    if (right && (faults || (!movement.opaque && random_chance(random, 40))))
        test->superframes = superframes + (random_chance(random, 50) ? 0 : random_below(random, 3));
    if (right && !movement.opaque && random_chance(random, 10))
        test->max_superframes = movement.slowest + (int64_t)random_below(random, 3);
    right = right && short_enough(test, superframes + 2);
    if (right && defect)
        draw_defect(random, test, defect, options->kinds);
    for (unsigned i = 0; right && needed != FAULT_KINDS && i < test->nodes; i++)
        if (test->node[i].defect)
            draw_fault_for(test, &movement, random, needed, i);
    if (right && faults && needed == FAULT_KINDS)
        draw_faults(test, &movement, random, (unsigned)random_between(random, 1, 4));
    movement_free(&movement);
    return right && (!faults || test->faults) && settle(test);
}

/* A defect of which cases can be made with these kinds. */
static bool is_drawn(const struct defect *defect, unsigned kinds)
{
    return !defect->never && (defect->kinds & kinds);
}

static const char *draw_class(struct random *random, unsigned kinds)
{
    size_t defects;
    const struct defect *table = defect_table(&defects);
    const unsigned way = (unsigned)random_below(random, 100);
    if (way < 63)
        return way < 29 ? "sound" : way < 56 ? "faults" : way < 60 ? "corner" : "idle";
    for (;;) {
        const struct defect *defect = &table[random_below(random, defects)];
        if (is_drawn(defect, kinds))
            return defect->name;
    }
}

/* What a contract node of a case does otherwise. Where it is broken, it takes none that is about the lines:
 * that could hide the defect, or be one with it. A start may vary by half of start_late, which an outside
 * clock may not leave. */
static void draw_freedoms(struct test_case *test, uint64_t seed)
{
    struct random random = {seed * UINT64_C(0x9FB21C651E98DF25) + UINT64_C(0xC2B2AE3D27D4EB4F)};
    static const char *const sentence[] = {
#define FREEDOM_SENTENCE(id, name, sentence, text) sentence,
        PB_FREEDOM_LIST(FREEDOM_SENTENCE)
#undef FREEDOM_SENTENCE
    };
    random_bits(&random);
    for (unsigned i = 0; i < test->nodes; i++) {
        struct case_node *node = &test->node[i];
        const unsigned percent = (unsigned)PICK(&random, 0, 5, 10, 30, 100);
        for (unsigned f = 0; f < PB_FREEDOMS; f++)
            if (random_chance(&random, f == PB_FREEDOM_ANSWERS_LATEST ? percent / 10 : percent) &&
                !(node->defect && strchr("RPTF", *sentence[f])) &&
                !(test->external && f == PB_FREEDOM_STARTS_VARY))
                node->freedoms |= UINT64_C(1) << f;
        if (node->kind != KIND_CONTRACT)
            node->freedoms = 0;
    }
}

void draw_case(struct test_case *test, uint64_t seed, const struct draw_options *options)
{
    struct random random = {seed * UINT64_C(0xD1342543DE82EF95) + UINT64_C(0x632BE59BD9B4E019)};
    random_bits(&random);
    const char *class = draw_class(&random, options->kinds);
    if (options->class)
        class = options->class;
    const struct defect *defect = defect_by_name(class);
    const bool faults =
        !strcmp(class, "faults") || (defect && shows_beside_faults(defect) && random_chance(&random, 30));
    do {
        *test = (struct test_case){.seed = seed,
                                   .class = class,
                                   .guard_ps = UNSET,
                                   .head_ps = UNSET,
                                   .payload = UNSET,
                                   .superframes = UNSET,
                                   .start_early_ps = UNSET,
                                   .start_late_ps = UNSET,
                                   .max_superframes = UNSET,
                                   .max_occupancy = UNSET,
                                   .recovery = UNSET};
    } while (!draw_once(&random, test, options, class, faults) ||
             (!strcmp(class, "idle") && !(test->expected & V_INCONCLUSIVE)));
    draw_freedoms(test, seed);
}
