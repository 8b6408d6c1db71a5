/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Host memory of emulated nodes that have started and wait: what each takes apart from its SRAM, by the heap,
 * and how much of its SRAM, of which the system gives a page only when it is written, by the resident set.
 */
#define _DEFAULT_SOURCE
#include "bench/nodes/node.h"
#include "bench/perf/figures.h"
#include "phasebench/error.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

enum { NODES = 400, ASLEEP_MS = 20, BOOT_MS = 200 };
#define PS_PER_MS INT64_C(1000000000)

/* Bytes of the heap in use, and pages of anonymous memory that are this process's own. */
struct memory {
    double heap, resident;
};

static struct memory now(void)
{
    const struct mallinfo2 heap = mallinfo2();
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[160];
    unsigned long kb = 0;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Private_Dirty: %lu kB", &kb) == 1)
            break;
    if (!file || !kb)
        perf_die("/proc/self/smaps_rollup does not say Private_Dirty");
    fclose(file);
    return (struct memory){(double)(heap.uordblks + heap.hblkhd), (double)kb * 1024};
}

static struct pb_node *start(const char *image, uint32_t address)
{
    const struct pb_node_config config = {.address = address,
                                          PB_NODE_CUBE(12),
                                          .payload_bytes = 6,
                                          .phase_rate_mhz = 10000000,
                                          .baud_hz = 1000000,
                                          .console_baud_hz = 460800,
                                          .head_guard_ps = 5000000,
                                          .tail_guard_ps = 5000000,
                                          .seed = address};
    const struct pb_node_inputs in = {.line = 0xFFFF, .nrst = true, .uart0_rx = true};
    struct pb_node_outputs out;
    struct pb_node *node;
    struct pb_diag diag;
    if (pb_node_image_create(&node, &config, image, NULL, &diag))
        perf_die("%s", diag.text);
    int64_t at_ps = 0, next_ps;
    while ((next_ps = node->ops->advance(node, at_ps, &in, &out)) < at_ps + ASLEEP_MS * PS_PER_MS)
        if ((at_ps = next_ps) > BOOT_MS * PS_PER_MS)
            perf_die("%s does not fall asleep within %d ms", image, BOOT_MS);
    return node;
}

int main(int argc, char **argv)
{
    static struct pb_node *node[NODES];
    if (argc != 4)
        perf_die("usage: mcu_nodes JSON-FILE PART IMAGE");
    figures_open(argv[1], "a");
    node[0] = start(argv[3], 0); /* reads and decodes the image */
    const struct memory before = now();
    for (uint32_t i = 1; i < NODES; i++)
        node[i] = start(argv[3], i);
    const struct memory after = now();
    const double heap = (after.heap - before.heap) / (NODES - 1);
    const double all = (after.resident - before.resident) / (NODES - 1);
    char id[64], what[80];
    printf("\n%d nodes that wait, with %s\n", NODES, argv[3]);
    snprintf(id, sizeof id, "mcu.%s_node", argv[2]);
    snprintf(what, sizeof what, "%s: a node without its SRAM (at most 10240)", argv[2]);
    figure(id, what, heap, "bytes");
    snprintf(id, sizeof id, "mcu.%s_sram", argv[2]);
    snprintf(what, sizeof what, "%s: a node in all, with the SRAM that it has written", argv[2]);
    figure(id, what, all, "bytes");
    for (unsigned i = 0; i < NODES; i++)
        pb_node_destroy(node[i]);
    return figures_close();
}
