/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Random programs for Armv6-M: every class of instruction, faults, nested exceptions. Each one ends, because
 * branches go forward and the exceptions that handlers pend are counted. Written from DDI 0419.
 *
 * With `devices` only code in thread mode faults: what runs between may then come from outside at any time.
 *
 * Memory: 256 KB of flash at 0, 16 KB of SRAM at 0x20000000. The program ends with loads of all words that it
 * may have stored to, so that a trace of registers shows the memory, and then with the halfword PROGRAM_END.
 */
#ifndef PB_TEST_ARMV6M_PROGRAM_H
#define PB_TEST_ARMV6M_PROGRAM_H

#include "phasebench/random.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    PROGRAM_FLASH_BYTES = 256 * 1024,
    PROGRAM_RAM_BYTES = 16 * 1024,
    PROGRAM_END = 0xbeab,        /* BKPT 0xAB */
    PROGRAM_PREAMBLE_BYTES = 14, /* of a handler: until then R0 to R3, R12 and the flags are unknown */
    PROGRAM_EXCEPTIONS = 48
};
#define PROGRAM_RAM UINT32_C(0x20000000)
#define PROGRAM_DATA_BYTES UINT32_C(0x400)     /* for loads and stores */
#define PROGRAM_RESUME (PROGRAM_RAM + 0x400)   /* where HardFault returns to; 0: after the instruction */
#define PROGRAM_BUDGET (PROGRAM_RAM + 0x404)   /* exceptions that handlers may still pend */
#define PROGRAM_RAM_CODE (PROGRAM_RAM + 0x800) /* code that the program writes */
#define PROGRAM_PROCESS_TOP (PROGRAM_RAM + 0x2000)
#define PROGRAM_DEVICE UINT32_C(0x50000000) /* only with `devices` */

struct program {
    uint8_t *flash; /* PROGRAM_FLASH_BYTES */
    uint32_t at;    /* of the next halfword */
    uint64_t state; /* of the random numbers */
    bool devices;   /* accesses to devices at PROGRAM_DEVICE, sleep without a pending interrupt, SysTick */
};

/* What the code being made may do. */
struct program_place {
    bool thread; /* may change stacks, call SVC */
    bool faults; /* may fault */
    bool masked; /* PRIMASK is set */
};

/* 0..limit-1 */
static inline uint32_t program_random(struct program *p, uint32_t limit)
{
    return (uint32_t)(pb_splitmix64(&p->state) >> 32) % limit;
}

static inline void program_put(struct program *p, uint32_t at, uint32_t halfword)
{
    p->flash[at] = (uint8_t)halfword;
    p->flash[at + 1] = (uint8_t)(halfword >> 8);
}

static inline void program_emit(struct program *p, uint32_t halfword)
{
    program_put(p, p->at, halfword);
    p->at += 2;
}

static inline void program_word(struct program *p, uint32_t at, uint32_t word)
{
    program_put(p, at, word & 0xffff);
    program_put(p, at + 2, word >> 16);
}

/* r[d] = value, d in 0..7: MOVS, then LSLS and ADDS for each further byte. */
static inline void program_constant(struct program *p, unsigned d, uint32_t value)
{
    int byte = 3;
    while (byte > 0 && !(value >> 8 * byte & 0xff))
        byte--;
    program_emit(p, 0x2000 | d << 8 | (value >> 8 * byte & 0xff));
    unsigned shift = 0;
    while (byte-- > 0) {
        shift += 8;
        if (value >> 8 * byte & 0xff || !byte) {
            program_emit(p, shift << 6 | d << 3 | d);
            shift = 0;
            program_emit(p, 0x3000 | d << 8 | (value >> 8 * byte & 0xff));
        }
    }
}

static inline void program_store_word(struct program *p, uint32_t address, uint32_t value)
{
    program_constant(p, 0, address);
    program_constant(p, 1, value);
    program_emit(p, 0x6000 | 0 << 3 | 1);
}

/* One instruction that changes registers and flags alone. */
static inline void program_simple(struct program *p)
{
    const uint32_t low = program_random(p, 0x10000);
    switch (program_random(p, 12)) {
    case 0: { /* ADD, MOV with high registers; not SP, PC as target */
        uint32_t d = program_random(p, 15);
        d = d == 13 ? 14 : d;
        const uint32_t m = program_random(p, 16);
        program_emit(p, (low & 1 ? 0x4400u : 0x4600u) | (d & 8) << 4 | m << 3 | (d & 7));
        break;
    }
    case 1: { /* CMP with at least one high register, none the PC */
        const uint32_t n = program_random(p, 15);
        const uint32_t m = n < 8 ? 8 + program_random(p, 7) : program_random(p, 15);
        program_emit(p, 0x4500 | (n & 8) << 4 | m << 3 | (n & 7));
        break;
    }
    case 2: /* SXTH, SXTB, UXTH, UXTB */
        program_emit(p, 0xb200 | (low & 0xff));
        break;
    case 3: { /* REV, REV16, REVSH */
        static const uint16_t rev[3] = {0xba00, 0xba40, 0xbac0};
        program_emit(p, rev[low % 3] | program_random(p, 64));
        break;
    }
    case 4: /* ADR; ADD Rd, SP */
        program_emit(p, 0xa000 | (low & 0xfff));
        break;
    case 5: { /* hints without sleep */
        static const uint16_t hint[3] = {0xbf00, 0xbf10, 0xbf40};
        program_emit(p, hint[low % 3]);
        break;
    }
    case 6: { /* registers at their limits */
        static const uint32_t limits[6] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 32};
        program_constant(p, low & 7, limits[program_random(p, 6)]);
        break;
    }
    case 7: /* shifts by small amounts in registers */
        program_emit(p, 0x2000 | (low & 7) << 8 | program_random(p, 70));
        program_emit(p, (uint32_t[]){0x4080, 0x40c0, 0x4100, 0x41c0}[program_random(p, 4)] | (low & 7) << 3 |
                            program_random(p, 8));
        break;
    case 8:
    case 9: /* data processing, registers */
        program_emit(p, 0x4000 | (low & 0x3ff));
        break;
    default: /* shifts, ADD, SUB, MOV, CMP */
        program_emit(p, low & 0x3fff);
    }
}

static inline void program_simples(struct program *p, uint32_t most)
{
    for (uint32_t n = program_random(p, most + 1); n > 0; n--)
        program_simple(p);
}

static inline uint32_t program_data_address(struct program *p)
{
    return PROGRAM_RAM + 32 + (program_random(p, PROGRAM_DATA_BYTES - 128) & ~7u);
}

/* A load or store of any form: base, offset and alignment drawn. */
static inline void program_access(struct program *p, bool faults)
{
    static const unsigned size_of_register_form[8] = {4, 2, 1, 1, 4, 2, 1, 2};
    const unsigned n = program_random(p, 8), t = program_random(p, 8);
    const unsigned m = (n + 1 + program_random(p, 7)) % 8;
    const uint32_t wrong = faults && !program_random(p, 12) ? 1 + program_random(p, 3) : 0;
    uint32_t base = program_data_address(p) + wrong;
    const bool device = p->devices && !program_random(p, 3);
    if (device)
        base = PROGRAM_DEVICE + 8 * program_random(p, 8);
    else if (faults && !program_random(p, 40))
        base = 0x60000040;
    const uint32_t form = program_random(p, 9);
    if (form < 3) {
        const uint32_t op = program_random(p, 8);
        const uint32_t offset = program_random(p, 8) * size_of_register_form[op];
        program_constant(p, m, program_random(p, 2) ? offset : -offset);
        program_constant(p, n, base);
        program_emit(p, 0x5000 | op << 9 | m << 6 | n << 3 | t);
    } else if (form < 8) { /* STR, LDR, STRB, LDRB, STRH, LDRH, immediate */
        program_constant(p, n, base);
        program_emit(p, 0x6000 | program_random(p, 6) << 11 | program_random(p, 8) << 6 | n << 3 | t);
    } else {
        program_emit(p, 0x4800 | t << 8 | program_random(p, 64)); /* LDR literal */
    }
}

/* LDM, STM, PUSH, POP. */
static inline void program_multiple(struct program *p, bool faults)
{
    const unsigned n = program_random(p, 8);
    uint32_t list = 1 + program_random(p, 255);
    switch (program_random(p, 4)) {
    case 0:
        program_constant(p, n, program_data_address(p) + (faults && !program_random(p, 20) ? 2 : 0));
        program_emit(p, 0xc800 | n << 8 | list);
        break;
    case 1: /* the base in the list but not its first would store an unknown value */
        if (list & ((1u << n) - 1))
            list &= ~(1u << n);
        program_constant(p, n, program_data_address(p) + (faults && !program_random(p, 20) ? 2 : 0));
        program_emit(p, 0xc000 | n << 8 | list);
        break;
    default: { /* PUSH, then POP of as many, or ADD SP */
        const uint32_t lr = program_random(p, 2);
        uint32_t words = lr, popped = 0;
        for (uint32_t left = list; left; left &= left - 1)
            words++;
        program_emit(p, 0xb400 | lr << 8 | list);
        program_emit(p, 0x9000 | program_random(p, 2) << 11 | program_random(p, 8) << 8 |
                            program_random(p, words));
        program_simples(p, 2);
        while (words > 8 || (words && !program_random(p, 3))) {
            program_emit(p, 0xb000 | 1);
            words--;
        }
        for (unsigned i = 0; words; i = (i + 1) % 8)
            if (!(popped & 1u << i) && !program_random(p, 3)) {
                popped |= 1u << i;
                words--;
            }
        if (popped)
            program_emit(p, 0xbc00 | popped);
    }
    }
}

/* ADR r[d] to `target`, which is ahead, word-aligned and near; emitted at `at`. */
static inline void program_adr_at(struct program *p, uint32_t at, unsigned d, uint32_t target)
{
    program_put(p, at, 0xa000 | d << 8 | (target - ((at + 4) & ~3u)) / 4);
}

static inline void program_align(struct program *p)
{
    if (p->at & 2)
        program_emit(p, 0xbf00);
}

/* Jumps and calls, all forward but the call of a function just before. */
static inline void program_branch(struct program *p)
{
    const uint32_t at = p->at;
    const unsigned d = program_random(p, 8);
    switch (program_random(p, 7)) {
    case 0:
    case 1: /* B<c> over some instructions */
        program_emit(p, 0);
        program_simples(p, 4);
        program_put(p, at, 0xd000 | program_random(p, 14) << 8 | (((p->at - at - 4) / 2) & 0xff));
        break;
    case 2: /* B */
        program_emit(p, 0);
        program_simples(p, 4);
        program_put(p, at, 0xe000 | (((p->at - at - 4) / 2) & 0x7ff));
        break;
    case 3: { /* BL back to a function that returns by BX */
        program_emit(p, 0);
        const uint32_t function = p->at;
        program_emit(p, 0x3000 | program_random(p, 0x1000));
        program_emit(p, 0x46f0); /* MOV R8, LR */
        program_emit(p, 0x4770);
        program_put(p, at, 0xe000 | (((p->at - at - 4) / 2) & 0x7ff));
        const uint32_t imm = function - (p->at + 4);
        program_emit(p, 0xf400 | (imm >> 12 & 0x3ff));
        program_emit(p, 0xf800 | (imm >> 1 & 0x7ff));
        break;
    }
    case 4: { /* BX, BLX or MOV PC to an address in a register */
        static const uint16_t jump[3] = {0x4700, 0x4780, 0x4687};
        program_emit(p, 0);
        program_emit(p, 0x3001 | d << 8);
        program_emit(p, jump[program_random(p, 3)] | d << 3);
        program_simples(p, 4);
        program_align(p);
        program_adr_at(p, at, d, p->at);
        break;
    }
    case 5: /* POP {.., PC} */
        program_emit(p, 0);
        program_emit(p, 0x3001 | d << 8);
        program_emit(p, 0xb400 | 1u << d);
        program_emit(p, 0xbd00);
        program_simples(p, 4);
        program_align(p);
        program_adr_at(p, at, d, p->at);
        break;
    default: { /* BL ahead */
        program_emit(p, 0);
        program_emit(p, 0);
        program_simples(p, 4);
        const uint32_t imm = p->at - (at + 4);
        program_put(p, at, 0xf000 | (imm >> 12 & 0x3ff));
        program_put(p, at + 2, 0xf800 | (imm >> 1 & 0x7ff));
    }
    }
}

/* MRS of anything; MSR where it changes nothing else. */
static inline void program_special(struct program *p, const struct program_place *place)
{
    static const uint8_t readable[11] = {0, 1, 2, 3, 5, 6, 7, 8, 9, 16, 20};
    static const uint8_t psrs[7] = {0, 1, 2, 3, 5, 6, 7};
    uint32_t d = program_random(p, 14);
    d = d == 13 ? 14 : d;
    switch (program_random(p, 4)) {
    case 0: /* not with bit 27, Q of other architectures, which QEMU stores */
        program_constant(p, d & 7, program_random(p, 0x10000) << 16 & 0xf7ff0000);
        program_emit(p, 0xf380 | (d & 7));
        program_emit(p, 0x8800 | psrs[program_random(p, 7)]);
        break;
    case 1:
        if (place->thread) { /* another PSP, while it is not in use or with the same alignment */
            program_constant(p, 0, 0);
            program_emit(p, 0xf380);
            program_emit(p, 0x8814);
            program_constant(p, 0, PROGRAM_PROCESS_TOP - 4 * program_random(p, 8) + program_random(p, 4));
            program_emit(p, 0xf380);
            program_emit(p, 0x8809);
            program_constant(p, 1, 2 * program_random(p, 2));
            program_emit(p, 0xf381);
            program_emit(p, 0x8814);
        }
        break;
    case 2:
        program_emit(p, 0xf3bf);
        program_emit(p, 0x8f4f + 16 * program_random(p, 3));
        break;
    default:
        program_emit(p, 0xf3ef);
        program_emit(p, 0x8000 | d << 8 | readable[program_random(p, 11)]);
    }
}

/* Reads of NVIC and SCB; in thread mode also writes: a handler must not change priorities, nor pend itself
 * again and again. */
static inline void program_nvic(struct program *p, bool thread)
{
    static const uint16_t registers[8] = {0x100, 0x180, 0x200, 0x280, 0xd04, 0xd1c, 0xd20, 0x41c};
    const uint32_t where = program_random(p, 12);
    const uint32_t offset = where < 8 ? registers[where] : 0x400 + 4 * program_random(p, 8);
    uint32_t value = program_random(p, 0x10000) | program_random(p, 0x10000) << 16;
    if (offset == 0x180 || offset == 0x200)
        value &= program_random(p, 0x10000) | program_random(p, 0x10000) << 16;
    if (offset == 0xd20) /* bits 7..0 are the DebugMonitor of other architectures */
        value &= 0xffff0000;
    if (thread && offset != 0xd04 && program_random(p, 4))
        program_store_word(p, 0xe000e000 + offset, value);
    else
        program_constant(p, 0, 0xe000e000 + offset);
    const uint32_t t = 1 + program_random(p, 7);
    program_emit(p, 0x6800 | t);
    if (offset == 0xd04) { /* ICSR: bit 11 is RETTOBASE of other architectures */
        program_constant(p, 0, 0x800);
        program_emit(p, 0x4380 | t);
    }
}

/* Pends PendSV, SysTick, NMI, clears them, or pends an interrupt; in handlers as long as the budget lasts. */
static inline void program_pend(struct program *p, bool budget)
{
    uint32_t skip = 0;
    if (budget) {
        program_constant(p, 2, PROGRAM_BUDGET);
        program_emit(p, 0x6813); /* LDR R3, [R2] */
        program_emit(p, 0x3b01); /* SUBS R3, #1 */
        skip = p->at;
        program_emit(p, 0);      /* BMI */
        program_emit(p, 0x6013); /* STR R3, [R2] */
    }
    static const uint32_t icsr[6] = {1u << 28, 1u << 28, 1u << 26, 1u << 31, 1u << 27, 1u << 25};
    if (program_random(p, 3))
        program_store_word(p, 0xe000ed04, icsr[program_random(p, 6)]);
    else
        program_store_word(p, 0xe000e200, 1u << program_random(p, 32));
    if (budget)
        program_put(p, skip, 0xd400 | (p->at - skip - 4) / 2);
}

/* Faults that HardFault skips, or after which it resumes at a given address. */
static inline void program_fault(struct program *p)
{
    switch (program_random(p, 6)) {
    case 0:
        program_emit(p, 0xde00 | program_random(p, 256));
        break;
    case 1: /* UDF, 32 bits */
        program_emit(p, 0xf7f0 | program_random(p, 16));
        program_emit(p, 0xa000 | program_random(p, 0x1000));
        break;
    case 2: /* undefined coprocessor and Thumb-2 space */
        program_emit(p, (program_random(p, 2) ? 0xe800 : 0xf800) | program_random(p, 0x800));
        program_emit(p, program_random(p, 0x10000));
        break;
    default: { /* a jump to an even address, or outside memory */
        const uint32_t form = program_random(p, 3);
        program_constant(p, 0, PROGRAM_RESUME);
        program_align(p);
        const uint32_t at = p->at;
        program_emit(p, 0); /* ADR R1 */
        program_emit(p, 0x6001);
        if (form == 2)
            program_constant(p, 1, 0x60000001 + 2 * program_random(p, 100));
        program_emit(p, form == 1 ? 0x4788 : 0x4708); /* BLX R1, BX R1 */
        program_simples(p, 3);
        program_align(p);
        program_adr_at(p, at, 1, p->at);
    }
    }
}

/* Writes MOVS R1, #x; BX LR to SRAM and calls it. */
static inline void program_ram_code(struct program *p)
{
    const uint32_t at = program_random(p, 32) * 4;
    program_constant(p, 0, PROGRAM_RAM_CODE + at);
    program_constant(p, 1, 0x47702100 | program_random(p, 256));
    program_emit(p, 0x6001);
    program_emit(p, 0x3001);
    program_emit(p, 0x4780);
}

static inline void program_piece(struct program *p, const struct program_place *place);

/* CPSID or MSR PRIMASK, anything, perhaps WFI with an interrupt pending, and back. */
static inline void program_masked(struct program *p, const struct program_place *place)
{
    struct program_place inside = *place;
    inside.masked = true;
    program_emit(p, 0xb672);
    for (uint32_t n = program_random(p, 6); n > 0; n--)
        program_piece(p, &inside);
    if (place->thread && !program_random(p, 2)) {
        const uint32_t bit = 1u << program_random(p, 32);
        program_store_word(p, 0xe000e100, bit);
        program_store_word(p, 0xe000e200, bit);
        if (p->devices) /* QEMU 7.2 sometimes sleeps on, with an interrupt pending and enabled */
            program_emit(p, 0xbf30);
    }
    if (program_random(p, 2)) {
        program_emit(p, 0xb662);
    } else {
        program_constant(p, 0, program_random(p, 2) * 2);
        program_emit(p, 0xf380);
        program_emit(p, 0x8810);
    }
}

/* Only with `devices`. */
static inline void program_outside(struct program *p, const struct program_place *place)
{
    switch (program_random(p, 4)) {
    case 0:
        program_store_word(p, 0xe000e014, 50 + program_random(p, 2000));
        program_store_word(p, 0xe000e010, program_random(p, 4));
        break;
    case 1:
        program_constant(p, 0, 0xe000e010 + 4 * program_random(p, 3));
        program_emit(p, 0x6800 | program_random(p, 8));
        break;
    case 2:
        program_store_word(p, 0xe000ed10, program_random(p, 4) ? 0 : 16);
        break;
    default:
        if (place->thread)
            program_emit(p, program_random(p, 2) ? 0xbf30 : 0xbf20);
    }
}

static inline void program_piece(struct program *p, const struct program_place *place)
{
    switch (program_random(p, 24)) {
    case 0:
    case 1:
    case 2:
    case 3:
        program_access(p, place->faults);
        break;
    case 4:
    case 5:
        program_multiple(p, place->faults);
        break;
    case 6:
    case 7:
    case 8:
        program_branch(p);
        break;
    case 9:
    case 10:
        program_special(p, place);
        break;
    case 11:
        program_nvic(p, place->thread);
        break;
    case 12:
    case 13:
        program_pend(p, !place->thread);
        break;
    case 14:
        if (place->faults)
            program_fault(p);
        break;
    case 15:
        program_ram_code(p);
        break;
    case 16: /* the manual and emulators differ on the return address of an SVC that becomes a HardFault */
        if (place->thread && !place->masked)
            program_emit(p, 0xdf00 | program_random(p, 256));
        break;
    case 17:
        if (!place->masked)
            program_masked(p, place);
        break;
    case 18: /* SP not aligned to 8 bytes */
        program_emit(p, 0xb081);
        if (place->thread && !place->masked)
            program_emit(p, 0xdf00);
        program_simples(p, 3);
        program_emit(p, 0xb001);
        break;
    case 19:
    case 20:
        if (p->devices)
            program_outside(p, place);
        break;
    default:
        program_simples(p, 8);
    }
}

/* PUSH {R4-R7, LR} or NOP; then R0 to R3, R12 and all flags are known. The manual calls them UNKNOWN at the
 * first instruction: tail-chaining keeps those of the handler before. */
static inline void program_preamble(struct program *p, bool push)
{
    program_emit(p, push ? 0xb5f0 : 0xbf00);
    for (unsigned i = 0; i < 4; i++)
        program_emit(p, 0x2000 | i << 8 | program_random(p, 256));
    program_emit(p, 0x4684); /* MOV R12, R0 */
    program_emit(p, 0x1c40); /* ADDS R0, #1 */
}

/* Skips the faulting instruction, or resumes at PROGRAM_RESUME in Thumb state. */
static inline void program_hardfault(struct program *p)
{
    static const uint16_t frame[] = {0x4670, 0x2104, 0x4208, 0xd102, 0xf3ef,
                                     0x8008, 0xe001, 0xf3ef, 0x8009}; /* R0 = MSP or PSP, by bit 2 of LR */
    static const uint16_t resume[] = {0x6811, 0x2900, 0xd008, 0x2300, 0x6013, 0x6181,
                                      0x2301, 0x061b, 0x69c1, 0x4319, 0x61c1, 0x4770};
    static const uint16_t skip[] = {0x6981, 0x880a, 0x0ad2, 0x2a1d, 0xd300, 0x3102, 0x3102, 0x6181, 0x4770};
    program_preamble(p, false);
    for (unsigned i = 0; i < sizeof frame / 2; i++)
        program_emit(p, frame[i]);
    program_constant(p, 2, PROGRAM_RESUME);
    for (unsigned i = 0; i < sizeof resume / 2; i++)
        program_emit(p, resume[i]);
    for (unsigned i = 0; i < sizeof skip / 2; i++)
        program_emit(p, skip[i]);
}

static inline void program_handler(struct program *p, bool faults)
{
    const struct program_place place = {.faults = faults};
    program_preamble(p, true);
    for (uint32_t n = program_random(p, 6); n > 0; n--)
        program_piece(p, &place);
    if (program_random(p, 2)) {
        program_emit(p, 0xbdf0);
    } else {
        program_emit(p, 0xbcf0);
        program_emit(p, 0xbc08); /* POP {R3} */
        program_emit(p, 0x4718); /* BX R3 */
    }
}

/* The whole of a program of about `pieces` pieces in thread mode. */
static inline void program_make(struct program *p, uint64_t seed, uint32_t pieces)
{
    memset(p->flash, 0, PROGRAM_FLASH_BYTES);
    p->state = seed * UINT64_C(0xd1342543de82ef95) + 1;
    uint32_t vector[PROGRAM_EXCEPTIONS];
    p->at = 4 * PROGRAM_EXCEPTIONS;
    for (unsigned i = 2; i < PROGRAM_EXCEPTIONS; i++) {
        vector[i] = p->at | 1;
        if (i == 3)
            program_hardfault(p);
        else if (i < 16 || i % 4 == 0)
            program_handler(p, i != 2 && !p->devices);
        else
            vector[i] = vector[i - 1];
    }
    vector[0] = PROGRAM_RAM + PROGRAM_RAM_BYTES;
    vector[1] = p->at | 1;
    for (unsigned i = 0; i < PROGRAM_EXCEPTIONS; i++)
        program_word(p, 4 * i, vector[i]);
    for (unsigned i = 0; i < 8; i++)
        program_constant(p, i, program_random(p, 0x10000) << 16 | program_random(p, 0x10000));
    for (unsigned i = 8; i < 13; i++)
        program_emit(p, 0x4680 | (i - 8) << 3 | (i - 8));
    program_store_word(p, PROGRAM_BUDGET, 20);
    program_constant(p, 0, PROGRAM_PROCESS_TOP);
    program_emit(p, 0xf380);
    program_emit(p, 0x8809);
    const struct program_place place = {.thread = true, .faults = true};
    for (uint32_t n = 0; n < pieces; n++)
        program_piece(p, &place);
    program_emit(p, 0xb672);
    program_constant(p, 0, PROGRAM_RAM);
    program_constant(p, 1, PROGRAM_RAM + PROGRAM_DATA_BYTES + 16);
    const uint32_t loop = p->at;
    program_emit(p, 0xc83c); /* LDM R0!, {R2-R5} */
    program_emit(p, 0x4288);
    program_emit(p, 0xd300 | ((loop - p->at - 4) / 2 & 0xff));
    program_constant(p, 0, 0x18); /* the exit of semihosting, where there is one */
    program_constant(p, 1, 0x20026);
    program_emit(p, PROGRAM_END);
}

#endif
