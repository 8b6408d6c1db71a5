/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The directory of boards.
 */
#define _GNU_SOURCE
#include "bench/usb/preload/usbfs.h"
#include "bench/usb/preload/wire.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

const char *boards_folder(void)
{
    const char *folder = getenv("PHASEBENCH_VUSB");
    return folder && *folder ? folder : NULL;
}

static bool join(char path[BOARD_PATH], const char *name, const char *file)
{
    return snprintf(path, BOARD_PATH, "%s/%s/%s", boards_folder(), name, file) < BOARD_PATH;
}

static bool read_number(const char *name, const char *file, unsigned *number)
{
    char path[BOARD_PATH], text[16];
    if (!join(path, name, file))
        return false;
    const int fd = real_open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const ssize_t count = read(fd, text, sizeof text - 1);
    real_close(fd);
    if (count <= 0)
        return false;
    text[count] = '\0';
    return sscanf(text, "%u", number) == 1 && *number >= 1 && *number <= 255;
}

/* A killed server leaves its directory. Of a stopped one the queue may be full. */
static bool is_served(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char path[BOARD_PATH];
    if (!join(path, name, VUSB_SOCKET) || strlen(path) >= sizeof address.sun_path)
        return false;
    strcpy(address.sun_path, path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool served =
        fd >= 0 && (!connect(fd, (struct sockaddr *)&address, sizeof address) || errno == EAGAIN);
    if (fd >= 0)
        real_close(fd);
    return served;
}

/* The name of a directory that is being created or removed begins with a dot. */
static bool read_board(const char *name, struct board *board)
{
    if (name[0] == '.' || strlen(name) >= BOARD_NAME)
        return false;
    strcpy(board->name, name);
    return read_number(name, "busnum", &board->bus) && read_number(name, "devnum", &board->device);
}

unsigned boards_scan(struct board board[BOARDS_MAX])
{
    unsigned count = 0;
    DIR *folder = boards_folder() ? opendir(boards_folder()) : NULL;
    if (!folder)
        return 0;
    for (struct dirent *entry; count < BOARDS_MAX && (entry = readdir(folder));)
        count += read_board(entry->d_name, &board[count]) && is_served(entry->d_name);
    closedir(folder);
    return count;
}

bool boards_find(unsigned bus, unsigned device, const char *file, char path[BOARD_PATH])
{
    struct board board;
    bool found = false;
    DIR *folder = boards_folder() ? opendir(boards_folder()) : NULL;
    if (!folder)
        return false;
    for (struct dirent *entry; !found && (entry = readdir(folder));)
        found = read_board(entry->d_name, &board) && board.bus == bus && board.device == device;
    closedir(folder);
    return found && join(path, board.name, file);
}
