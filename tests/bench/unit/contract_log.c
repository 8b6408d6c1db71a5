/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/unit/contract_log.h"

#include <math.h>

struct pb_node_config log_config(void)
{
    return (struct pb_node_config){
        .address = ADDRESS,
        PB_NODE_CUBE(DIMS),
        .payload_bytes = PAYLOAD,
        .phase_rate_mhz = 10000000,
        .baud_hz = 1000000,
        .console_baud_hz = 1000000,
        .head_guard_ps = GUARD,
        .tail_guard_ps = GUARD,
        .irq_latency_ps = US,
        .seed = 3,
    };
}

void log_open(struct log *log, struct pb_node *node)
{
    log->length = 0;
    log->text[0] = '\0';
    log->edges = 0;
    log->low_from = log->low_to = -1;
    pins_init(&log->pins, node, NULL);
}

void log_close(struct log *log)
{
    pins_free(&log->pins);
}

__attribute__((format(printf, 2, 3))) static void log_add(struct log *log, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(log->text + log->length, LOG_SIZE - log->length, format, list);
    va_end(list);
    assert_true(length >= 0 && log->length + (size_t)length < LOG_SIZE);
    log->length += (size_t)length;
}

unsigned log_edge(struct log *log, int64_t ps, bool sync)
{
    assert_true(log->edges < LOG_EDGES_MAX);
    pins_change(&log->pins, ps, PIN_SYNC, sync);
    pins_change(&log->pins, ps, PIN_CLK, true);
    pins_change(&log->pins, ps + 10 * US, PIN_CLK, false);
    log->edge[log->edges] = ps;
    return log->edges++;
}

void log_superframes(struct log *log, unsigned count)
{
    const int64_t start = log->edges ? log->edge[log->edges - 1] + PERIOD : FIRST;
    for (unsigned i = 0; i < count; i++)
        log_edge(log, start + i * PERIOD, i % PHASES == 0);
}

void log_ask(struct log *log, const char *line)
{
    char text[100];
    snprintf(text, sizeof text, "%s\n", line);
    log_add(log, "> %s\n", line);
    log_add(log, "< %s\n", console_ask(&log->pins, 0, text));
}

void log_frame(uint8_t frame[FRAME], uint8_t destination, uint8_t sequence, uint8_t first, uint8_t second)
{
    make_frame(frame, destination, sequence, PAYLOAD, first, (unsigned)second - first);
}

void log_neighbour(struct log *log, unsigned edge, int dimension, const uint8_t *bytes, size_t count)
{
    pins_uart(&log->pins, (enum pin)(PIN_LINE0 + dimension), log->edge[edge] + GUARD, BIT, bytes, count);
}

static const char *edge_name(char *name, size_t size, int edge)
{
    snprintf(name, size, edge < 0 ? "boot" : "e%d", edge);
    return name;
}

/* How many edges of a run of bytes lie off a bit boundary by more than a tenth of a bit, and the first. */
static void log_shape(struct log *log, struct probe probe, int64_t from, int64_t to)
{
    unsigned odd = 0;
    double first = 0;
    for (size_t i = 1; i < log->pins.samples; i++) {
        const struct sample *sample = &log->pins.sample[i];
        if (sample->ps <= from || sample->ps >= to ||
            probe_level(sample, probe) == probe_level(sample - 1, probe))
            continue;
        const double bits = (double)(sample->ps - from) / (double)BIT;
        if (fabs(bits - round(bits)) < 0.1)
            continue;
        first = odd++ ? first : bits;
    }
    if (odd)
        log_add(log, " odd %u at %.1f", odd, first);
}

static int64_t next_rise(const struct log *log, struct probe probe, int64_t from, int64_t to)
{
    for (size_t i = 0; i < log->pins.samples; i++)
        if (log->pins.sample[i].ps >= from && log->pins.sample[i].ps < to &&
            probe_level(&log->pins.sample[i], probe))
            return log->pins.sample[i].ps;
    return to;
}

static void log_window(struct log *log, const char *name, int64_t from, int64_t to)
{
    uint16_t high = 0;
    for (int d = 0; d < 12; d++) {
        const struct probe probe = {0, d};
        struct decoded decoded;
        if (!level_at(&log->pins, probe, from))
            log_add(log, "%s d%d low %.1f\n", name, d,
                    (double)(next_rise(log, probe, from, to) - from) / 1e6);
        const int64_t fall = next_fall(&log->pins, probe, from + 1);
        if (fall < 0 || fall >= to)
            continue;
        const int64_t rise = next_rise(log, probe, fall, to), again = next_fall(&log->pins, probe, rise);
        const double start = floor((double)(fall - from) / 1e5) / 10;
        if (again < 0 || again >= to) {
            log_add(log, "%s d%d pulse +%.1f %.1f\n", name, d, start, (double)(rise - fall) / 1e6);
            continue;
        }
        decode_uart(&log->pins, probe, BIT, fall, to, &decoded);
        log_add(log, "%s d%d +%.1f", name, d, start);
        for (size_t i = 0; i < decoded.length; i++)
            log_add(log, " %02X", decoded.byte[i]);
        log_add(log, "%s", decoded.framing_errors ? " stop" : "");
        log_shape(log, probe, fall, to);
        log_add(log, "\n");
    }
    for (size_t i = 0; i < log->pins.samples; i++)
        if (log->pins.sample[i].ps >= from && log->pins.sample[i].ps < to)
            high |= log->pins.sample[i].high[0];
    if (high)
        log_add(log, "%s high %X\n", name, high);
}

static void log_uart(struct log *log, int64_t from, int64_t to)
{
    struct decoded decoded;
    decode_uart(&log->pins, (struct probe){0, -1}, CONSOLE_BIT_PS, from, to, &decoded);
    for (size_t i = 0; i < decoded.length; i++) {
        if (i == 0 || decoded.byte[i - 1] == '\n')
            log_add(log, "uart ");
        if (decoded.byte[i] >= ' ' && decoded.byte[i] <= '~')
            log_add(log, "%c", decoded.byte[i]);
        else if (decoded.byte[i] == '\n')
            log_add(log, "\n");
        else
            log_add(log, "<%02X>", decoded.byte[i]);
    }
    if (decoded.length > 0 && decoded.byte[decoded.length - 1] != '\n')
        log_add(log, "\n");
}

void log_play(struct log *log, int64_t until_ps)
{
    char name[16];
    const int64_t played = log->pins.now;
    pins_run(&log->pins, until_ps);
    if (log->low_from >= 0) {
        log_window(log, "reset", log->low_from, log->low_to);
        if (!level_at(&log->pins, (struct probe){0, -1}, log->low_from + US))
            log_add(log, "reset uart low\n");
    }
    for (int edge = -1; edge < (int)log->edges; edge++) {
        const int64_t from = edge < 0 ? 0 : log->edge[edge];
        const int64_t to = edge + 1 < (int)log->edges ? log->edge[edge + 1] : until_ps;
        if (edge >= 0 || log->low_from < 0)
            log_window(log, edge_name(name, sizeof name, edge), from, to);
    }
    log_uart(log, played + 1, until_ps);
}

void log_counters(struct log *log)
{
    char text[2048];
    snprintf(text, sizeof text, "%s", console_ask(&log->pins, 0, "T\n"));
    for (char *at = strtok(text, " "); at; at = strtok(NULL, " "))
        if (!strstr(at, "=0") && strcmp(at, "+T") != 0)
            log_add(log, "T %s\n", at);
}
