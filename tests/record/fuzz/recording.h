/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * For the targets that are recordings: a file that opens has a scenario or a sentence why not, and is run
 * again from what it holds.
 */
#ifndef FUZZ_RECORDING_H
#define FUZZ_RECORDING_H

#include "tests/bench/fuzz/fuzz.h"

#include "phasebench/record.h"
#include "phasebench/run.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES_MAX = 64, DIMS_MAX = 4, SUPERFRAMES_MAX = 20 };

static char path[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    memory_file(path, sizeof path);
    return 0;
}

static void run_again(const struct pb_scenario *scenario)
{
    char url[80];
    struct pb_result *result;
    struct pb_diag diag = {""};
    const struct pb_run_options options = {.rig_url = url, .timeout_s = 10};
    snprintf(url, sizeof url, "replay:%s", path);
    const int code = pb_run(&result, scenario, &options, &diag);
    MUST(result && (!code || (*diag.text && *result->incomplete)));
    pb_result_free(result);
}

static void open_and_run(const uint8_t *bytes, size_t size)
{
    struct pb_recording *recording;
    struct pb_scenario *scenario;
    struct pb_diag diag = {""};
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    MUST(file >= 0 && write(file, bytes, size) == (ssize_t)size && close(file) == 0);

    int code = pb_recording_open(&recording, path, &diag);
    MUST(!code == (recording != NULL) && (!code || *diag.text));
    if (code)
        return;
    MUST(pb_recording_about(recording));
    code = pb_recording_scenario(recording, &scenario, &diag);
    MUST(!code == (scenario != NULL) && (!code || *diag.text));
    pb_recording_close(recording);
    if (scenario && scenario->network.ports <= DIMS_MAX && scenario->traffic.count <= MESSAGES_MAX &&
        scenario->superframes <= SUPERFRAMES_MAX)
        run_again(scenario);
    pb_scenario_free(scenario);
}

#endif
