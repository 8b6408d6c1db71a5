/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/run/steps.h"
#include "host/run/console_time.h"

/* The clock pins remain those of an external controller. */
static uint32_t ctrl(const struct pb_console *console, bool run)
{
    return 1u << PB_CTRL_CAPTURE_LSB | (uint32_t)run << PB_CTRL_RUN_LSB |
           (uint32_t)console->plan->follow << PB_CTRL_FOLLOW_LSB;
}

int pb_step_set(struct pb_console *console, unsigned address, uint32_t value)
{
    return pb_device_write(console->device, address, value, console->diag);
}

/* By the core's clock. A poll ends early when an event comes. */
int pb_step_wait(struct pb_console *console, unsigned ms)
{
    const uint64_t ticks = (uint64_t)ms * console->seen->info.clock_hz / 1000;
    uint32_t from = 0, now = 0;
    int code = pb_device_read(console->device, PB_REG_STAMP, &from, console->diag);
    for (now = from; !code && now - from < ticks;) {
        code = console->poll(console->context, 1);
        code = code < 0 ? code : pb_device_read(console->device, PB_REG_STAMP, &now, console->diag);
    }
    return code;
}

int pb_step_capture(struct pb_console *console)
{
    return pb_step_set(console, PB_REG_CTRL, ctrl(console, false));
}

int pb_step_reset(struct pb_console *console, uint32_t held)
{
    int code = pb_step_set(console, PB_REG_NODE_RESET, (1u << console->scenario->node_count) - 1);
    if (!code)
        code = pb_step_capture(console);
    if (!code)
        code = pb_step_wait(console, PB_STEP_RESET_MS);
    if (!code)
        code = pb_step_set(console, PB_REG_NODE_RESET, held);
    return code ? code : pb_step_wait(console, pb_scenario_boot_ms(console->scenario));
}

/* The receiver of the consoles watches one node; no line is typed while the clock runs. */
static int watch_next(struct pb_console *console)
{
    struct pb_epilogue *epilogue = &console->seen->epilogue;
    const unsigned places = sizeof epilogue->watched / sizeof epilogue->watched[0];
    if (!console->watching || epilogue->watches == places)
        return PB_OK;
    const unsigned node_index = epilogue->watches % console->scenario->node_count;
    const int code = pb_console_listen(console, node_index);
    epilogue->watched[epilogue->watches++] = node_index;
    return code ? code : pb_console_watch(console, true);
}

int pb_step_superframes(struct pb_console *console, unsigned superframes)
{
    size_t next = console->events->count;
    unsigned polls = 0;
    int code = watch_next(console);
    if (!code)
        code = pb_step_set(console, PB_REG_SUPERFRAME_LIMIT, superframes);
    if (!code)
        code = pb_step_set(console, PB_REG_CTRL, ctrl(console, true));
    for (bool stopped = false; !code && !stopped;) {
        code = console->poll(console->context, PB_CONSOLE_POLL_MS);
        if (code < 0)
            return code;
        code = PB_OK;
        for (; next < console->events->count; next++) {
            const struct pb_event *event = &console->events->event[next];
            stopped |= event->kind == PB_EVENT_CLOCK && !PB_GET(PB_EVENT_CLOCK_RUNNING, event->value);
        }
        /* The event may be late, too: that of the superframes before these. */
        if (stopped || ++polls % PB_STEP_STATUS_POLLS == 0) {
            uint32_t status = 0;
            code = pb_device_status(console->device, &status, console->diag);
            stopped = !(status >> PB_STATUS_RUNNING_LSB & PB_STATUS_RUNNING_MASK);
        }
    }
    if (!code)
        code = pb_step_capture(console);
    return code || !console->watching ? code : pb_console_watch(console, false);
}

uint64_t pb_step_lost_events(const struct pb_console *console)
{
    struct pb_device_counters counters;
    pb_device_counters(console->device, &counters);
    return counters.events_lost + counters.events_missing;
}
