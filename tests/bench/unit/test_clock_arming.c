/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * When the core drives TDMA_CLK and TDMA_SYNC: while CTRL has RUN or CAPTURE and not FOLLOW, and at no other
 * time, whatever else the host has written. */
#include "phasebench/device.h"
#include "tests/bench/unit/core_fixture.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#define PS_PER_MS INT64_C(1000000000)
#define PS_PER_US INT64_C(1000000)

enum { RUN = 1, CAPTURE = 2, FOLLOW = 4 };

static struct core core;
static struct pb_device *device;

static void write_register(unsigned address, uint32_t value)
{
    assert_succeeds(pb_device_write(device, address, value, &diag));
    core_run(&core, PS_PER_US);
}

static void set_up(void)
{
    core_make(&core, 0);
    assert_false(core.pins.tdma_drive);
    assert_succeeds(pb_device_open(&device, &core.base, &diag));
    assert_false(core.pins.tdma_drive);
}

static void tear_down(void)
{
    pb_device_close(device);
    core_free(&core);
}

TEST(test_only_ctrl_drives_the_clock_pins)
{
    static const unsigned others[] = {PB_REG_NODE_RESET, PB_REG_NODE_BOOT,     PB_REG_LINK,
                                      PB_REG_LINK + 11,  PB_REG_EDGE_MASK0,    PB_REG_TOLERANCE,
                                      PB_REG_SCRATCH,    PB_REG_CONSOLE_SELECT};
    for (size_t i = 0; i < COUNT(others); i++) {
        write_register(others[i], 3);
        assert_false(core.pins.tdma_drive);
    }
    for (uint32_t ctrl = 0; ctrl < 8; ctrl++) {
        write_register(PB_REG_CTRL, 0);
        assert_false(core.pins.tdma_drive);
        write_register(PB_REG_CTRL, ctrl);
        assert_int_equal(core.pins.tdma_drive, ctrl && !(ctrl & FOLLOW));
        /* The safe state lasts until CTRL is written again, not only until it reads 0. */
        write_register(PB_REG_ABORT, 1);
        assert_false(core.pins.tdma_drive);
        write_register(PB_REG_NODE_RESET, 1);
        assert_false(core.pins.tdma_drive);
        core.drives = 0;
        write_register(PB_REG_CTRL, CAPTURE | FOLLOW);
        assert_int_equal(core.drives, 0); /* not for a tick */
    }
}

/* With the resets of a session in the order in which it once wrote them. */
TEST(test_reset_before_follow_drives_nothing)
{
    write_register(PB_REG_NODE_RESET, 1);
    write_register(PB_REG_LINK, 1);
    assert_false(core.pins.tdma_drive);
    write_register(PB_REG_NODE_RESET, 0);
    write_register(PB_REG_CTRL, CAPTURE | FOLLOW);
    assert_false(core.pins.tdma_drive);
    write_register(PB_REG_CTRL, RUN | CAPTURE | FOLLOW);
    assert_false(core.pins.tdma_drive);
}

/* A host that dies after it has switched the capture on leaves no driver behind. */
TEST(test_watchdog_releases_the_clock_pins)
{
    write_register(PB_REG_WATCHDOG, 3);
    write_register(PB_REG_CTRL, CAPTURE);
    assert_true(core.pins.tdma_drive);
    core_run(&core, 5 * PS_PER_MS);
    assert_false(core.pins.tdma_drive);
    write_register(PB_REG_CTRL, CAPTURE);
    assert_true(core.pins.tdma_drive);
}

AROUND_EACH(set_up, tear_down)
