/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/unit/record_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *folder;
char path[64], forged[64], url[80], forged_url[80];

static void make_folder(void)
{
    folder = new_folder();
    snprintf(path, sizeof path, "%s/a.rec", folder);
    snprintf(forged, sizeof forged, "%s/b.rec", folder);
    snprintf(url, sizeof url, "replay:%s", path);
    snprintf(forged_url, sizeof forged_url, "replay:%s", forged);
}

static void remove_folder(void)
{
    unlink(path);
    unlink(forged);
    assert_int_equal(rmdir(folder), 0); /* nothing else is left */
}

AROUND_ALL(make_folder, remove_folder)

struct file load(const char *name)
{
    struct file file;
    file.byte = (uint8_t *)file_read(name, &file.size);
    return file;
}

static void free_texts(void *texts)
{
    pb_scenario_texts_free(texts);
    free(texts);
}

struct pb_recorder *begin(const char *name, const char *yaml, struct pb_scenario **scenario)
{
    struct pb_recorder *recorder;
    struct pb_diag diag = {""};
    struct pb_scenario_texts *texts = hand_over(calloc(1, sizeof *texts), free_texts);
    assert_int_equal(pb_scenario_texts_add(texts, "test.yaml", yaml, strlen(yaml)), 0);
    assert_succeeds(pb_scenario_parse_texts(scenario, texts, false, &diag));
    hand_over_scenario(*scenario);
    const struct pb_recording_about about = {.verb = "run",
                                             .rig_url = "sim:",
                                             .simulated = true,
                                             .seed = (*scenario)->seed,
                                             .superframes = (*scenario)->superframes,
                                             .texts = texts};
    if (pb_recorder_open(&recorder, &(struct pb_record_paths){.stream = name, .force = true}, &about, &diag))
        fail_msg("%s", diag.text);
    return recorder;
}

int replay(const char *file, const char *rig_url, struct pb_result **result, struct pb_diag *diag)
{
    struct pb_recording *recording;
    struct pb_scenario *scenario = NULL;
    const struct pb_run_options options = {.rig_url = rig_url};
    *result = NULL;
    *diag = (struct pb_diag){""};
    int code = pb_recording_open(&recording, file, diag);
    if (code)
        return code;
    code = pb_recording_scenario(recording, &scenario, diag);
    if (!code)
        code = pb_run(result, scenario, &options, diag);
    if (code) { /* what was judged up to there is the business of other tests */
        pb_result_free(*result);
        *result = NULL;
    } else
        hand_over_result(*result);
    pb_scenario_free(scenario);
    pb_recording_close(recording);
    return code;
}

void assert_refused(int code, const struct pb_diag *diag, int wanted, const char *const *word, size_t words)
{
    assert_int_equal(code, wanted);
    assert_null(strchr(diag->text, '\n'));
    for (size_t i = 0; i < words; i++)
        if (!strstr(diag->text, word[i]))
            fail_msg("'%s' is not in: %s", word[i], diag->text);
}
