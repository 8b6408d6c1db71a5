/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "outcome.h"

#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Of processor time, so that a busy computer makes no error; of real time, for one that waits for ever. */
enum { PROCESSOR_LIMIT_S = 90, WAIT_LIMIT_S = 1200 };
enum { EXIT_REFUSED = 3, EXIT_TIMEOUT = 124, EXIT_NO_PROGRAM = 127 };

void runner_init(struct runner *runner, const char *program, const char *directory, const char *name)
{
    runner->program = program;
    snprintf(runner->scenario, sizeof runner->scenario, "%s/%s.yaml", directory, name);
    snprintf(runner->out, sizeof runner->out, "%s/%s.json", directory, name);
    snprintf(runner->err, sizeof runner->err, "%s/%s.err", directory, name);
}

static void open_as(const char *path, int fd)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || dup2(file, fd) < 0)
        _exit(EXIT_NO_PROGRAM);
    close(file);
}

static int run_program(const struct runner *runner, const char *scenario)
{
    const pid_t pid = fork();
    int status = 0;
    if (pid == 0) {
        open_as(runner->out, STDOUT_FILENO);
        open_as(runner->err, STDERR_FILENO);
        /* Both limits stay with the program. */
        setrlimit(RLIMIT_CPU, &(struct rlimit){PROCESSOR_LIMIT_S, PROCESSOR_LIMIT_S + 1});
        alarm(WAIT_LIMIT_S);
        execl(runner->program, runner->program, "run", scenario, "--json", "--quiet", "--rig",
              "sim:", (char *)NULL);
        _exit(EXIT_NO_PROGRAM);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        fprintf(stderr, "verdicts: cannot start %s\n", runner->program);
        exit(4);
    }
    return status;
}

/* The last line of a file: what a program says before it gives up. */
static void last_line(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    char line[2048];
    *text = 0;
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (*line)
            snprintf(text, size, "%.*s", (int)size - 1, line);
    }
    if (file)
        fclose(file);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static int64_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* The first finding that no fault explains and that is not marginal; else the first. */
static void read_finding(const json_t *root, struct outcome *outcome)
{
    const json_t *findings = json_object_get(root, "findings"), *first = json_array_get(findings, 0);
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *finding = json_array_get(findings, i), *fault = json_object_get(finding, "fault");
        if (json_is_true(json_object_get(finding, "marginal")) ||
            (json_is_integer(fault) && json_integer_value(fault) >= 0))
            continue;
        first = finding;
        break;
    }
    if (!first) {
        snprintf(outcome->text, sizeof outcome->text, "%s", text_of(root, "reason"));
        return;
    }
    snprintf(outcome->finding, sizeof outcome->finding, "%s", text_of(first, "id"));
    snprintf(outcome->text, sizeof outcome->text,
             "superframe %" PRId64 ", phase %" PRId64 ", link %" PRId64
             "; expected: %s; seen: %s; verdict: %s",
             number_of(first, "superframe"), number_of(first, "phase"), number_of(first, "link"),
             text_of(first, "expected"), text_of(first, "seen"), text_of(root, "reason"));
}

static void read_result(const struct runner *runner, int code, struct outcome *outcome)
{
    json_error_t error;
    json_t *root = json_load_file(runner->out, 0, &error);
    outcome->verdict = root ? verdict_by_name(text_of(root, "verdict")) : 0;
    const unsigned marginal_or_pass = V_PASS | V_MARGINAL;
    if (!outcome->verdict) {
        outcome->verdict = V_ERROR;
        snprintf(outcome->text, sizeof outcome->text, "exit code %d without a result: %.200s", code,
                 error.text);
    } else if ((code == 0) != !!(outcome->verdict & marginal_or_pass) ||
               (code == 1) != (outcome->verdict == V_FAIL)) {
        outcome->verdict = V_ERROR;
        snprintf(outcome->text, sizeof outcome->text, "exit code %d with verdict %s", code,
                 text_of(root, "verdict"));
    } else {
        read_finding(root, outcome);
    }
    json_decref(root);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void run_file(const struct runner *runner, const char *scenario, struct outcome *outcome)
{
    const double start = now();
    const int status = run_program(runner, scenario);
    *outcome = (struct outcome){.seconds = now() - start};
    if (WIFSIGNALED(status)) {
        outcome->verdict = WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU ? V_TIMEOUT : V_ERROR;
        snprintf(outcome->text, sizeof outcome->text, "ended by signal %d", WTERMSIG(status));
        return;
    }
    switch (WEXITSTATUS(status)) {
    case 0:
    case 1:
    case 5:
        read_result(runner, WEXITSTATUS(status), outcome);
        break;
    case EXIT_NO_PROGRAM:
        fprintf(stderr, "verdicts: cannot run %s\n", runner->program);
        exit(4);
    default:
        outcome->verdict = WEXITSTATUS(status) == EXIT_REFUSED   ? V_REFUSED
                           : WEXITSTATUS(status) == EXIT_TIMEOUT ? V_TIMEOUT
                                                                 : V_ERROR;
        last_line(runner->err, outcome->text, sizeof outcome->text);
        break;
    }
}

void run_case(const struct runner *runner, const struct test_case *test, struct outcome *outcome)
{
    FILE *file = fopen(runner->scenario, "w");
    if (!file) {
        fprintf(stderr, "verdicts: cannot write %s\n", runner->scenario);
        exit(4);
    }
    write_yaml(file, test);
    fclose(file);
    run_file(runner, runner->scenario, outcome);
}
