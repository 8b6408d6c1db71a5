/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/nodes/process.h"
#include "bench/nodes/child.h"
#include "bench/nodes/process_message.h"
#include "bench/nodes/words.h"
#include "phasebench/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_PS INT64_C(1000000000) /* 1 ms */

_Static_assert(sizeof((struct pb_node_trouble *)0)->name > PB_PROCESS_NAME_MAX, "a name fits");

enum {
    CALLS_MAX = 200000, /* that the node asks for within WINDOW_PS */
    GRACE_MS = 1000,    /* after END */
    QUOTED = 120        /* bytes of its output in an error */
};

struct process {
    struct pb_node base;
    struct pb_child *child;
    int64_t limit_ps;
    struct pb_halt halt;
    int halted; /* PB_OK, or the code of the halt that ended it */
    struct pb_node_trouble trouble;

    uint32_t inputs, outputs;
    struct pb_process_answer answer; /* the last one */
    uint32_t scheduled;              /* next change of its schedule */
    uint32_t serial, kept;           /* changes of the inputs since the last ADVANCE */
    bool aligned, ran;
    int64_t window_ps; /* begin */
    unsigned calls;    /* that the node asked for since then */

    struct pb_process_change schedule[PB_PROCESS_CHANGES_MAX];
    struct pb_process_change input[PB_PROCESS_CHANGES_MAX];
    uint8_t bytes[PB_PROCESS_HEADER + PB_PROCESS_BODY_MAX];
};

static void release(struct process *process)
{
    process->outputs = PB_PROCESS_UART0_TX;
    process->answer = (struct pb_process_answer){.wake_ps = INT64_MAX};
    process->scheduled = process->kept = 0;
    process->aligned = false;
}

/* Ends the process; `grace_ms` for one that may have ended already. */
static void stop(struct process *process, enum pb_trouble_kind kind, unsigned grace_ms, const char *broke)
{
    struct pb_node_trouble *trouble = &process->trouble;
    char end[sizeof trouble->text];
    const bool ended = pb_child_stop(process->child, grace_ms, end, sizeof end);
    pb_child_output(process->child, trouble->output, sizeof trouble->output);
    /* What it started itself may keep file descriptor 3 open after its end. */
    trouble->kind = kind = kind == PB_TROUBLE_HUNG && ended ? PB_TROUBLE_DIED : kind;
    if (kind == PB_TROUBLE_BROKE)
        snprintf(trouble->text, sizeof trouble->text, "sent %s", broke);
    else if (kind == PB_TROUBLE_HUNG)
        snprintf(trouble->text, sizeof trouble->text, "did not answer within %.3f s",
                 (double)process->limit_ps / 1e12);
    else
        snprintf(trouble->text, sizeof trouble->text, "%s", end);
    release(process);
}

/* Sends what process->bytes holds and receives the message of this type there. Returns the size of its body;
 * 0: the process is stopped. */
static size_t ask(struct process *process, uint32_t body, uint32_t type, uint32_t answer)
{
    char why[PB_PROCESS_WHY];
    uint8_t *bytes = process->bytes;
    size_t size = 0;
    pb_process_put_header(bytes, body, type);
    enum pb_child_state state =
        pb_child_send(process->child, bytes, PB_PROCESS_HEADER + body, process->limit_ps);
    if (state == PB_CHILD_FINE)
        state = pb_child_receive(process->child, bytes, PB_PROCESS_HEADER, process->limit_ps);
    if (state == PB_CHILD_FINE) {
        if (!pb_process_check_header(bytes, answer, why)) {
            stop(process, PB_TROUBLE_BROKE, 0, why);
            return 0;
        }
        size = pb_process_get32(bytes);
        state = pb_child_receive(process->child, bytes, size, process->limit_ps);
    }
    if (state == PB_CHILD_FINE)
        return size;
    if (state == PB_CHILD_HALTED) {
        process->halted = pb_halt_code(&process->halt);
        stop(process, PB_TROUBLE_NONE, 0, NULL);
        return 0;
    }
    stop(process, state == PB_CHILD_HUNG ? PB_TROUBLE_HUNG : PB_TROUBLE_DIED,
         state == PB_CHILD_HUNG ? 0 : GRACE_MS, NULL);
    return 0;
}

/* Brings the node to now_ps with the changes kept until then and these inputs. */
static void exchange(struct process *process, int64_t now_ps, uint32_t inputs)
{
    char why[PB_PROCESS_WHY];
    const struct pb_process_advance advance = {
        .now_ps = now_ps,
        .serial = ++process->serial,
        .flags = process->aligned ? PB_PROCESS_ALIGN : 0,
        .pins = inputs,
        .count = process->kept,
    };
    uint8_t *at = process->bytes + PB_PROCESS_HEADER;
    pb_process_put_advance(at, &advance);
    at += PB_PROCESS_ADVANCE_BYTES;
    for (uint32_t i = 0; i < process->kept; i++, at += PB_PROCESS_CHANGE_BYTES)
        pb_process_put_change(at, &process->input[i]);
    process->kept = process->scheduled = 0;
    process->aligned = false;
    const size_t size = ask(process, (uint32_t)(at - process->bytes - PB_PROCESS_HEADER), PB_PROCESS_ADVANCE,
                            PB_PROCESS_ANSWER);
    if (!size)
        return;
    if (pb_process_read_answer(&process->answer, process->schedule, &advance, process->bytes, size, why))
        process->outputs = process->answer.pins;
    else
        stop(process, PB_TROUBLE_BROKE, 0, why);
}

/* Before an edge of TDMA_CLK: what the process does with the changes of the phase that ends, it does in that
 * phase, so that a finding against it names the phase. */
static void end_phase(struct process *process)
{
    if (!process->kept || process->aligned || process->trouble.kind != PB_TROUBLE_NONE || process->halted)
        return;
    const struct pb_process_change last = process->input[--process->kept];
    exchange(process, last.at_ps, last.pins);
}

static uint32_t pack(const struct pb_node_inputs *in)
{
    return (in->line & PB_PROCESS_LINES) | (in->tdma_clk ? PB_PROCESS_CLK : 0) |
           (in->tdma_sync ? PB_PROCESS_SYNC : 0) | (in->nrst ? PB_PROCESS_NRST : 0) |
           (in->boot0 ? PB_PROCESS_BOOT0 : 0) | (in->uart0_rx ? PB_PROCESS_UART0_RX : 0);
}

static bool asks_too_often(struct process *process, int64_t now_ps)
{
    if (now_ps - process->window_ps >= WINDOW_PS) {
        process->window_ps = now_ps;
        process->calls = 0;
    }
    return ++process->calls > CALLS_MAX;
}

static int64_t advance(struct pb_node *node, int64_t now_ps, const struct pb_node_inputs *in,
                       struct pb_node_outputs *out)
{
    struct process *process = (struct process *)node;
    const uint32_t before = process->inputs, pins = process->inputs = pack(in), rise = pins & ~before,
                   fall = before & ~pins;
    if (rise & process->answer.urgent_rise & PB_PROCESS_CLK)
        end_phase(process);
    const bool woken = now_ps >= process->answer.wake_ps;
    if (process->trouble.kind == PB_TROUBLE_NONE)
        pb_trouble_follow(&process->trouble, rise & PB_PROCESS_CLK, in->tdma_sync, now_ps);
    while (process->scheduled < process->answer.count &&
           process->schedule[process->scheduled].at_ps <= now_ps)
        process->outputs = process->schedule[process->scheduled++].pins;
    if (process->trouble.kind == PB_TROUBLE_NONE && !process->halted) {
        if (woken && asks_too_often(process, now_ps))
            stop(process, PB_TROUBLE_BROKE, 0, "more than 200000 next times within a millisecond");
        else if (woken || process->aligned || (rise & process->answer.urgent_rise) ||
                 (fall & process->answer.urgent_fall) || process->kept == PB_PROCESS_CHANGES_MAX)
            exchange(process, now_ps, pins);
        else if (rise | fall)
            process->input[process->kept++] = (struct pb_process_change){.at_ps = now_ps, .pins = pins};
    }
    *out = (struct pb_node_outputs){
        .pull_low = process->outputs & PB_PROCESS_PULL,
        .drive_high = (uint16_t)(process->outputs >> PB_PROCESS_HIGH_SHIFT),
        .uart0_tx = process->outputs & PB_PROCESS_UART0_TX,
    };
    const int64_t next_ps =
        process->scheduled < process->answer.count ? process->schedule[process->scheduled].at_ps : INT64_MAX;
    return next_ps < process->answer.wake_ps ? next_ps : process->answer.wake_ps;
}

static void align(struct pb_node *node, int64_t now_ps)
{
    struct process *process = (struct process *)node;
    (void)now_ps; /* the advance to now follows */
    if (process->trouble.kind != PB_TROUBLE_NONE)
        return;
    process->aligned = true;
    if (!process->ran)
        pb_trouble_run_begins(&process->trouble);
    process->ran = true;
}

static void destroy(struct pb_node *node)
{
    struct process *process = (struct process *)node;
    uint8_t end[PB_PROCESS_HEADER];
    char ignored[64];
    if (process->child && process->trouble.kind == PB_TROUBLE_NONE && !process->halted) {
        pb_process_put_header(end, 0, PB_PROCESS_END);
        if (pb_child_send(process->child, end, sizeof end, process->limit_ps) == PB_CHILD_FINE)
            pb_child_stop(process->child, GRACE_MS, ignored, sizeof ignored);
    }
    pb_child_free(process->child);
    free(process);
}

static void tell_trouble(const struct pb_node *node, struct pb_node_trouble *trouble)
{
    const struct process *process = (const struct process *)node;
    *trouble = process->trouble;
    if (trouble->kind == PB_TROUBLE_NONE)
        pb_child_output(process->child, trouble->output, sizeof trouble->output);
}

static const struct pb_node_ops process_ops = {
    .advance = advance, .align = align, .destroy = destroy, .trouble = tell_trouble};

static struct pb_process_hello greeting(const struct pb_node_config *config)
{
    struct pb_process_hello hello = {
        .version = PB_PROCESS_VERSION,
        .address = config->address,
        .digits = (uint8_t)config->digits,
        .rule = config->rule == PB_NODE_OPPORTUNISTIC ? PB_PROCESS_OPPORTUNISTIC : PB_PROCESS_ECUBE,
        .codec = config->codec == PB_NODE_CODEC_STARC ? PB_PROCESS_STARC : PB_PROCESS_SLOT,
        .push_pull = config->push_pull,
        .payload_bytes = config->payload_bytes,
        .phase_rate_mhz = config->phase_rate_mhz,
        .baud_hz = config->baud_hz,
        .console_baud_hz = config->console_baud_hz,
        .clock_ppm = config->clock_ppm,
        .head_guard_ps = config->head_guard_ps,
        .tail_guard_ps = config->tail_guard_ps,
        .irq_latency_ps = config->irq_latency_ps,
        .irq_jitter_ps = config->irq_jitter_ps,
        .seed = config->seed,
    };
    memcpy(hello.radix, config->radix, sizeof hello.radix);
    return hello;
}

/* What a message calls the node, and the words of its process. */
struct program {
    const char *what, *name;
    char **word;
    bool library;
};

static int greet(struct process *process, const struct pb_node_config *config, const struct program *program,
                 struct pb_diag *diag)
{
    char why[PB_PROCESS_WHY], refusal[40];
    const struct pb_process_hello hello = greeting(config);
    pb_process_put_hello(process->bytes + PB_PROCESS_HEADER, &hello);
    const size_t size = ask(process, PB_PROCESS_HELLO_BYTES, PB_PROCESS_HELLO, PB_PROCESS_HELLO);
    if (size && !pb_process_read_version(process->bytes, size, process->trouble.name, why))
        stop(process, PB_TROUBLE_BROKE, 0, why);
    const struct pb_node_trouble *trouble = &process->trouble;
    if (process->halted)
        return pb_fail(diag, process->halted, "the %s '%.60s' had not greeted when the run was %s",
                       program->what, program->name,
                       process->halted == PB_ERR_TIMEOUT ? "out of time" : "interrupted");
    if (trouble->kind == PB_TROUBLE_NONE)
        return PB_OK;
    snprintf(refusal, sizeof refusal, "exited with code %d", PB_NODE_HOST_REFUSED);
    if (program->library && *trouble->output && !strcmp(trouble->text, refusal)) {
        const char *line = strrchr(trouble->output, '|');
        return pb_fail(diag, PB_ERR_CONFIG, "kind: cannot use the library '%.100s': %s", program->name,
                       line ? line + 1 : trouble->output);
    }
    return pb_fail(
        diag, PB_ERR_CONFIG, "kind: the %s '%.60s' did not greet, it %s%s%s; see docs/start/your-firmware.md",
        program->what, program->name, trouble->text, *trouble->output ? "; it wrote: " : "",
        pb_trouble_last_words(trouble->output, QUOTED).text);
}

static int create(struct pb_node **out, const struct pb_node_config *config, const struct program *program,
                  const struct pb_process_setting *setting, struct pb_diag *diag)
{
    *out = NULL;
    struct process *process = calloc(1, sizeof *process);
    if (!process)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for the node '%.60s'", program->name);
    process->base.ops = &process_ops;
    process->limit_ps = setting->limit_ps ? setting->limit_ps : PB_PROCESS_LIMIT_PS;
    process->halt = setting->halt;
    process->outputs = PB_PROCESS_UART0_TX;
    int code = pb_child_start(&process->child, program->word, setting->folder, diag);
    if (!code) {
        pb_child_heed(process->child, &process->halt);
        code = greet(process, config, program, diag);
    }
    if (code)
        destroy(&process->base);
    else
        *out = &process->base;
    return code;
}

int pb_node_process_create(struct pb_node **out, const struct pb_node_config *config, const char *command,
                           const struct pb_process_setting *setting, struct pb_diag *diag)
{
    const struct program program = {"process", command, pb_words_split(command), false};
    *out = NULL;
    if (!program.word)
        return errno == EINVAL
                   ? pb_fail(diag, PB_ERR_CONFIG,
                             "kind: '%.60s' has an open quote or no word; give a program and its arguments",
                             command)
                   : pb_fail(diag, PB_ERR_MEMORY, "no memory for the node '%.60s'", command);
    const int code = create(out, config, &program, setting, diag);
    free(program.word);
    return code;
}

static const char *host_program;

void pb_node_host_set(const char *program)
{
    host_program = program;
}

int pb_node_library_create(struct pb_node **out, const struct pb_node_config *config, const char *file,
                           const struct pb_process_setting *setting, struct pb_diag *diag)
{
    const char *given = getenv("PHASEBENCH"), *other = given && *given ? given : "phasebench",
               *host = host_program ? host_program : other;
    /* The words are only read. */
    char *word[] = {(char *)(uintptr_t)host, (char[]){"node-host"}, (char *)(uintptr_t)file, NULL};
    return create(out, config, &(struct program){"library", file, word, true}, setting, diag);
}

int pb_node_process_halted(const struct pb_node *node)
{
    return node->ops == &process_ops ? ((const struct process *)node)->halted : PB_OK;
}
