/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints rtl/proto/regs.def as a Verilog fragment for bench/formal/regfile.v: the expected behaviour of each
 * address, and the module under proof with all its ports. Shares no code with rtl/proto/genregs.c, whose
 * output is proven.
 */
#include "gen/pb_regs.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum access { CONST, RO, RW, SAFE, STROBE };

struct word {
    const char *name;
    unsigned address, count; /* count 0: no array */
    enum access access;
    unsigned long long reset;
};

#define FIELD(reg, name, lsb, width, text)
#define OPCODE(name, value, text)
#define STATUS_CODE(name, value, text)
#define EVENT(name, value, text)
#define FAULT_KIND(name, value, text)
#define ALARM(name, value, text)
#define LAYOUT(name, bits, text)
#define PART(layout, name, lsb, width, text)
#define SPARE(owner, lsb, width)
#define NUMBER(set, name, bits, value, text)
#define REG(name, address, access, reset, text) {#name, address, 0, access, reset},
#define ARRAY(name, address, count, reset, text) {#name, address, count, SAFE, reset},
static const struct word words[] = {
#include "regs.def"
};
enum { WORDS = sizeof words / sizeof words[0] };
#undef REG
#undef ARRAY
#undef FIELD

static unsigned width_of(const struct word *w)
{
    unsigned width = 0;
#define REG(name, address, access, reset, text)
#define ARRAY(name, address, count, reset, text)
#define FIELD(reg, field, lsb, bits, text)                      \
    if (!strcmp(w->name, #reg) && (lsb) + (bits) > width)       \
        width = (lsb) + (bits);
#include "regs.def"
    return width;
}

/* The fields of an array, each with its own port. */
struct part {
    const char *word, *name;
    unsigned lsb, width;
};
#undef FIELD
#define FIELD(reg, field, lsb, bits, text) {#reg, #field, lsb, bits},
static const struct part parts[] = {
#include "regs.def"
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static const char *in_lower_case(const char *text)
{
    static char name[64];
    size_t k = 0;
    for (; text[k] && k + 1 < sizeof name; k++)
        name[k] = (char)tolower((unsigned char)text[k]);
    name[k] = '\0';
    return name;
}

static const char *port_of(const struct word *w)
{
    return in_lower_case(w->name);
}

/* Returns NULL if the part is not one of array w. */
static const char *array_port_of(const struct word *w, const struct part *p)
{
    char text[64];
    if (!w->count || strcmp(p->word, w->name))
        return NULL;
    snprintf(text, sizeof text, "%s_%s", p->word, p->name);
    return in_lower_case(text);
}

static int writable(const struct word *w)
{
    return w->access == RW || w->access == SAFE;
}

/* Registers that the core reads a word at a time through served_o; they have no port. */
static int is_served(const struct word *w)
{
    return w->address >= PB_REG_PERIOD_NUM && w->address <= PB_REG_SUPERFRAME_LIMIT;
}

static void print_case(const struct word *w)
{
    if (w->count)
        printf("        if (address >= 10'd%u && address < 10'd%u && address < 10'd%u + LINKS) begin\n", w->address,
               w->address + w->count, w->address);
    else
        printf("        if (address == 10'd%u) begin\n", w->address);
    printf("            is_rw = 1'b%d; is_safe = 1'b%d; is_fixed = 1'b%d;\n", writable(w), w->access == SAFE, w->access == CONST);
    printf("            mask = 32'h%llx; first = 32'h%llx;\n", writable(w) ? (1ull << width_of(w)) - 1 : 0ull,
           writable(w) ? w->reset : 0ull);
    if (!strcmp(w->name, "ID"))
        printf("            first = 32'h50424331;\n");
    else if (!strcmp(w->name, "MAP_HASH"))
        printf("            first = 32'h%x;\n", PB_MAP_HASH);
    else if (w->access == CONST)
        printf("            first = %s;\n", w->name);
    else if (w->access == RO)
        printf("            state = {32'd0, %s};\n", port_of(w));
    else if (w->count) {
        printf("            shown = 32'd0;\n");
        for (const struct part *p = parts; p < parts + PARTS; p++)
            for (unsigned b = 0; array_port_of(w, p) && b < p->width; b++)
                printf("            shown[%u] = 1'b1; port[%u] = %s[%u * LINKS + (address - 10'd%u)];\n", p->lsb + b, p->lsb + b,
                       array_port_of(w, p), b, w->address);
    } else if (is_served(w))
        printf("            shown = 32'd0; is_served = 1'b1;\n");
    else if (writable(w))
        printf("            port = %s;\n", port_of(w));
    printf("        end\n");
}

int main(void)
{
    const char *direction;
    for (const struct word *w = words; w < words + WORDS; w++) {
        if (w->access == RO)
            printf("    (* anyseq *) reg [%u:0] %s;\n", width_of(w) - 1, port_of(w));
        else if (w->access == STROBE)
            printf("    wire %s;\n", port_of(w));
        else if (w->access != CONST && !w->count && !is_served(w))
            printf("    wire [%u:0] %s;\n", width_of(w) - 1, port_of(w));
        for (const struct part *p = parts; p < parts + PARTS; p++)
            if (array_port_of(w, p))
                printf("    wire [%u*LINKS-1:0] %s;\n", p->width, array_port_of(w, p));
    }
    printf("    pb_regfile #(.LINKS(LINKS), .CLK_HZ(CLK_HZ), .SHAPE(SHAPE), .BUFFERS(BUFFERS), .TDC_SHAPE(TDC_SHAPE)) dut (\n"
           "        .clk(clk), .rst_i(rst_i), .wr_i(wr_i), .addr_i(addr_i), .wdata_i(wdata_i), .run_clear_i(run_clear_i),"
           " .safe_i(safe_i), .used_i(1'b1),\n");
    for (const struct word *w = words; w < words + WORDS; w++) {
        direction = w->access == RO ? "i" : "o";
        if (w->access != CONST && !w->count && !is_served(w))
            printf("        .%s_%s(%s),\n", port_of(w), direction, port_of(w));
        for (const struct part *p = parts; p < parts + PARTS; p++)
            if (array_port_of(w, p))
                printf("        .%s_o(%s),\n", array_port_of(w, p), array_port_of(w, p));
    }
    printf("        .served_addr_i(served_addr_i), .served_o(served), .rdata_o(rdata)\n    );\n"
           "    reg is_rw, is_safe, is_fixed, is_served, is_strobe, strobe;\n    reg [31:0] mask, first, state, port, shown;\n    always @* begin\n"
           "        is_rw = 1'b0; is_safe = 1'b0; is_fixed = 1'b0; is_served = 1'b0; is_strobe = 1'b0; strobe = 1'b0;\n"
           "        mask = 32'd0; first = 32'd0; state = 32'd0; port = 32'd0;\n        shown = 32'hffffffff;   // bits of the port that exist\n");
    for (const struct word *w = words; w < words + WORDS; w++)
        if (w->access == STROBE)
            printf("        if (address == 10'd%u) begin is_strobe = 1'b1; strobe = %s; end\n", w->address, port_of(w));
        else
            print_case(w);
    printf("    end\n    localparam [9:0] CTRL = 10'd%u;\n", PB_REG_CTRL);
    printf("    function [5:0] flag_of;     // its bit among the flags of what was written, in the order of the map\n"
           "        input [9:0] address;\n        begin\n            flag_of = 6'd0;\n");
    unsigned flag = 0;
    for (const struct word *w = words; w < words + WORDS; w++)
        if (writable(w) && !w->count && w->address != PB_REG_CTRL)
            printf("            if (address == 10'd%u) flag_of = 6'd%u;\n", w->address, flag++);
    printf("        end\n    endfunction\n    localparam FLAGS = %u;\n    localparam [9:0] LINK = 10'd%u;\n", flag, PB_REG_LINK);
    return fflush(stdout) ? 1 : 0;
}
