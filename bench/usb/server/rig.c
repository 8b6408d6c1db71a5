/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "rig.h"

#include "serve.h"

#include "host/base/monotonic.h"
#include "host/base/process.h"
#include "host/rig/core_clock.h"
#include "host/rig/rig_sim.h"
#include "phasebench/rig.h"

#include <errno.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCHEME "vusb:"
#define LIBRARY "libphasebench-vusb.so"
#define BOARD "PB0001"       /* unless its options say otherwise */
#define FOLDER "PHASEBENCH_VUSB"
#define AGAIN "PHASEBENCH_VUSB_RIG" /* set in the second run of the program: its URL */

enum { SLICE_MS = 100 }; /* of a wait */
enum { SERIAL_BYTES = 64 }; /* limit of the board's server */
enum { BAD_NODE = 1, LATE_NODE }; /* bytes of the board's server: PB_ERR_CONFIG, PB_ERR_TIMEOUT */
#define LATER_NS INT64_C(500000000)
#define GRACE_NS INT64_C(5000000000) /* for a server that runs, and knows more of what it waits for */

static bool is_vusb(const char *url)
{
    return pb_rig_target_of(url).kind == PB_RIG_VUSB;
}

bool pb_vusb_is_private(const char *url)
{
    if (!is_vusb(url))
        return false;
    const char *rest = url + strlen(SCHEME);
    return !*rest || *rest == '?';
}

/* ---------------------------------------------------------------- running again */

/* Next to the program in the build directory, or where `make install` puts it. */
static bool find_library(char path[PATH_MAX])
{
    static const char *const places[] = {"", "../lib/phasebench/"};
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length < 0)
        return false;
    own[length] = '\0';
    const char *folder = dirname(own);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (snprintf(path, PATH_MAX, "%s/%s" LIBRARY, folder, places[i]) < PATH_MAX && !access(path, R_OK))
            return true;
    return false;
}

/* Splits "DIR/BOARD", a board of a served directory, or "DIR", the directory: then *board is empty. */
static bool serves(const char *folder)
{
    char pattern[PATH_MAX + 16];
    glob_t boards;
    snprintf(pattern, sizeof pattern, "%s/*/devnum", folder);
    const bool any = !glob(pattern, GLOB_NOSORT, NULL, &boards);
    if (any)
        globfree(&boards);
    return any;
}

/* DIR or DIR/BOARD: the last name is a board if it is the directory of one, or missing in a directory with
 * others. */
static void split_folder(const char *url, char folder[PATH_MAX], char board[NAME_MAX])
{
    char attribute[PATH_MAX + 16], above[PATH_MAX];
    const char *rest = url + strlen(SCHEME);
    size_t length = strcspn(rest, "?");
    if (length >= PATH_MAX)
        length = PATH_MAX - 1;
    memcpy(folder, rest, length);
    folder[length] = '\0';
    board[0] = '\0';
    snprintf(attribute, sizeof attribute, "%s/devnum", folder);
    char *slash = strrchr(folder, '/');
    snprintf(above, sizeof above, "%.*s", slash ? (int)(slash - folder) : 0, folder);
    if (slash && slash != folder && strlen(slash + 1) < NAME_MAX &&
        (!access(attribute, F_OK) || (access(folder, F_OK) && serves(above)))) {
        strcpy(board, slash + 1);
        *slash = '\0';
    }
}

bool pb_vusb_folder(const char *url, char *folder, size_t size)
{
    char path[PATH_MAX], board[NAME_MAX];
    if (!is_vusb(url))
        return false;
    split_folder(url, path, board);
    snprintf(folder, size, "%s", path);
    return true;
}

/* Directory for boards of runs; their servers create and remove their own in it. */
static const char *base_folder(char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s", getenv(FOLDER));
    return dirname(path);
}

static void remove_base(void)
{
    char path[PATH_MAX];
    rmdir(base_folder(path));
}

/* A sanitizer must be the first library, unless this option is set. */
static void prepare_sanitizer(void)
{
#ifdef __SANITIZE_ADDRESS__
    char options[1024];
    const char *present = getenv("ASAN_OPTIONS");
    snprintf(options, sizeof options, "%s%sverify_asan_link_order=0", present ? present : "",
             present ? ":" : "");
    setenv("ASAN_OPTIONS", options, 1);
#endif
}

static int make_folder(const char *url, char folder[PATH_MAX], struct pb_diag *diag)
{
    char board[NAME_MAX];
    if (!pb_vusb_is_private(url)) {
        split_folder(url, folder, board);
        return PB_OK;
    }
    strcpy(folder, "/tmp/phasebench-XXXXXX");
    const bool made = mkdtemp(folder);
    strcat(folder, "/usb");
    return made ? PB_OK
                : pb_fail(diag, PB_ERR_IO, "cannot make a folder for the virtual USB: /tmp: %s",
                          strerror(errno));
}

int pb_vusb_preload(const char *url, char **argv, struct pb_diag *diag)
{
    char library[PATH_MAX], folder[PATH_MAX], preload[2 * PATH_MAX], locks[PATH_MAX + 16];
    const char *again = getenv(AGAIN), *other = getenv("LD_PRELOAD");
    if (again && !strcmp(again, url)) {
        if (pb_vusb_is_private(url))
            atexit(remove_base);
        unsetenv("LD_PRELOAD"); /* loaded in this program: not needed by its children */
        return PB_OK;
    }
    if (!find_library(library))
        return pb_fail(diag, PB_ERR_IO,
                       "rig vusb: needs " LIBRARY
                       ", which is neither in the folder of this program nor in ../lib/phasebench; "
                       "build it with 'make' or install again");
    const int code = make_folder(url, folder, diag);
    if (code)
        return code;
    snprintf(preload, sizeof preload, "%s%s%s", library, other ? ":" : "", other ? other : "");
    prepare_sanitizer();
    setenv("LD_PRELOAD", preload, 1);
    setenv(FOLDER, folder, 1);
    setenv("PHASEBENCH_VUSB_ONLY", "1", 1); /* hide real boards */
    /* The same port in another directory is another board. */
    snprintf(locks, sizeof locks, "%s/" PB_SERVE_USB_LOCKS, folder);
    setenv("PHASEBENCH_LOCK_DIR", locks, 1);
    setenv(AGAIN, url, 1);
    execv("/proc/self/exe", argv);
    return pb_fail(diag, PB_ERR_IO, "cannot run again with " LIBRARY ": %s", strerror(errno));
}

/* ---------------------------------------------------------------- URLs */

static bool is_for_both(const char *key)
{
    return !strcmp(key, "mode") || !strcmp(key, "baud");
}

static void append(char text[PB_VUSB_URL_BYTES], char between, const char *item, size_t length)
{
    const size_t have = strlen(text);
    snprintf(text + have, PB_VUSB_URL_BYTES - have, "%.1s%.*s", have ? (char[]){between, 0} : "", (int)length,
             item);
}

/* Divides the options between the board of the run and ftdi:, and finds its serial number. Returns the
 * requested channel, as ftdi: counts; 0: none. */
static unsigned share_out(const char *options, char server[PB_VUSB_URL_BYTES], char ftdi[PB_VUSB_URL_BYTES],
                          char serial[SERIAL_BYTES])
{
    unsigned channel = 0;
    server[0] = ftdi[0] = '\0';
    strcpy(serial, BOARD);
    for (const char *at = options; *at;) {
        char key[40];
        const size_t length = strcspn(at, "&"), name = strcspn(at, "=&");
        snprintf(key, sizeof key, "%.*s", (int)name, at);
        const bool known = pb_serve_usb_knows(key);
        if (known)
            append(server, '&', at, length);
        if (!known || is_for_both(key))
            append(ftdi, '&', at, length);
        if (!strcmp(key, "serial") && length > name + 1)
            snprintf(serial, SERIAL_BYTES, "%.*s", (int)(length - name - 1), at + name + 1);
        if (!strcmp(key, "channel"))
            channel = at[name] && at[name + 1] == 'A' ? 1 : 2;
        at += length + (at[length] == '&');
    }
    return channel;
}

/* Maps a vusb: URL to ftdi: and the options of the server. */
static int map(const char *url, char mapped[PB_VUSB_URL_BYTES], char server[PB_VUSB_URL_BYTES],
               struct pb_diag *diag)
{
    char folder[PATH_MAX], board[NAME_MAX], ftdi[PB_VUSB_URL_BYTES], serial[SERIAL_BYTES];
    const char *query = strchr(url, '?');
    server[0] = '\0';
    if (strlen(url) >= PB_VUSB_URL_BYTES - 32)
        return pb_fail(diag, PB_ERR_ARGUMENT, "the URL of the rig has %zu characters, %d are the limit",
                       strlen(url), PB_VUSB_URL_BYTES - 33);
    if (pb_vusb_is_private(url)) {
        const unsigned channel = share_out(query ? query + 1 : "", server, ftdi, serial);
        if (channel)
            snprintf(mapped, PB_VUSB_URL_BYTES, "ftdi://ftdi:2232h:%s/%u", serial, channel);
        else
            snprintf(mapped, PB_VUSB_URL_BYTES, "ftdi:%s", serial);
        if (*ftdi)
            append(mapped, '?', ftdi, strlen(ftdi));
        return PB_OK;
    }
    if (!strchr(url, '/'))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "'%.60s' names no folder of boards: it has no '/'; write vusb:./DIR, or vusb: alone "
                       "for a board of "
                       "the run's own",
                       url);
    split_folder(url, folder, board);
    if (access(folder, F_OK))
        return pb_fail(diag, PB_ERR_IO,
                       "no boards are served in '%.100s'; start 'phasebench serve SCENARIO --usb %.100s'",
                       folder, folder);
    snprintf(mapped, PB_VUSB_URL_BYTES, "ftdi:%.200s%.200s", board, query ? query : "");
    return PB_OK;
}

int pb_vusb_check_url(const char *url, struct pb_diag *diag)
{
    char mapped[PB_VUSB_URL_BYTES], server[PB_VUSB_URL_BYTES];
    if (!url)
        return PB_OK;
    const bool virtual = is_vusb(url);
    const int code = virtual ? map(url, mapped, server, diag) : PB_OK;
    return code ? code : pb_rig_check_url(virtual ? mapped : url, diag);
}

/* ---------------------------------------------------------------- the board of a run */

static volatile sig_atomic_t ended, halted;
static volatile pid_t serving; /* the server of this run; 0: none */

static void on_end(int number)
{
    (void)number;
    ended = 1;
}

static void on_halt(int number)
{
    (void)number;
    halted = 1;
}

/* While the server waits for the process of a node, the run waits for the server. */
void pb_vusb_interrupt(void)
{
    if (serving > 0)
        kill(serving, SIGUSR1);
}

static void say(void *context, const char *sentence)
{
    const int ready = *(const int *)context;
    if (!strcmp(sentence, "serving") && write(ready, "", 1) != 1)
        ended = 1;
}

/* The process of the server. Ignores signals of the terminal, as its parent handles them. */
static _Noreturn void be_server(int ready, pid_t parent, const char *options,
                                const struct pb_scenario *scenario, int64_t deadline_ns)
{
    struct sigaction action = {.sa_handler = on_end}, halt = {.sa_handler = on_halt};
    struct pb_diag diag;
    const struct pb_serve_usb serve = {.folder = getenv(FOLDER),
                                       .options = options,
                                       .boards = 1,
                                       .stop = &ended,
                                       .halt = &halted,
                                       .deadline_ns = deadline_ns,
                                       .say = say,
                                       .context = &ready};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigemptyset(&halt.sa_mask);
    sigaction(SIGUSR1, &halt, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    const int code = pb_serve_usb(&serve, scenario, &diag);
    const char which = code == PB_ERR_CONFIG ? BAD_NODE : LATE_NODE;
    if ((code == PB_ERR_CONFIG || code == PB_ERR_TIMEOUT) && write(ready, &which, 1) < 0)
        _exit(EXIT_FAILURE);
    if (code && write(ready, diag.text, strlen(diag.text)) < 0)
        _exit(EXIT_FAILURE);
    remove_base(); /* the parent may be gone, or creates it again for its next run */
    _exit(code ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* Reads from the process of the board. A zero byte: ready. Any other byte starts the error message, except
 * two bytes that name the error code. */
static int wait_for(const struct pb_vusb *vusb, int ready, int64_t deadline_ns, struct pb_diag *diag)
{
    char text[sizeof diag->text];
    size_t have = 0;
    while (have + 1 < sizeof text) {
        struct pollfd there = {.fd = ready, .events = POLLIN};
        const int count = poll(&there, 1, SLICE_MS);
        if (count <= 0 && vusb->stop && *vusb->stop)
            return pb_fail(diag, PB_ERR_INTERRUPTED, "interrupted before the virtual board was ready");
        if (count <= 0 && deadline_ns && pb_monotonic_ns() > deadline_ns + GRACE_NS)
            return pb_fail(diag, PB_ERR_TIMEOUT,
                           "the process of the virtual board was not ready before the time limit; raise "
                           "--timeout");
        if (count <= 0)
            continue;
        const ssize_t got = read(ready, text + have, sizeof text - 1 - have);
        if (got <= 0)
            break;
        have += (size_t)got;
        if (!text[0])
            return PB_OK;
    }
    text[have] = '\0';
    if (text[0] == BAD_NODE || text[0] == LATE_NODE)
        return pb_fail(diag, text[0] == BAD_NODE ? PB_ERR_CONFIG : PB_ERR_TIMEOUT, "%s", text + 1);
    return pb_fail(diag, PB_ERR_IO, "%s", have ? text : "the process of the virtual board ended at once");
}

static int start(struct pb_vusb *vusb, const char *options, const struct pb_scenario *scenario,
                 unsigned timeout_s, struct pb_diag *diag)
{
    int pipes[2];
    char path[PATH_MAX];
    const pid_t parent = getpid();
    const char *folder = getenv(FOLDER);
    if (!folder || !getenv(AGAIN))
        return pb_fail(diag, PB_ERR_ARGUMENT, "rig vusb: must be given as '--rig vusb:', written out");
    if (mkdir(base_folder(path), 0700) && errno != EEXIST)
        return pb_fail(diag, PB_ERR_IO, "cannot make the folder '%.200s': %s", path, strerror(errno));
    if (pipe(pipes))
        return pb_fail(diag, PB_ERR_IO, "cannot start the process of the virtual board: %s", strerror(errno));
    /* Later than the run's own, which then knows that it is over. */
    const int64_t deadline_ns =
        timeout_s ? pb_monotonic_ns() + timeout_s * INT64_C(1000000000) + LATER_NS : 0;
    vusb->server = pb_fork();
    if (!vusb->server) {
        close(pipes[0]);
        be_server(pipes[1], parent, options, scenario, deadline_ns);
    }
    serving = vusb->server;
    close(pipes[1]);
    const int code =
        vusb->server < 0
            ? pb_fail(diag, PB_ERR_IO, "cannot start the process of the virtual board: %s", strerror(errno))
            : wait_for(vusb, pipes[0], deadline_ns, diag);
    close(pipes[0]);
    if (code)
        pb_vusb_end(vusb);
    return code;
}

/* Without a rate the host uses the fastest of a core with one node; others are slower. */
static void match_baud(char mapped[PB_VUSB_URL_BYTES], const struct pb_scenario *scenario)
{
    char option[32];
    const bool uart = !strstr(mapped, "mode=") || strstr(mapped, "mode=uart");
    if (!uart || strstr(mapped, "baud="))
        return;
    const int length = snprintf(option, sizeof option, "baud=%u",
                                pb_core_clock_most_hz(scenario) / PB_RIG_SIM_CLOCKS_PER_BIT);
    append(mapped, strchr(mapped, '?') ? '&' : '?', option, (size_t)length);
}

int pb_vusb_begin(struct pb_vusb *vusb, const char *url, const struct pb_scenario *scenario,
                  unsigned timeout_s, struct pb_diag *diag)
{
    char options[PB_VUSB_URL_BYTES];
    *vusb = (struct pb_vusb){.url = url, .stop = vusb->stop};
    if (!is_vusb(url))
        return PB_OK;
    const int code = map(url, vusb->mapped, options, diag);
    if (code)
        return code;
    vusb->url = vusb->mapped;
    if (pb_vusb_is_private(url))
        match_baud(vusb->mapped, scenario);
    return pb_vusb_is_private(url) ? start(vusb, options, scenario, timeout_s, diag) : PB_OK;
}

void pb_vusb_end(struct pb_vusb *vusb)
{
    serving = 0;
    if (vusb->server > 0) {
        kill(vusb->server, SIGTERM);
        kill(vusb->server, SIGCONT); /* a stopped process takes no other signal */
        while (waitpid(vusb->server, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    vusb->server = 0;
}
