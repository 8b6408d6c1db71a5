/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/unit/device_fixture.h"

static struct rig opened;
struct rig *const rig = &opened;

void open_rig(const char *yaml, const char *url)
{
    struct pb_scenario *scenario = parse_scenario(yaml);
    struct pb_transport *transport;
    opened = (struct rig){0};
    OK(pb_rig_open(&transport, &(struct pb_rig_options){.url = url}, scenario, &rig->diag));
    OK(pb_device_open(&rig->device, transport, &rig->diag));
    rig->info = pb_device_info(rig->device);
}

int close_rig(void **state)
{
    (void)state;
    pb_device_close(rig->device);
    pb_events_free(&rig->events);
    return 0;
}

uint32_t get(unsigned address)
{
    uint32_t value = 0;
    OK(pb_device_read(rig->device, address, &value, &rig->diag));
    return value;
}

void put(unsigned address, uint32_t value)
{
    OK(pb_device_write(rig->device, address, value, &rig->diag));
}
