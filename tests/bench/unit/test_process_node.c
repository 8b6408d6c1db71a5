/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The words of a command, the messages of a process node, and its process. Expected values: a POSIX shell;
 * the byte layout in docs/start/your-firmware.md. tests/cli/process.sh has whole runs.
 *
 * evidence: nodes in processes of their own, with look-ahead
 *   simulated: the native node behind the protocol, and as a library, has the same result to the picosecond
 *   in every shipped scenario; 13 ways to end, hang or break the protocol each give their finding, and a
 *   whole report
 *   also: test_node_callbacks, process.sh, ahead.sh
 */
#include "bench/nodes/callbacks.h"
#include "bench/nodes/child.h"
#include "bench/nodes/process.h"
#include "bench/nodes/process_message.h"
#include "bench/nodes/words.h"
#include "docs/examples/my_firmware.c"
#include "host/base/monotonic.h"
#include "phasebench/error.h"
#include "tests/bench/nodes/native.h"
#include "tests/bench/unit/node_sentences.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

TEST(a_command_is_split_as_a_shell_splits_it)
{
    static const char *const row[][5] = {
        {"a", "a"},
        {"  ./my-node \t --fast\n", "./my-node", "--fast"},
        {"'a b' \"c d\"e", "a b", "c de"},
        {"a'b'\"c\"d", "abcd"},
        {"'' \"\"", "", ""},
        {"a\\ b \\'c\\\"", "a b", "'c\""},
        {"\"a\\\"b\\\\c\\d\"", "a\"b\\c\\d"},
        {"'a\\b\"c'", "a\\b\"c"},
        {"$HOME *.c ~ `x`", "$HOME", "*.c", "~", "`x`"},
        {"é ü", "é", "ü"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char **word = pb_words_split(row[i][0]);
        assert_non_null(word);
        unsigned count = 0;
        for (; word[count]; count++)
            assert_string_equal(word[count], row[i][count + 1]);
        assert_true(count == 4 || !row[i][count + 1]);
        free(word);
    }
    static const char *const refused[] = {"", " \t", "'a", "a \"b", "a\\", "\"a\\"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        errno = 0;
        assert_null(pb_words_split(refused[i]));
        assert_int_equal(errno, EINVAL);
    }
}

/* An answer to ADVANCE 7 at 1000 ps: next time 5000 ps, urgent CLK and NRST, console high, two changes. */
static const uint8_t good[] = {
    0x88, 0x13, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0x00, 0x10, 0, 0, 0x00, 0x40, 0, 0,
    0x00, 0x10, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, /* the schedule: */
    0xe9, 0x03, 0, 0, 0, 0, 0, 0, 0x01, 0x10, 0, 0, 0, 0, 0, 0,
    0xd0, 0x07, 0, 0, 0, 0, 0, 0, 0x00, 0x10, 0, 0, 0, 0, 0, 0};

static bool accepts(const uint8_t *body, size_t size, char *why)
{
    static struct pb_process_change change[PB_PROCESS_CHANGES_MAX];
    const struct pb_process_advance advance = {.now_ps = 1000, .serial = 7};
    struct pb_process_answer answer;
    *why = '\0';
    if (!pb_process_read_answer(&answer, change, &advance, body, size, why))
        return false;
    assert_int_equal(answer.wake_ps, 5000);
    assert_int_equal(answer.urgent_rise, PB_PROCESS_CLK);
    assert_int_equal(answer.urgent_fall, PB_PROCESS_NRST);
    assert_int_equal(answer.pins, PB_PROCESS_UART0_TX);
    assert_int_equal(answer.count, 2);
    assert_int_equal(change[0].at_ps, 1001);
    assert_int_equal(change[0].pins, PB_PROCESS_UART0_TX | 1);
    assert_int_equal(change[1].at_ps, 2000);
    return true;
}

TEST(an_answer_is_accepted_only_if_every_field_is_possible)
{
    static const struct {
        unsigned at;
        uint8_t value;
        const char *why;
    } row[] = {
        {8, 8, "serial 8"},
        {8, 6, "serial 6"},        {1, 3, "904 ps"},        {1, 0, "136 ps"},
        {7, 0x80, "ps as its"},    {14, 0x02, "urgent"},    {19, 1, "urgent"},
        {21, 0x20, "outputs"},     {23, 0x10, "outputs"},   {24, 1, "1 changes in a body of 64"},
        {25, 0x10, "4098 changes"}, {27, 0xff, "changes"},  {31, 1, "urgent"},
        {32, 0xe8, "a change at 1000 ps after 1000"},       {33, 0x07, "2000 ps after 2025"},
        {39, 0x80, "a change"},    {41, 0x80, "outputs"},   {42, 0x01, "pull a link low and drive it high"},
        {44, 1, "a change"},
    };
    char why[PB_PROCESS_WHY];
    assert_true(accepts(good, sizeof good, why));
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        uint8_t body[sizeof good];
        memcpy(body, good, sizeof good);
        body[row[i].at] = row[i].value;
        if (accepts(body, sizeof body, why))
            fail_msg("byte %u = 0x%02x passed", row[i].at, row[i].value);
        if (!strstr(why, row[i].why))
            fail_msg("byte %u = 0x%02x: %s", row[i].at, row[i].value, why);
    }
    assert_false(accepts(good, sizeof good - 16, why));
}

TEST(a_greeting_needs_the_version_and_a_printable_name)
{
    char name[PB_PROCESS_NAME_MAX + 1], why[PB_PROCESS_WHY];
    assert_true(pb_process_read_version((const uint8_t *)"\1\0\0\0my node", 11, name, why));
    assert_string_equal(name, "my node");
    assert_true(pb_process_read_version((const uint8_t *)"\1\0\0\0", 4, name, why));
    assert_string_equal(name, "");
    assert_false(pb_process_read_version((const uint8_t *)"\2\0\0\0", 4, name, why));
    assert_non_null(strstr(why, "version 2"));
    assert_false(pb_process_read_version((const uint8_t *)"\1\0\0\0a\x7f", 6, name, why));
    assert_non_null(strstr(why, "0x7f"));
    static const struct {
        uint8_t header[8];
        uint32_t type;
        bool ok;
    } row[] = {
        {{4, 0, 0, 0, 1}, PB_PROCESS_HELLO, true},
        {{64, 0, 0, 0, 1}, PB_PROCESS_HELLO, true},
        {{65, 0, 0, 0, 1}, PB_PROCESS_HELLO, false},
        {{3, 0, 0, 0, 1}, PB_PROCESS_HELLO, false},
        {{32, 0, 0, 0, 3}, PB_PROCESS_ANSWER, true},
        {{31, 0, 0, 0, 3}, PB_PROCESS_ANSWER, false},
        {{0x20, 0, 1, 0, 3}, PB_PROCESS_ANSWER, true},
        {{0x21, 0, 1, 0, 3}, PB_PROCESS_ANSWER, false},
        {{32, 0, 0, 0, 2}, PB_PROCESS_ANSWER, false},
        {{32, 0, 0, 0, 3, 0, 0, 1}, PB_PROCESS_ANSWER, false},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        assert_int_equal(pb_process_check_header(row[i].header, row[i].type, why), row[i].ok);
}

/* Number of open descriptors of this process. */
static unsigned open_fds(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

TEST(a_child_gets_three_pipes_and_nothing_else)
{
    struct pb_diag diag;
    struct pb_child *child;
    char text[80],
        *word[] = {"sh", "-c", "echo out; echo err >&2; pwd; ls /proc/self/fd | tr '\\n' ' '; exit 7", NULL};
    const unsigned before = open_fds();
    const int stray = open("/dev/null", O_RDONLY); /* without FD_CLOEXEC */
    assert_int_equal(pb_child_start(&child, word, "/", &diag), PB_OK);
    uint8_t byte;
    assert_int_equal(pb_child_receive(child, &byte, 1, INT64_C(5000000000000)), PB_CHILD_GONE);
    pb_child_stop(child, 1000, text, sizeof text);
    assert_string_equal(text, "exited with code 7");
    pb_child_output(child, text, sizeof text);
    assert_string_equal(text, "out|err|/|0 1 2 3 4 "); /* ls opens the folder as 4 */
    pb_child_free(child);
    close(stray);
    assert_int_equal(open_fds(), before);
}

TEST(a_child_that_cannot_start_leaves_nothing)
{
    struct pb_diag diag;
    struct pb_child *child;
    char *word[] = {"./no such program", NULL};
    const unsigned before = open_fds();
    assert_int_equal(pb_child_start(&child, word, "/tmp", &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "'./no such program' in folder '/tmp': No such file"));
    assert_null(child);
    assert_int_equal(pb_child_start(&child, word, "/no such folder", &diag), PB_ERR_CONFIG);
    assert_int_equal(open_fds(), before);
}

/* What a child started itself ends with it. */
TEST(a_stop_ends_the_whole_process_group)
{
    struct pb_diag diag;
    struct pb_child *child;
    char text[80], *word[] = {"sh", "-c", "sleep 100 & echo $!; wait", NULL};
    assert_int_equal(pb_child_start(&child, word, NULL, &diag), PB_OK);
    long pid = 0;
    for (int i = 0; i < 500 && pid == 0; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        pb_child_output(child, text, sizeof text);
        pid = strtol(text, NULL, 10);
    }
    assert_true(pid > 0);
    pb_child_stop(child, 0, text, sizeof text);
    pb_child_free(child);
    /* It is no child of this process: its new parent may need a moment to wait for it. */
    char path[40], letter[2] = "R";
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    for (int i = 0; i < 500 && *letter != 'Z'; i++) {
        FILE *file = fopen(path, "r");
        if (!file || fscanf(file, "%*d (%*[^)]) %1s", letter) != 1)
            *letter = 'Z';
        if (file)
            fclose(file);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_string_equal(letter, "Z");
}

/* A signal, or the end of the run's time, ends a wait of a minute: two of them in less than one such wait. */
TEST(a_halt_ends_a_wait)
{
    static const volatile sig_atomic_t stopped = 1, running = 0;
    const int64_t begun_ns = pb_monotonic_ns();
    const struct pb_halt row[] = {{.stop = &stopped}, {.stop = &running, .deadline_ns = begun_ns}};
    assert_int_equal(pb_halt_code(&row[0]), PB_ERR_INTERRUPTED);
    assert_int_equal(pb_halt_code(&row[1]), PB_ERR_TIMEOUT);
    assert_int_equal(pb_halt_code(&(struct pb_halt){.stop = &running}), PB_OK);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct pb_diag diag;
        struct pb_child *child;
        char *word[] = {"sleep", "100", NULL};
        uint8_t byte;
        assert_int_equal(pb_child_start(&child, word, NULL, &diag), PB_OK);
        pb_child_heed(child, &row[i]);
        assert_int_equal(pb_child_receive(child, &byte, 1, INT64_C(60000000000000)), PB_CHILD_HALTED);
        pb_child_free(child);
    }
    assert_in_range(pb_monotonic_ns() - begun_ns, 0, INT64_C(50000000000));
}

/* ---- a node that plays a script: this program, started with the word "node" and the answers */

#define TX PB_PROCESS_UART0_TX

/* An answer: next time, urgent rise and fall, outputs, schedule, as "NEXT RISE FALL OUT [AT OUT]...".
 * Writes what it was sent as one line for each ADVANCE: "NOW FLAGS PINS [AT PINS]...". */
static void play(char *script, uint32_t serial)
{
    uint8_t bytes[PB_PROCESS_HEADER + PB_PROCESS_ANSWER_BYTES + 8 * PB_PROCESS_CHANGE_BYTES];
    uint8_t *body = bytes + PB_PROCESS_HEADER, *at = body + PB_PROCESS_ANSWER_BYTES;
    struct pb_process_answer answer = {.serial = serial};
    answer.wake_ps = strtoll(script, &script, 0);
    answer.urgent_rise = (uint32_t)strtoul(script, &script, 0);
    answer.urgent_fall = (uint32_t)strtoul(script, &script, 0);
    answer.pins = (uint32_t)strtoul(script, &script, 0);
    while (*script) {
        struct pb_process_change change = {.at_ps = strtoll(script, &script, 0)};
        change.pins = (uint32_t)strtoul(script, &script, 0);
        pb_process_put_change(at, &change);
        at += PB_PROCESS_CHANGE_BYTES;
        answer.count++;
    }
    pb_process_put_answer(body, &answer);
    pb_process_put_header(bytes, (uint32_t)(at - body), PB_PROCESS_ANSWER);
    if (write(PB_PROCESS_FD, bytes, (size_t)(at - bytes)) != at - bytes)
        _exit(9);
}

static void print_advance(const uint8_t *body)
{
    const struct pb_process_advance advance = pb_process_get_advance(body);
    printf("%lld %u %x", (long long)advance.now_ps, (unsigned)advance.flags, (unsigned)advance.pins);
    for (uint32_t i = 0; i < advance.count; i++) {
        const struct pb_process_change change =
            pb_process_get_change(body + PB_PROCESS_ADVANCE_BYTES + i * PB_PROCESS_CHANGE_BYTES);
        printf(" %lld %x", (long long)change.at_ps, (unsigned)change.pins);
    }
    printf("\n");
    fflush(stdout);
}

static int be_a_node(int answers, char **answer)
{
    static uint8_t header[PB_PROCESS_HEADER], body[PB_PROCESS_BODY_MAX];
    static const uint8_t greeting[] = {8, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 'p', 'l', 'a', 'y'};
    for (int i = 0; read(PB_PROCESS_FD, header, sizeof header) == (ssize_t)sizeof header;) {
        const size_t size = pb_process_get32(header);
        if (size && read(PB_PROCESS_FD, body, size) != (ssize_t)size)
            return 8;
        const uint32_t type = pb_process_get32(header + 4);
        if (type == PB_PROCESS_HELLO && write(PB_PROCESS_FD, greeting, sizeof greeting) < 0)
            return 7;
        if (type == PB_PROCESS_END)
            return 0;
        if (type != PB_PROCESS_ADVANCE)
            continue;
        if (i == answers)
            return 6;
        print_advance(body);
        play(answer[i++], pb_process_get_advance(body).serial);
    }
    return 5;
}

static const struct pb_node_config cube = {.address = 1,
                                           PB_NODE_CUBE(3),
                                           .payload_bytes = 4,
                                           .phase_rate_mhz = 10000000,
                                           .baud_hz = 1000000,
                                           .console_baud_hz = 460800};

static struct pb_node *scripted(const char *answers)
{
    char self[200] = "", command[600];
    struct pb_diag diag = {""};
    struct pb_node *node;
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(command, sizeof command, "%s node %s", self, answers);
    if (pb_node_process_create(&node, &cube, command, &(struct pb_process_setting){.limit_ps = 0}, &diag))
        fail_msg("%s", diag.text);
    return node;
}

/* Inputs as bits of the protocol; returns the outputs so, and the next time in *next_ps. */
static uint32_t step(struct pb_node *node, int64_t now_ps, uint32_t pins, int64_t *next_ps)
{
    const struct pb_node_inputs in = {.line = pins & PB_PROCESS_LINES,
                                      .tdma_clk = pins & PB_PROCESS_CLK,
                                      .tdma_sync = pins & PB_PROCESS_SYNC,
                                      .nrst = pins & PB_PROCESS_NRST,
                                      .boot0 = pins & PB_PROCESS_BOOT0,
                                      .uart0_rx = pins & PB_PROCESS_UART0_RX};
    struct pb_node_outputs out;
    *next_ps = node->ops->advance(node, now_ps, &in, &out);
    return out.pull_low | (uint32_t)out.drive_high << PB_PROCESS_HIGH_SHIFT | (out.uart0_tx ? TX : 0);
}

static void heard(const struct pb_node *node, const char *wanted)
{
    struct pb_node_trouble trouble;
    assert_true(pb_node_trouble(node, &trouble));
    assert_int_equal(trouble.kind, PB_TROUBLE_NONE);
    assert_string_equal(trouble.output, wanted);
}

TEST(a_schedule_is_played_and_changes_that_are_not_urgent_are_kept)
{
    enum { IDLE = PB_PROCESS_NRST | PB_PROCESS_UART0_RX | 7 }; /* 0x14007 */
    int64_t next_ps;
    struct pb_node *node = scripted("'1000 0x1000 0xc000 0x1000 100 0x1001 200 0x0001 300 0x1000' "
                                    "'1000 0x1000 0 0x1000 155 0x1004' '2000 0x1000 0 0x1002 600 0x21000' "
                                    "'9000 0 0 0x1000'");
    assert_int_equal(step(node, 0, IDLE, &next_ps), TX);
    assert_int_equal(next_ps, 100);
    assert_int_equal(step(node, 50, IDLE & ~1u, &next_ps), TX); /* link 0 falls: kept */
    assert_int_equal(step(node, 100, IDLE & ~1u, &next_ps), TX | 1);
    assert_int_equal(next_ps, 200);
    assert_int_equal(step(node, 150, IDLE | PB_PROCESS_BOOT0, &next_ps),
                     TX | 1);                                                /* and rises, with BOOT0: kept */
    assert_int_equal(step(node, 250, IDLE | PB_PROCESS_BOOT0, &next_ps), 1); /* late: what was due at 200 */
    assert_int_equal(step(node, 250, IDLE | PB_PROCESS_BOOT0, &next_ps), 1);           /* again: no effect */
    heard(node, "0 0 14007");
    assert_int_equal(step(node, 260, IDLE | PB_PROCESS_BOOT0 | PB_PROCESS_CLK, &next_ps),
                     TX | 2); /* urgent: what was due is gone; first come the changes of the phase */
    assert_int_equal(next_ps, 600);
    heard(node, "0 0 14007|150 0 1c007 50 14006|260 0 1d007");
    assert_int_equal(step(node, 270, IDLE, &next_ps),
                     TX | 2); /* CLK falls: kept; was urgent in rising only */
    assert_int_equal(step(node, 600, IDLE, &next_ps), TX | 2u << PB_PROCESS_HIGH_SHIFT);
    assert_int_equal(next_ps, 2000);
    assert_int_equal(step(node, 2000, IDLE, &next_ps), TX); /* the next time */
    assert_int_equal(next_ps, 9000);
    heard(node, "0 0 14007|150 0 1c007 50 14006|260 0 1d007|2000 0 14007 270 14007");
    pb_node_destroy(node);
}

TEST(the_start_of_the_phase_clock_is_an_advance_with_align)
{
    int64_t next_ps;
    struct pb_node *node = scripted("'9000 0 0 0x1000' '9000 0 0 0x1000 800 0x1001' '9001 0 0 0x1000'");
    step(node, 0, 0, &next_ps);
    step(node, 10, 1, &next_ps);
    node->ops->align(node, 20);
    assert_int_equal(step(node, 20, 3, &next_ps), TX);
    assert_int_equal(next_ps, 800);
    heard(node, "0 0 0|20 1 3 10 1");
    pb_node_destroy(node);
}

TEST(many_changes_are_sent_before_they_are_lost)
{
    int64_t next_ps;
    struct pb_node *node = scripted("'9000000 0 0 0x1000' '9000000 0 0 0x1002' '9000000 0 0 0x1000'");
    uint32_t out = step(node, 0, 0, &next_ps);
    for (int i = 1; i <= PB_PROCESS_CHANGES_MAX; i++)
        out |= step(node, i, i & 1, &next_ps);
    assert_int_equal(out, TX);
    assert_int_equal(step(node, PB_PROCESS_CHANGES_MAX + 1, 1, &next_ps), TX | 2);
    pb_node_destroy(node);
}

TEST(a_trouble_has_its_superframe_and_phase)
{
    static const struct {
        unsigned edges; /* of three phases, SYNC high in the first */
        bool clocked;
        unsigned superframe, phase;
    } row[] = {{0, false, 0, 0}, {1, true, 0, 0}, {3, true, 0, 2}, {4, true, 1, 0}, {8, true, 2, 1}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct pb_node_trouble trouble;
        int64_t next_ps = 0;
        struct pb_node *node = scripted("'100000 0x8000 0 0x1001'");
        assert_int_equal(step(node, 0, 0, &next_ps), TX | 1);
        for (unsigned edge = 0; edge < row[i].edges; edge++) {
            const uint32_t sync = edge % 3 ? 0 : PB_PROCESS_SYNC;
            step(node, 100 + 100 * edge, PB_PROCESS_CLK | sync, &next_ps);
            step(node, 150 + 100 * edge, sync, &next_ps);
        }
        const int64_t now_ps = 107 + 100 * (int64_t)row[i].edges;
        assert_int_equal(step(node, now_ps, PB_PROCESS_BOOT0, &next_ps), TX); /* beyond its script */
        assert_true(next_ps == INT64_MAX);
        assert_int_equal(step(node, 5000, PB_PROCESS_CLK, &next_ps), TX);
        assert_true(pb_node_trouble(node, &trouble));
        assert_int_equal(trouble.kind, PB_TROUBLE_DIED);
        assert_string_equal(trouble.name, "play");
        assert_string_equal(trouble.text, "exited with code 6");
        assert_string_equal(trouble.output, "0 0 0");
        assert_int_equal(trouble.clocked, row[i].clocked);
        assert_int_equal(trouble.superframe, row[i].superframe);
        assert_int_equal(trouble.phase, row[i].phase);
        assert_int_equal(trouble.in_phase_ps, row[i].clocked ? 107 : 0);
        pb_node_destroy(node);
    }
}

/* Its child keeps file descriptor 3. */
TEST(a_node_that_ended_has_not_hung)
{
    const struct pb_process_setting setting = {.limit_ps = INT64_C(200000000000)};
    char self[200] = "", command[600];
    struct pb_node_trouble trouble;
    struct pb_node *node;
    int64_t next_ps;
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(command, sizeof command, "sh -c 'sleep 9 3<&3 & exec %s node'", self);
    assert_succeeds(pb_node_process_create(&node, &cube, command, &setting, &diag));
    step(node, 0, 0, &next_ps);
    assert_true(pb_node_trouble(node, &trouble));
    assert_int_equal(trouble.kind, PB_TROUBLE_DIED);
    assert_string_equal(trouble.text, "exited with code 6");
    assert_int_equal(pb_node_process_halted(node), PB_OK);
    pb_node_destroy(node);
}

/* ---- the nodes of the sentences: this program, started with the word "pins" or "library" */

static void *native_create(const struct pb_process_hello *hello)
{
    return native_of(hello);
}

static uint32_t native_advance(void *state, int64_t now_ps, uint32_t inputs, int64_t *next_ps)
{
    struct pb_node *one = state;
    const struct pb_node_inputs in = native_inputs(inputs);
    struct pb_node_outputs out;
    *next_ps = one->ops->advance(one, now_ps, &in, &out);
    return native_outputs(&out);
}

static void native_align(void *state, int64_t now_ps)
{
    struct pb_node *one = state;
    one->ops->align(one, now_ps);
}

static void *template_create(const struct pb_process_hello *hello)
{
    return pb_callbacks_create(pb_node_library.callbacks, hello);
}

SENTENCES_OF(kind_process)
SENTENCES_OF(kind_library)

int main(int argc, char **argv)
{
    const struct pb_pins_node pins = {"native", native_create, native_advance, native_align,
                                      PB_PROCESS_LINES},
                              library = {"myfirmware", template_create, pb_callbacks_advance,
                                         pb_callbacks_align, 0};
    if (argc > 1 && !strcmp(argv[1], "node"))
        return be_a_node(argc - 2, argv + 2);
    if (argc > 1)
        return strcmp(argv[1], "pins") ? pb_pins_serve_ahead(&library, pb_callbacks_ahead)
                                       : pb_pins_serve(&pins);
    return test_all();
}
