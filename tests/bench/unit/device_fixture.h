/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The device of a simulated rig, open for one test. */
#ifndef DEVICE_FIXTURE_H
#define DEVICE_FIXTURE_H

#include "phasebench/device.h"
#include "tests/bench/unit/run_fixture.h"

struct rig {
    struct pb_device *device;
    const struct pb_device_info *info;
    struct pb_events events;
    struct pb_diag diag;
};

extern struct rig *const rig;

#define OK(call)                                                                                             \
    do {                                                                                                     \
        const int code_ = (call);                                                                            \
        if (code_ < 0)                                                                                       \
            fail_msg("%s: %d: %s", #call, code_, rig->diag.text);                                            \
    } while (0)

/* The rig of the scenario; close_rig is the function after a test. */
void open_rig(const char *yaml, const char *url);
int close_rig(void **state);

/* The register at an address. */
uint32_t get(unsigned address);
void put(unsigned address, uint32_t value);

#endif
