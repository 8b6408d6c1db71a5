/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The save file has the format of GTKWave 3.3: values in brackets, a line of zoom, marker and named
 * markers, then the traces, each after its flags (`@` and hexadecimal).
 */
#include "host/rig/waveform.h"

#include "bench/sim/fst.h"
#include "host/base/utf8.h"
#include "host/plan/node_map.h"
#include "host/rig/pin_dump.h"
#include "phasebench/error.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FLAGS_BITS "@28\n"      /* binary, right-justified */
#define FLAGS_GROUP "@800200\n" /* begin of a group, without a wave */
#define FLAGS_GROUP_END "@1000200\n"
/* At a zoom of -z GTKWave shows 2^z units of time in 200 pixels; its wave pane starts with about 500. */
enum { NAMED_MARKERS = 26, ZOOM_PIXELS = 200, WINDOW_PIXELS = 500 };

static int end(FILE *file, bool good)
{
    good = !ferror(file) && good;
    return fclose(file) == 0 && good ? PB_OK : PB_ERR_IO;
}

/* ---- pins */

/* X(name of the pins in the simulation): the shown pins. */
#define PINS(X)                                                                                              \
    X(tdma_clk_o)                                                                                            \
    X(tdma_sync_o)                                                                                           \
    X(tdma_clk_i) X(tdma_sync_i) X(link_i) X(link_pull_o) X(node_nrst_o) X(node_boot0_o) X(uart0_o) X(uart0_i)

enum pin {
#define PIN_ENUM(name) PIN_##name,
    PINS(PIN_ENUM)
#undef PIN_ENUM
        PIN_COUNT
};
static const char *const pin_name[PIN_COUNT] = {
#define PIN_NAME(name) #name,
    PINS(PIN_NAME)
#undef PIN_NAME
};

struct pins {
    char scope[64];           /* common to all: the outermost */
    unsigned bits[PIN_COUNT]; /* 0: not in the file */
    bool ranged[PIN_COUNT];
};

static void note_pin(void *context, const char *scope, const char *name, unsigned bits, bool ranged)
{
    struct pins *pins = context;
    if (!*pins->scope)
        snprintf(pins->scope, sizeof pins->scope, "%s", scope);
    for (int i = 0; i < PIN_COUNT; i++)
        if (!strcmp(name, pin_name[i]) && !strcmp(scope, pins->scope)) {
            pins->bits[i] = bits;
            pins->ranged[i] = ranged;
        }
}

/* ---- VCD */

/* What a pin is called, with the number of its link or node; NULL: once on the bench. */
static const struct {
    enum pin pin;
    const char *name, *of;
} dumped[] = {
    {PIN_tdma_clk_o, "TDMA_CLK", NULL},     {PIN_tdma_sync_o, "TDMA_SYNC", NULL},
    {PIN_link_i, "link%u", "link"},         {PIN_link_pull_o, "link%u_bench_pulls", "link"},
    {PIN_node_nrst_o, "node%u_NRST", ""},   {PIN_node_boot0_o, "node%u_BOOT0", ""},
    {PIN_uart0_o, "node%u_UART0_RX", ""},   {PIN_uart0_i, "node%u_UART0_TX", ""},
};
enum { DUMPED = sizeof dumped / sizeof dumped[0] };

struct levels {
    struct pb_pin_dump *dump;
    unsigned first[DUMPED], bits[DUMPED]; /* pins of the dump */
    int64_t end_ps;
    int code;
};

static void take_levels(void *context, unsigned choice, uint64_t at_ps, const char *value)
{
    struct levels *levels = context;
    const size_t length = strlen(value);
    for (unsigned bit = 0; bit < levels->bits[choice] && bit < length; bit++)
        if (!levels->code)
            levels->code = pb_pin_dump_change(levels->dump, levels->first[choice] + bit, (int64_t)at_ps,
                                              value[length - 1 - bit] == '1');
    levels->end_ps = (int64_t)at_ps > levels->end_ps ? (int64_t)at_ps : levels->end_ps;
}

/* In follow mode the bench does not drive TDMA_CLK and TDMA_SYNC, but reads them. */
static enum pin source_of(unsigned row, bool follow)
{
    const enum pin pin = dumped[row].pin;
    return !follow                  ? pin
           : pin == PIN_tdma_clk_o  ? PIN_tdma_clk_i
           : pin == PIN_tdma_sync_o ? PIN_tdma_sync_i
                                    : pin;
}

static int declare(struct levels *levels, const struct pins *pins, const struct pb_waveform_view *view,
                   const char *source[DUMPED])
{
    const unsigned links = view->scenario->node_count * view->scenario->network.ports;
    unsigned declared = 0;
    for (unsigned row = 0; row < DUMPED; row++) {
        const enum pin pin = source_of(row, view->scenario->follow);
        const unsigned used = !dumped[row].of ? 1 : *dumped[row].of ? links : view->scenario->node_count;
        source[row] = pin_name[pin];
        levels->first[row] = declared;
        levels->bits[row] = pins->bits[pin] < used ? pins->bits[pin] : used;
        for (unsigned bit = 0; bit < levels->bits[row]; bit++, declared++) {
            char name[40];
            snprintf(name, sizeof name, dumped[row].name, bit);
            if (pb_pin_dump_pin(levels->dump, name, true))
                return PB_ERR_MEMORY;
        }
    }
    return PB_OK;
}

int pb_waveform_vcd(const char *fst_path, const char *vcd_path, const struct pb_waveform_view *view)
{
    struct pins pins = {.scope = ""};
    struct levels levels = {.dump = NULL};
    const char *source[DUMPED];
    const int64_t from_ps = view->from_ps > 0 ? view->from_ps : 0;
    int code = pb_fst_signals(fst_path, note_pin, &pins) ? pb_pin_dump_open(&levels.dump) : PB_ERR_IO;
    if (!code)
        code = declare(&levels, &pins, view, source);
    if (!code && !pb_fst_values(fst_path, pins.scope, source, DUMPED, take_levels, &levels))
        code = PB_ERR_IO;
    if (!code && !levels.code)
        code = pb_pin_dump_vcd(levels.dump, vcd_path, from_ps, levels.end_ps);
    pb_pin_dump_free(levels.dump);
    return code ? code : levels.code;
}

/* ---- save file */

/* Adds one bit of the pins under a name. GTKWave counts the bits of a vector from the left. */
static void trace(FILE *file, const struct pins *pins, enum pin pin, unsigned bit, const char *shown)
{
    const unsigned bits = pins->bits[pin];
    if (bit >= bits)
        return;
    fprintf(file, "+{%s} ", shown);
    if (bits > 1)
        fprintf(file, "(%u)%s.%s[%u:0]\n", bits - 1 - bit, pins->scope, pin_name[pin], bits - 1);
    else
        fprintf(file, "%s.%s%s\n", pins->scope, pin_name[pin], pins->ranged[pin] ? "[0]" : "");
}

static void begin_group(FILE *file, const char *title)
{
    fprintf(file, FLAGS_GROUP "-%s\n" FLAGS_BITS, title);
}

static void end_group(FILE *file, const char *title)
{
    fprintf(file, FLAGS_GROUP_END "-%s\n", title);
}

static void clock_group(FILE *file, const struct pins *pins, bool follow)
{
    begin_group(file, "clock and sync");
    trace(file, pins, follow ? PIN_tdma_clk_i : PIN_tdma_clk_o, 0, "TDMA_CLK");
    trace(file, pins, follow ? PIN_tdma_sync_i : PIN_tdma_sync_o, 0, "TDMA_SYNC");
    end_group(file, "clock and sync");
}

static void link_groups(FILE *file, const struct pins *pins, const struct pb_scenario *scenario)
{
    const int digits = (int)pb_network_address_digits(&scenario->network);
    char title[64], shown[64];
    for (unsigned node_index = 0; node_index < scenario->node_count; node_index++) {
        const uint32_t address = scenario->node[node_index].address;
        snprintf(title, sizeof title, "links of 0x%0*" PRIX32, digits, address);
        begin_group(file, title);
        for (unsigned port = 0; port < scenario->network.ports; port++) {
            const unsigned link = pb_link_of(scenario, node_index, port);
            snprintf(shown, sizeof shown, "link %u to 0x%0*" PRIX32, link, digits,
                     pb_network_neighbour(&scenario->network, address, port));
            trace(file, pins, PIN_link_i, link, shown);
            snprintf(shown, sizeof shown, "link %u, bench pulls", link);
            trace(file, pins, PIN_link_pull_o, link, shown);
        }
        end_group(file, title);
    }
}

static void node_groups(FILE *file, const struct pins *pins, const struct pb_scenario *scenario)
{
    static const struct {
        enum pin pin;
        const char *shown;
    } row[] = {{PIN_node_nrst_o, "NRST"},
               {PIN_node_boot0_o, "BOOT0"},
               {PIN_uart0_o, "UART0_RX"},
               {PIN_uart0_i, "UART0_TX"}};
    char title[64];
    for (unsigned node_index = 0; node_index < scenario->node_count; node_index++) {
        snprintf(title, sizeof title, "node 0x%0*" PRIX32, (int)pb_network_address_digits(&scenario->network),
                 scenario->node[node_index].address);
        begin_group(file, title);
        for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
            trace(file, pins, row[i].pin, node_index, row[i].shown);
        end_group(file, title);
    }
}

int pb_waveform_save_file(const char *fst_path, const char *save_path, const struct pb_waveform_view *view)
{
    struct pins pins = {.scope = ""};
    char name[200];
    FILE *file = fopen(save_path, "w");
    if (!file)
        return PB_ERR_IO;
    const bool good = pb_fst_signals(fst_path, note_pin, &pins) && *pins.scope;
    const int64_t from_ps = view->from_ps > 0 ? view->from_ps : 0;
    pb_utf8_clean(name, sizeof name, view->scenario->name);
    fprintf(file, "[*] %s\n[dumpfile] \"%s\"\n[timestart] %" PRId64 "\n", name, view->dump_name, from_ps);
    fprintf(file, "*-%.6f %" PRId64, log2((double)(view->to_ps - from_ps) * ZOOM_PIXELS / WINDOW_PIXELS),
            view->marker_ps);
    for (int i = 0; i < NAMED_MARKERS; i++)
        fputs(" -1", file);
    fprintf(file, "\n[treeopen] %s.\n", pins.scope);
    clock_group(file, &pins, view->scenario->follow);
    link_groups(file, &pins, view->scenario);
    node_groups(file, &pins, view->scenario);
    return end(file, good);
}
