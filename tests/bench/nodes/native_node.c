/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The native node as a process node, and what a process can do wrong. Usage:
 *   native_node [simple] [WHAT[=K]]
 * simple: every input is urgent, and nothing is scheduled. WHAT happens at the Kth rising edge of TDMA_CLK.
 *
 * The look-ahead is exact: the node is run on with its present inputs, which gives the schedule, and then set
 * back. Urgent is what could change the outputs: a level of NRST or TDMA_SYNC, an edge of TDMA_CLK, a start
 * bit on the console. Bytes on the links have no effect before the next edge.
 */
#include "tests/bench/nodes/native.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AHEAD_MAX = 1024, URGENT = PB_PROCESS_NRST | PB_PROCESS_SYNC };

static uint8_t body[PB_PROCESS_BODY_MAX], answer_bytes[PB_PROCESS_HEADER + PB_PROCESS_BODY_MAX];
static const char *what = "";
static unsigned long due, edges;
static bool simple;

/* Returns false at the end of the stream. */
static bool receive(uint8_t *bytes, size_t size)
{
    while (size) {
        const ssize_t count = read(PB_PROCESS_FD, bytes, size);
        if (count <= 0)
            return false;
        bytes += count;
        size -= (size_t)count;
    }
    return true;
}

static void transmit(const uint8_t *bytes, size_t size)
{
    while (size) {
        const ssize_t count = write(PB_PROCESS_FD, bytes, size);
        if (count <= 0)
            exit(1);
        bytes += count;
        size -= (size_t)count;
    }
}

struct model {
    struct pb_node *node;
    void *saved;
    int64_t horizon_ps, wake_ps;
    uint32_t inputs;
    struct pb_node_outputs out;
};

/* Up to a time, or before it. */
static void run_to(struct model *model, int64_t ps)
{
    const struct pb_node_inputs in = native_inputs(model->inputs);
    while (model->wake_ps <= ps)
        model->wake_ps = model->node->ops->advance(model->node, model->wake_ps, &in, &model->out);
}

static void step(struct model *model, int64_t now_ps, uint32_t inputs)
{
    const struct pb_node_inputs in = native_inputs(inputs);
    run_to(model, now_ps - 1);
    edges += (inputs & ~model->inputs & PB_PROCESS_CLK) != 0;
    model->inputs = inputs;
    model->wake_ps = model->node->ops->advance(model->node, now_ps, &in, &model->out);
}

/* Returns the number of scheduled changes. */
static uint32_t look_ahead(struct model *model, int64_t now_ps, struct pb_process_answer *answer,
                           uint8_t *to)
{
    const struct pb_node_inputs in = native_inputs(model->inputs);
    const int64_t console_ps = pb_node_native_console_ps(model->node);
    uint32_t count = 0, pins = answer->pins;
    memcpy(model->saved, model->node, pb_node_native_size());
    while (answer->wake_ps < console_ps && answer->wake_ps - now_ps < model->horizon_ps &&
           count < AHEAD_MAX) {
        const int64_t at_ps = answer->wake_ps;
        struct pb_node_outputs out;
        answer->wake_ps = model->node->ops->advance(model->node, at_ps, &in, &out);
        if (native_outputs(&out) == pins)
            continue;
        pins = native_outputs(&out);
        const struct pb_process_change change = {.at_ps = at_ps, .pins = pins};
        pb_process_put_change(to + count++ * PB_PROCESS_CHANGE_BYTES, &change);
    }
    memcpy(model->node, model->saved, pb_node_native_size());
    if (console_ps < answer->wake_ps)
        answer->wake_ps = console_ps;
    answer->urgent_rise = URGENT | PB_PROCESS_CLK;
    answer->urgent_fall = URGENT | (console_ps == INT64_MAX ? PB_PROCESS_UART0_RX : 0);
    return count;
}

static bool is(const char *name)
{
    return !strcmp(what, name);
}

static void misbehave(struct pb_process_answer *answer, size_t *size)
{
    uint8_t *entry = answer_bytes + PB_PROCESS_HEADER + PB_PROCESS_ANSWER_BYTES;
    if (is("exit"))
        exit(3);
    if (is("crash"))
        raise(SIGSEGV);
    if (is("sleep"))
        pause();
    if (is("loop"))
        for (;;)
            edges++;
    if (is("close")) {
        close(PB_PROCESS_FD);
        pause();
    }
    if (is("half")) {
        transmit(answer_bytes, *size / 2);
        pause();
    }
    if (is("flood")) {
        memset(answer_bytes, 0x55, sizeof answer_bytes);
        for (;;)
            transmit(answer_bytes, sizeof answer_bytes);
    }
    if (is("mutter"))
        for (;;)
            puts("and on and on");
    if (is("twice"))
        transmit(answer_bytes, *size);
    if (is("type"))
        answer_bytes[4] = 9;
    if (is("long"))
        pb_process_put32(answer_bytes, PB_PROCESS_BODY_MAX + 16);
    if (is("past"))
        answer->wake_ps = 0;
    if (is("serial"))
        answer->serial++;
    if (is("count"))
        answer->count++;
    if (is("urgent"))
        answer->urgent_rise = 1 << 17;
    if (is("bits"))
        answer->pins = 1 << 13;
    if (is("contest"))
        answer->pins = 1 << PB_PROCESS_HIGH_SHIFT | 1;
    if (is("backwards") && answer->count > 1)
        memcpy(entry, entry + PB_PROCESS_CHANGE_BYTES, PB_PROCESS_CHANGE_BYTES);
    pb_process_put_answer(answer_bytes + PB_PROCESS_HEADER, answer);
}

static void answer_advance(struct model *model)
{
    const struct pb_process_advance advance = pb_process_get_advance(body);
    for (uint32_t i = 0; i < advance.count; i++) {
        const struct pb_process_change change =
            pb_process_get_change(body + PB_PROCESS_ADVANCE_BYTES + i * PB_PROCESS_CHANGE_BYTES);
        step(model, change.at_ps, change.pins);
    }
    if (advance.flags & PB_PROCESS_ALIGN) {
        run_to(model, advance.now_ps - 1);
        model->node->ops->align(model->node, advance.now_ps);
    }
    step(model, advance.now_ps, advance.pins);

    struct pb_process_answer answer = {.wake_ps = model->wake_ps,
                                       .serial = advance.serial,
                                       .urgent_rise = PB_PROCESS_INPUTS,
                                       .urgent_fall = PB_PROCESS_INPUTS,
                                       .pins = native_outputs(&model->out)};
    if (!simple)
        answer.count = look_ahead(model, advance.now_ps, &answer,
                                  answer_bytes + PB_PROCESS_HEADER + PB_PROCESS_ANSWER_BYTES);
    if (is("eager")) /* a next time that is always at once */
        answer.wake_ps = edges >= due ? advance.now_ps + 1 : answer.wake_ps;
    const uint32_t size = PB_PROCESS_ANSWER_BYTES + answer.count * PB_PROCESS_CHANGE_BYTES;
    size_t whole = PB_PROCESS_HEADER + size;
    pb_process_put_header(answer_bytes, size, PB_PROCESS_ANSWER);
    pb_process_put_answer(answer_bytes + PB_PROCESS_HEADER, &answer);
    if (due && edges >= due)
        misbehave(&answer, &whole);
    transmit(answer_bytes, whole);
}

static struct pb_node *greet(struct model *model)
{
    const struct pb_process_hello hello = pb_process_get_hello(body);
    model->horizon_ps = INT64_C(1250000000000000) / hello.phase_rate_mhz; /* the clock may be slow */

    static const char name[] = "native";
    uint8_t greeting[PB_PROCESS_HEADER + PB_PROCESS_VERSION_BYTES + sizeof name - 1];
    pb_process_put_header(greeting, sizeof greeting - PB_PROCESS_HEADER, PB_PROCESS_HELLO);
    pb_process_put32(greeting + PB_PROCESS_HEADER, PB_PROCESS_VERSION + is("version"));
    memcpy(greeting + PB_PROCESS_HEADER + PB_PROCESS_VERSION_BYTES, name, sizeof name - 1);
    if (is("name"))
        greeting[PB_PROCESS_HEADER + PB_PROCESS_VERSION_BYTES] = '\n';
    if (is("mute"))
        pause();
    if (is("print")) {
        puts("a node \033[31mthat prints");
        fflush(stdout);
        fputs("on both\n", stderr);
    }
    if (is("leave"))
        exit(5);
    transmit(greeting, sizeof greeting);
    return native_of(&hello);
}

int main(int argc, char **argv)
{
    struct model model = {.wake_ps = INT64_MAX};
    uint8_t header[PB_PROCESS_HEADER];
    for (int i = 1; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        simple |= !strcmp(argv[i], "simple");
        if (!strcmp(argv[i], "simple"))
            continue;
        what = argv[i];
        if (equals) {
            *equals = '\0';
            due = strtoul(equals + 1, NULL, 10);
        }
    }
    model.saved = malloc(pb_node_native_size());
    while (model.saved && receive(header, sizeof header)) {
        const uint32_t size = pb_process_get32(header), type = pb_process_get32(header + 4);
        if (size > sizeof body || !receive(body, size))
            break;
        if (type == PB_PROCESS_HELLO && !(model.node = greet(&model)))
            break;
        if (type == PB_PROCESS_ADVANCE)
            answer_advance(&model);
        if (type == PB_PROCESS_END && is("stay"))
            pause();
        if (type == PB_PROCESS_END) {
            pb_node_destroy(model.node);
            free(model.saved);
            return 0;
        }
    }
    return 2;
}
