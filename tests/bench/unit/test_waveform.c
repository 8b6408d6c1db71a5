/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Files in addition to a waveform, on request of a run that passes: its pins as VCD, read by a parser of IEEE
 * 1364's value change dump that is written here, and the save file of GTKWave, every signal of which the
 * waveform must declare (as the library turns it into VCD). Pins in both forms of a dump.
 * Instants are those of the schedule: 10 kHz, the frame after the head guard of 5 us.
 */
#include "bench/sim/fst.h"
#include "host/rig/pin_dump.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PHASE_PS INT64_C(100000000)
#define US_PS INT64_C(1000000)
#define SYNC_PS                                                                                              \
    INT64_C(100000) /* a stamp is up to 4 ticks of 20.8 ns later than its pin: synchroniser, filter */
enum { SIGNALS_MAX = 8000, EDGES_MAX = 4000 };

static const char *folder;
static char fst[96], vcd[96], gtkw[96];
static char whole[96]; /* the waveform itself, turned into VCD */

/* ---- a value change dump */

struct signal {
    char name[160]; /* scopes and name, joined by dots, and the range as written */
    char id[8];
    unsigned bits;
};
static struct signal *signals;
static size_t signal_count;
static int64_t unit_ps; /* of time in the dump */

struct edges { /* of one bit of a signal */
    struct {
        int64_t ps;
        char level;
    } edge[EDGES_MAX];
    size_t count;
};

static const struct signal *find_signal(const char *name)
{
    for (size_t i = 0; i < signal_count; i++)
        if (!strcmp(signals[i].name, name))
            return &signals[i];
    return NULL;
}

static void read_word(FILE *file, const char *wanted)
{
    char word[160];
    assert_int_equal(fscanf(file, "%159s", word), 1);
    if (wanted)
        assert_string_equal(word, wanted);
}

/* Declarations up to $enddefinitions. The scope is that of the outermost ones. */
static void read_declarations(FILE *file)
{
    char word[160], scope[400] = "";
    signal_count = 0;
    for (;;) {
        assert_int_equal(fscanf(file, "%159s", word), 1);
        if (!strcmp(word, "$scope")) {
            assert_int_equal(fscanf(file, "%*s %159s", word), 1);
            snprintf(scope + strlen(scope), sizeof scope - strlen(scope), "%s.", word);
            read_word(file, "$end");
        } else if (!strcmp(word, "$upscope")) {
            assert_true(*scope);
            scope[strlen(scope) - 1] = 0;
            char *dot = strrchr(scope, '.');
            scope[dot ? dot + 1 - scope : 0] = 0;
            read_word(file, "$end");
        } else if (!strcmp(word, "$var")) {
            struct signal *signal = &signals[signal_count++];
            assert_true(signal_count < SIGNALS_MAX);
            assert_int_equal(fscanf(file, "%*s %u %7s %159s", &signal->bits, signal->id, word), 3);
            snprintf(signal->name, sizeof signal->name, "%.80s%.60s", scope, word);
            while (fscanf(file, "%159s", word) == 1 && strcmp(word, "$end")) /* the range */
                snprintf(signal->name + strlen(signal->name), sizeof signal->name - strlen(signal->name),
                         "%.20s", word);
            char *single = strstr(signal->name, "[0:0]");
            if (single) /* as GTKWave calls them */
                strcpy(single, "[0]");
        } else if (!strcmp(word, "$timescale")) {
            char scale[16] = "";
            while (fscanf(file, "%159s", word) == 1 && strcmp(word, "$end"))
                snprintf(scale + strlen(scale), sizeof scale - strlen(scale), "%.4s", word);
            unit_ps = !strcmp(scale, "1ps") ? 1 : 1000;
            assert_true(unit_ps == 1 || !strcmp(scale, "1ns"));
        } else if (!strcmp(word, "$enddefinitions")) {
            read_word(file, "$end");
            return;
        } else { /* $date, $version, $comment */
            assert_int_equal(*word, '$');
            while (fscanf(file, "%159s", word) == 1 && strcmp(word, "$end"))
                continue;
        }
    }
}

/* The level of one bit whenever it is another one. Bits of a vector that are not written are 0. */
static void read_changes(FILE *file, const struct signal *signal, unsigned bit, struct edges *edges)
{
    char word[2000], id[8];
    int64_t now_ps = -1;
    *edges = (struct edges){.count = 0};
    while (fscanf(file, "%1999s", word) == 1) {
        char level = 0;
        if (*word == '#') {
            const int64_t next_ps = strtoll(word + 1, NULL, 10) * unit_ps;
            assert_true(next_ps > now_ps);
            now_ps = next_ps;
        } else if (*word == 'b' || *word == 'B') {
            const size_t digits = strlen(word + 1);
            assert_int_equal(fscanf(file, "%7s", id), 1);
            assert_int_equal(strspn(word + 1, "01xz"), digits);
            if (!strcmp(id, signal->id))
                level = bit < digits ? word[digits - bit] : '0';
        } else if (strchr("01xz", *word)) {
            if (!strcmp(word + 1, signal->id))
                level = *word;
        } else {
            assert_int_equal(*word, '$');
        }
        if (level && (!edges->count || edges->edge[edges->count - 1].level != level)) {
            assert_true(edges->count < EDGES_MAX);
            edges->edge[edges->count].ps = now_ps;
            edges->edge[edges->count++].level = level;
        }
    }
}

static struct edges *edges_in(const char *path, const char *name, unsigned bit)
{
    struct edges *edges = hand_over(malloc(sizeof *edges), free);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    read_declarations(file);
    const struct signal *signal = find_signal(name);
    if (!signal)
        fail_msg("%s is not in the file", name);
    assert_true(bit < signal->bits);
    read_changes(file, signal, bit, edges);
    fclose(file);
    return edges;
}

static struct edges *edges_of(const char *name, unsigned bit)
{
    return edges_in(whole, name, bit);
}

static void turn(void)
{
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    assert_true(pb_fst_to_vcd(fst, file));
    assert_int_equal(fclose(file), 0);
}

/* ---- tests */

/* The sender of the first transmission of this run in phase 1 is the node, on link 0. */
static struct pb_result *write_window(struct pb_scenario **scenario, uint32_t superframe, unsigned phase)
{
    const struct pb_run_options options = {.trace_path = fst, .trace_vcd = true};
    *scenario = load_shipped("ref");
    struct pb_result *result = run_scenario(*scenario, NULL);
    assert_verdict(result, PB_VERDICT_PASS);
    assert_succeeds(pb_run_window(result, *scenario, &options, superframe, phase, &diag));
    assert_string_equal(result->trace_path, "");
    turn();
    return result;
}

TEST(a_window_shows_two_phases_before_and_after)
{
    struct pb_scenario *scenario;
    struct pb_result *result = write_window(&scenario, 1, 0);
    const int64_t at_ps = result->clock_start_ps + 24 * PHASE_PS;
    struct edges *clock = edges_of("phasebench.tdma_clk_o", 0), *sync = edges_of("phasebench.tdma_sync_o", 0),
                 *link = edges_of("phasebench.link_i[11:0]", 0);
    size_t rising = 0, marked = 0;
    for (size_t i = 1; i < clock->count; i++) {
        if (clock->edge[i].level != '1')
            continue;
        const int64_t off_ps =
            (clock->edge[i].ps - at_ps + 10 * PHASE_PS + PHASE_PS / 2) % PHASE_PS - PHASE_PS / 2;
        assert_in_range(off_ps < 0 ? -off_ps : off_ps, 0, SYNC_PS);
        marked += llabs(clock->edge[i].ps - at_ps) <= SYNC_PS;
        rising++;
    }
    assert_in_range(rising, 3, 5); /* the edges at both ends of the window may be missing */
    assert_int_equal(marked, 1);
    /* SYNC is high through phase 0 alone. */
    assert_int_equal(sync->count, 3);
    assert_in_range(sync->edge[1].ps, at_ps - 2 * US_PS, at_ps + 2 * US_PS);
    assert_in_range(sync->edge[2].ps, at_ps + PHASE_PS - 2 * US_PS, at_ps + PHASE_PS + 2 * US_PS);
    /* Its neighbour sends in phase 0 after 5 us of head guard, and it in phase 1; a frame has 9 bytes. */
    assert_true(link->count > 2 * 9 * 2);
    assert_in_range(link->edge[1].ps, at_ps + 5 * US_PS - US_PS / 10, at_ps + 5 * US_PS + US_PS);
}

/* The same edges under the name of one pin, to the nanosecond. */
static void compare_pin(const char *pin, const char *signal, unsigned bit)
{
    const struct edges *shown = edges_in(vcd, pin, 0), *made = edges_of(signal, bit);
    assert_int_equal(shown->count, made->count);
    for (size_t i = 0; i < made->count; i++) {
        assert_int_equal(shown->edge[i].level, made->edge[i].level);
        if (i) /* the first level is that of the begin */
            assert_true(llabs(shown->edge[i].ps - made->edge[i].ps) <= 500);
    }
}

TEST(vcd_has_one_scalar_for_each_pin)
{
    struct pb_scenario *scenario;
    write_window(&scenario, 1, 0);
    compare_pin("pins.TDMA_CLK", "phasebench.tdma_clk_o", 0);
    compare_pin("pins.TDMA_SYNC", "phasebench.tdma_sync_o", 0);
    for (unsigned link = 0; link < 12; link++) {
        compare_pin(formatted("pins.link%u", link), "phasebench.link_i[11:0]", link);
        compare_pin(formatted("pins.link%u_bench_pulls", link), "phasebench.link_pull_o[11:0]", link);
    }
    edges_in(vcd, "pins.node0_UART0_TX", 0);
    assert_int_equal(signal_count, 2 + 2 * 12 + 4);
    for (size_t i = 0; i < signal_count; i++)
        assert_int_equal(signals[i].bits, 1);
    assert_true(edges_in(vcd, "pins.link0", 0)->count > 2 * 9 * 2);
}

/* Changes in any order, some before and after the range, two within a nanosecond, a pin beyond the 94 codes
 * of one character. */
TEST(pins_are_dumped_in_both_forms)
{
    static const struct {
        unsigned pin;
        int64_t ps;
        bool high;
    } change[] = {{1, 5400, true},  {0, 900, true},    {1, 3000, false}, {0, 500, false}, {1, 9000, false},
                  {99, 7600, true}, {0, 6000, false}, {0, 6200, true},   {0, 2000, true}};
    struct pb_pin_dump *dump;
    char line[80];
    assert_int_equal(pb_pin_dump_open(&dump), PB_OK);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(pb_pin_dump_pin(dump, formatted("p%u", i), i < 2), PB_OK);
    for (size_t i = 0; i < sizeof change / sizeof change[0]; i++)
        assert_int_equal(pb_pin_dump_change(dump, change[i].pin, change[i].ps, change[i].high), PB_OK);
    assert_int_equal(pb_pin_dump_vcd(dump, vcd, 1000, 8000), PB_OK);
    assert_int_equal(pb_pin_dump_fst(dump, fst, 1000, 8000), PB_OK);
    pb_pin_dump_free(dump);
    FILE *file = fopen(vcd, "r");
    while (fgets(line, sizeof line, file) && strcmp(line, "$enddefinitions $end\n"))
        continue;
    char text[2000];
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    /* Up to 1 ns p0 is high again, p99 low; of the fall at 6.0 and the rise at 6.2 ns nothing is left. */
    assert_memory_equal(text, "#1\n1!\n1\"\n0#\n", 12);
    assert_non_null(strstr(text, "\n0&!\n#3\n0\"\n#5\n1\"\n#8\n1&!\n"));
    turn();
    const struct edges *first = edges_of("pins.p0", 0), *second = edges_of("pins.p1", 0),
                       *last = edges_of("pins.p99", 0);
    assert_int_equal(first->count, 3);
    assert_int_equal(first->edge[1].ps, 6000);
    assert_int_equal(first->edge[2].ps, 6200);
    assert_int_equal(second->count, 3);
    assert_int_equal(second->edge[2].ps, 5400);
    assert_int_equal(last->count, 2);
    assert_int_equal(last->edge[1].ps, 7600);
}

TEST(every_signal_of_the_save_file_is_in_the_dump)
{
    struct pb_scenario *scenario;
    struct pb_result *result = write_window(&scenario, 2, 5);
    char line[300], group[100] = "";
    unsigned links = 0, plain = 0, named = 0;
    edges_of("phasebench.tdma_clk_o", 0); /* reads the declarations */
    FILE *file = fopen(gtkw, "r");
    assert_non_null(file);
    for (unsigned number = 0; fgets(line, sizeof line, file); number++) {
        unsigned index, msb;
        line[strcspn(line, "\n")] = 0;
        if (number == 1)
            assert_string_equal(line, "[dumpfile] \"w.fst\"");
        if (*line == '*') { /* zoom, marker, 26 named ones */
            long long marker_ps;
            assert_int_equal(sscanf(line, "*-%*f %lld", &marker_ps), 1);
            assert_int_equal(marker_ps, result->clock_start_ps + (2 * 24 + 5) * PHASE_PS);
            for (char *at = line; (at = strstr(at, " -1")); at += 3)
                named++;
        } else if (*line == '-') {
            if (*group)
                assert_string_equal(line, group); /* the end of the group */
            snprintf(group, sizeof group, "%.90s", *group ? "" : line);
        } else if (*line == '+') {
            const char *traced = strstr(line, "} ");
            assert_true(*group && traced);
            if (sscanf(traced + 2, "(%u)%*[^[][%u:0]", &index, &msb) == 2) {
                unsigned number_of_link;
                assert_int_equal(sscanf(line, "+{link %u", &number_of_link), 1);
                assert_int_equal(msb, 11);
                assert_int_equal(index, msb - number_of_link); /* GTKWave 3.3.118 counts from the left */
                traced = strchr(traced, ')') - 1;
                links++;
            } else {
                plain++;
            }
            const char *name = formatted("%s", traced + 2);
            if (!find_signal(name))
                fail_msg("%s is not in the dump", name);
        }
    }
    fclose(file);
    assert_string_equal(group, "");
    assert_int_equal(named, 26);
    assert_int_equal(links, 2 * 12);
    assert_int_equal(plain, 2 + 4); /* clock and sync; reset, boot, console both ways */
}

static void set_up(void)
{
    signals = calloc(SIGNALS_MAX, sizeof *signals);
    assert_non_null(signals);
    folder = new_folder();
    snprintf(fst, sizeof fst, "%s/w.fst", folder);
    snprintf(vcd, sizeof vcd, "%s/w.vcd", folder);
    snprintf(gtkw, sizeof gtkw, "%s/w.gtkw", folder);
    snprintf(whole, sizeof whole, "%s/whole.vcd", folder);
}

static void tear_down(void)
{
    free(signals);
    unlink(fst);
    unlink(vcd);
    unlink(gtkw);
    unlink(whole);
    assert_int_equal(rmdir(folder), 0); /* nothing else is left */
}

AROUND_ALL(set_up, tear_down)
