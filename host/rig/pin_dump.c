/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/rig/pin_dump.h"
#include "host/base/room.h"

#include "bench/sim/fst.h"
#include "phasebench/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCOPE "pins"
enum { NAME_SIZE = 40, NS_PS = 1000, FIRST_CODE = '!', CODES = '~' - '!' + 1 };

struct change {
    int64_t at_ps;
    size_t number; /* of the call */
    unsigned pin;
    bool high;
};

struct pb_pin_dump {
    struct pin {
        char name[NAME_SIZE];
        bool high; /* before all changes */
    } * pin; /* owned */
    unsigned pins;
    struct change *change; /* owned */
    size_t changes, capacity;
};

int pb_pin_dump_open(struct pb_pin_dump **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? PB_OK : PB_ERR_MEMORY;
}

int pb_pin_dump_pin(struct pb_pin_dump *dump, const char *name, bool high)
{
    struct pin *more = realloc(dump->pin, (dump->pins + 1) * sizeof *more);
    if (!more)
        return PB_ERR_MEMORY;
    dump->pin = more;
    dump->pin[dump->pins].high = high;
    snprintf(dump->pin[dump->pins++].name, NAME_SIZE, "%s", name);
    return PB_OK;
}

int pb_pin_dump_change(struct pb_pin_dump *dump, unsigned pin, int64_t at_ps, bool high)
{
    if (pb_make_room(&dump->change, &dump->capacity, dump->changes + 1, sizeof *dump->change))
        return PB_ERR_MEMORY;
    dump->change[dump->changes] = (struct change){at_ps, dump->changes, pin, high};
    dump->changes++;
    return PB_OK;
}

void pb_pin_dump_free(struct pb_pin_dump *dump)
{
    if (!dump)
        return;
    free(dump->pin);
    free(dump->change);
    free(dump);
}

static int compare(const void *left, const void *right)
{
    const struct change *a = left, *b = right;
    if (a->at_ps != b->at_ps)
        return a->at_ps < b->at_ps ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* ---- both forms: the same pass */

/* What a form does with the pins at one instant. */
struct form {
    bool (*at)(void *context, int64_t time);
    bool (*level)(void *context, unsigned pin, bool high);
    void *context;
    int64_t unit_ps;
};

/* Emits the pins that differ from what was written, with their instant before the first. */
static bool emit(const struct pb_pin_dump *dump, const struct form *form, int64_t time, const bool *now,
                 bool *written, bool all)
{
    bool good = true, begun = false;
    for (unsigned i = 0; i < dump->pins && good; i++) {
        if (!all && now[i] == written[i])
            continue;
        good = (begun || form->at(form->context, time)) && form->level(form->context, i, now[i]);
        begun = true;
        written[i] = now[i];
    }
    return good;
}

static bool play(struct pb_pin_dump *dump, const struct form *form, int64_t from_ps, int64_t to_ps)
{
    bool *now = calloc(2 * (size_t)dump->pins + 1, sizeof *now), *written = now ? now + dump->pins : NULL;
    bool good = now != NULL;
    size_t next = 0;
    if (dump->changes)
        qsort(dump->change, dump->changes, sizeof *dump->change, compare);
    for (unsigned i = 0; i < dump->pins && good; i++)
        now[i] = dump->pin[i].high;
    for (; good && next < dump->changes && dump->change[next].at_ps <= from_ps; next++)
        now[dump->change[next].pin] = dump->change[next].high;
    int64_t time = from_ps / form->unit_ps;
    good = good && emit(dump, form, time, now, written, true);
    while (good && next < dump->changes && dump->change[next].at_ps <= to_ps) {
        const int64_t at = (dump->change[next].at_ps + form->unit_ps / 2) / form->unit_ps;
        if (at > time) {
            good = emit(dump, form, time, now, written, false);
            time = at;
        }
        now[dump->change[next].pin] = dump->change[next].high;
        next++;
    }
    good = good && emit(dump, form, time, now, written, false);
    if (good && to_ps / form->unit_ps > time)
        good = form->at(form->context, to_ps / form->unit_ps); /* duration of the last levels */
    free(now);
    return good;
}

/* ---- VCD */

/* Identifiers of VCD: printable characters, the least significant first. */
static void code_of(char code[8], unsigned pin)
{
    size_t length = 0;
    do {
        code[length++] = (char)(FIRST_CODE + pin % CODES);
        pin /= CODES;
    } while (pin-- && length < 7);
    code[length] = '\0';
}

struct vcd {
    FILE *file;
    int64_t time; /* written last; -1: none */
};

static bool vcd_at(void *context, int64_t time)
{
    struct vcd *vcd = context;
    if (time != vcd->time)
        fprintf(vcd->file, "#%" PRId64 "\n", time);
    vcd->time = time;
    return !ferror(vcd->file);
}

static bool vcd_level(void *context, unsigned pin, bool high)
{
    struct vcd *vcd = context;
    char code[8];
    code_of(code, pin);
    fprintf(vcd->file, "%d%s\n", high, code);
    return !ferror(vcd->file);
}

int pb_pin_dump_vcd(struct pb_pin_dump *dump, const char *path, int64_t from_ps, int64_t to_ps)
{
    struct vcd vcd = {fopen(path, "w"), -1};
    const struct form form = {vcd_at, vcd_level, &vcd, NS_PS};
    if (!vcd.file)
        return PB_ERR_IO;
    fputs("$timescale 1 ns $end\n$scope module " SCOPE " $end\n", vcd.file);
    for (unsigned i = 0; i < dump->pins; i++) {
        char code[8];
        code_of(code, i);
        fprintf(vcd.file, "$var wire 1 %s %s $end\n", code, dump->pin[i].name);
    }
    fputs("$upscope $end\n$enddefinitions $end\n", vcd.file);
    const bool good = play(dump, &form, from_ps, to_ps) && !ferror(vcd.file);
    return fclose(vcd.file) == 0 && good ? PB_OK : PB_ERR_IO;
}

/* ---- FST */

static bool fst_at(void *context, int64_t time)
{
    pb_fst_time(context, (uint64_t)time);
    return true;
}

static bool fst_level(void *context, unsigned pin, bool high)
{
    pb_fst_level(context, pin, high);
    return true;
}

int pb_pin_dump_fst(struct pb_pin_dump *dump, const char *path, int64_t from_ps, int64_t to_ps)
{
    const char **name = calloc(dump->pins + 1u, sizeof *name);
    for (unsigned i = 0; name && i < dump->pins; i++)
        name[i] = dump->pin[i].name;
    struct pb_fst_writer *writer = name ? pb_fst_create(path, SCOPE, name, dump->pins) : NULL;
    const struct form form = {fst_at, fst_level, writer, 1};
    const bool good = writer && play(dump, &form, from_ps, to_ps);
    pb_fst_close(writer);
    free(name);
    return good ? PB_OK : PB_ERR_IO;
}
