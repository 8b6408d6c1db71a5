/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A scenario gives the same events, tick by tick, on the simulated rig and through libftdi1, libusb and the
 * virtual FT2232H. Every shipped scenario: RIG_EVENTS=all; else some of each sort. Not the one whose clock
 * comes from outside: that clock runs on its own, so where a run meets it is chance.
 *
 * evidence: driver of a board (--rig ftdi:)
 *   run against the virtual FT2232H, with the same program, libftdi1 and libusb: every shipped scenario
 *   without an external clock gives the events of `sim:`, tick by tick; unplugging, a hung chip, a foreign
 *   chip, another register map, two hosts, a killed host; on no real chip yet
 *   also: boards.sh
 *
 * evidence: FIFO host ports
 *   proven: the crossing between the clocks, the bus, no byte lost, doubled or out of order; simulated
 *   against a chip written from the data sheet, and cycle by cycle behind the virtual FT2232H; on no chip
 *   yet
 *   also: make proofs, make rtl-check
 */
#include "rig_fixture.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { SUPERFRAMES = 3 };

/* A FIFO, for the UART does not carry every edge; the synchronous one for several nodes. `port` of that FIFO.
 */
static void compare(const char *path, bool sync, const char *port)
{
    char options[64];
    struct rig_server server;
    struct pb_scenario *scenario;
    assert_succeeds(pb_scenario_load(&scenario, path, &diag));
    if (scenario->superframes > SUPERFRAMES && !scenario->fault_count)
        scenario->superframes = SUPERFRAMES;
    sync |= scenario->node_count > 1;
    scenario->capture = PB_CAPTURE_EDGES;
    snprintf(options, sizeof options, "mode=%s&port=%s", sync ? "sync" : "fifo&channel=B", port);
    rig_serve(&server, path, 1, options);
    const struct pb_observation *const there =
        play_scenario(scenario, sync ? "ftdi:?mode=syncfifo" : "ftdi:?mode=fifo");
    rig_stop(&server);
    const struct pb_observation *const here = play_scenario(scenario, "sim:");
    assert_int_equal(there->overruns, 0);
    assert_int_equal(there->events_lost, here->events_lost);
    assert_same_events(here, there);
    pb_scenario_free(scenario);
}

TEST(test_shipped)
{
    static const char *const some[] = {
        "demo", "ref", "push-pull", "starc", "broken/late-start", "faults/broken-wires"};
    const char *all = getenv("RIG_EVENTS");
    glob_t found = {0};
    char path[128];
    if (!all || strcmp(all, "all")) {
        for (size_t i = 0; i < COUNT(some); i++) {
            snprintf(path, sizeof path, "host/scenarios/%s.yaml", some[i]);
            print_message("%s\n", path);
            compare(path, false, "stream");
        }
        return;
    }
    assert_int_equal(glob("host/scenarios/*.yaml", 0, NULL, &found), 0);
    assert_int_equal(glob("host/scenarios/*/*.yaml", GLOB_APPEND, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (strstr(found.gl_pathv[i], "outside-clock"))
            continue;
        print_message("%s\n", found.gl_pathv[i]);
        compare(found.gl_pathv[i], false, "stream");
        compare(found.gl_pathv[i], true, "pins");
    }
    globfree(&found);
}

/* Clock by clock at the pins of the core's FIFO ports. The asynchronous one does not carry every edge of a
 * busy node. */
TEST(test_pins)
{
    static const char *const synchronous[] = {"demo", "pairs", "faults/broken-wires"};
    char path[128];
    for (size_t i = 0; i < COUNT(synchronous); i++) {
        snprintf(path, sizeof path, "host/scenarios/%s.yaml", synchronous[i]);
        print_message("%s\n", path);
        compare(path, true, "pins");
    }
    compare("host/scenarios/xor-one-bit.yaml", false, "pins");
}
