/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The directory of a board: its sysfs files, its socket, and the pipe for control lines. While the board is
 * not plugged in, the name begins with a dot.
 */
#define _GNU_SOURCE
#include "bench/usb/server/board.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define CONTROL "control"
enum { BUS = 200, DEVICE_MAX = 127, BACKLOG = 32 }; /* a bus number not used by computers */

static const char *const attributes[] = {"busnum", "devnum", "speed", "bConfigurationValue", "descriptors"};

static void place(char path[BOARD_PATH], const struct board *board, bool hidden, const char *file)
{
    snprintf(path, BOARD_PATH, "%s/%s%s%s%s", board->folder, hidden ? "." : "", board->serial,
             *file ? "/" : "", file);
}

static int fail(const struct board *board, const char *what, struct pb_diag *diag)
{
    return pb_fail(diag, PB_ERR_IO, "cannot make %s of board '%s/%s': %s; choose a folder of your own", what,
                   board->folder, board->serial, strerror(errno));
}

static bool is_served(const struct board *board)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char path[BOARD_PATH];
    place(path, board, false, VUSB_SOCKET);
    strcpy(address.sun_path, path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool served = fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof address);
    if (fd >= 0)
        close(fd);
    return served;
}

static void remove_files(const struct board *board, bool hidden)
{
    char path[BOARD_PATH];
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        place(path, board, hidden, attributes[i]);
        unlink(path);
    }
    place(path, board, hidden, VUSB_SOCKET);
    unlink(path);
}

static void remove_folder(const struct board *board, bool hidden)
{
    char path[BOARD_PATH];
    remove_files(board, hidden);
    place(path, board, hidden, CONTROL);
    unlink(path);
    place(path, board, hidden, "");
    rmdir(path);
}

int folder_open(struct board *board, struct pb_diag *diag)
{
    char path[BOARD_PATH];
    const size_t length = strlen(board->folder) + strlen(board->serial) + sizeof "/.//bConfigurationValue";
    if (length > BOARD_PATH)
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "the folder '%.60s...' of board %s is %zu characters too long for a socket in it; choose a "
            "shorter one",
            board->folder, board->serial, length - BOARD_PATH);
    if (is_served(board))
        return pb_fail(diag, PB_ERR_IO, "board '%s/%s' is served already; choose another folder",
                       board->folder, board->serial);
    remove_folder(board, false); /* of a server that was killed */
    remove_folder(board, true);
    place(path, board, true, "");
    if (mkdir(path, 0755))
        return fail(board, "the folder", diag);
    place(path, board, true, CONTROL);
    if (mkfifo(path, 0600) || (board->control = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)) < 0)
        return fail(board, "the control pipe", diag);
    return PB_OK;
}

/* Returns the number of the next board on the bus: above all present numbers. */
static unsigned next_device(const struct board *board)
{
    unsigned highest = board->device;
    DIR *folder = opendir(board->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[BOARD_PATH + 256];
        unsigned device;
        snprintf(path, sizeof path, "%s/%s/devnum", board->folder, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "re");
        if (file && fscanf(file, "%u", &device) == 1 && device > highest)
            highest = device;
        if (file)
            fclose(file);
    }
    if (folder)
        closedir(folder);
    return highest < DEVICE_MAX ? highest + 1 : 1;
}

static bool write_file(const struct board *board, const char *name, const void *bytes, size_t count)
{
    char path[BOARD_PATH];
    place(path, board, true, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const bool written = fd >= 0 && write(fd, bytes, count) == (ssize_t)count;
    if (fd >= 0)
        close(fd);
    return written;
}

static bool write_number(const struct board *board, const char *name, unsigned number)
{
    char text[16];
    return write_file(board, name, text, (size_t)snprintf(text, sizeof text, "%u\n", number));
}

static bool write_attributes(struct board *board)
{
    uint8_t descriptors[FT2232H_DESCRIPTOR_BYTES];
    return write_number(board, "busnum", BUS) && write_number(board, "devnum", board->device) &&
           write_number(board, "speed", 480) && write_number(board, "bConfigurationValue", 1) &&
           write_file(board, "descriptors", descriptors, ft2232h_descriptors(board->chip, descriptors));
}

static bool listen_to(struct board *board)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char path[BOARD_PATH];
    place(path, board, true, VUSB_SOCKET);
    strcpy(address.sun_path, path);
    board->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return board->listening >= 0 && !bind(board->listening, (struct sockaddr *)&address, sizeof address) &&
           !listen(board->listening, BACKLOG);
}

int folder_show(struct board *board, struct pb_diag *diag)
{
    char hidden[BOARD_PATH], visible[BOARD_PATH];
    board->device = next_device(board);
    if (!write_attributes(board))
        return fail(board, "the files", diag);
    if (!listen_to(board))
        return fail(board, "the socket", diag);
    place(hidden, board, true, "");
    place(visible, board, false, "");
    return rename(hidden, visible) ? fail(board, "the folder", diag) : PB_OK;
}

void folder_hide(struct board *board)
{
    char hidden[BOARD_PATH], visible[BOARD_PATH];
    place(hidden, board, true, "");
    place(visible, board, false, "");
    rename(visible, hidden);
    if (board->listening >= 0)
        close(board->listening);
    board->listening = -1;
    remove_files(board, true);
}

void folder_remove(struct board *board)
{
    if (board->control < 0)
        return;
    folder_hide(board);
    remove_folder(board, true);
    close(board->control);
    board->control = -1;
}
