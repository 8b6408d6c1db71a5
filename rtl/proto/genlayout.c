/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Layouts and numbers of regs.def: events, records, packets, and the values of their fields. A part has LSB,
 * WIDTH and MASK in C, and LSB, WIDTH and RANGE in Verilog, where NAME_PACK(part, ..., lowest part) is the
 * word of the parts. NAME_PACK widens no part, so that a lint reports an argument of the wrong width.
 */
#include "genregs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REG(name, address, access, reset, text)
#define ARRAY(name, address, count, reset, text)
#define FIELD(reg, name, lsb, width, text)
#define PART(layout, name, lsb, width, text)
#define SPARE(owner, lsb, width)
#define OPCODE(name, value, text)
#define STATUS_CODE(name, value, text)
#define EVENT(name, value, text)
#define FAULT_KIND(name, value, text)
#define ALARM(name, value, text)
#define NUMBER(set, name, bits, value, text)
#define LAYOUT(name, bits, text) {__LINE__, #name, bits, text},
static const struct layout {
    int line;
    const char *name;
    unsigned bits;
    const char *text;
} layouts[] = {
#include "regs.def"
};
#undef LAYOUT
#undef NUMBER
#undef OPCODE
#undef STATUS_CODE
#undef EVENT
#undef FAULT_KIND
#undef ALARM
#define LAYOUT(name, bits, text)
#define NUMBER(set, name, bits, value, text) {__LINE__, #set, #name, bits, value, text},
#define OPCODE(name, value, text) {__LINE__, "OPCODE", #name, 8, value, text},
#define STATUS_CODE(name, value, text) {__LINE__, "STATUS", #name, 8, value, text},
#define EVENT(name, value, text) {__LINE__, "EVENT", #name, 4, value, text},
#define FAULT_KIND(name, value, text) {__LINE__, "FAULT", #name, 5, value, text},
#define ALARM(name, value, text) {__LINE__, "ALARM", #name, 5, value, text},
static const struct number {
    int line;
    const char *set, *name;
    unsigned bits;
    uint32_t value;
    const char *text;
} numbers[] = {
#include "regs.def"
};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0], NUMBERS = sizeof numbers / sizeof numbers[0] };
enum { BITS_MAX = 1024, NAME_MAX = 64 };

static const struct layout *find_layout(const char *name)
{
    for (const struct layout *l = layouts; l < layouts + LAYOUTS; l++)
        if (!strcmp(l->name, name))
            return l;
    return NULL;
}

int is_layout(const char *name)
{
    return find_layout(name) != NULL;
}

static const struct field *find_part(const char *layout, const char *name)
{
    for (const struct field *f = next_field(layout, NULL); f; f = next_field(layout, f))
        if (f->name && !strcmp(f->name, name))
            return f;
    return NULL;
}

/* ---- checks */

static void check_layout(const struct layout *l)
{
    if (!l->bits || l->bits > BITS_MAX)
        refuse(l->line, l->name, "a layout of %u bits; limit 1..%d", l->bits, BITS_MAX);
    for (const struct layout *o = layouts; o < l; o++)
        if (!strcmp(l->name, o->name))
            refuse(l->line, l->name, "name used twice, first in line %d; each name once", o->line);
    hash_string(l->name);
    hash_number(l->bits);
    const unsigned end = check_fields(l->name, l->line, l->bits);
    if (end != l->bits)
        refuse(l->line, l->name, "a gap at the end (bits %u..%u); name it with a SPARE", l->bits - 1, end);
}

static void check_number(const struct number *n)
{
    if (!n->bits || n->bits > 32)
        refuse(n->line, n->name, "a number of %u bits; limit 1..32", n->bits);
    if (n->bits < 32 && n->value >> n->bits)
        refuse(n->line, n->name, "value wider than its field (0x%x); limit %u bits", n->value, n->bits);
    for (const struct number *o = numbers; o < n; o++) {
        if (strcmp(n->set, o->set))
            continue;
        if (!strcmp(n->name, o->name))
            refuse(n->line, n->name, "name used twice in the set %s, first in line %d; each name once", n->set, o->line);
        if (n->value == o->value)
            refuse(n->line, n->name, "value used twice in the set %s (0x%x), first in line %d; each value once", n->set, n->value,
                   o->line);
    }
    hash_string(n->set);
    hash_string(n->name);
    hash_number(n->bits);
    hash_number(n->value);
}

/* Every kind of event has a layout: of its value, or of the whole event with stamp and kind at the same bits as every event. */
static void check_event(const struct number *n)
{
    char name[NAME_MAX];
    const struct layout *whole = find_layout("EVENT");
    const struct field *value = find_part("EVENT", "VALUE"), *kind = find_part("EVENT", "KIND");
    snprintf(name, sizeof name, "EVENT_%s", n->name);
    const struct layout *l = find_layout(name);
    if (!whole || !value || !kind)
        refuse(n->line, n->name, "no layout EVENT with the parts VALUE and KIND; a kind of event needs it");
    if (!l)
        refuse(n->line, n->name, "no layout %s; each kind of event has one", name);
    if (n->bits != kind->width)
        refuse(n->line, n->name, "a kind of %u bits in a part of %u; the same", n->bits, kind->width);
    if (l->bits == value->width)
        return;
    if (l->bits != whole->bits)
        refuse(l->line, l->name, "a layout of %u bits; limit %u, as the value, or %u, as the event", l->bits, value->width,
               whole->bits);
    for (const struct field *f = next_field("EVENT", NULL); f; f = next_field("EVENT", f)) {
        const struct field *own = f == kind || !strcmp(f->name, "STAMP") ? find_part(name, f->name) : f;
        if (!own || own->lsb != f->lsb || own->width != f->width)
            refuse(own ? own->line : l->line, l->name, "%s is not where EVENT has it; bits %u..%u", f->name, f->lsb + f->width - 1,
                   f->lsb);
    }
}

void check_and_hash_layouts(void)
{
    for (const struct layout *l = layouts; l < layouts + LAYOUTS; l++)
        check_layout(l);
    for (const struct number *n = numbers; n < numbers + NUMBERS; n++) {
        check_number(n);
        if (!strcmp(n->set, "EVENT"))
            check_event(n);
    }
}

/* ---- C */

static unsigned long long mask_of(const struct field *f)
{
    return (1ull << f->width) - 1;
}

static const char accessors[] =
    "/* Parts and fields of up to 64 bits: PB_GET(PB_EVENT_KIND, word), PB_PUT(PB_EVENT_KIND, kind). PB_SET is the word with another\n"
    " * value in that part. Bits beyond the part are cut off. */\n"
    "#define PB_GET(part, word) ((word) >> part##_LSB & part##_MASK)\n"
    "#define PB_PUT(part, value) (((value) & part##_MASK) << part##_LSB)\n"
    "#define PB_SET(part, word, value) (((word) & ~(part##_MASK << part##_LSB)) | PB_PUT(part, value))\n\n"
    "/* The same in bytes, low byte first; other bits of the bytes keep their values. */\n"
    "#define PB_BYTES_GET(part, bytes) pb_bytes_get((bytes), part##_LSB, part##_WIDTH)\n"
    "#define PB_BYTES_PUT(part, bytes, value) pb_bytes_put((bytes), part##_LSB, part##_WIDTH, (value))\n"
    "static inline uint32_t pb_bytes_get(const uint8_t *bytes, unsigned lsb, unsigned width)\n"
    "{\n"
    "    uint32_t value = 0;\n"
    "    for (unsigned done = 0; done < width;) {\n"
    "        const unsigned at = lsb + done, room = 8 - at % 8, count = width - done < room ? width - done : room;\n"
    "        value |= ((uint32_t)bytes[at / 8] >> at % 8 & ((1u << count) - 1)) << done;\n"
    "        done += count;\n"
    "    }\n"
    "    return value;\n"
    "}\n"
    "static inline void pb_bytes_put(uint8_t *bytes, unsigned lsb, unsigned width, uint32_t value)\n"
    "{\n"
    "    for (unsigned done = 0; done < width;) {\n"
    "        const unsigned at = lsb + done, room = 8 - at % 8, count = width - done < room ? width - done : room;\n"
    "        const unsigned mask = ((1u << count) - 1) << at % 8;\n"
    "        bytes[at / 8] = (uint8_t)((bytes[at / 8] & ~mask) | (value >> done << at % 8 & mask));\n"
    "        done += count;\n"
    "    }\n"
    "}\n";

void print_c_layouts(void)
{
    printf("\n");
    for (const struct number *n = numbers; n < numbers + NUMBERS; n++)
        printf("#define PB_%s_%s 0x%02xu\n", n->set, n->name, n->value);
    printf("\n");
    for (const struct layout *l = layouts; l < layouts + LAYOUTS; l++) {
        printf("#define PB_%s_BITS %uu /* %s */\n", l->name, l->bits, l->text);
        if (l->bits % 8 == 0)
            printf("#define PB_%s_BYTES %uu\n", l->name, l->bits / 8);
        for (const struct field *f = next_field(l->name, NULL); f; f = next_field(l->name, f))
            if (f->name)
                printf("#define PB_%s_%s_LSB %u\n#define PB_%s_%s_WIDTH %u\n#define PB_%s_%s_MASK 0x%llx%s\n", l->name, f->name,
                       f->lsb, l->name, f->name, f->width, l->name, f->name, mask_of(f),
                       l->bits > 32 && l->bits <= 64 ? "ull" : "u");
    }
    printf("\n%s", accessors);
}

/* ---- Verilog */

/* Top part first, as in a concatenation. */
static void print_pack(const char *owner)
{
    const struct field *part[32], *f = NULL;
    unsigned count = 0;
    char name[NAME_MAX];
    while (count < sizeof part / sizeof part[0] && (f = next_field(owner, f)))
        part[count++] = f;
    if (count < 2 || (f && next_field(owner, f)))
        return;
    const char *between = "";
    printf("`define PB_%s_PACK(", owner);
    for (unsigned i = count; i--;)
        if (part[i]->name) {
            lower(name, part[i]->name);
            printf("%s%s", between, name);
            between = ", ";
        }
    printf(") {");
    for (unsigned i = count; i--;) {
        if (part[i]->name) {
            lower(name, part[i]->name);
            printf("%u'd0 | (%s)", part[i]->width, name);
        } else
            printf("%u'd0", part[i]->width);
        printf(i ? ", " : "}\n");
    }
}

void print_vh_fields(const char *owner)
{
    for (const struct field *f = next_field(owner, NULL); f; f = next_field(owner, f))
        if (f->name && (strcmp(f->name, "VALUE") || is_layout(owner)))
            printf("`define PB_%s_%s_LSB %u\n`define PB_%s_%s_WIDTH %u\n`define PB_%s_%s_RANGE %u:%u\n", owner, f->name, f->lsb,
                   owner, f->name, f->width, owner, f->name, f->lsb + f->width - 1, f->lsb);
    print_pack(owner);
}

/* Mask of the spare bits, which a module receives and does not use. */
static void print_spare(const struct layout *l)
{
    unsigned char digit[BITS_MAX / 4] = {0};
    int any = 0;
    for (const struct field *f = next_field(l->name, NULL); f; f = next_field(l->name, f))
        for (unsigned b = f->lsb; !f->name && b < f->lsb + f->width; b++) {
            digit[b / 4] |= (unsigned char)(1u << b % 4);
            any = 1;
        }
    if (!any)
        return;
    printf("`define PB_%s_SPARE %u'h", l->name, l->bits);
    for (unsigned i = (l->bits + 3) / 4; i--;)
        printf("%x", digit[i]);
    printf("\n");
}

void print_vh_layouts(void)
{
    for (const struct number *n = numbers; n < numbers + NUMBERS; n++)
        printf("`define PB_%s_%s %u'h%x\n", n->set, n->name, n->bits, n->value);
    for (const struct layout *l = layouts; l < layouts + LAYOUTS; l++) {
        printf("`define PB_%s_BITS %u\n", l->name, l->bits);
        print_vh_fields(l->name);
        print_spare(l);
    }
}

/* ---- Markdown */

/* "21 … 9", or "8"; as bytes "2 … 3" of bits "8 … 0". */
static const char *bits_of(unsigned from, unsigned to)
{
    static char text[2][NAME_MAX];
    static unsigned turn;
    char *out = text[turn++ % 2];
    if (from == to)
        snprintf(out, NAME_MAX, "%u", from);
    else
        snprintf(out, NAME_MAX, "%u … %u", from, to);
    return out;
}

static void print_rows(const struct layout *l)
{
    const int bytes = l->bits > 64;
    printf(bytes ? "| bytes | bits | field | content |\n|---|---|---|---|\n" : "| bits | field | content |\n|---|---|---|\n");
    for (const struct field *f = next_field(l->name, NULL); f; f = next_field(l->name, f)) {
        const unsigned end = f->lsb + f->width - 1, first = bytes ? f->lsb / 8 * 8 : 0;
        if (bytes)
            printf("| %s ", bits_of(f->lsb / 8, end / 8));
        printf("| %s ", bits_of(end - first, f->lsb - first));
        if (f->name)
            printf("| `%s` | %s |\n", f->name, f->text);
        else
            printf("| | 0 |\n");
    }
}

void print_md_layouts(void)
{
    printf("\n## Numbers\n\nOpcodes, status codes, kinds of events, faults and alarms, and other values of fields.\n\n"
           "| set | name | value | meaning |\n|---|---|---|---|\n");
    for (const struct number *n = numbers; n < numbers + NUMBERS; n++)
        printf("| %s | `%s` | 0x%02x | %s |\n", n->set, n->name, n->value, n->text);
    printf("\n## Layouts\n\nBit 0 is the lowest; bytes count from 0, low byte first, and bits from the lowest of the first byte.\n");
    for (const struct layout *l = layouts; l < layouts + LAYOUTS; l++) {
        printf("\n### %s\n\n%s: %u bits.\n\n", l->name, l->text, l->bits);
        print_rows(l);
    }
}

static void print_kinds(void)
{
    char name[NAME_MAX];
    printf("| kind | bits | field | content |\n|---|---|---|---|\n");
    for (const struct number *n = numbers; n < numbers + NUMBERS; n++) {
        if (strcmp(n->set, "EVENT"))
            continue;
        printf("| %s %u | | | %s |\n", n->name, n->value, n->text);
        snprintf(name, sizeof name, "EVENT_%s", n->name);
        const int whole = find_layout(name)->bits == find_layout("EVENT")->bits;
        for (const struct field *f = next_field(name, NULL); f; f = next_field(name, f))
            if (f->name && !(whole && find_part("EVENT", f->name)))
                printf("| | %s%s | `%s` | %s |\n", bits_of(f->lsb + f->width - 1, f->lsb), whole ? " of the event" : "", f->name,
                       f->text);
    }
}

/* A table is placed between "<!-- regs.def: NAME -->", NAME a layout or KINDS, and "<!-- end -->". */
void print_protocol(void)
{
    char line[4096], name[NAME_MAX];
    int skipping = 0, number = 0;
    while (fgets(line, sizeof line, stdin)) {
        number++;
        if (!strcmp(line, "<!-- end -->\n"))
            skipping = 0;
        if (!skipping)
            fputs(line, stdout);
        if (sscanf(line, "<!-- regs.def: %63[A-Z_] -->", name) != 1)
            continue;
        if (skipping || !(is_layout(name) || !strcmp(name, "KINDS"))) {
            fprintf(stderr, "page:%d: %s: %s; a table of a layout or KINDS, with an end of its own\n", number, name,
                    skipping ? "the table before has no end" : "no such layout");
            exit(1);
        }
        skipping = 1;
        if (is_layout(name))
            print_rows(find_layout(name));
        else
            print_kinds();
    }
    if (skipping) {
        fprintf(stderr, "page:%d: %s: the last table has no end; <!-- end --> on a line of its own\n", number, name);
        exit(1);
    }
}
