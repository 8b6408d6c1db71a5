/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rig tty: on a pseudo-terminal, at whose other end a thread has a simulated core: whole runs, a port
 * that is unplugged, one that says garbage, two hosts, and what is no serial port. Expected values: verdicts
 * of the same scenarios on rig sim:, settings as tcgetattr gives them.
 *
 * evidence: a board behind any serial port (--rig tty:)
 *   run against pseudo-terminals with a simulated core: whole runs, unplugging, garbage, two hosts; on no
 *   board yet
 */
#define _XOPEN_SOURCE 700 /* pseudo-terminals */
#define _DEFAULT_SOURCE
#include "host/rig/rig_tty.h"
#include "phasebench/rig.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static const char *folder;

/* ---- the board */

enum { BACKLOG = 1 << 20 };

struct board {
    int master, kept; /* the slave's end is kept open: a port is there without a host, too */
    char path[64], url[96];
    struct pb_transport *rig;
    pthread_t thread;
    atomic_bool stop;
    atomic_ulong unplug_after; /* bytes to the host; 0: never */
    unsigned flip_every; /* a bit flips in each byte to the host whose number is a multiple of it; 0: none */
    unsigned long sent;
    size_t waiting;
    uint8_t *backlog;
};

/* What the core says, to the host. */
static void give(struct board *board)
{
    struct pb_diag diag;
    const int got = board->rig->ops->read(board->rig, board->backlog + board->waiting,
                                          BACKLOG - board->waiting, 1, &diag);
    assert_true(got >= 0);
    for (int i = 0; board->flip_every && i < got; i++)
        if ((board->sent + board->waiting + (size_t)i) % board->flip_every == board->flip_every - 1)
            board->backlog[board->waiting + (size_t)i] ^= 0x10;
    board->waiting += (size_t)got;
    const ssize_t done = board->waiting ? write(board->master, board->backlog, board->waiting) : 0;
    if (done <= 0)
        return;
    board->sent += (unsigned long)done;
    board->waiting -= (size_t)done;
    memmove(board->backlog, board->backlog + done, board->waiting);
}

/* A shipped scenario as one of nodes that are wired up: none of a model, which a serial port has not. */
static struct pb_scenario *load_wired(const char *name)
{
    struct pb_scenario *scenario = load_shipped(name);
    for (unsigned i = 0; i < scenario->node_count; i++) {
        scenario->node[i].model_key = NULL;
        scenario->node[i].kind_given = false;
    }
    return scenario;
}

static int64_t wall_ps(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000000) + now.tv_nsec * INT64_C(1000);
}

/* A board has no more time than there is: else its watchdog would not wait for the host. It has a quarter of
 * it, as the sanitizers make the host slower. */
static void *be_a_board(void *context)
{
    const int64_t started_ps = wall_ps();
    struct board *board = context;
    uint8_t bytes[1024];
    struct pb_diag diag;
    while (!board->stop) {
        const ssize_t got = read(board->master, bytes, sizeof bytes);
        if (got > 0)
            assert_int_equal(board->rig->ops->write(board->rig, bytes, (size_t)got, &diag), 0);
        if (pb_rig_simulated_ps(board->rig) > (wall_ps() - started_ps) / 4) {
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
            continue;
        }
        give(board);
        if (board->unplug_after && board->sent >= board->unplug_after) {
            close(board->master);
            board->master = -1;
            return NULL;
        }
    }
    return NULL;
}

static void plug_in(struct board *board, const struct pb_scenario *scenario)
{
    struct pb_diag diag = {""};
    *board = (struct board){.master = posix_openpt(O_RDWR | O_NOCTTY), .backlog = malloc(BACKLOG)};
    assert_true(board->master >= 0 && board->backlog);
    assert_int_equal(grantpt(board->master), 0);
    assert_int_equal(unlockpt(board->master), 0);
    snprintf(board->path, sizeof board->path, "%s", ptsname(board->master));
    snprintf(board->url, sizeof board->url, "tty:%s?baud=12000000", board->path);
    board->kept = open(board->path, O_RDWR | O_NOCTTY);
    assert_true(board->kept >= 0);
    fcntl(board->master, F_SETFL, O_NONBLOCK);
    if (pb_rig_open(&board->rig, &(struct pb_rig_options){0}, scenario, &diag))
        fail_msg("%s", diag.text);
}

static void start(struct board *board)
{
    pthread_create(&board->thread, NULL, be_a_board, board);
}

static void take_away(struct board *board)
{
    board->stop = true;
    pthread_join(board->thread, NULL);
    if (board->master >= 0)
        close(board->master);
    close(board->kept);
    board->rig->ops->close(board->rig);
    free(board->backlog);
}

/* ---- tests */

TEST(a_scenario_has_the_verdict_that_it_has_on_sim)
{
    static const struct {
        const char *scenario;
        enum pb_verdict verdict;
        const char
            *nodes; /* what is wired to the board answers so; of the file's kind and defect nothing is said */
    } run[] = {{"demo", PB_VERDICT_PASS, "0x2A3 native"},
               {"ref", PB_VERDICT_PASS, "0x2A3 ref"},
               {"broken/flipped-bit", PB_VERDICT_FAIL, "0x2A3 native"}};
    for (size_t i = 0; i < COUNT(run); i++) {
        struct board board;
        struct termios before, after;
        struct pb_scenario *scenario = load_wired(run[i].scenario);
        plug_in(&board, scenario);
        scenario->node[0].kind = "contract";
        assert_int_equal(tcgetattr(board.kept, &before), 0);
        start(&board);
        struct pb_result *result = run_scenario(scenario, board.url);
        assert_verdict(result, run[i].verdict);
        assert_string_equal(result->nodes, run[i].nodes);
        assert_string_equal(result->incomplete, "");
        assert_int_equal(result->events_lost, 0);
        assert_int_equal(tcgetattr(board.kept, &after), 0);
        assert_int_equal(before.c_iflag, after.c_iflag);
        assert_int_equal(before.c_oflag, after.c_oflag);
        assert_int_equal(before.c_cflag, after.c_cflag);
        assert_int_equal(before.c_lflag, after.c_lflag);
        assert_memory_equal(before.c_cc, after.c_cc, sizeof before.c_cc);
        assert_int_equal(cfgetospeed(&before), cfgetospeed(&after));
        take_away(&board);
    }
}

/* Every byte value passes in both directions, also line feeds, carriage returns and XON: 8-bit clean, no
 * echo. */
TEST(the_port_is_raw)
{
    struct board board;
    struct pb_scenario *scenario = load_wired("ref");
    struct pb_transport *transport;
    struct pb_diag diag = {""};
    uint8_t sent[256], got[512];
    plug_in(&board, scenario);
    if (pb_rig_open(&transport, &(struct pb_rig_options){.url = board.url}, scenario, &diag))
        fail_msg("%s", diag.text);
    for (unsigned i = 0; i < sizeof sent; i++)
        sent[i] = (uint8_t)i;
    assert_int_equal(transport->ops->write(transport, sent, sizeof sent, &diag), 0);
    assert_int_equal(poll(&(struct pollfd){.fd = board.master, .events = POLLIN}, 1, 1000), 1);
    assert_int_equal(read(board.master, got, sizeof got), sizeof sent);
    assert_memory_equal(sent, got, sizeof sent);
    assert_int_equal(write(board.master, sent, sizeof sent), sizeof sent);
    assert_int_equal(transport->ops->read(transport, got, sizeof got, 1000, &diag), sizeof sent);
    assert_memory_equal(sent, got, sizeof sent);
    assert_int_equal(transport->ops->read(transport, got, sizeof got, 10, &diag), 0);

    /* A board that takes nothing: no call blocks for much more than a second. */
    int code = 0;
    for (unsigned i = 0; i < 4096 && !code; i++)
        code = transport->ops->write(transport, sent, sizeof sent, &diag);
    assert_int_equal(code, PB_ERR_LINK);
    assert_non_null(strstr(diag.text, "took no byte for 1000 ms"));
    transport->ops->close(transport);
    start(&board);
    take_away(&board);
}

TEST(a_port_that_is_unplugged)
{
    struct board board;
    struct pb_scenario *scenario = load_wired("complement");
    struct pb_result *result;
    struct pb_diag diag = {""};
    scenario->superframes = 2000;
    plug_in(&board, scenario);
    const struct pb_run_options options = {.rig_url = board.url};
    board.unplug_after = 40000;
    start(&board);
    assert_int_equal(pb_run(&result, scenario, &options, &diag), PB_ERR_LINK);
    assert_non_null(strstr(diag.text, "has gone"));
    assert_non_null(strstr(diag.text, board.path));
    assert_verdict(result, PB_VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(result->incomplete, "the run ends in superframe "));
    assert_true(result->slots_checked > 0);
    pb_result_free(result);
    take_away(&board);
}

/* A side that only reads learns it, too. */
TEST(an_unplugged_port_ends_a_read)
{
    struct board board;
    struct pb_scenario *scenario = load_wired("ref");
    struct pb_transport *transport;
    struct pb_diag diag = {""};
    uint8_t bytes[16];
    plug_in(&board, scenario);
    assert_int_equal(pb_rig_open(&transport, &(struct pb_rig_options){.url = board.url}, scenario, &diag), 0);
    close(board.master);
    board.master = -1;
    assert_int_equal(transport->ops->read(transport, bytes, sizeof bytes, 1000, &diag), PB_ERR_LINK);
    assert_non_null(strstr(diag.text, "has gone"));
    transport->ops->close(transport);
    start(&board);
    take_away(&board);
}

/* Bytes of an earlier program, and bits that flip on the way: repaired or counted, never the node's fault. */
TEST(garbage_is_nobodys_fault)
{
    struct board board;
    struct pb_scenario *scenario = load_wired("ref");
    struct pb_diag diag = {""};
    struct pb_result *result;
    uint8_t junk[997];
    plug_in(&board, scenario);
    for (size_t i = 0; i < sizeof junk; i++)
        junk[i] = (uint8_t)(i * 89 + 7);
    board.flip_every = 4001;
    assert_int_equal(write(board.master, junk, sizeof junk), sizeof junk);
    start(&board);
    const struct pb_run_options options = {.rig_url = board.url};
    const int code = pb_run(&result, scenario, &options, &diag);
    if (code)
        fail_msg("%s", diag.text);
    assert_true(result->verdict != PB_VERDICT_FAIL);
    pb_result_free(result);
    take_away(&board);
}

/* The baud that is asked for, or found by asking the core, which answers here at any. */
TEST(baud_is_set_or_found)
{
    struct board board;
    struct pb_scenario *scenario = load_wired("ref");
    char url[96];
    struct pb_transport *transport;
    plug_in(&board, scenario);
    start(&board);
    snprintf(url, sizeof url, "tty:%s?baud=1234567", board.path);
    assert_succeeds(pb_rig_open(&transport, &(struct pb_rig_options){.url = url}, scenario, &diag));
    assert_int_equal(pb_rig_bytes_per_s(transport, 48000000), 123456);
    transport->ops->close(transport);
    snprintf(url, sizeof url, "tty:%s", board.path);
    assert_succeeds(pb_rig_open(&transport, &(struct pb_rig_options){.url = url}, scenario, &diag));
    const uint64_t found = pb_rig_bytes_per_s(transport, 48000000); /* a busy machine may answer late */
    assert_true(found == 1200000 || found == 800000 || found == 600000 || found == 400000 ||
                found == 300000 || found == 100000);
    transport->ops->close(transport);
    take_away(&board);

    plug_in(&board, scenario); /* no answer: the first one stays */
    snprintf(url, sizeof url, "tty:%s", board.path);
    assert_succeeds(pb_rig_open(&transport, &(struct pb_rig_options){.url = url}, scenario, &diag));
    assert_int_equal(pb_rig_bytes_per_s(transport, 48000000), 1200000);
    transport->ops->close(transport);
    start(&board);
    take_away(&board);
}

static void refused(const char *url, int code, const char *says)
{
    struct pb_transport *transport;
    struct pb_diag diag = {""};
    struct pb_scenario *scenario = load_wired("ref");
    assert_int_equal(pb_rig_open(&transport, &(struct pb_rig_options){.url = url}, scenario, &diag), code);
    assert_null(transport);
    if (!strstr(diag.text, says))
        fail_msg("%s: %s", url, diag.text);
    assert_int_equal(pb_rig_check_url(url, NULL), code == PB_ERR_ARGUMENT ? code : 0);
}

TEST(one_host_at_a_time)
{
    struct board board;
    struct pb_scenario *scenario = load_wired("ref");
    struct pb_transport *first, *again;
    char holder[64], path[128], url[160];
    plug_in(&board, scenario);
    assert_succeeds(pb_rig_open(&first, &(struct pb_rig_options){.url = board.url}, scenario, &diag));
    snprintf(holder, sizeof holder, "in use by process %ld", (long)getpid());
    refused(board.url, PB_ERR_IO, geteuid() ? "in use by" : holder); /* root passes TIOCEXCL, not the lock */
    snprintf(path, sizeof path, "%s/link", folder);
    assert_int_equal(symlink(board.path, path), 0);
    snprintf(url, sizeof url, "tty:%s?baud=3000000", path); /* the same port by another name */
    refused(url, PB_ERR_IO, geteuid() ? "in use by" : holder);
    first->ops->close(first);
    assert_succeeds(pb_rig_open(&again, &(struct pb_rig_options){.url = url}, scenario, &diag));
    again->ops->close(again);

    struct pb_tty_ports ports;
    const char *pattern = formatted("%s/lin*", folder);
    const char *const patterns[] = {"/no/such/*", pattern, NULL};
    pb_tty_find(&ports, patterns);
    assert_int_equal(ports.count, 1);
    assert_string_equal(ports.port[0].path, path);
    assert_true(ports.port[0].accessible);
    unlink(path);
    start(&board);
    take_away(&board);
}

TEST(what_is_no_port_is_refused)
{
    char path[96], url[160];
    refused("tty:", PB_ERR_ARGUMENT, "write tty:/dev/ttyACM0");
    refused("tty:?baud=1000000", PB_ERR_ARGUMENT, "write tty:/dev/ttyACM0");
    refused("tty:/dev/null?baud=9599", PB_ERR_ARGUMENT, "baud of rig tty: is '9599'");
    refused("tty:/dev/null?baud=12000001", PB_ERR_ARGUMENT, "from 9600 to 12000000");
    refused("tty:/dev/null?speed=1", PB_ERR_ARGUMENT, "unknown option 'speed' of rig tty:");
    refused("tty:/no/such", PB_ERR_IO, "no serial port '/no/such': No such file");
    refused("tty:/dev/null", PB_ERR_IO, "'/dev/null' is no serial port");
    snprintf(path, sizeof path, "%s/file", folder);
    file_write_text(path, "");
    snprintf(url, sizeof url, "tty:%s", path);
    refused(url, PB_ERR_IO, "is no serial port");
    unlink(path);
    snprintf(url, sizeof url, "tty:%s", folder);
    refused(url, PB_ERR_IO, "cannot open serial port");
}

static void set_up(void)
{
    folder = new_folder();
    assert_int_equal(setenv("PHASEBENCH_LOCK_DIR", folder, 1), 0);
}

AROUND_ALL(set_up, NULL)
