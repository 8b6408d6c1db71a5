/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "host/usb/patience.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

enum {
    CONTROL_MS = 1000,
    VIRTUAL_CONTROL_MS = 60000,
    SLICE_MOST_MS = 2 * PB_PATIENCE_SLICE_MS /* a longer one: this process did not run either */
};

static int64_t clock_ns(clockid_t id)
{
    struct timespec now;
    return clock_gettime(id, &now) ? 0 : now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* The server of the virtual boards; 0: there are none. The preloaded library knows it. */
static pid_t server_of(void)
{
    static int (*server)(void);
    static bool asked;
    if (!asked) {
        void *const symbol = dlsym(RTLD_DEFAULT, "phasebench_vusb_server");
        memcpy(&server, &symbol, sizeof server); /* ISO C converts no object pointer to a function's */
    }
    asked = true;
    return server ? server() : 0;
}

/* It waits for a processor, or has one. */
static bool is_runnable(pid_t pid)
{
    char path[40], line[512], state = 'S';
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    line[fread(line, 1, sizeof line - 1, file)] = '\0';
    fclose(file);
    const char *rest = strrchr(line, ')'); /* the name may hold anything */
    return rest && sscanf(rest + 1, " %c", &state) == 1 && state == 'R';
}

int64_t pb_patience_ms(void)
{
    static int64_t total_ns, last_ns, last_cpu_ns;
    const pid_t server = server_of();
    const int64_t now_ns = clock_ns(CLOCK_MONOTONIC), most_ns = SLICE_MOST_MS * INT64_C(1000000);
    int64_t past_ns = last_ns ? now_ns - last_ns : 0;
    clockid_t id;
    if (server && !clock_getcpuclockid(server, &id)) {
        const int64_t cpu_ns = clock_ns(id), used_ns = cpu_ns - last_cpu_ns;
        last_cpu_ns = cpu_ns;
        if (used_ns > 0 || is_runnable(server))
            past_ns = used_ns < past_ns ? used_ns : past_ns;
        else if (past_ns > most_ns)
            past_ns = most_ns;
    }
    last_ns = now_ns;
    total_ns += past_ns > 0 ? past_ns : 0;
    return total_ns / 1000000;
}

unsigned pb_patience_control_ms(void)
{
    return server_of() ? VIRTUAL_CONTROL_MS : CONTROL_MS;
}
