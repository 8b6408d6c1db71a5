/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A firmware image as a node: finds the MCU by the machine of the image, and says where the processor was if
 * it stops. Nodes with the same file share the image.
 */
#include "bench/nodes/node.h"
#include "bench/emulator/image/image.h"
#include "bench/emulator/image/settings_block.h"
#include "bench/emulator/soc/soc.h"
#include "bench/emulator/watch/watched.h"
#include "bench/nodes/figures.h"
#include "bench/nodes/trouble.h"
#include "bench/nodes/uart.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct pb_mcu_soc *const socs[] = {&pb_soc_ag32, &pb_soc_rp2040};
enum { SOCS = sizeof socs / sizeof socs[0], LINE_SIZE = 96 };
#define ASLEEP_PS INT64_C(10000000000) /* longer than anything that a part waits for while it starts */

/* An image in use, and the file that it was read from. */
struct shared {
    struct shared *next;
    unsigned nodes;
    dev_t device;
    ino_t inode;
    struct timespec changed;
    struct pb_image *image;
};
static struct shared *images;

struct image_node {
    struct pb_node base;
    const struct pb_mcu_soc *soc;
    struct shared *shared;
    struct pb_node *part;
    struct pb_watched *watched; /* NULL: not watched */
    struct pb_node_trouble trouble;
    bool ran, tdma_clk;
    uint64_t phases;             /* edges of TDMA_CLK since the run began */
    struct pb_mcu_figures start; /* when it began */
};

static int acquire(struct shared **out, const char *file, struct pb_diag *diag)
{
    struct stat status;
    if (stat(file, &status))
        return pb_fail(diag, PB_ERR_CONFIG, "kind: %.200s: %s; give the ELF file of the firmware", file,
                       strerror(errno));
    for (struct shared *shared = images; shared; shared = shared->next)
        if (shared->device == status.st_dev && shared->inode == status.st_ino &&
            shared->changed.tv_sec == status.st_mtim.tv_sec &&
            shared->changed.tv_nsec == status.st_mtim.tv_nsec) {
            shared->nodes++;
            *out = shared;
            return PB_OK;
        }
    struct shared *shared = calloc(1, sizeof *shared);
    if (!shared)
        return pb_fail(diag, PB_ERR_MEMORY, "out of memory for %.200s", file);
    *shared = (struct shared){images, 1, status.st_dev, status.st_ino, status.st_mtim, NULL};
    const int error = pb_image_read(&shared->image, file, diag);
    if (error) {
        free(shared);
        return error;
    }
    *out = images = shared;
    return PB_OK;
}

static void release(struct shared *shared)
{
    if (--shared->nodes)
        return;
    struct shared **at = &images;
    while (*at != shared)
        at = &(*at)->next;
    *at = shared->next;
    pb_image_destroy(shared->image);
    free(shared);
}

static void tell_trap(struct image_node *node, const struct pb_mcu_trap *trap, const char *words)
{
    static const char *const text[] = {
#define TRAP_TEXT(id, words) [PB_MCU_##id] = words,
        PB_MCU_TRAP_LIST(TRAP_TEXT)
#undef TRAP_TEXT
    };
    struct pb_node_trouble *trouble = &node->trouble;
    const size_t size = sizeof trouble->text;
    trouble->kind = trap->kind == PB_MCU_GAP ? PB_TROUBLE_GAP : PB_TROUBLE_TRAPPED;
    snprintf(trouble->document, sizeof trouble->document, "docs/reference/%s.md", node->soc->name);
    const int length = snprintf(trouble->text, size, "stopped at ");
    pb_image_place(node->shared->image, trap->pc, trouble->text + length, size - (size_t)length);
    if (trap->kind == PB_MCU_ILLEGAL || trap->kind == PB_MCU_BREAKPOINT)
        snprintf(trouble->output, sizeof trouble->output, "%s 0x%" PRIx32 ", pc 0x%08" PRIx32,
                 text[trap->kind], trap->address, trap->pc);
    else
        snprintf(trouble->output, sizeof trouble->output, "%s%s%s, address 0x%08" PRIx32 ", pc 0x%08" PRIx32,
                 text[trap->kind], words ? ": " : "", words ? words : "", trap->address, trap->pc);
}

/* Before the part goes on at an instant; it does only without trouble. */
static void follow(struct image_node *node, int64_t now_ps, const struct pb_node_inputs *in)
{
    const bool rise = in->tdma_clk && !node->tdma_clk;

    node->tdma_clk = in->tdma_clk;
    node->phases += rise;
    if (node->trouble.kind != PB_TROUBLE_NONE)
        return;
    pb_trouble_follow(&node->trouble, rise, in->tdma_sync, now_ps);
    if (node->watched)
        pb_watched_advance(node->watched, now_ps);
    if (node->watched && rise)
        pb_watched_phase(node->watched, now_ps, node->trouble.superframe, node->trouble.phase);
}

static bool has_ended(struct image_node *node)
{
    struct pb_mcu_trap trap;
    const char *words = NULL;

    if (!node->soc->trapped(node->part, &trap, &words))
        return false;
    tell_trap(node, &trap, words);
    return true;
}

static int64_t advance(struct pb_node *base, int64_t now_ps, const struct pb_node_inputs *in,
                       struct pb_node_outputs *out)
{
    struct image_node *node = (struct image_node *)base;

    follow(node, now_ps, in);
    if (node->trouble.kind == PB_TROUBLE_NONE) {
        const int64_t next_ps = node->part->ops->advance(node->part, now_ps, in, out);
        if (!has_ended(node))
            return next_ps;
    }
    *out = (struct pb_node_outputs){.uart0_tx = true};
    return INT64_MAX;
}

static int64_t advance_until(struct pb_node *base, int64_t now_ps, int64_t until_ps,
                             const struct pb_node_inputs *in, const struct pb_node_changes *changes)
{
    struct image_node *node = (struct image_node *)base;
    const struct pb_node_outputs released = {.uart0_tx = true};

    follow(node, now_ps, in);
    if (node->trouble.kind == PB_TROUBLE_NONE) {
        const int64_t next_ps = node->part->ops->advance_until(node->part, now_ps, until_ps, in, changes);
        if (!has_ended(node))
            return next_ps;
    }
    changes->changed(changes->context, until_ps - 1, &released);
    return INT64_MAX;
}

static void align(struct pb_node *base, int64_t now_ps)
{
    struct image_node *node = (struct image_node *)base;
    if (node->trouble.kind != PB_TROUBLE_NONE)
        return;
    node->part->ops->align(node->part, now_ps);
    if (!node->ran) {
        pb_trouble_run_begins(&node->trouble);
        node->soc->figures(node->part, &node->start);
        node->phases = 0;
    }
    node->ran = true;
}

static void destroy(struct pb_node *base)
{
    struct image_node *node = (struct image_node *)base;
    pb_node_destroy(node->part);
    pb_watched_free(node->watched);
    if (node->shared)
        release(node->shared);
    free(node);
}

static void tell_trouble(const struct pb_node *base, struct pb_node_trouble *trouble)
{
    *trouble = ((const struct image_node *)base)->trouble;
}

static bool tell_figures(const struct pb_node *base, struct pb_node_figures *figures)
{
    const struct image_node *node = (const struct image_node *)base;
    struct pb_mcu_figures now;
    node->soc->figures(node->part, &now);
    const uint64_t cycles = now.cycles - node->start.cycles, idle = now.idle_cycles - node->start.idle_cycles;
    if (!node->phases || !cycles)
        return false;
    figures->processor = node->soc->timing;
    figures->load_ppm = (int64_t)((cycles - idle) * 1e6 / (double)cycles + 0.5);
    figures->stack_bytes = now.stack_bytes;
    figures->interrupt_ps =
        (int64_t)((double)now.longest_interrupt_cycles * 1e12 / (double)now.clock_hz + 0.5);
    figures->instructions_per_phase =
        (int64_t)((now.instructions - node->start.instructions + node->phases / 2) / node->phases);
    return true;
}

static int watch_node(struct pb_node *base, unsigned index, struct pb_node_watch *watch,
                      struct pb_diag *diag)
{
    struct image_node *node = (struct image_node *)base;
    pb_watched_free(node->watched);
    return pb_watched_create(&node->watched, node->soc, node->part, node->shared->image, index, watch, diag);
}

static const struct pb_node_ops image_ops = {.advance = advance,
                                             .align = align,
                                             .destroy = destroy,
                                             .trouble = tell_trouble,
                                             .figures = tell_figures,
                                             .watch = watch_node,
                                             .advance_until = advance_until};

static const struct pb_mcu_soc *soc_of(unsigned machine)
{
    for (unsigned i = 0; i < SOCS; i++)
        if (socs[i]->machine == machine)
            return socs[i];
    return NULL;
}

const char *pb_node_image_part(unsigned machine)
{
    const struct pb_mcu_soc *soc = soc_of(machine);
    return soc ? soc->text : NULL;
}

/* The first line that the firmware says of its own accord after power-up; "" if it sleeps, or
 * PB_IMAGE_BOOT_PS are over, before that. */
static void listen_to_boot(struct pb_node *part, uint32_t baud_hz, char line[LINE_SIZE])
{
    const struct pb_node_inputs in = {.line = 0xFFFF, .nrst = true, .uart0_rx = true};
    struct pb_node_outputs out = {.uart0_tx = true};
    struct uart_rx rx;
    struct uart_byte byte;
    size_t length = 0;
    uart_rx_start(&rx, clock_rate(16 * (uint64_t)baud_hz, 0), 0, true);
    for (int64_t now_ps = 0, next_ps; now_ps < PB_IMAGE_BOOT_PS; now_ps = next_ps) {
        const int64_t part_ps = part->ops->advance(part, now_ps, &in, &out);
        if (uart_rx_advance(&rx, now_ps, out.uart0_tx, &byte)) {
            if (byte.value == '\n')
                break;
            if (length + 1 < LINE_SIZE && byte.value >= ' ' && byte.value <= '~')
                line[length++] = (char)byte.value;
        }
        next_ps = part_ps < rx.next_ps ? part_ps : rx.next_ps;
        if (next_ps > now_ps + ASLEEP_PS)
            break;
    }
    line[length] = '\0';
}

/* Firmware that cannot do its settings says so, as the process of a node does before it greets. */
static int ask_settings(const struct image_node *node, const struct pb_node_config *config, const char *file,
                        struct pb_diag *diag)
{
    static const char refusal[] = "-settings";
    char line[LINE_SIZE];
    struct pb_node *part;
    uint32_t settings;
    int error = node->soc->create(&part, node->shared->image, config, diag);
    if (error)
        return error;
    listen_to_boot(part, config->console_baud_hz, line);
    pb_node_destroy(part);
    if (strncmp(line, refusal, strlen(refusal)))
        return PB_OK;
    const char *why = line[strlen(refusal)] ? line + strlen(refusal) : " it does not say which";
    error =
        pb_settings_find(node->shared->image, node->soc->flash_base, node->soc->flash_bytes, &settings, diag);
    if (!error && !settings)
        why =
            " it has its own, as the image has no " PB_SETTINGS_SYMBOL " where the bench could write others";
    return pb_fail(diag, PB_ERR_CONFIG, "kind: the firmware %.100s refuses its settings:%s", file, why);
}

static int make(struct image_node *node, const struct pb_node_config *config, const char *file,
                struct pb_diag *diag)
{
    const char *slash = strrchr(file, '/');
    int error = acquire(&node->shared, file, diag);
    if (error)
        return error;
    node->soc = soc_of(node->shared->image->machine);
    if (!node->soc)
        return pb_fail(
            diag, PB_ERR_CONFIG,
            "kind: %.120s is for a machine (ELF number %u) that the bench does not have; it emulates: "
            "%s; %s",
            file, node->shared->image->machine, socs[0]->text, socs[1]->text);
    if (node->shared->image->other_core)
        return pb_fail(diag, PB_ERR_CONFIG,
                       "kind: %.120s is built for %s, and %s cannot run that; build it for that part", file,
                       node->shared->image->other_core, node->soc->text);
    snprintf(node->trouble.name, sizeof node->trouble.name, "%.*s", (int)sizeof node->trouble.name - 1,
             slash ? slash + 1 : file);
    error = ask_settings(node, config, file, diag);
    return error ? error : node->soc->create(&node->part, node->shared->image, config, diag);
}

int pb_node_image_create(struct pb_node **out, const struct pb_node_config *config, const char *file,
                         const char *folder, struct pb_diag *diag)
{
    char path[PATH_MAX];
    const bool relative = folder && *file != '/';
    *out = NULL;
    if (snprintf(path, sizeof path, "%s%s%s", relative ? folder : "", relative ? "/" : "", file) >=
        (int)sizeof path)
        return pb_fail(diag, PB_ERR_CONFIG, "kind: the path of the image is longer than %d bytes", PATH_MAX);
    struct image_node *node = calloc(1, sizeof *node);
    if (!node)
        return pb_fail(diag, PB_ERR_MEMORY, "out of memory for the node '%.100s'", file);
    node->base.ops = &image_ops;
    node->tdma_clk = true; /* a clock that is high at power-up gives no edge */
    const int error = make(node, config, path, diag);
    if (error)
        destroy(&node->base);
    else
        *out = &node->base;
    return error;
}
