/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Measures the speed of the simulated bench and the time of its parts. Prints a table, and writes one JSON
 * object per line into a file. Usage: perf JSON-FILE TRACE-FILE KIND..., kinds as show_foreign lists them.
 * The numbers depend on the machine and its load, so no number is a failure.
 */
#include "bench/perf/perf.h"
#include "bench/perf/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { ROUNDS = 3, PERF_FOREIGN = 5 };

/* Returns millions of clocks per second. */
static double mclocks(struct perf_sample sample)
{
    return (double)sample.clocks * 1e3 / (double)sample.cpu_ns;
}

static struct perf_sample best_core(enum pb_sim_shape shape, bool traffic, uint64_t clocks)
{
    struct perf_sample best = {0, INT64_MAX};
    for (int i = 0; i < ROUNDS; i++) {
        const struct perf_sample sample = perf_core(shape, traffic, clocks);
        if (best.clocks == 0 || mclocks(sample) > mclocks(best))
            best = sample;
    }
    return best;
}

static double total_ns(const struct perf_session *session)
{
    return (double)(session->play.cpu_ns + session->check_cpu_ns);
}

static struct perf_session best_session(const struct perf_load *load, enum perf_trace trace,
                                        const char *trace_path)
{
    struct perf_session best = perf_session(load, trace, trace_path);
    for (int i = 1; i < ROUNDS; i++) {
        const struct perf_session session = perf_session(load, trace, trace_path);
        if (total_ns(&session) < total_ns(&best))
            best = session;
    }
    return best;
}

/* All methods in each round, so that the load of the machine affects all alike. */
static void show_movement(const char *id, const char *what, const char *network, enum pb_rule rule)
{
    static const struct {
        const char *id, *what;
    } way[PERF_WAYS] = {{"plain", "a plain movement"},
                        {"list", "of a list"},
                        {"endless", "of a generator without end"},
                        {"noted", "the same, each crossing noted"}};
    double best[PERF_WAYS] = {0};
    char row_id[64];
    for (int i = 0; i < ROUNDS; i++)
        for (unsigned k = 0; k < PERF_WAYS; k++) {
            const struct perf_hops moved = perf_movement(network, rule, (enum perf_way)k);
            const double rate = (double)moved.hops * 1e3 / (double)moved.cpu_ns;
            best[k] = rate > best[k] ? rate : best[k];
        }
    printf("%s\n", what);
    for (unsigned k = 0; k < PERF_WAYS; k++) {
        snprintf(row_id, sizeof row_id, "%s.%s", id, way[k].id);
        figure(row_id, way[k].what, best[k], "M hops/s");
    }
    snprintf(row_id, sizeof row_id, "%s.ratio", id);
    figure(row_id, "of a list against a plain movement", best[PERF_LIST] / best[PERF_PLAIN], "times");
}

/* All in each round, as above. */
static void show_machine(const char *json)
{
    static const struct {
        enum pb_machine_engine engine;
        unsigned superframes;
    } runs[] = {{PB_ENGINE_SLOT, 32}, {PB_ENGINE_FIRMWARE, 32}, {PB_ENGINE_WIRE, 4}};
    double best[PB_ENGINES] = {0};

    for (int i = 0; i < ROUNDS; i++)
        for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
            const double rate = perf_machine(runs[k].engine, NULL, runs[k].superframes);
            best[runs[k].engine] = rate > best[runs[k].engine] ? rate : best[runs[k].engine];
        }
    printf("\nA machine of 4,096 nodes at full load, 49,152 frames a superframe\n");
    figure("machine.slot", "engine slot, superframes a second", best[PB_ENGINE_SLOT], "1/s");
    figure("machine.firmware", "engine firmware (at least 200 are wanted)", best[PB_ENGINE_FIRMWARE], "1/s");
    figure("machine.ratio", "engine slot against engine firmware",
           best[PB_ENGINE_SLOT] / best[PB_ENGINE_FIRMWARE], "times");
    figure("machine.wire", "engine wire (at least 40 are wanted)", best[PB_ENGINE_WIRE], "1/s");
    figure("machine.wire_ratio", "engine firmware against engine wire",
           best[PB_ENGINE_FIRMWARE] / best[PB_ENGINE_WIRE], "times");

    const struct perf_threads threads = perf_threads();
    figure("machine.threads_ms", "16 dimensions at load 1, a superframe in two threads", threads.two_ms,
           "ms");
    figure("machine.threads_ratio", "one thread against two (at least 1.6 are wanted)",
           threads.one_ms / threads.two_ms, "times");
    const struct perf_large large = perf_large(getenv("PHASEBENCH"));
    figure("machine.large_gb", "20 dimensions at load 0.5 (less than 1 is wanted)", large.bytes / 1e9, "GB");
    figure("machine.large_ms", "a superframe of them, in one thread", large.superframe_ms, "ms");

    char path[4096];
    snprintf(path, sizeof path, "%s.checkpoint", json);
    const struct perf_checkpoint checkpoint = perf_checkpoint(path);
    figure("machine.checkpoint_kb", "a checkpoint at load 1, 1000 superframes", checkpoint.bytes / 1e3, "kB");
    figure("machine.checkpoint_ms", "the time that it takes, written to the disk", checkpoint.checkpoint_ms,
           "ms");
    figure("machine.checkpoint_ratio", "against a superframe of the same run",
           checkpoint.checkpoint_ms / checkpoint.superframe_ms, "times");
    figure("machine.checkpoint_share", "of the time, one every 10 s", checkpoint.checkpoint_ms / 100, "%");
}

/* core: ns per clock of the core alone with traffic. Shares are those of a run with every clock, as skipped
 * clocks are not counted. */
static void show_session(const char *id, const char *what, struct perf_load load, double core_ns)
{
    const struct perf_session session = best_session(&load, PERF_NO_TRACE, NULL);
    load.every_clock = true;
    const struct perf_session every = best_session(&load, PERF_NO_TRACE, NULL);
    const double core_share = core_ns * (double)every.play.clocks / total_ns(&every),
                 check_share = (double)every.check_cpu_ns / total_ns(&every);
    char name[64];
    printf("\n%s, %u superframes, %llu events\n", what, session.superframes,
           (unsigned long long)session.events);
#define NAME(suffix) (snprintf(name, sizeof name, "%s.%s", id, suffix), name)
    figure(NAME("mclocks"), "core clocks a second", mclocks(session.play), "M/s");
    figure(NAME("slowdown"), "slower than real time by",
           total_ns(&session) * 1e3 / (double)session.simulated_ps, "times");
    figure(NAME("superframes"), "superframes a second (at least 10 are wanted)",
           session.superframes * 1e9 / total_ns(&session), "1/s");
    figure(NAME("idle"), "with every clock (idle=run), time of that", total_ns(&every) / total_ns(&session),
           "times");
    figure(NAME("core_share"), "every clock: share of the core (clocks x core alone)", 100 * core_share, "%");
    figure(NAME("check_share"), "every clock: share of the check", 100 * check_share, "%");
    figure(NAME("check_rate"), "events that the check judges",
           (double)session.events * 1e3 / (double)session.check_cpu_ns, "M/s");
    figure(NAME("rest_share"), "every clock: the rest: nodes, wiring, host link",
           100 * (1 - core_share - check_share), "%");
#undef NAME
}

/* The same load on slower cores, in one loop, so that the load of the machine affects all alike. */
static void show_clocks(const char *id, const char *what, struct perf_load load)
{
    static const char *const name[] = {"12MHz", "24MHz", "48MHz"};
    struct perf_session best[3];
    char row_id[64], row_text[64];
    load.superframes *= 4; /* reduces the share of the start of a session */
    for (int round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < 3; i++) {
            load.clock = name[i];
            const struct perf_session session = perf_session(&load, PERF_NO_TRACE, NULL);
            if (!round || total_ns(&session) < total_ns(&best[i]))
                best[i] = session;
        }
    printf("\n%s, %u superframes, by the clock of the core\n", what, load.superframes);
    for (unsigned i = 0; i < 3; i++) {
        snprintf(row_id, sizeof row_id, "%s.%s", id, name[i]);
        snprintf(row_text, sizeof row_text, "superframes a second at clock=%s", name[i]);
        figure(row_id, row_text, load.superframes * 1e9 / total_ns(&best[i]), "1/s");
    }
    snprintf(row_id, sizeof row_id, "%s.ratio", id);
    figure(row_id, "12MHz against 48MHz", total_ns(&best[2]) / total_ns(&best[0]), "times");
}

/* Nodes outside the bench and the native one, all in each round, as above. The CPU time includes that of
 * the processes. */
static void show_foreign(char *const *kind, struct perf_load load)
{
    static const struct {
        const char *id, *what;
    } row[PERF_FOREIGN] = {{"library.pins", "native firmware as a library, function of its pins"},
                           {"library.callbacks", "template my_firmware.c as a library with handlers"},
                           {"process.c", "native firmware as a process that looks ahead"},
                           {"process.simple", "the same, woken at every change at once"},
                           {"process.python", "template my_node.py"}};
    struct perf_session best[PERF_FOREIGN + 1];
    char id[64];
    for (int round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i <= PERF_FOREIGN; i++) {
            load.kind = i ? kind[i - 1] : "native";
            const struct perf_session session = perf_session(&load, PERF_NO_TRACE, NULL);
            if (!round || total_ns(&session) < total_ns(&best[i]))
                best[i] = session;
        }
    printf("\nNodes outside the bench, 11 messages through each in a superframe (at least 0.5 is wanted)\n");
    figure("foreign.native", "native node, superframes a second", load.superframes * 1e9 / total_ns(&best[0]),
           "1/s");
    for (unsigned i = 0; i < PERF_FOREIGN; i++) {
        snprintf(id, sizeof id, "%s.superframes", row[i].id);
        figure(id, row[i].what, load.superframes * 1e9 / total_ns(&best[i + 1]), "1/s");
        snprintf(id, sizeof id, "%s.ratio", row[i].id);
        figure(id, "against the native node", total_ns(&best[0]) / total_ns(&best[i + 1]), "times");
    }
}

/* A trace needs every clock, so it is compared with a run of every clock. */
static void show_trace(const char *trace_path, struct perf_load load)
{
    struct stat file;
    load.every_clock = true;
    const struct perf_session plain = best_session(&load, PERF_NO_TRACE, NULL);
    const struct perf_session off = best_session(&load, PERF_TRACE_OFF_WINDOW, trace_path);
    const struct perf_session all = best_session(&load, PERF_TRACE_ALL, trace_path);
    printf("\nFST trace, native node\n");
    figure("trace.off_window", "tracing core with FIFO ports, off window, of the plain one",
           (double)off.play.cpu_ns / (double)plain.play.cpu_ns, "times");
    figure("trace.all", "tracing all the time, time of the plain one",
           (double)all.play.cpu_ns / (double)plain.play.cpu_ns, "times");
    if (!stat(trace_path, &file))
        figure("trace.bytes", "file size per superframe", (double)file.st_size / 1024 / load.superframes,
               "KiB");
    remove(trace_path);
}

int main(int argc, char **argv)
{
    static const uint32_t address[] = {0x2A3, 0x5C6, 0x939};
    if (argc != 3 + PERF_FOREIGN)
        perf_die("usage: perf JSON-FILE TRACE-FILE KIND...; %d kinds of node are due", PERF_FOREIGN);
    figures_open(argv[1], "w");

    printf("The Verilated core alone (CPU time, best of %d)\n", ROUNDS);
    const struct perf_sample idle12 = best_core(PB_SIM_12, false, 2000000),
                             busy12 = best_core(PB_SIM_12, true, 2000000);
    const struct perf_sample idle64 = best_core(PB_SIM_64, false, 500000),
                             busy64 = best_core(PB_SIM_64, true, 500000);
    figure("core12.idle", "12 links, 48 MHz, idle", mclocks(idle12), "M clocks/s");
    figure("core12.traffic", "12 links, 48 MHz, traffic and capture", mclocks(busy12), "M clocks/s");
    figure("core64.idle", "64 links, 24 MHz, idle", mclocks(idle64), "M clocks/s");
    figure("core64.traffic", "64 links, 24 MHz, traffic and capture", mclocks(busy64), "M clocks/s");

    const struct perf_load native = {
        .kind = "native", .address = address, .nodes = 1, .phase_rate_hz = 10000, .superframes = 20};
    struct perf_load ref = native, two = native, slow = native, native_through = native;
    ref.kind = "ref";
    two.nodes = 2;
    two.superframes = 10;
    slow.phase_rate_hz = 100;
    slow.superframes = 9;
    slow.sparse = true;
    show_session("native", "Native node, 12-link core, complement traffic at 10 kHz and 1 Mbaud", native,
                 1e3 / mclocks(busy12));
    show_clocks("clock.complement", "Native node, complement traffic", native);
    native_through.through = true;
    show_clocks("clock",
                "Native node, 11 messages through it in each superframe (at least 3 times are wanted)",
                native_through);
    show_foreign(argv + 3, native_through);
    show_session("ref", "Reference node, the same", ref, 1e3 / mclocks(busy12));
    show_session("two", "Two native nodes, 64-link core, the same", two, 1e3 / mclocks(busy64));
    const struct perf_session slowly = best_session(&slow, PERF_NO_TRACE, NULL);
    printf("\nNative node, phases at 100 Hz\n");
    figure("slow.second", "time for a second of simulated time (at most 1.5 is wanted)",
           total_ns(&slowly) * 1e3 / (double)slowly.simulated_ps, "s");
    show_trace(argv[2], native);
    printf("\nMovement of messages, uniform traffic\n");
    show_movement("movement.cube12", "12-cube, dimension order (at least 60 are wanted of a list)", "cube:12",
                  PB_RULE_ECUBE);
    show_movement("movement.cube12.any", "12-cube, opportunistic (the same)", "cube:12",
                  PB_RULE_OPPORTUNISTIC);
    show_movement("movement.mixed", "radix 16,16,16: 4096 nodes, dimension order", "generalised:16,16,16",
                  PB_RULE_ECUBE);
    show_machine(argv[1]);
    return figures_close();
}
