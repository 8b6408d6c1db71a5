/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An output folder of another process is refused. */
#include "output.h"

#include "cli.h"

#include "host/base/folder_hold.h"

#include <errno.h>

static int refuse(const char *directory, long pid, const char *option)
{
    char holder[40] = "another process";
    if (pid > 0)
        snprintf(holder, sizeof holder, "process %ld", pid);
    return cli_fail(CLI_BENCH_FAILED,
                    "%s writes to the output folder '%s'; wait for it, or give another folder with %s",
                    holder, directory, option);
}

int output_check_held(const char *directory, const char *option)
{
    const long pid = pb_folder_holder(directory);
    return pid > 0 ? refuse(directory, pid, option) : CLI_PASS;
}

int output_hold(const char *directory)
{
    long holder;
    const int error = pb_folder_hold(directory, &holder);
    if (error == EWOULDBLOCK)
        return refuse(directory, holder, "--out");
    return error
               ? cli_fail(CLI_BENCH_FAILED, "no memory for the lock of '%s'; close other programs", directory)
               : CLI_PASS;
}
