/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Recordings. The first byte says whether the checksums of the rest are made right, so that damage reaches
 * what lies behind them. A recording that opens has a scenario or a sentence why not, and is run again from
 * what it holds.
 */
#include "tests/fuzz/fuzz.h"

#include "host/record/format.h"
#include "phasebench/record.h"
#include "phasebench/run.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BYTES_MAX = 8192, MESSAGES_MAX = 64, DIMS_MAX = 4, SUPERFRAMES_MAX = 20 };

static char path[64];

static void forget(void)
{
    unlink(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    snprintf(path, sizeof path, "/tmp/phasebench-fuzz-%d.rec", (int)getpid());
    atexit(forget);
    return 0;
}

/* Numbers the blocks and makes every checksum right, as far as the lengths lead. */
static void repair(uint8_t *bytes, size_t size)
{
    if (size < PB_PROLOGUE_BYTES)
        return;
    memcpy(bytes, PB_RECORDING_MAGIC, 8);
    pb_put32(bytes + 12, (uint32_t)crc32(0, bytes, 12));
    size_t at = PB_PROLOGUE_BYTES;
    for (uint32_t sequence = 0; at + PB_BLOCK_HEAD_BYTES <= size; sequence++) {
        uint8_t *head = bytes + at;
        const uint32_t length = pb_get32(head + 8);
        if (length > size - at - PB_BLOCK_HEAD_BYTES)
            break;
        pb_put32(head + 4, sequence);
        pb_put32(head + 12, (uint32_t)crc32(0, head + PB_BLOCK_HEAD_BYTES, length));
        pb_put32(head + 16, (uint32_t)crc32(0, head, 16));
        at += PB_BLOCK_HEAD_BYTES + length;
    }
}

static void run_again(const struct pb_scenario *scenario)
{
    char url[80];
    struct pb_result *result;
    struct pb_diag diag = {""};
    const struct pb_run_options options = {.rig_url = url, .timeout_s = 10};
    snprintf(url, sizeof url, "replay:%s", path);
    const int code = pb_run(&result, scenario, &options, &diag);
    MUST(!code == (result != NULL) && (!code || *diag.text));
    pb_result_free(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[BYTES_MAX];
    struct pb_recording *recording;
    struct pb_scenario *scenario;
    struct pb_diag diag = {""};
    if (!size || size > sizeof bytes)
        return 0;
    memcpy(bytes, data + 1, --size);
    if (*data & 1)
        repair(bytes, size);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    MUST(file >= 0 && write(file, bytes, size) == (ssize_t)size && close(file) == 0);

    int code = pb_recording_open(&recording, path, &diag);
    MUST(!code == (recording != NULL) && (!code || *diag.text));
    if (code)
        return 0;
    MUST(pb_recording_about(recording));
    code = pb_recording_scenario(recording, &scenario, &diag);
    MUST(!code == (scenario != NULL) && (!code || *diag.text));
    pb_recording_close(recording);
    if (scenario && scenario->dims <= DIMS_MAX && scenario->traffic.count <= MESSAGES_MAX &&
        scenario->superframes <= SUPERFRAMES_MAX)
        run_again(scenario);
    pb_scenario_free(scenario);
    return 0;
}
