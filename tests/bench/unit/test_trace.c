/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The waveform of a failure: written whole under its name or not at all, without effect on the caller. The
 * layout of an FST file is written by hand: blocks of a type byte and a big-endian length that counts itself.
 */
#include "host/run/trace.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/bench/unit/tests.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *folder;
static char path[96];

/* ---- what counts as whole */

TEST(a_file_is_whole_when_its_blocks_are)
{
    /* Header, value changes, geometry, hierarchy, with 3, 2, 0 and 1 bytes of content. */
    static const uint8_t file[] = {0, 0, 0, 0, 0, 0, 0,  0,   11,  'a', 'b', 'c', 5, 0,
                                   0, 0, 0, 0, 0, 0, 10, 'd', 'e', 3,   0,   0,   0, 0,
                                   0, 0, 0, 8, 4, 0, 0,  0,   0,   0,   0,   0,   9, 'f'};
    static const size_t header = 12, geometry = 23, hierarchy = 32;
    file_write(path, file, sizeof file);
    assert_true(pb_fst_is_whole(path));
    for (size_t size = 0; size < sizeof file; size++) {
        file_write(path, file, size);
        assert_false(pb_fst_is_whole(path));
    }
    for (size_t at = 0; at < sizeof file; at++) { /* a length or a type that is another */
        uint8_t other[sizeof file];
        const bool length = (at >= 1 && at <= 8) || (at >= 13 && at <= 20) || (at >= 24 && at <= 31) ||
                            (at >= 33 && at <= 40);
        if (!length && at != 0 && at != geometry && at != hierarchy)
            continue;
        memcpy(other, file, sizeof file);
        other[at] ^= 0x40;
        file_write(path, other, sizeof other);
        assert_false(pb_fst_is_whole(path));
    }
    file_write(path, file + header, sizeof file - header);
    assert_false(pb_fst_is_whole(path));
    unlink(path);
    assert_false(pb_fst_is_whole(path));
}

/* ---- writing it */

static unsigned files_in_folder(void)
{
    unsigned count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        count += *entry->d_name != '.';
    closedir(directory);
    return count;
}

static struct pb_result *fail_once(struct pb_scenario **scenario)
{
    *scenario = load_shipped("broken/flipped-bit");
    struct pb_result *result = run_scenario(*scenario, NULL);
    assert_verdict(result, PB_VERDICT_FAIL);
    return result;
}

TEST(a_failure_gets_its_waveform)
{
    struct pb_scenario *scenario;
    struct pb_result *result = fail_once(&scenario);
    const struct pb_run_options options = {.trace_path = path}, none = {0};
    struct stat status;
    assert_succeeds(pb_run_trace(result, scenario, &none, &diag));
    assert_string_equal(result->trace_path, "");
    assert_succeeds(pb_run_trace(result, scenario, &options, &diag));
    assert_string_equal(result->trace_path, path);
    assert_true(pb_fst_is_whole(path));
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_size > 10000);
    assert_int_equal(files_in_folder(), 2); /* and its save file */
    assert_int_equal(truncate(path, status.st_size / 2), 0);
    assert_false(pb_fst_is_whole(path));
    unlink(path);
    memcpy(strrchr(path, '.'), ".gtkw", 6);
    unlink(path);
    memcpy(strrchr(path, '.'), ".fst", 5);

    result->verdict = PB_VERDICT_PASS;
    *result->trace_path = '\0';
    assert_succeeds(pb_run_trace(result, scenario, &options, &diag));
    assert_string_equal(result->trace_path, "");
    assert_int_equal(files_in_folder(), 0);
}

TEST(nothing_is_left_of_one_that_cannot_be_written)
{
    struct pb_scenario *scenario;
    struct pb_result *result = fail_once(&scenario);
    const volatile sig_atomic_t stop = 1;
    const struct pb_run_options stopped = {.trace_path = path, .stop = &stop},
                                nowhere = {.trace_path = "/no/such/folder/x.fst"},
                                options = {.trace_path = path};
    struct pb_diag diag = {""};
    int status;
    assert_int_equal(pb_run_trace(result, scenario, &stopped, &diag), PB_ERR_INTERRUPTED);
    assert_int_equal(files_in_folder(), 0);
    assert_int_equal(pb_run_trace(result, scenario, &nowhere, &diag), PB_ERR_IO);
    assert_non_null(strstr(diag.text, "No such file"));

    /* No file may be larger than 64 KiB: the process that calls goes on. */
    const pid_t child = fork();
    if (!child) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){65536, 65536});
        const int code = pb_run_trace(result, scenario, &options, &diag);
        _exit(code == PB_ERR_IO && strstr(diag.text, "no waveform") && !*result->trace_path ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(files_in_folder(), 0);
}

static void set_up(void)
{
    folder = new_folder();
    snprintf(path, sizeof path, "%s/t.fst", folder);
}

static void tear_down(void)
{
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing else is left */
}

AROUND_ALL(set_up, tear_down)
