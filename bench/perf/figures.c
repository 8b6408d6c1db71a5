/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/perf/figures.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static FILE *json;

void figures_open(const char *path, const char *mode)
{
    json = fopen(path, mode);
    if (!json)
        perf_die("%s: cannot be written; give another file", path);
}

void figure(const char *id, const char *what, double value, const char *unit)
{
    printf("  %-58s %10.*f %s\n", what, value < 10 ? 2 : value < 1000 ? 1 : 0, value, unit);
    fprintf(json, "{\"id\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", id, value, unit);
}

int figures_close(void)
{
    return fclose(json) ? 1 : 0;
}

int64_t perf_cpu_ns(void)
{
    struct timespec now;
    struct rusage children;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    getrusage(RUSAGE_CHILDREN, &children);
    return (now.tv_sec + children.ru_utime.tv_sec + children.ru_stime.tv_sec) * INT64_C(1000000000) +
           now.tv_nsec + (children.ru_utime.tv_usec + children.ru_stime.tv_usec) * INT64_C(1000);
}

double perf_peak_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

void perf_die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("perf: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}
