/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The reader of JSON reports. What is taken can be written in every form, and what is written as JSON reads
 * back to the same JSON.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "phasebench/report.h"

#include <string.h>

struct text {
    char *at;
    size_t length;
};

static struct text write_json(const struct pb_result *result)
{
    struct text text = {0};
    FILE *stream = open_memstream(&text.at, &text.length);
    MUST(stream && pb_report_json(stream, result) == PB_OK);
    fclose(stream);
    return text;
}

static void write_others(const struct pb_result *result)
{
    char *at = NULL;
    size_t length = 0;
    const struct pb_report_style style = {.colour = true, .columns = 60};
    FILE *stream = open_memstream(&at, &length);
    MUST(stream);
    MUST(pb_report_text(stream, result, &style) == PB_OK);
    MUST(pb_report_junit(stream, &result, 1) == PB_OK);
    MUST(pb_report_tap(stream, &result, 1) == PB_OK);
    MUST(fflush(stream) == 0);
    const size_t others = length;
    MUST(pb_report_html(stream, result) == PB_OK);
    fclose(stream);
    /* The data of the timeline, where there is one, and the script that draws it. */
    const bool timeline = strstr(at + others, "<svg class=\"timeline\"") != NULL;
    const char *script = strstr(at + others, "<script");
    if (timeline)
        script = script ? strstr(script + 1, "<script") : NULL;
    MUST(script && !strncmp(script, "<script>//", 10) && !strstr(script + 1, "<script"));
    free(at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pb_result *result, *again;
    struct pb_diag diag = {""};
    const int code = pb_report_read_json(&result, (const char *)data, size, &diag);
    if (code) {
        MUST(!result && *diag.text && !strchr(diag.text, '\n'));
        return 0;
    }
    write_others(result);
    struct text first = write_json(result);
    MUST(pb_report_read_json(&again, first.at, first.length, &diag) == PB_OK);
    struct text second = write_json(again);
    MUST(first.length == second.length && !memcmp(first.at, second.at, first.length));
    free(first.at);
    free(second.at);
    pb_result_free(result);
    pb_result_free(again);
    return 0;
}
