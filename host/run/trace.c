/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes the waveform of a failure. Verilator's FST writer maps its files into memory and checks no write, so
 * a full disk ends it with SIGBUS or leaves half a file. So it runs in a child process and writes a file of
 * another name, which is checked before it gets the requested name.
 */
#define _DEFAULT_SOURCE /* prctl, mkstemp */
#include "host/run/trace.h"
#include "bench/emulator/watch/steps.h"
#include "bench/nodes/watch.h"
#include "bench/registry/kinds.h"
#include "host/base/monotonic.h"
#include "host/base/process.h"
#include "host/check/check.h"
#include "host/plan/node_map.h"
#include "host/rig/waveform.h"
#include "host/run/session.h"
#include "host/run/trace_pins.h"
#include "host/run/trace_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAVE ".gtkw"
#define VCD ".vcd"
#define STEPS ".trace"
enum { PATH_BYTES = 4096, LOOK_MS = 50, TAIL_BYTES = 16 };

/* ---- the file */

/* Blocks of an FST file: a byte of type, eight bytes of length (big-endian, themselves included), content. */
bool pb_fst_is_whole(const char *path)
{
    enum { HEADER = 0, GEOMETRY = 3, HIERARCHY = 4, HIERARCHY_LZ4 = 6, HIERARCHY_LZ4DUO = 7 };
    FILE *file = fopen(path, "rb");
    bool header = false, geometry = false, hierarchy = false, good = file != NULL;
    uint64_t at = 0, size = 0;
    if (good && !fseek(file, 0, SEEK_END))
        size = (uint64_t)ftell(file);
    while (good && at < size) {
        uint8_t head[9];
        uint64_t length = 0;
        good = !fseek(file, (long)at, SEEK_SET) && fread(head, sizeof head, 1, file) == 1;
        for (unsigned i = 1; i < sizeof head; i++)
            length = length << 8 | head[i];
        good = good && length >= 8 && length < size - at;
        at += 1 + length;
        header |= head[0] == HEADER;
        geometry |= head[0] == GEOMETRY;
        hierarchy |= head[0] == HIERARCHY || head[0] == HIERARCHY_LZ4 || head[0] == HIERARCHY_LZ4DUO;
    }
    if (file)
        fclose(file);
    return good && header && geometry && hierarchy;
}

/* ---- the child */

/* What to show: a place, or if it is NULL the first failure. */
struct subject {
    const struct pb_result *result;
    const struct pb_scenario *scenario;
    const struct pb_run_options *options;
    const struct pb_trace_place *place;
};

/* Writes the files that accompany the waveform at `path`, under names of their own. */
static int write_beside(const struct subject *subject, const char *path, const struct pb_rig_options *rig,
                        int64_t at_ps)
{
    char other[PATH_BYTES];
    const char *slash = strrchr(subject->options->trace_path, '/');
    const struct pb_waveform_view view = {.scenario = subject->scenario,
                                          .dump_name = slash ? slash + 1 : subject->options->trace_path,
                                          .from_ps = rig->trace_from_ps,
                                          .to_ps = rig->trace_to_ps,
                                          .marker_ps = at_ps};
    snprintf(other, sizeof other, "%.*s" SAVE, PATH_BYTES - TAIL_BYTES, path);
    int code = pb_waveform_save_file(path, other, &view);
    snprintf(other, sizeof other, "%.*s" VCD, PATH_BYTES - TAIL_BYTES, path);
    if (!code && subject->options->trace_vcd)
        code = pb_waveform_vcd(path, other, &view);
    return code;
}

/* The node whose instructions are shown: that of the failure, or else the first firmware image. */
static int shown_node(const struct pb_scenario *scenario, int link)
{
    if (link >= 0 && pb_node_kind_is_image(scenario->node[pb_link_node_index(scenario, (unsigned)link)].kind))
        return (int)pb_link_node_index(scenario, (unsigned)link);
    for (unsigned i = 0; i < scenario->node_count; i++)
        if (pb_node_kind_is_image(scenario->node[i].kind))
            return (int)i;
    return -1;
}

/* Without effect if no node is a firmware image. */
static int write_steps(const struct pb_steps *steps, const char *path)
{
    char other[PATH_BYTES];
    if (!steps)
        return PB_OK;
    snprintf(other, sizeof other, "%.*s" STEPS, PATH_BYTES - TAIL_BYTES, path);
    FILE *stream = fopen(other, "w");
    if (!stream)
        return PB_ERR_IO;
    const bool any = pb_steps_write(steps, stream);
    const bool bad = ferror(stream);
    if (fclose(stream) || bad)
        return PB_ERR_IO;
    if (!any)
        unlink(other);
    return PB_OK;
}

/* The run is judged already; it is again, as the network may react to what is found. */
struct repeated {
    const struct pb_scenario *scenario;
    struct pb_result result;
    struct pb_expectation expectation;
    struct pb_checker *check;
    struct pb_trace_pins *pins; /* NULL: the rig writes the waveform itself */
};

static int begin_again(void *context, const struct pb_observation *observation, struct pb_movement *movement)
{
    struct repeated *again = context;
    again->result.network = again->scenario->network;
    if (again->pins)
        pb_trace_pins_begin(again->pins, observation);
    const int code = pb_expect(&again->expectation, &again->result, again->scenario);
    return code ? code
                : pb_check_open(&again->check, &again->result, again->scenario, &again->expectation,
                                observation, movement);
}

static int judge_again(void *context, const struct pb_event *event, size_t count)
{
    const struct repeated *again = context;
    const int code = again->pins ? pb_trace_pins_take(again->pins, event, count) : PB_OK;
    return code ? code : pb_check_push(again->check, event, count);
}

static uint64_t typed_again(void *context)
{
    const struct repeated *again = context;
    return pb_check_typed_done(again->check);
}

static const struct pb_event_sink judging_again = {begin_again, judge_again, typed_again, NULL};

/* Repeats the run; writes its waveform and the accompanying files at `path`. */
static int trace_core(const struct subject *subject, const struct pb_trace_plan *plan, const char *path,
                      struct pb_diag *diag)
{
    const struct pb_result *result = subject->result;
    const struct pb_scenario *scenario = subject->scenario;
    const struct pb_run_options *options = subject->options;
    const int node = shown_node(scenario, plan->link);
    struct pb_node_watch watch = {
        .steps = node < 0 ? NULL
                          : pb_steps_create((unsigned)node, plan->at_ps - 2 * result->phase_ps, plan->at_ps,
                                            plan->at_ps + result->phase_ps)};
    const struct pb_rig_options rig = {
        .url = plan->rig_url,
        .watch = &watch,
        .trace_path = path,
        .trace_from_ps = plan->at_ps - 2 * result->phase_ps,
        .trace_to_ps = plan->at_ps + 2 * result->phase_ps,
        .stop = options->stop,
    };
    const struct pb_run_options quiet = {
        .rig_url = plan->rig_url, .timeout_s = options->timeout_s, .stop = options->stop};
    struct repeated again = {.scenario = scenario};
    struct pb_event_sink sink = judging_again;
    struct pb_observation seen;
    sink.context = &again;
    const int code = pb_session_play(&seen, scenario, &quiet, &rig, &sink, diag);
    if (!code && pb_fst_is_whole(path) &&
        (write_beside(subject, path, &rig, plan->at_ps) || write_steps(watch.steps, path)))
        return pb_fail(
            diag, PB_ERR_IO,
            "not all files next to it could be written; check the disk, its quota and ulimit -f");
    return code;
}

/* The same of a recording: its pins, by the events in it. */
static int trace_recording(const struct subject *subject, const struct pb_trace_plan *plan, const char *path,
                           struct pb_diag *diag)
{
    const struct pb_result *result = subject->result;
    const struct pb_run_options *options = subject->options;
    const int64_t begin_ps = plan->at_ps - 2 * result->phase_ps;
    const struct pb_rig_options rig = {.url = plan->rig_url, .stop = options->stop};
    const struct pb_run_options quiet = {
        .rig_url = plan->rig_url, .timeout_s = options->timeout_s, .stop = options->stop};
    struct repeated again = {.scenario = subject->scenario};
    struct pb_event_sink sink = judging_again;
    struct pb_observation seen;
    char vcd[PATH_BYTES];
    snprintf(vcd, sizeof vcd, "%.*s" VCD, PATH_BYTES - TAIL_BYTES, path);
    int code = pb_trace_pins_open(&again.pins, result, subject->scenario, begin_ps > 0 ? begin_ps : 0,
                                  plan->at_ps + 2 * result->phase_ps);
    if (code)
        return pb_fail(diag, code, "no memory for its pins");
    sink.context = &again;
    code = pb_session_play(&seen, subject->scenario, &quiet, &rig, &sink, diag);
    if (!code && pb_trace_pins_write(again.pins, path, options->trace_vcd ? vcd : NULL))
        code = pb_fail(diag, PB_ERR_IO,
                       "not all of it could be written; check the disk, its quota and ulimit -f");
    pb_trace_pins_free(again.pins);
    return code;
}

/* Never returns. The sentence of an error goes into the pipe. */
static void write_trace(const struct subject *subject, const char *path, int answer)
{
    const struct pb_result *result = subject->result;
    const struct pb_scenario *scenario = subject->scenario;
    const struct pb_run_options *options = subject->options;
    struct pb_trace_plan plan;
    if (!(subject->place ? pb_trace_plan_at(&plan, result, scenario, options, subject->place)
                         : pb_trace_plan(&plan, result, scenario, options))) {
        static const char why[] = "the run goes another way when it is repeated";
        (void)!write(answer, why, sizeof why - 1);
        _exit(1);
    }
    struct pb_diag diag = {""};
    const int code = pb_rig_target_of(plan.rig_url).replays ? trace_recording(subject, &plan, path, &diag)
                                                            : trace_core(subject, &plan, path, &diag);
    if (code && write(answer, diag.text, strlen(diag.text)) < 0)
        _exit(1);
    _exit(code ? 1 : 0);
}

/* What a writer that dies of a full disk would print, and its memory image, are of no use to the user. */
static void become_child(void)
{
    static const int deadly[] = {SIGBUS, SIGSEGV, SIGABRT, SIGXFSZ};
    const struct rlimit no_image = {0, 0};
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
        signal(deadly[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &no_image);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
}

/* ---- the parent */

static bool is_stopped(const struct pb_run_options *options)
{
    return options->stop && *options->stop;
}

/* Waits for the end of the pipe; the child is killed when it must not go on. Returns its status. */
static int await(pid_t child, int answer, const struct pb_run_options *options, struct pb_diag *why,
                 int *code)
{
    const int64_t limit_ms =
        pb_monotonic_ms() + (options->timeout_s ? options->timeout_s : PB_RUN_TIMEOUT_S) * INT64_C(1000);
    size_t used = 0;
    int status = 0;
    for (bool open = true; open;) {
        struct pollfd wait = {.fd = answer, .events = POLLIN};
        const bool late = pb_monotonic_ms() > limit_ms;
        if (is_stopped(options) || late) {
            *code = late ? PB_ERR_TIMEOUT : PB_ERR_INTERRUPTED;
            kill(child, SIGKILL);
            break;
        }
        if (poll(&wait, 1, LOOK_MS) <= 0)
            continue;
        const ssize_t got = read(answer, why->text + used, sizeof why->text - 1 - used);
        open = got > 0 && used + (size_t)got < sizeof why->text - 1;
        used += got > 0 ? (size_t)got : 0;
    }
    why->text[used] = '\0';
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!*code && WIFSIGNALED(status) && is_stopped(options)) /* both get a signal of the terminal */
        *code = PB_ERR_INTERRUPTED;
    return status;
}

static int run_child(const struct subject *subject, const char *path, struct pb_diag *diag)
{
    const struct pb_run_options *options = subject->options;
    int answer[2], code = PB_OK;
    struct pb_diag why = {""};
    if (pipe(answer))
        return pb_fail(diag, PB_ERR_IO, "no pipe to the process that writes it: %s", strerror(errno));
    const pid_t child = pb_fork();
    if (!child) {
        close(answer[0]);
        become_child();
        write_trace(subject, path, answer[1]);
    }
    const int error = errno;
    close(answer[1]);
    if (child < 0) {
        close(answer[0]);
        return pb_fail(diag, PB_ERR_MEMORY, "no process to write it: %s", strerror(error));
    }
    const int status = await(child, answer[0], options, &why, &code);
    close(answer[0]);
    if (code)
        return pb_fail(diag, code, "%s before it was written",
                       code == PB_ERR_TIMEOUT ? "timed out" : "interrupted");
    if (WIFSIGNALED(status))
        return pb_fail(diag, PB_ERR_IO,
                       "its writer was ended by signal %d; check the disk, its quota and ulimit -f",
                       WTERMSIG(status));
    if (WEXITSTATUS(status))
        return pb_fail(diag, PB_ERR_IO, "%s", *why.text ? why.text : "the run could not be repeated");
    if (!pb_fst_is_whole(path))
        return pb_fail(diag, PB_ERR_IO,
                       "not all of it could be written; check the disk, its quota and ulimit -f");
    return PB_OK;
}

/* A file of its own in the same directory, so that renaming it is one step. */
static int make_file(char path[PATH_BYTES], const char *wanted, struct pb_diag *diag)
{
    const int length = snprintf(path, PATH_BYTES, "%s.XXXXXX", wanted);
    const int file = length < PATH_BYTES - TAIL_BYTES ? mkstemp(path) : -1;
    if (file < 0)
        return pb_fail(diag, PB_ERR_IO, "no file next to it can be made: %s",
                       length < PATH_BYTES - TAIL_BYTES ? strerror(errno) : "the path is too long");
    close(file); /* the writer removes it and makes its own */
    return PB_OK;
}

/* Makes the name of a file that accompanies a waveform: that of the waveform, with another ending. */
static void name_beside(char name[PATH_BYTES], const char *path, const char *ending)
{
    const size_t length = strlen(path), cut = length > 4 && !strcmp(path + length - 4, ".fst") ? 4 : 0;
    snprintf(name, PATH_BYTES, "%.*s%s", (int)(length - cut), path, ending);
}

static const char *const endings[] = {SAVE, VCD, STEPS};
enum { ENDINGS = sizeof endings / sizeof endings[0] };

/* Gives the files their names, that of the waveform last. */
static int give_names(const char *path, const char *wanted)
{
    char from[PATH_BYTES], to[PATH_BYTES];
    for (int i = 0; i < ENDINGS; i++) {
        snprintf(from, sizeof from, "%.*s%s", PATH_BYTES - TAIL_BYTES, path, endings[i]);
        name_beside(to, wanted, endings[i]);
        if (access(from, F_OK) == 0 && rename(from, to))
            return -1;
    }
    return rename(path, wanted);
}

static void remove_all(const char *path, const char *wanted)
{
    char other[PATH_BYTES];
    unlink(path);
    snprintf(other, sizeof other, "%.*s.hier", PATH_BYTES - TAIL_BYTES, path);
    unlink(other); /* the writer's second file */
    for (int i = 0; i < ENDINGS; i++) {
        snprintf(other, sizeof other, "%.*s%s", PATH_BYTES - TAIL_BYTES, path, endings[i]);
        unlink(other);
        name_beside(other, wanted, endings[i]);
        unlink(other);
    }
}

static int write_files(const struct subject *subject, struct pb_diag *diag)
{
    const char *wanted = subject->options->trace_path;
    char path[PATH_BYTES];
    struct pb_diag why = {""};
    int code = make_file(path, wanted, &why);
    if (!code) {
        code = run_child(subject, path, &why);
        if (!code && give_names(path, wanted))
            code = pb_fail(&why, PB_ERR_IO, "%s", strerror(errno));
        if (code)
            remove_all(path, wanted);
    }
    return code ? pb_fail(diag, code, "no waveform '%.100s': %.180s", wanted, why.text) : PB_OK;
}

/* There is a rig to repeat the run on. */
static bool can_repeat(const struct pb_result *result, const struct pb_run_options *options)
{
    return options->trace_path && !*result->incomplete && pb_trace_can_repeat(options->rig_url);
}

int pb_run_trace(struct pb_result *result, const struct pb_scenario *scenario,
                 const struct pb_run_options *options, struct pb_diag *diag)
{
    const struct subject subject = {result, scenario, options, NULL};
    if (!can_repeat(result, options) || result->verdict != PB_VERDICT_FAIL || !result->findings)
        return PB_OK;
    const int code = write_files(&subject, diag);
    if (!code)
        snprintf(result->trace_path, sizeof result->trace_path, "%s", options->trace_path);
    char steps[PATH_BYTES];
    name_beside(steps, options->trace_path, STEPS);
    if (!code && access(steps, R_OK) == 0)
        snprintf(result->steps_path, sizeof result->steps_path, "%.255s", steps);
    return code;
}

int pb_run_window(const struct pb_result *result, const struct pb_scenario *scenario,
                  const struct pb_run_options *options, uint32_t superframe, unsigned phase,
                  struct pb_diag *diag)
{
    const struct pb_trace_place place = {superframe, phase};
    const struct subject subject = {result, scenario, options, &place};
    return can_repeat(result, options) ? write_files(&subject, diag) : PB_OK;
}
