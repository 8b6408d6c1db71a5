/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/emulator/watch/steps.h"

#include "bench/emulator/image/image_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES_MAX = 12 };

enum what { INSTRUCTION, ENTRY, RETURN, PHASE };

struct record {
    int64_t at_ps;
    uint32_t pc;       /* of PHASE: the superframe; of ENTRY: where the handler begins */
    uint32_t raw;      /* of PHASE: the phase */
    uint8_t what, bytes, changes;
    uint8_t number[CHANGES_MAX];
    uint32_t value[CHANGES_MAX];
};

struct pb_steps {
    unsigned node;
    int64_t from_ps, at_ps, to_ps;
    const struct pb_mcu_soc *soc; /* NULL: never began */
    struct pb_image *image;
    uint32_t value[PB_MCU_REGISTERS_MAX]; /* before the step */
    uint32_t handler;
    uint64_t early;      /* records before the instant, of which the last PB_STEPS_HALF are kept */
    unsigned late;       /* those after it */
    struct record record[2 * PB_STEPS_HALF]; /* a ring of early ones, then the late ones */
};

struct pb_steps *pb_steps_create(unsigned node, int64_t from_ps, int64_t at_ps, int64_t to_ps)
{
    struct pb_steps *steps = calloc(1, sizeof *steps);
    if (steps) {
        steps->node = node;
        steps->from_ps = from_ps;
        steps->at_ps = at_ps;
        steps->to_ps = to_ps;
    }
    return steps;
}

unsigned pb_steps_node(const struct pb_steps *steps)
{
    return steps->node;
}

bool pb_steps_wants(const struct pb_steps *steps, int64_t at_ps)
{
    return at_ps >= steps->from_ps && at_ps < steps->to_ps && steps->late < PB_STEPS_HALF;
}

void pb_steps_begin(struct pb_steps *steps, const struct pb_mcu_soc *soc, struct pb_image *image)
{
    steps->soc = soc;
    steps->image = pb_image_keep(image);
}

/* Room for one record more; NULL: it is not recorded. */
static struct record *add(struct pb_steps *steps, int64_t at_ps, enum what what)
{
    if (!pb_steps_wants(steps, at_ps))
        return NULL;
    const size_t at = at_ps < steps->at_ps ? (size_t)(steps->early++ % PB_STEPS_HALF)
                                           : PB_STEPS_HALF + (size_t)steps->late++;
    steps->record[at] = (struct record){.at_ps = at_ps, .what = (uint8_t)what};
    return &steps->record[at];
}

void pb_steps_phase(struct pb_steps *steps, int64_t at_ps, uint32_t superframe, unsigned phase)
{
    struct record *record = add(steps, at_ps, PHASE);
    if (record) {
        record->pc = superframe;
        record->raw = phase;
    }
}

void pb_steps_before(struct pb_steps *steps, const struct pb_node *part)
{
    steps->soc->read_registers(part, steps->value);
    steps->handler = steps->soc->handler(part);
}

static void fetch(const struct pb_steps *steps, const struct pb_node *part, struct record *record)
{
    uint8_t bytes[4];
    const struct pb_mcu_soc *soc = steps->soc;
    if (!soc->read_memory(part, record->pc, bytes, 2))
        return;
    record->raw = bytes[0] | (uint32_t)bytes[1] << 8;
    record->bytes = 2;
    if (!soc->is_wide((uint16_t)record->raw) || !soc->read_memory(part, record->pc + 2, bytes + 2, 2))
        return;
    record->raw |= (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    record->bytes = 4;
}

void pb_steps_after(struct pb_steps *steps, const struct pb_node *part, const struct pb_mcu_step *step)
{
    uint32_t now[PB_MCU_REGISTERS_MAX];
    const struct pb_mcu_soc *soc = steps->soc;
    struct record *record = add(steps, step->at_ps, step->executed ? INSTRUCTION : ENTRY);
    if (!record)
        return;
    soc->read_registers(part, now);
    record->pc = step->executed ? step->pc : now[soc->pc];
    if (step->executed)
        fetch(steps, part, record);
    for (unsigned i = 0; i < soc->register_count && record->changes < CHANGES_MAX; i++)
        if (i != soc->pc && now[i] != steps->value[i]) {
            record->number[record->changes] = (uint8_t)i;
            record->value[record->changes++] = now[i];
        }
    if (step->executed && soc->handler(part) != steps->handler &&
        (record = add(steps, step->at_ps, RETURN)))
        record->pc = now[soc->pc];
}

/* ---- text */

static void write_place(FILE *stream, const struct pb_image_lines *lines, uint32_t address)
{
    char function[96] = "-", source[96] = "-";
    const struct pb_image_function *in = pb_image_function_at(lines, address);
    const struct pb_image_line *row = pb_image_line_at(lines, address);
    if (in)
        snprintf(function, sizeof function, "%.60s+0x%" PRIx32, in->name, address - in->address);
    if (row) {
        const char *slash = strrchr(lines->file[row->file], '/');
        snprintf(source, sizeof source, "%.60s:%" PRIu32, slash ? slash + 1 : lines->file[row->file],
                 row->line);
    }
    fprintf(stream, " %-32s %-24s", function, source);
}

static void write_record(FILE *stream, const struct pb_steps *steps, const struct pb_image_lines *lines,
                         const struct record *record)
{
    fprintf(stream, "%" PRId64 ".%06" PRId64, record->at_ps / 1000000, record->at_ps % 1000000);
    if (record->what == PHASE) {
        fprintf(stream, " ==== superframe %" PRIu32 ", phase %" PRIu32 "\n", record->pc, record->raw);
        return;
    }
    if (record->what != INSTRUCTION)
        fputs(record->what == ENTRY ? " ---> interrupt," : " <--- end of interrupt,", stream);
    fprintf(stream, " 0x%08" PRIx32, record->pc);
    write_place(stream, lines, record->pc);
    if (record->what == INSTRUCTION)
        fprintf(stream, " %*.*" PRIx32, 8, 2 * record->bytes, record->raw);
    for (unsigned i = 0; i < record->changes; i++)
        fprintf(stream, " %s=0x%" PRIx32, steps->soc->registers[record->number[i]].name, record->value[i]);
    fputc('\n', stream);
}

bool pb_steps_write(const struct pb_steps *steps, FILE *stream)
{
    struct pb_image_lines *lines;
    struct pb_diag diag;
    if (!steps->soc || (!steps->early && !steps->late) || pb_image_lines_read(&lines, steps->image, &diag))
        return false;
    const uint64_t lost = steps->early > PB_STEPS_HALF ? steps->early - PB_STEPS_HALF : 0;
    fprintf(stream,
            "# node %u, %s; the failure is at %" PRId64 ".%06" PRId64 "\n"
            "# us from power-up, address, function, source, instruction, registers changed\n",
            steps->node, steps->soc->timing, steps->at_ps / 1000000, steps->at_ps % 1000000);
    if (lost)
        fprintf(stream, "# %" PRIu64 " lines before these are left out\n", lost);
    for (uint64_t i = lost; i < steps->early; i++)
        write_record(stream, steps, lines, &steps->record[i % PB_STEPS_HALF]);
    for (unsigned i = 0; i < steps->late; i++)
        write_record(stream, steps, lines, &steps->record[PB_STEPS_HALF + i]);
    fputs(steps->late == PB_STEPS_HALF ? "# end: what follows is left out\n" : "# end\n", stream);
    pb_image_lines_free(lines);
    return true;
}
