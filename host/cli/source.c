/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include "cli.h"
#include "host/procedure/suite/find_scenarios.h"

#include "host/procedure/suite/overrides.h"

#include "phasebench/rig.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- recordings */

/* A self-test holds no run, and a run no self-test. */
static int open_recording(struct source *source, const char *path, bool selftest)
{
    struct pb_diag diag;
    int code = pb_recording_open(&source->recording, path, &diag);
    if (!code)
        code = pb_recording_check_map(source->recording, &diag);
    if (code)
        return cli_outcome(code, &diag);
    const char *verb = pb_recording_about(source->recording)->verb;
    if ((strcmp(verb, "selftest") == 0) == selftest)
        return CLI_PASS;
    return cli_fail(CLI_BAD_SCENARIO,
                    "'%s' was recorded by 'phasebench %s'; play it with 'phasebench %s --rig replay:%s'",
                    path, verb, selftest ? "run" : "selftest", path);
}

static int compare_hash(const struct source *source, const char *path)
{
    const struct pb_recording_about *about = pb_recording_about(source->recording);
    const struct pb_scenario_overrides *overrides = &source->overrides;
    const uint64_t seed = overrides->seed_given ? overrides->seed : source->scenario->seed;
    const uint32_t superframes =
        overrides->superframes ? overrides->superframes : source->scenario->superframes;
    const uint64_t hash = pb_recording_hash(&source->texts, seed, superframes);
    if (hash == about->hash)
        return CLI_PASS;
    if (!path)
        return cli_fail(CLI_USAGE,
                        "the recording has seed %" PRIu64 " and %" PRIu32 " superframes, not %" PRIu64
                        " and %" PRIu32 "; leave out --seed and --superframes",
                        about->seed, about->superframes, seed, superframes);
    return cli_fail(CLI_BAD_SCENARIO,
                    "'%s' with seed %" PRIu64 " and %" PRIu32 " superframes (hash 0x%016" PRIx64
                    ") is not what was recorded from '%s' (seed %" PRIu64 ", %" PRIu32
                    " superframes, 0x%016" PRIx64 "); leave the scenario out, it is in the recording",
                    path, seed, superframes, hash, about->texts->text[0].name, about->seed,
                    about->superframes, about->hash);
}

/* ---- scenarios */

int source_find(const char **file, char found[FIND_PATH_SIZE], const char *path)
{
    char nearest[FIND_PATH_SIZE];
    *file = find_scenario(found, path);
    if (*file != path || access(path, F_OK) == 0 || !find_nearest(nearest, path))
        return CLI_PASS;
    return cli_fail(
        CLI_BAD_SCENARIO,
        "%.200s: cannot be opened: no such file, nor a shipped scenario of this name; did you mean "
        "'%s'? 'phasebench run --list' shows all",
        path, nearest);
}

int cli_refuse_scenario(const char *path, int code, const struct pb_diag *diag)
{
    enum { SHOWN = 20 };
    struct pb_diag error[SHOWN];
    const size_t count = path && code == PB_ERR_CONFIG ? pb_scenario_errors(path, error, SHOWN) : 0;
    for (size_t i = 0; i < count && i < SHOWN; i++)
        cli_fail(CLI_BAD_SCENARIO, "%s", error[i].text);
    if (count > SHOWN)
        cli_fail(CLI_BAD_SCENARIO, "%s: %zu more errors; mend these first", path, count - SHOWN);
    return count ? CLI_BAD_SCENARIO : cli_outcome(code, diag);
}

/* Either way *texts holds what the scenario was made of. */
static int read_scenario(struct source *source, const char *path)
{
    struct pb_diag diag;
    char found[FIND_PATH_SIZE];
    int code;
    if (path) {
        const char *file;
        const int missing = source_find(&file, found, path);
        if (missing != CLI_PASS)
            return missing;
        code = pb_scenario_load_texts(&source->scenario, &source->texts, file, &diag);
        if (code)
            return cli_refuse_scenario(file, code, &diag);
    } else {
        const struct pb_scenario_texts *recorded = pb_recording_about(source->recording)->texts;
        code = PB_OK;
        for (size_t i = 0; i < recorded->count && !code; i++)
            code = pb_scenario_texts_add(&source->texts, recorded->text[i].name, recorded->text[i].text,
                                         recorded->text[i].length);
        if (code)
            pb_fail(&diag, code, "no memory for the scenario of the recording");
        else
            code = pb_scenario_parse_texts(&source->scenario, &source->texts, true, &diag);
    }
    return cli_outcome(code, &diag);
}

/* What was recorded with other values than the scenario's is played with them. */
static void take_recorded_overrides(struct source *source)
{
    const struct pb_recording_about *about = pb_recording_about(source->recording);
    if (!source->overrides.seed_given && about->seed_given) {
        source->overrides.seed_given = true;
        source->overrides.seed = about->seed;
    }
    if (!source->overrides.superframes && !source->overrides.for_s && about->superframes_given)
        source->overrides.superframes = about->superframes;
}

int source_open(struct source *source, const char *path, const char *rig_url,
                const struct pb_scenario_overrides *overrides)
{
    const struct pb_rig_target rig = pb_rig_target_of(rig_url);
    struct pb_diag diag;
    int exit_code = CLI_PASS;

    *source = (struct source){.overrides = *overrides};
    if (rig.replays && overrides->capture_given)
        return cli_fail(CLI_USAGE, "a recording holds what was captured then; leave out --capture");
    if (rig.replays)
        exit_code = open_recording(source, rig.place, false);
    if (rig.replays && exit_code == CLI_PASS)
        take_recorded_overrides(source);
    if (exit_code == CLI_PASS)
        exit_code = read_scenario(source, path);
    if (exit_code == CLI_PASS)
        exit_code = cli_outcome(pb_overrides_resolve(&source->overrides, source->scenario, &diag), &diag);
    if (rig.replays && exit_code == CLI_PASS)
        exit_code = compare_hash(source, path);
    if (exit_code == CLI_PASS)
        exit_code = cli_outcome(pb_overrides_apply(&source->overrides, source->scenario, &diag), &diag);
    if (exit_code != CLI_PASS)
        source_close(source);
    return exit_code;
}

/* Put into the program from host/scenarios/demo.yaml by `ld -r -b binary`, which chooses these names. */
extern const char _binary_host_scenarios_demo_yaml_start[];
extern const char _binary_host_scenarios_demo_yaml_end[];

int cli_demo_scenario(struct pb_scenario **out, struct pb_scenario_texts *texts, struct pb_diag *diag)
{
    struct pb_scenario_texts own = {0};
    const char *text = _binary_host_scenarios_demo_yaml_start;
    *out = NULL;
    int code = pb_scenario_texts_add(texts ? texts : &own, "the built-in demo", text,
                                     (size_t)(_binary_host_scenarios_demo_yaml_end - text));
    if (code)
        pb_fail(diag, code, "no memory for the built-in demo");
    else
        code = pb_scenario_parse_texts(out, texts ? texts : &own, false, diag);
    pb_scenario_texts_free(&own);
    return code;
}

int source_open_demo(struct source *source, const char *rig_url)
{
    const struct pb_rig_target rig = pb_rig_target_of(rig_url);
    struct pb_diag diag;
    int exit_code = CLI_PASS;

    *source = (struct source){.scenario = NULL};
    if (rig.replays)
        exit_code = open_recording(source, rig.place, true);
    if (exit_code == CLI_PASS)
        exit_code = cli_outcome(cli_demo_scenario(&source->scenario, &source->texts, &diag), &diag);
    if (exit_code != CLI_PASS)
        source_close(source);
    return exit_code;
}

void source_close(struct source *source)
{
    pb_scenario_free(source->scenario);
    pb_scenario_texts_free(&source->texts);
    pb_recording_close(source->recording);
    *source = (struct source){.scenario = NULL};
}

/* ---- new recordings */

int record_begin(struct pb_recorder **out, const struct record_options *options, const struct source *source,
                 const char *verb, const char *rig_url)
{
    struct pb_diag diag;
    const struct pb_rig_target rig = pb_rig_target_of(rig_url);
    const struct pb_recording_about about = {
        .verb = verb,
        .rig_url = rig.url,
        .simulated = rig.simulates,
        .seed = source->scenario->seed,
        .superframes = source->scenario->superframes,
        .seed_given = source->overrides.seed_given,
        .superframes_given = source->overrides.superframes != 0,
        .texts = &source->texts,
    };
    const struct pb_record_paths paths = {options->path, options->usb_path, options->force};
    *out = NULL;
    if (!options->path && !options->usb_path)
        return options->force
                   ? cli_fail(CLI_USAGE, "--force is for --record; leave it out, or name a file to record to")
                   : CLI_PASS;
    if (options->usb_path && rig.kind != PB_RIG_FTDI && rig.kind != PB_RIG_VUSB)
        return cli_fail(
            CLI_USAGE,
            "rig %.60s has no USB transfers: --record-usb is for ftdi: and vusb:, --record for every rig",
            about.rig_url);
    return cli_outcome(pb_recorder_open(out, &paths, &about, &diag), &diag);
}

static const char *outcome(int exit_code, const struct pb_result *result)
{
    if (result)
        return pb_verdict_name(result->verdict);
    switch (exit_code) {
    case CLI_PASS:
        return "pass";
    case CLI_NODE_FAILED:
        return "fail";
    case CLI_INCONCLUSIVE:
        return "inconclusive";
    case CLI_TIMEOUT:
        return "timeout";
    case CLI_INTERRUPTED:
        return "interrupted";
    default:
        return "failed";
    }
}

int record_end(struct pb_recorder *recorder, int exit_code, const struct pb_result *result)
{
    struct pb_diag diag;
    const int ended = result ? pb_verdict_exit_code(result->verdict) : exit_code;
    const int code =
        pb_recorder_close(recorder, ended, outcome(exit_code, result), result ? result->reason : "", &diag);
    if (!code)
        return exit_code;
    /* A run that failed for this reason has reported it. */
    return exit_code == CLI_BENCH_FAILED ? exit_code : cli_outcome(code, &diag);
}
