/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/usb/server/serve.h"
#include "bench/usb/server/board.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_PATH = 512 };
enum { IDLE_MS = 100 }; /* real time between checks of the stop flag when no simulated time passes */

/* Applies every KEY=VALUE of the options to the board. */
static int apply(struct board *board, const char *options, struct pb_diag *diag)
{
    char text[CONTROL_LINE];
    int code = PB_OK;
    while (!code && options && *options) {
        const size_t length = strcspn(options, "&");
        if (length >= sizeof text)
            return pb_fail(diag, PB_ERR_ARGUMENT,
                           "option '%.40s...' of a USB board is longer than %zu characters", options,
                           sizeof text - 1);
        memcpy(text, options, length);
        text[length] = '\0';
        code = settings_set(board, text, false, diag);
        options += length + (options[length] == '&');
    }
    return code;
}

static void lock_path(char path[LOCK_PATH], const char *folder, const char *file)
{
    snprintf(path, LOCK_PATH, "%s/" PB_SERVE_USB_LOCKS "%s%s", folder, *file ? "/" : "", file);
}

static int make_folder(const char *folder, bool *made, struct pb_diag *diag)
{
    char locks[LOCK_PATH];
    struct stat status;
    *made = !mkdir(folder, 0755);
    lock_path(locks, folder, "");
    if ((*made || (errno == EEXIST && !stat(folder, &status) && S_ISDIR(status.st_mode))) &&
        (!mkdir(locks, 0755) || errno == EEXIST))
        return PB_OK;
    return pb_fail(diag, PB_ERR_IO, "cannot make the folder '%s': %s; choose a folder of your own", folder,
                   strerror(errno));
}

/* Removes lock files that hosts have left, but not those of another server's boards in the same directory. */
static void remove_locks(const char *folder)
{
    char path[LOCK_PATH];
    bool alone = true;
    DIR *all = opendir(folder);
    for (struct dirent *entry; all && (entry = readdir(all));)
        alone &= !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
                 !strcmp(entry->d_name, PB_SERVE_USB_LOCKS);
    if (all)
        closedir(all);
    lock_path(path, folder, "");
    DIR *locks = alone ? opendir(path) : NULL;
    if (!locks)
        return;
    for (struct dirent *entry; (entry = readdir(locks));) {
        lock_path(path, folder, entry->d_name);
        unlink(path);
    }
    closedir(locks);
    lock_path(path, folder, "");
    rmdir(path);
}

/* Blocks until a host connects or sends, or a control line arrives. */
static void wait_for_something(const struct board *board, unsigned boards)
{
    struct pollfd fds[256];
    nfds_t count = 0;
    for (unsigned i = 0; i < boards; i++) {
        const int own[] = {board[i].listening, board[i].control};
        for (unsigned k = 0; k < 2 && count < 256; k++)
            fds[count++] = (struct pollfd){.fd = own[k], .events = POLLIN};
        for (const struct connection *at = board[i].connections; at && count + 1 < 256; at = at->next) {
            const short out = at->out_sent < at->out_count ? POLLOUT : 0;
            fds[count++] = (struct pollfd){.fd = at->fd, .events = (short)(POLLIN | out)};
            fds[count++] = (struct pollfd){.fd = at->command, .events = POLLIN};
        }
    }
    poll(fds, count, IDLE_MS);
}

static int serve(struct board *board, const struct pb_serve_usb *options, struct pb_diag *diag)
{
    while (!*options->stop) {
        bool active = false;
        for (unsigned i = 0; i < options->boards; i++) {
            const int code = board_serve(&board[i], diag);
            if (code)
                return code;
            if (!board_is_active(&board[i]))
                continue;
            active = true;
            board_step(&board[i]);
        }
        if (!active)
            wait_for_something(board, options->boards);
    }
    return PB_OK;
}

static int start(struct board *board, const struct pb_serve_usb *options, const struct pb_scenario *scenario,
                 struct pb_diag *diag)
{
    for (unsigned i = 0; i < options->boards; i++) {
        int code = apply(&board[i], options->options, diag);
        if (!code)
            code = board_build(&board[i], scenario, diag);
        if (!code)
            code = board_plug(&board[i], diag);
        if (code)
            return code;
    }
    options->say(options->context, "serving");
    return PB_OK;
}

int pb_serve_usb(const struct pb_serve_usb *options, const struct pb_scenario *scenario, struct pb_diag *diag)
{
    bool made;
    char serial[BOARD_SERIAL];
    struct board *board = calloc(options->boards, sizeof *board);
    if (!board)
        return pb_fail(diag, PB_ERR_MEMORY, "no memory for %u boards", options->boards);
    for (unsigned i = 0; i < options->boards; i++) {
        snprintf(serial, sizeof serial, "PB%04u", i + 1);
        board_init(&board[i], serial, options->folder);
        board[i].say = options->say;
        board[i].context = options->context;
        board[i].peer.halt = options->halt;
        board[i].peer.deadline_ns = options->deadline_ns;
    }
    int code = make_folder(options->folder, &made, diag);
    if (!code)
        code = start(board, options, scenario, diag);
    if (!code)
        code = serve(board, options, diag);
    for (unsigned i = 0; i < options->boards; i++)
        board_destroy(&board[i]);
    remove_locks(options->folder);
    if (made)
        rmdir(options->folder);
    free(board);
    return code;
}
