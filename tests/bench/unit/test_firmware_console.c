/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The console of the firmware, line by line, through the UART0 pins of the native node.
 */
#include "tests/bench/unit/node_fixture.h"
#include "tests/bench/unit/tests.h"

static const struct pb_node_config config = {
    .address = 0x2A3,
    PB_NODE_CUBE(12),
    .payload_bytes = 6,
    .phase_rate_mhz = 10000000,
    .baud_hz = 1000000,
    .console_baud_hz = 1000000,
    .head_guard_ps = 5 * US,
};

struct exchange {
    const char *line, *answer;
};

static void exchange_all(const struct pb_node_config *node, const struct exchange *exchange, size_t count)
{
    struct pins pins;
    pins_init(&pins, pb_node_native_create(node), NULL);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(console_ask(&pins, 0, exchange[i].line), exchange[i].answer);
    pins_free(&pins);
}

#define EXCHANGE(node, ...)                                                                                  \
    do {                                                                                                     \
        const struct exchange list[] = {__VA_ARGS__};                                                        \
        exchange_all(node, list, sizeof list / sizeof *list);                                                \
    } while (0)

TEST(identify)
{
    EXCHANGE(&config, {"I\n", "+I node=native addr=2A3 dims=C fw=100"},
             {"I\r\n", "+I node=native addr=2A3 dims=C fw=100"}, {"A 91c\n", "+A 91C"},
             {"I\n", "+I node=native addr=91C dims=C fw=100"}, {"I 1\n", "-syntax"});
}

TEST(send_counts_modulo_16)
{
    struct pins pins;
    pins_init(&pins, pb_node_native_create(&config), NULL);
    for (unsigned i = 0; i < 40; i++) {
        assert_string_equal(console_ask(&pins, 0, "S 91C 010203\n"), formatted("+S %X", i % 16));
    }
    /* The pool holds 40; a refused message takes no number. */
    assert_string_equal(console_ask(&pins, 0, "S 91C\n"), "-full");
    assert_string_equal(console_ask(&pins, 0, "S 2A3\n"), "+S 8"); /* to itself: needs no room */
    assert_string_equal(console_ask(&pins, 0, "A 000\n"), "-busy");
    assert_int_equal(console_counter(&pins, 0, "own_messages"), 41);
    assert_int_equal(console_counter(&pins, 0, "delivered"), 1);
    assert_int_equal(console_counter(&pins, 0, "queue_drops"), 1);
    assert_int_equal(console_counter(&pins, 0, "max_queue"), 40);
    assert_int_equal(console_counter(&pins, 0, "max_stored"), 40);
    assert_int_equal(console_counter(&pins, 0, "console_errors"), 2);
    assert_string_equal(console_ask(&pins, 0, "Z\n"), "+Z");
    assert_int_equal(console_counter(&pins, 0, "own_messages"), 0);
    assert_int_equal(console_counter(&pins, 0, "max_queue"), 0);
    pins_free(&pins);
}

TEST(send_limits)
{
    struct pb_node_config small = config;
    small.digits = 4;
    small.address = 3;
    EXCHANGE(&small, {"S F\n", "+S 0"}, {"S 0F 010203040506\n", "+S 1"}, {"S 10\n", "-range"},
             {"S 12345\n", "-range"}, {"S F 01020304050607\n", "-length"}, {"S F 010\n", "-syntax"},
             {"S F 0G\n", "-syntax"}, {"S\n", "-syntax"}, {"S X\n", "-syntax"}, {"S F 01 02\n", "-syntax"},
             {"S  F  aAbB \n", "+S 2"}, {"A 10\n", "-range"}, {"A F\n", "-busy"});
}

TEST(longest_payload)
{
    struct pb_node_config large = config;
    char line[400];
    large.payload_bytes = 80;
    snprintf(line, sizeof line, "S 91C %0160d\n", 0);
    EXCHANGE(&large, {line, "+S 0"});
    snprintf(line, sizeof line, "S 91C %0162d\n", 0);
    EXCHANGE(&large, {line, "-length"}, {"I\n", "+I node=native addr=2A3 dims=C fw=100"});
}

TEST(garbage_and_overlong)
{
    char line[400];
    memset(line, 'S', sizeof line);
    line[390] = '\n';
    line[391] = '\0';
    EXCHANGE(&config, {line, "-long"}, {"\n", "-empty"}, {"   \n", "-empty"}, {"\r\n", "-empty"},
             {"Q\n", "-unknown"}, {"IDENTIFY\n", "-unknown"}, {"i\n", "-unknown"}, {"I\t\n", "-character"},
             {"\x80\xFF\n", "-character"}, {"\x7F\n", "-character"}, {"\rI\n", "-character"},
             {"M\n", "-syntax"}, {"M 3\n", "-range"}, {"M 1\n", "+M 1"}, {"M 2 2\n", "-syntax"},
             {"M 0\n", "+M 0"}, {"Z 0\n", "-syntax"}, {"T T\n", "-syntax"},
             {"I\n", "+I node=native addr=2A3 dims=C fw=100"});
}

/* A byte whose stop bit is low makes its line invalid instead of vanishing from it. */
TEST(framing_error_spoils_the_line)
{
    struct pins pins;
    struct decoded decoded;
    pins_init(&pins, pb_node_native_create(&config), NULL);
    pins_change(&pins, 10 * US, PIN_UART0_RX, false); /* 15 bit times low */
    pins_change(&pins, 25 * US, PIN_UART0_RX, true);
    pins_uart(&pins, PIN_UART0_RX, 30 * US, CONSOLE_BIT_PS, "I\n", 2);
    pins_run(&pins, 400 * US);
    decode_uart(&pins, (struct probe){0, -1}, CONSOLE_BIT_PS, 0, 400 * US, &decoded);
    assert_int_equal(decoded.length, strlen("-character\n"));
    assert_memory_equal(decoded.byte, "-character\n", decoded.length);
    pins_free(&pins);
}

/* Lines sent back to back are all answered, in order. */
TEST(pipelined_lines)
{
    struct pins pins;
    struct decoded decoded;
    const char *lines = "I\nS 91C\nS 91C 01\nT\nS 91C\nM 0\nI\n";
    pins_init(&pins, pb_node_native_create(&config), NULL);
    pins_uart(&pins, PIN_UART0_RX, 10 * US, CONSOLE_BIT_PS, lines, strlen(lines));
    pins_run(&pins, 10 * MS);
    decode_uart(&pins, (struct probe){0, -1}, CONSOLE_BIT_PS, 0, 10 * MS, &decoded);
    char text[sizeof decoded.byte + 1];
    memcpy(text, decoded.byte, decoded.length);
    text[decoded.length] = '\0';
    assert_int_equal(decoded.framing_errors, 0);
    const char *head = "+I node=native addr=2A3 dims=C fw=100\n+S 0\n+S 1\n+T edges=0 ";
    assert_memory_equal(text, head, strlen(head));
    const char *tail = strstr(text, " console_errors=0\n");
    assert_non_null(tail);
    assert_string_equal(tail, " console_errors=0\n+S 2\n+M 0\n+I node=native addr=2A3 dims=C fw=100\n");
    pins_free(&pins);
}
