/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Turns regs.def into C, Verilog and Markdown. Usage: genregs c|vh|v|md > file, genregs protocol < page >
 * page Refuses overlapping addresses, overlapping fields, gaps that no SPARE names, and reset values wider
 * than their register, in one line: regs.def:LINE: NAME: cause (value); limit. Layouts and numbers are in
 * genlayout.c.
 */
#include "genregs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum access { CONST, RO, RW, SAFE, STROBE };
static const char *const access_text[] = {"constant", "read only", "read/write", "read/write, safe", "strobe"};

struct reg {
    int line;
    const char *name;
    unsigned address, count;
    enum access access;
    uint32_t reset;
    const char *text;
    unsigned width; /* from the fields */
};

#define OPCODE(name, value, text)
#define STATUS_CODE(name, value, text)
#define EVENT(name, value, text)
#define FAULT_KIND(name, value, text)
#define ALARM(name, value, text)
#define LAYOUT(name, bits, text)
#define PART(layout, name, lsb, width, text)
#define NUMBER(set, name, bits, value, text)
#define FIELD(reg, name, lsb, width, text)
#define SPARE(reg, lsb, width)
#define REG(name, address, access, reset, text) {__LINE__, #name, address, 0, access, reset, text, 0},
#define ARRAY(name, address, count, reset, text) {__LINE__, #name, address, count, SAFE, reset, text, 0},
static struct reg regs[] = {
#include "regs.def"
};
#undef FIELD
#undef PART
#undef SPARE
#undef REG
#undef ARRAY
#define REG(name, address, access, reset, text)
#define ARRAY(name, address, count, reset, text)
#define FIELD(reg, name, lsb, width, text) {__LINE__, #reg, #name, lsb, width, text},
#define PART(layout, name, lsb, width, text) {__LINE__, #layout, #name, lsb, width, text},
#define SPARE(owner, lsb, width) {__LINE__, #owner, NULL, lsb, width, ""},
static const struct field fields[] = {
#include "regs.def"
};
enum { REGS = sizeof regs / sizeof regs[0], FIELDS = sizeof fields / sizeof fields[0] };

static uint32_t hash = 2166136261u; /* FNV-1a, 32 bit */

void hash_string(const char *text)
{
    do
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    while (*text++);
}
void hash_number(uint32_t value)
{
    for (int i = 0; i < 4; i++)
        hash = (hash ^ (value >> (8 * i) & 255)) * 16777619u;
}

void refuse(int line, const char *name, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "regs.def:%d: %s: ", line, name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

const struct field *next_field(const char *owner, const struct field *last)
{
    for (const struct field *f = last ? last + 1 : fields; f < fields + FIELDS; f++)
        if (!strcmp(f->owner, owner))
            return f;
    return NULL;
}

unsigned check_fields(const char *owner, int line, unsigned bits)
{
    unsigned end = 0;
    for (const struct field *f = next_field(owner, NULL); f; f = next_field(owner, f)) {
        const char *name = f->name ? f->name : "SPARE";
        if (!f->width || f->width > 32)
            refuse(f->line, owner, "%s has a width of %u bits; limit 1..32", name, f->width);
        if (f->width > bits || f->lsb > bits - f->width)
            refuse(f->line, owner, "%s ends beyond the word (lsb %u, width %u); limit %u bits", name, f->lsb, f->width, bits);
        if (f->lsb < end)
            refuse(f->line, owner, "%s overlaps the row before it (lsb %u); at least %u", name, f->lsb, end);
        if (f->lsb > end)
            refuse(f->line, owner, "a gap before %s (bits %u..%u); name it with a SPARE", name, f->lsb - 1, end);
        end = f->lsb + f->width;
        for (const struct field *o = next_field(owner, NULL); o != f; o = next_field(owner, o))
            if (f->name && o->name && !strcmp(f->name, o->name))
                refuse(f->line, owner, "%s used twice, first in line %d; each name once", name, o->line);
        hash_string(f->name ? f->name : "");
        hash_number(f->lsb);
        hash_number(f->width);
    }
    if (!end)
        refuse(line, owner, "no field; at least one");
    return end;
}

static int is_reg(const char *name)
{
    for (const struct reg *r = regs; r < regs + REGS; r++)
        if (!strcmp(r->name, name))
            return 1;
    return 0;
}

static void check_and_hash(void)
{
    for (const struct field *f = fields; f < fields + FIELDS; f++)
        if (!is_reg(f->owner) && !is_layout(f->owner))
            refuse(f->line, f->owner, "neither a register nor a layout; a row belongs to one of either");
    for (struct reg *r = regs; r < regs + REGS; r++) {
        hash_string(r->name);
        hash_number(r->address);
        hash_number(r->count);
        hash_number(r->access);
        hash_number(r->reset);
        r->width = check_fields(r->name, r->line, 32);
        if (r->width < 32 && r->reset >> r->width)
            refuse(r->line, r->name, "reset value wider than the register (0x%x); limit %u bits", r->reset, r->width);
        if (is_layout(r->name))
            refuse(r->line, r->name, "the name of a layout, too; each name once");
        for (struct reg *o = regs; o < r; o++) {
            if (r->address < o->address + (o->count ? o->count : 1) &&
                o->address < r->address + (r->count ? r->count : 1))
                refuse(r->line, r->name, "address used twice (0x%03x), first by %s in line %d; each word has its own", r->address,
                       o->name, o->line);
            if (!strcmp(r->name, o->name))
                refuse(r->line, r->name, "name used twice, first in line %d; each name once", o->line);
        }
    }
    check_and_hash_layouts();
}

void lower(char *out, const char *in)
{
    while ((*out++ = (char)(*in >= 'A' && *in <= 'Z' ? *in + 32 : *in)))
        in++;
}

static void print_c(void)
{
    printf("/* Generated by genregs.c from regs.def. Do not edit.\n"
           " * SPDX-FileCopyrightText: The phasebench authors\n * SPDX-License-Identifier: Apache-2.0 */\n"
           "#ifndef PB_REGS_H\n#define PB_REGS_H\n\n#include <stdint.h>\n\n#define PB_MAP_HASH 0x%08xu\n#define PB_ID_VALUE 0x50424331u\n\n", hash);
    for (struct reg *r = regs; r < regs + REGS; r++) {
        printf("#define PB_REG_%s 0x%03xu /* %s */\n", r->name, r->address, access_text[r->access]);
        if (r->count)
            printf("#define PB_REG_%s_COUNT %u\n", r->name, r->count);
        for (const struct field *f = next_field(r->name, NULL); f; f = next_field(r->name, f))
            if (f->name && strcmp(f->name, "VALUE"))
                printf("#define PB_%s_%s_LSB %u\n#define PB_%s_%s_MASK 0x%xu\n", r->name, f->name, f->lsb, r->name,
                       f->name, f->width == 32 ? 0xffffffffu : (1u << f->width) - 1);
    }
    print_c_layouts();
    printf("\n/* Every register, for walks over the map: X(name, address, count, access, reset, width); count 0: no array */\n"
           "#define PB_REG_LIST(X)");
    for (struct reg *r = regs; r < regs + REGS; r++)
        printf(" \\\n    X(%s, 0x%03xu, %u, '%c', 0x%xu, %u)", r->name, r->address, r->count, "CRWWS"[r->access], r->reset,
               r->width);
    printf("\n\n#endif\n");
}

static void print_vh(void)
{
    printf("// Generated by genregs.c from regs.def. Do not edit.\n// SPDX-FileCopyrightText: The phasebench authors\n"
           "// SPDX-License-Identifier: Apache-2.0\n`define PB_MAP_HASH 32'h%08x\n`define PB_ID_VALUE 32'h50424331\n", hash);
    for (struct reg *r = regs; r < regs + REGS; r++) {
        printf("`define PB_REG_%s 10'h%03x\n", r->name, r->address);
        print_vh_fields(r->name);
    }
    print_vh_layouts();
}

static int is_writable(const struct reg *r)
{
    return r->access == RW || r->access == SAFE;
}

/* CTRL is read back from the flip-flops: the core itself changes it. Every other RW register is read from the copy. */
static int is_copied(const struct reg *r)
{
    return is_writable(r) && strcmp(r->name, "CTRL") != 0;
}

/* Registers that the core reads only once per phase, a word at a time, from a second port of the copy: no flip-flops. */
static int is_served(const struct reg *r)
{
    static const char *const names[] = {"PERIOD_NUM", "PERIOD_DEN", "HIGH_TICKS", "SUPERFRAME_LIMIT"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(r->name, names[i]))
            return 1;
    return 0;
}

/* Words 0xc0 to 0xff of the copy hold reset values, selected by the low six bits of an address; the last word is always 0. */
static void check_copy(void)
{
    for (const struct reg *r = regs; r < regs + REGS; r++) {
        if (r->count ? r->address != 0x100 || r->count != 64 : (is_copied(r) || r->access == CONST) && r->address > 0x07f)
            refuse(r->line, r->name, "no place in the copy for reading back (0x%03x); registers at 0x000..0x07f, an array of 64 at 0x100",
                   r->address);
        if (r->count ? r->reset : is_copied(r) && (r->address & 0x3f) == 0x3f)
            refuse(r->line, r->name, "no place in the copy for its reset value (0x%x); none but 0 in an array, none at 0x03f and 0x07f",
                   r->reset);
        for (const struct reg *o = regs; o < r; o++)
            if (is_copied(r) && is_copied(o) && !r->count && !o->count && !((r->address ^ o->address) & 0x3f) &&
                r->reset != o->reset)
                refuse(r->line, r->name, "its reset value (0x%x) shares a place in the copy with that of %s in line %d; the same, or "
                       "other low six bits of the address", r->reset, o->name, o->line);
    }
}

/* Name of the vector of an array's field: link_mode. */
static const char *array_port(const struct field *f)
{
    static char text[128];
    char name[64];
    snprintf(text, sizeof text, "%s_%s", f->owner, f->name);
    lower(name, text);
    return strcpy(text, name);
}

static void print_v_ports(void)
{
    char name[64];
    printf("// Generated by genregs.c from regs.def. Do not edit.\n// SPDX-FileCopyrightText: The phasebench authors\n"
           "// SPDX-License-Identifier: Apache-2.0\n//\n"
           "// Register file. Written values are read back from a copy in block RAM: an unused bit takes no flip-flop, and reading needs no multiplexer.\n"
           "//\n"
           "// Interface: wr_i announces a write to addr_i. One clock later, with the same addr_i, the register takes wdata_i. Addresses without a\n"
           "//            register read as 0 and ignore writes. Each field of an array has one output vector: bit b of the field of word n is bit\n"
           "//            b * LINKS + n. A further output has one bit per word: written since reset or safe_i.\n"
           "// Timing:    rdata_o is the register that addr_i selected in both of the last two clocks; not valid in the three clocks after wr_i.\n"
           "//            served_o is the word that served_addr_i selected one clock before; it holds in the clock after wr_i. Strobes are high in\n"
           "//            the clock after wr_i.\n"
           "// Reset:     every register takes the value of the map; with safe_i those marked safe do.\n"
           "// Limits:    used_i must be high from 3 clocks before to 3 clocks after a write or a read; else rdata_o may be outdated.\n"
           "`default_nettype none\n`include \"pb_sim_skip.vh\"\n`include \"pb_clocks.vh\"\n`include \"pb_regs.vh\"\n\nmodule pb_regfile #(\n"
           "    parameter LINKS = 12,  // words of each array that exist, 1..64\n"
           "    parameter [31:0] CLK_HZ = 48000000,\n    parameter [31:0] SHAPE = 0,\n    parameter [31:0] BUFFERS = 0,\n    parameter [31:0] TDC_SHAPE = 0\n"
           ") (\n    input  wire        clk,\n    input  wire        rst_i,\n\n    input  wire        wr_i,\n"
           "    input  wire [9:0]  addr_i,\n    input  wire [31:0] wdata_i,\n    input  wire        run_clear_i,\n"
           "    input  wire        safe_i,\n    input  wire        used_i,\n");
    for (struct reg *r = regs; r < regs + REGS; r++) {
        lower(name, r->name);
        if (r->access == RO)
            printf("\n    input  wire [%u:0] %s_i,", r->width - 1, name);
        else if (r->access == STROBE)
            printf("\n    output reg  %s_o,", name);
        else if (is_writable(r) && r->count) {
            printf("\n    output reg  [LINKS-1:0] %s_written_o,", name);
            for (const struct field *f = next_field(r->name, NULL); f; f = next_field(r->name, f))
                if (f->name)
                    printf("\n    output reg  [%u*LINKS-1:0] %s_o,", f->width, array_port(f));
        } else if (is_writable(r) && !is_served(r))
            printf("\n    output reg  [%u:0] %s_o,", r->width - 1, name);
    }
    printf("\n    input  wire [9:0]  served_addr_i,\n    output reg  [31:0] served_o,\n    output wire [31:0] rdata_o\n);\n");
}

/* The bits of a register. */
static uint32_t mask(const struct reg *r)
{
    return r->width == 32 ? 0xffffffffu : (1u << r->width) - 1;
}

static void print_v_array(const struct reg *r)
{
    char name[64];
    lower(name, r->name);
    printf("    reg [LINKS-1:0] %s_write_q;\n    reg [63:0] %s_all;\n    integer %s_n;\n    always @* begin\n        %s_all = 64'd0;\n"
           "        %s_all[LINKS-1:0] = %s_written_o;\n    end\n",
           name, name, name, name, name, name);
    printf("    always @(posedge clk) if (`PB_SIM_ACTIVE(used_i || safe_i || rst_i)) begin\n        for (%s_n = 0; %s_n < LINKS; %s_n = %s_n + 1)\n"
           "            %s_write_q[%s_n] <= wr_i && addr_i == `PB_REG_%s + %s_n[9:0];\n"
           "        if (rst_i)\n            %s_write_q <= {LINKS{1'b0}};\n",
           name, name, name, name, name, name, r->name, name, name);
    printf("        if (rst_i || safe_i) begin\n            %s_written_o <= {LINKS{1'b0}};\n", name);
    for (const struct field *f = next_field(r->name, NULL); f; f = next_field(r->name, f))
        for (unsigned b = 0; f->name && b < f->width; b++)
            printf("            %s_o[%u*LINKS +: LINKS] <= {LINKS{1'b%u}};\n", array_port(f), b, r->reset >> (f->lsb + b) & 1);
    printf("        end else\n            for (%s_n = 0; %s_n < LINKS; %s_n = %s_n + 1)\n"
           "                if (%s_write_q[%s_n]) begin\n                    %s_written_o[%s_n] <= 1'b1;\n",
           name, name, name, name, name, name, name, name);
    for (const struct field *f = next_field(r->name, NULL); f; f = next_field(r->name, f))
        for (unsigned b = 0; f->name && b < f->width; b++)
            printf("                    %s_o[%u*LINKS+%s_n] <= wdata_i[%u];\n", array_port(f), b, name, f->lsb + b);
    printf("                end\n    end\n\n");
}

static void print_v_copy(unsigned copied)
{
    char name[64];
    printf("    // A register that was not written since reset is read from the word of its reset value.\n"
           "    reg  [%u:0] written;\n    wire [%u:0] at;\n    reg is_written_q;\n    always @(posedge clk) if (`PB_SIM_ACTIVE(used_i))\n"
           "        is_written_q <= (at & ~written) == 0;\n",
           copied - 1, copied - 1);
    unsigned flag = 0;
    for (struct reg *r = regs; r < regs + REGS; r++)
        if (!r->count && is_copied(r))
            printf("    assign at[%u] = addr_i == `PB_REG_%s;\n", flag++, r->name);
    printf("    reg served_written;\n    always @*\n        case (served_addr_i)\n");
    flag = 0;
    for (struct reg *r = regs; r < regs + REGS; r++)
        if (!r->count && is_copied(r)) {
            if (is_served(r))
                printf("            `PB_REG_%s: served_written = written[%u];\n", r->name, flag);
            flag++;
        }
    printf("            default: served_written = 1'bx;\n        endcase\n\n"
           "    // Constants and reset values are in the RAM from configuration on and never change. Bits of no register are 0.\n"
           "    reg copy_write_q = 1'b0;    // defined at power-up, as the RAM has no reset\n    reg nothing_q;\n    reg [31:0] mask_q;\n    always @(posedge clk) if (`PB_SIM_ACTIVE(used_i || copy_write_q)) begin\n        copy_write_q <= wr_i;\n"
           "        nothing_q    <= addr_i[9] || addr_i[7]");
    for (const struct reg *r = regs; r < regs + REGS; r++)
        if (r->count) {
            lower(name, r->name);
            printf(" || (addr_i[8] && (addr_i[6] || !%s_all[addr_i[5:0]]))", name);
        }
    /* A sum of products: from a case, synthesis makes a chain of multiplexers. */
    printf(";\n        mask_q       <= 32'd0");
    flag = 0;
    for (const struct reg *r = regs; r < regs + REGS; r++)
        if (r->count)
            printf("\n            | ({32{addr_i[9:6] == 4'h%x}} & 32'h%x)", r->address >> 6, mask(r));
        else if (is_copied(r))
            printf("\n            | ({32{at[%u]}} & 32'h%x)", flag++, mask(r));
    printf(";\n    end\n    reg [31:0] copy [0:255];\n    reg [31:0] copy_q;\n    integer bit_n;\n    initial begin\n"
           "        for (bit_n = 0; bit_n < 256; bit_n = bit_n + 1)\n            copy[bit_n] = 32'd0;\n");
    for (struct reg *r = regs; r < regs + REGS; r++)
        if (r->access == CONST)
            printf(strcmp(r->name, "CLK_HZ") ? "        copy[8'd%u] = %s%s;\n" : "        copy[8'd%u] = %s`PB_RATE(%s);\n", r->address,
                   strcmp(r->name, "ID") && strcmp(r->name, "MAP_HASH") ? "" : "`PB_", strcmp(r->name, "ID") ? r->name : "ID_VALUE");
    for (struct reg *r = regs; r < regs + REGS; r++)
        if (!r->count && is_copied(r))
            printf("        copy[8'd%u] = 32'd%u;\n", 0xc0 | (r->address & 0x3f), r->reset);
    printf("    end\n    wire [7:0] copy_index   = {addr_i[8], addr_i[6:0]};\n"
           "    wire [7:0] served_index = served_written ? {served_addr_i[8], served_addr_i[6:0]} : {2'b11, served_addr_i[5:0]};\n"
           "    wire       unused_served = &{1'b0, served_addr_i[9], served_addr_i[7]};\n"
           "    always @(posedge clk)\n        if (copy_write_q) begin\n            for (bit_n = 0; bit_n < 32; bit_n = bit_n + 1)\n"
           "                if (mask_q[bit_n])\n                    copy[copy_index][bit_n] <= wdata_i[bit_n];\n        end else begin\n"
           "            copy_q   <= copy[nothing_q ? 8'hff : is_written_q ? copy_index : {2'b11, addr_i[5:0]}];\n"
           "            served_o <= copy[served_index];\n        end\n\n");
}

/* Registers that are read from their own source, not from the copy. */
static int is_plain(const struct reg *r)
{
    return r->access == RO || (is_writable(r) && !r->count && !is_copied(r));
}

/* Two steps: select the register, then its value. */
static void print_v_read(void)
{
    char name[64];
    unsigned plain = 0;
    for (const struct reg *r = regs; r < regs + REGS; r++)
        plain += (unsigned)is_plain(r);
    printf("    reg [%u:0] plain_read_q;\n    reg [31:0] plain_q;\n    assign rdata_o = plain_q | copy_q;\n"
           "    always @(posedge clk) if (`PB_SIM_ACTIVE(used_i)) begin\n", plain - 1);
    plain = 0;
    for (const struct reg *r = regs; r < regs + REGS; r++)
        if (is_plain(r))
            printf("        plain_read_q[%u] <= addr_i == `PB_REG_%s;\n", plain++, r->name);
    printf("        plain_q <= 32'd0");
    plain = 0;
    for (const struct reg *r = regs; r < regs + REGS; r++)
        if (is_plain(r)) {
            lower(name, r->name);
            printf("\n            | ({32{plain_read_q[%u]}} & ", plain++);
            if (r->width < 32)
                printf("{%u'd0, %s_%c})", 32 - r->width, name, r->access == RO ? 'i' : 'o');
            else
                printf("%s_%c)", name, r->access == RO ? 'i' : 'o');
        }
    printf(";\n    end\n\n");
}

static void print_v_write(void)
{
    char name[64];
    unsigned k = 0, n = 0;
    for (const struct reg *r = regs; r < regs + REGS; r++)
        n += is_writable(r) && !r->count;
    printf("    reg [%u:0] write_q;\n    always @(posedge clk) if (`PB_SIM_ACTIVE(used_i || run_clear_i || safe_i || rst_i)) begin\n", n - 1);
    for (const struct reg *r = regs; r < regs + REGS; r++)
        if (r->access == STROBE) {
            lower(name, r->name);
            printf("        %s_o <= wr_i && addr_i == `PB_REG_%s;\n", name, r->name);
        }
    n = 0;
    for (const struct reg *r = regs; r < regs + REGS; r++)
        if (is_writable(r) && !r->count)
            printf("        write_q[%u] <= wr_i && addr_i == `PB_REG_%s;\n", n++, r->name);
    printf("        if (rst_i) begin\n            write_q <= 0;\n            written <= 0;\n");
    for (const struct reg *r = regs; r < regs + REGS; r++)
        if (r->access == STROBE) {
            lower(name, r->name);
            printf("            %s_o <= 1'b0;\n", name);
        }
    for (struct reg *r = regs; r < regs + REGS; r++)
        if (is_writable(r) && !r->count && !is_served(r)) {
            lower(name, r->name);
            printf("            %s_o <= %u'd%u;\n", name, r->width, r->reset);
        }
    printf("        end else begin\n            if (run_clear_i)\n                ctrl_o[0] <= 1'b0;\n");
    n = 0;
    for (struct reg *r = regs; r < regs + REGS; r++)
        if (is_writable(r) && !r->count) {
            lower(name, r->name);
            printf("            if (write_q[%u]) ", n++);
            if (is_served(r))
                printf("written[%u] <= 1'b1;\n", k++);
            else if (is_copied(r))
                printf("begin %s_o <= wdata_i[%u:0]; written[%u] <= 1'b1; end\n", name, r->width - 1, k++);
            else
                printf("%s_o <= wdata_i[%u:0];\n", name, r->width - 1);
        }
    printf("            if (safe_i) begin\n");
    k = 0;
    for (struct reg *r = regs; r < regs + REGS; r++) {
        lower(name, r->name);
        if (r->access == SAFE && !r->count)
            printf("                %s_o <= %u'd%u;\n                written[%u] <= 1'b0;\n", name, r->width, r->reset, k);
        k += !r->count && is_copied(r);
    }
    printf("            end\n        end\n    end\n\n`ifdef FORMAL\n"
           "    // Any two words of the copy, for bench/formal/regfile.v.\n    (* anyconst *) reg [7:0] f_index, f_first_index;\n"
           "    wire [31:0] f_word = copy[f_index], f_first = copy[f_first_index], f_nothing = copy[255];\n`endif\nendmodule\n\n`default_nettype wire\n");
}

static void print_v(void)
{
    unsigned copied = 0;
    check_copy();
    print_v_ports();
    for (const struct reg *r = regs; r < regs + REGS; r++) {
        if (r->count)
            print_v_array(r);
        else
            copied += (unsigned)is_copied(r);
    }
    print_v_copy(copied);
    print_v_read();
    print_v_write();
}

static void print_md(void)
{
    printf("# Registers of the core\n\nGenerated by `rtl/proto/genregs.c` from `rtl/proto/regs.def`. Do not edit.\n\n"
           "Map hash `0x%08x`. All registers are 32-bit words. A tick is one period of the core's clock; Q16.4 is a number "
           "of ticks in sixteenths.\n\n| address | register | access | reset | meaning |\n|---|---|---|---|---|\n", hash);
    for (struct reg *r = regs; r < regs + REGS; r++) {
        if (r->count)
            printf("| 0x%03x … 0x%03x | `%s[0..%u]` ", r->address, r->address + r->count - 1, r->name, r->count - 1);
        else
            printf("| 0x%03x | `%s` ", r->address, r->name);
        if (is_writable(r))
            printf("| %s | 0x%x | %s |\n", access_text[r->access], r->reset, r->text);
        else
            printf("| %s | – | %s |\n", access_text[r->access], r->text);
    }
    printf("\n## Fields\n\n| register | bits | field | meaning |\n|---|---|---|---|\n");
    for (const struct reg *r = regs; r < regs + REGS; r++)
        for (const struct field *f = next_field(r->name, NULL); f; f = next_field(r->name, f))
            if (f->name && (strcmp(f->name, "VALUE") || *f->text))
                printf("| `%s` | %u..%u | `%s` | %s |\n", f->owner, f->lsb + f->width - 1, f->lsb, f->name, f->text);
    print_md_layouts();
}

int main(int argc, char **argv)
{
    check_and_hash();
    if (argc == 2 && !strcmp(argv[1], "c"))
        print_c();
    else if (argc == 2 && !strcmp(argv[1], "vh"))
        print_vh();
    else if (argc == 2 && !strcmp(argv[1], "v"))
        print_v();
    else if (argc == 2 && !strcmp(argv[1], "md"))
        print_md();
    else if (argc == 2 && !strcmp(argv[1], "protocol"))
        print_protocol();
    else {
        fprintf(stderr, "usage: genregs c|vh|v|md|protocol\n");
        return 2;
    }
    return fflush(stdout) ? 1 : 0;
}
