/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "host/usb/patience.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

enum {
    CONTROL_MS = 1000,
    VIRTUAL_CONTROL_MS = 60000,
    STOPPED_S = 60,                          /* as long as the preloaded library waits for an answer */
    GRACE_S = 5,                             /* after the deadline, for a server that runs: to end in order */
    SLICE_MOST_MS = 2 * PB_PATIENCE_SLICE_MS /* a longer one: this process did not run either */
};
#define SECOND_NS INT64_C(1000000000)

static int64_t until_ns; /* 0: no deadline */
static const volatile sig_atomic_t *stopping;

static int64_t clock_ns(clockid_t id)
{
    struct timespec now;
    return clock_gettime(id, &now) ? 0 : now.tv_sec * SECOND_NS + now.tv_nsec;
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

void pb_patience_begin(int64_t deadline_ns, const volatile sig_atomic_t *stop)
{
    void (*tell)(int64_t);
    void *const symbol = dlsym(RTLD_DEFAULT, "phasebench_vusb_deadline");
    memcpy(&tell, &symbol, sizeof tell);
    if (tell)
        tell(deadline_ns);
    until_ns = deadline_ns;
    stopping = stop;
}

/* As ps shows it; '?': not known. */
static char state_of(pid_t pid)
{
    char path[40], line[512], state = '?';
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return state;
    line[fread(line, 1, sizeof line - 1, file)] = '\0';
    fclose(file);
    const char *rest = strrchr(line, ')'); /* the name may hold anything */
    return rest && sscanf(rest + 1, " %c", &state) == 1 ? state : '?';
}

/* It waits for a processor, or has one. */
static bool is_runnable(pid_t pid)
{
    return state_of(pid) == 'R';
}

/* By a signal or a debugger. */
static bool is_stopped(pid_t pid)
{
    const char state = pid ? state_of(pid) : '?';
    return state == 'T' || state == 't';
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
        if (used_ns > 0 || is_runnable(server) || is_stopped(server))
            past_ns = used_ns < past_ns ? used_ns : past_ns;
        else if (past_ns > most_ns)
            past_ns = most_ns;
    }
    last_ns = now_ns;
    total_ns += past_ns > 0 ? past_ns : 0;
    return total_ns / 1000000;
}

int pb_patience_check(const char *label, struct pb_diag *diag)
{
    static int64_t last_ns, running_ns; /* when this was last asked, and the server last seen running */
    const pid_t server = server_of();
    const int64_t now_ns = clock_ns(CLOCK_MONOTONIC), late_ns = until_ns ? now_ns - until_ns : 0;
    const bool stopped = is_stopped(server), over = stopping && *stopping;
    if (!stopped || now_ns - last_ns > SECOND_NS)
        running_ns = now_ns;
    last_ns = now_ns;
    if (!server || (stopped ? late_ns <= 0 && !over && now_ns - running_ns <= STOPPED_S * SECOND_NS
                            : late_ns <= GRACE_S * SECOND_NS))
        return PB_OK;
    if (!stopped)
        return pb_fail(diag, PB_ERR_TIMEOUT,
                       "the server of the virtual board %.64s, process %ld, had too little of the "
                       "processor before the time limit; raise --timeout",
                       label, (long)server);
    return pb_fail(diag, late_ns > 0 ? PB_ERR_TIMEOUT : PB_ERR_LINK,
                   "the server of the virtual board %.64s, process %ld, is stopped; 'kill -CONT %ld' lets it "
                   "go on",
                   label, (long)server, (long)server);
}

unsigned pb_patience_control_ms(void)
{
    if (!server_of())
        return CONTROL_MS;
    const int64_t left_ms = until_ns ? (until_ns - clock_ns(CLOCK_MONOTONIC)) / 1000000 : VIRTUAL_CONTROL_MS;
    return left_ms < CONTROL_MS           ? CONTROL_MS
           : left_ms < VIRTUAL_CONTROL_MS ? (unsigned)left_ms
                                          : VIRTUAL_CONTROL_MS;
}

bool pb_patience_was_away(int64_t took_ms, int64_t limit_ms)
{
    const pid_t server = server_of();
    return server && (took_ms > limit_ms + SLICE_MOST_MS || is_runnable(server) || is_stopped(server));
}
