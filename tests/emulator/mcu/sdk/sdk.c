/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Start-up and library of the test programs: see sdk.h.
 */
#include "tests/emulator/mcu/sdk/sdk.h"

int main(void);
void reset_handler(void);
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);

extern uint32_t stack_top[], stack1_top[], data_begin[], data_end[], bss_begin[], bss_end[];
extern const uint32_t data_from[];

enum { VECTORS = 48, IRQ0 = 16, SPIN_LOCKS = 32, CLAIM_LOCK = 11, PIO_WORDS = 32 };
#define SIO UINT32_C(0xD0000000)
#define CPUID REG(SIO)
#define FIFO_ST REG(SIO + 0x50)
#define FIFO_WR REG(SIO + 0x54)
#define FIFO_RD REG(SIO + 0x58)
#define SPINLOCK(n) REG(SIO + 0x100 + 4u * (n))
#define TIMER UINT32_C(0x40054000)
#define VTOR REG(0xE000ED08)
#define CLOCKS UINT32_C(0x40008000)
#define PLL_USB UINT32_C(0x4002C000)
#define RESETS_ALL UINT32_C(0x01FFFFFF)
/* Left alone at first: IO_QSPI, PADS_QSPI, both PLLs, SYSCFG, USB. */
#define RESETS_KEPT (UINT32_C(1) << 6 | 1u << 9 | 1u << 12 | 1u << 13 | 1u << 18 | 1u << 24)
/* Without their clocks before the clocks are set up: ADC, RTC, SPI, UART, USB. */
#define RESETS_LATE (UINT32_C(1) << 0 | 1u << 15 | 3u << 16 | 3u << 22 | 1u << 24)

static void bad_handler(void)
{
    for (;;)
        __asm volatile("bkpt #0");
}

__attribute__((section(".vectors"), used)) static const struct {
    const void *stack;
    void (*handler[VECTORS - 1])(void);
} vectors = {.stack = stack_top, .handler = {reset_handler, bad_handler, bad_handler}};

__attribute__((section(".ram_vectors"), aligned(256))) static void (*ram_vectors[VECTORS])(void) = {
    bad_handler};
static uint32_t pio_used[2];
static void (*entry1)(void);

/* ---- start-up */

static void release(uint32_t blocks)
{
    REG_CLEAR(RESETS_RESET) = blocks;
    while (~REG(RESETS_DONE) & blocks)
        ;
}

static void select_clock(unsigned clock, uint32_t source, uint32_t auxiliary)
{
    const uint32_t ctrl = CLOCKS + 12u * clock;
    REG(ctrl + 4) = 0x100;
    if (source == 1) {
        REG_CLEAR(ctrl) = 3;
        while (!(REG(ctrl + 8) & 1))
            ;
    }
    REG_XOR(ctrl) = (REG(ctrl) ^ auxiliary << 5) & 0xE0;
    REG_XOR(ctrl) = (REG(ctrl) ^ source) & 3;
    while (!(REG(ctrl + 8) & UINT32_C(1) << source))
        ;
}

static void start_clock(unsigned clock, uint32_t auxiliary)
{
    const uint32_t ctrl = CLOCKS + 12u * clock;
    REG_CLEAR(ctrl) = 1 << 11;
    REG_XOR(ctrl) = (REG(ctrl) ^ auxiliary << 5) & 0xE0;
    REG_SET(ctrl) = 1 << 11;
}

static void start_pll(uint32_t pll, unsigned reset, uint32_t feedback, uint32_t dividers)
{
    REG_SET(RESETS_RESET) = UINT32_C(1) << reset;
    release(UINT32_C(1) << reset);
    REG(pll) = 1;
    REG(pll + 8) = feedback;
    REG_CLEAR(pll + 4) = 0x21;
    while (!(REG(pll) >> 31))
        ;
    REG(pll + 0xC) = dividers;
    REG_CLEAR(pll + 4) = 0x08;
}

static void start_clocks(void)
{
    REG(CLOCKS_SYS_RESUS) = 0;
    REG(XOSC_CTRL) = 0xAA0;
    REG(XOSC_STARTUP) = 47;
    REG_SET(XOSC_CTRL) = 0xFAB000;
    while (!(REG(XOSC_STATUS) >> 31))
        ;
    REG_CLEAR(CLOCKS_SYS_CTRL) = 1;
    while (REG(CLOCKS_SYS_SELECTED) != 1)
        ;
    REG_CLEAR(CLOCKS_REF_CTRL) = 3;
    while (REG(CLOCKS_REF_SELECTED) != 1)
        ;
    start_pll(PLL_SYS_CS, 12, 125, 6 << 16 | 2 << 12);
    start_pll(PLL_USB, 13, 100, 5 << 16 | 5 << 12);
    select_clock(4, 2, 0); /* clk_ref: XOSC */
    select_clock(5, 1, 0); /* clk_sys: PLL_SYS */
    start_clock(7, 0);     /* clk_usb and clk_adc: PLL_USB */
    start_clock(8, 0);
    start_clock(6, 0); /* clk_peri: clk_sys */
    REG(WATCHDOG_TICK) = 1 << 9 | 12;
}

void reset_handler(void)
{
    const uint32_t *from = data_from;
    for (uint32_t *to = data_begin; to < data_end; to++)
        *to = *from++;
    for (uint32_t *to = bss_begin; to < bss_end; to++)
        *to = 0;
    REG_SET(RESETS_RESET) = RESETS_ALL & ~RESETS_KEPT;
    release(RESETS_ALL & ~RESETS_LATE);
    start_clocks();
    release(RESETS_ALL);
    REG_CLEAR(PAD(26)) = PAD_INPUT; /* as the SDK does with the pins of the ADC */
    for (unsigned i = 0; i < SPIN_LOCKS; i++)
        SPINLOCK(i) = 1;
    memcpy(ram_vectors, &vectors, sizeof ram_vectors);
    VTOR = (uint32_t)ram_vectors;
    main();
    bad_handler();
}

/* ---- boot ROM */

void *rom_function(char a, char b)
{
    const uint16_t *tables = (const uint16_t *)0x14;
    void *(*look_up)(const uint16_t *, uint32_t) = (void *(*)(const uint16_t *, uint32_t))(uint32_t)tables[2];
    return look_up((const uint16_t *)(uint32_t)tables[0], (uint32_t)(uint8_t)a | (uint32_t)(uint8_t)b << 8);
}

void *memcpy(void *to, const void *from, size_t bytes)
{
    static void *(*copy)(void *, const void *, size_t);
    if (!copy)
        copy = (void *(*)(void *, const void *, size_t))rom_function('M', 'C');
    return copy(to, from, bytes);
}

void *memset(void *to, int value, size_t bytes)
{
    static void *(*set)(void *, int, size_t);
    if (!set)
        set = (void *(*)(void *, int, size_t))rom_function('M', 'S');
    return set(to, value, bytes);
}

/* ---- pins, interrupts, time */

void gpio_set_function(unsigned pin, unsigned function)
{
    REG_XOR(PAD(pin)) = (REG(PAD(pin)) ^ PAD_INPUT) & 0xC0;
    REG(IO_CTRL(pin)) = function;
}

void gpio_init_output(unsigned pin)
{
    REG(SIO + 0x28) = UINT32_C(1) << pin;
    REG(SIO + 0x18) = UINT32_C(1) << pin;
    gpio_set_function(pin, GPIO_SIO);
    REG(SIO + 0x24) = UINT32_C(1) << pin;
}

void gpio_put(unsigned pin, bool level)
{
    REG(SIO + (level ? 0x14 : 0x18)) = UINT32_C(1) << pin;
}

void irq_set_handler(unsigned irq, void (*handler)(void))
{
    ram_vectors[IRQ0 + irq] = handler;
}

void irq_enable(unsigned irq)
{
    REG(0xE000E280) = UINT32_C(1) << irq;
    REG(NVIC_ISER) = UINT32_C(1) << irq;
}

uint64_t time_us(void)
{
    uint32_t high = REG(TIMER + 0x24);
    for (;;) {
        const uint32_t low = REG(TIMER + 0x28), again = REG(TIMER + 0x24);
        if (again == high)
            return (uint64_t)high << 32 | low;
        high = again;
    }
}

static void alarm3(void)
{
    REG(TIMER + 0x34) = 8;
    __asm volatile("sev");
}

void sleep_us(uint32_t us)
{
    const uint64_t end = time_us() + us;
    irq_set_handler(IRQ_TIMER3, alarm3);
    irq_enable(IRQ_TIMER3);
    REG_SET(TIMER + 0x38) = 8;
    REG(TIMER + 0x1C) = (uint32_t)end;
    while (time_us() < end)
        if (REG(TIMER + 0x20) & 8)
            __asm volatile("wfe");
}

/* ---- UART0 */

void uart_init(uint32_t baud_hz)
{
    const uint32_t divisor = 8 * CLK_SYS_HZ / baud_hz;
    REG_SET(RESETS_RESET) = RESET_UART0;
    release(RESET_UART0);
    REG(UART_IBRD) = divisor >> 7;
    REG(UART_FBRD) = ((divisor & 0x7F) + 1) / 2;
    REG_SET(UART_LCR_H) = 0x70;
    REG(UART_CR) = 0x301;
    REG(0x40034048) = 3; /* DMA requests */
    gpio_set_function(PIN_UART_TX, FUNCTION_UART);
    gpio_set_function(PIN_UART_RX, FUNCTION_UART);
}

void uart_puts(const char *text)
{
    for (; *text; text++) {
        while (REG(0x40034018) & 0x20)
            ;
        REG(UART_DR) = (uint8_t)*text;
    }
}

/* ---- two cores */

void fifo_push(uint32_t word)
{
    while (!(FIFO_ST & 2))
        ;
    FIFO_WR = word;
    __asm volatile("sev");
}

uint32_t fifo_pop(void)
{
    while (!(FIFO_ST & 1))
        __asm volatile("wfe");
    return FIFO_RD;
}

static void begin1(void)
{
    entry1();
}

void core1_launch(void (*entry)(void))
{
    const uint32_t sequence[] = {0, 0, 1, VTOR, (uint32_t)stack1_top, (uint32_t)begin1};
    entry1 = entry;
    for (unsigned i = 0; i < sizeof sequence / sizeof sequence[0];) {
        if (!sequence[i]) {
            while (FIFO_ST & 1)
                (void)FIFO_RD;
            __asm volatile("sev");
        }
        fifo_push(sequence[i]);
        i = fifo_pop() == sequence[i] ? i + 1 : 0;
    }
}

uint32_t spin_lock(unsigned number)
{
    uint32_t primask;
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(primask)::"memory");
    while (!SPINLOCK(number))
        ;
    __asm volatile("dmb" ::: "memory");
    return primask;
}

void spin_unlock(unsigned number, uint32_t primask)
{
    __asm volatile("dmb" ::: "memory");
    SPINLOCK(number) = 0;
    __asm volatile("msr primask, %0" ::"r"(primask) : "memory");
}

/* ---- PIO */

/* A jump, whose top bits are 0, is moved with its program. */
unsigned pio_add_program(uint32_t pio, const uint16_t *program, unsigned words)
{
    uint32_t *used = &pio_used[pio != PIO0];
    const uint32_t mask = (UINT32_C(1) << words) - 1;
    const uint32_t saved = spin_lock(CLAIM_LOCK);
    unsigned at = PIO_WORDS - words;
    while (*used & mask << at)
        at--;
    *used |= mask << at;
    for (unsigned i = 0; i < words; i++)
        REG(pio + 0x48 + 4 * (at + i)) = program[i] + (program[i] >> 13 ? 0u : at);
    spin_unlock(CLAIM_LOCK, saved);
    return at;
}
