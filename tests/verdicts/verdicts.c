/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Decides whether the verdicts of the bench are correct: generates cases, runs the program on each, compares
 * its verdict with the one that is correct by construction. See docs/testing.md, "Verdicts".
 * covers: host/check host/plan host/run host/scenario bench/nodes tests/verdicts
 */
#include "outcome.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS_MAX = 64, SIGNATURES_MAX = 40, SHRINK_RUNS = 150, REFUSALS_MAX = 200, CLASSES_MAX = 128 };

struct settings {
    const char *program, *directory, *kept;
    uint64_t seed, count;
    unsigned jobs, kinds, shrink;
    const char *class;
    bool tap;
};

/* What a worker reports; shorter than PIPE_BUF, so that a write is whole. */
struct report {
    uint64_t seed;
    unsigned expected;
    char class[40];
    unsigned faults;
    struct outcome outcome;
};

_Static_assert(sizeof(struct report) < 4096, "a report is written whole");

/* ---- workers */

static void work(const struct settings *settings, unsigned worker, int pipe_out)
{
    char name[32];
    struct runner runner;
    const struct draw_options options = {settings->kinds, settings->class};
    snprintf(name, sizeof name, "worker-%u", worker);
    runner_init(&runner, settings->program, settings->directory, name);
    for (uint64_t i = worker; i < settings->count; i += settings->jobs) {
        struct test_case test;
        struct report report = {.seed = settings->seed + i};
        draw_case(&test, report.seed, &options);
        run_case(&runner, &test, &report.outcome);
        report.expected = test.expected;
        report.faults = test.faults;
        snprintf(report.class, sizeof report.class, "%s", test.class);
        if (write(pipe_out, &report, sizeof report) != (ssize_t)sizeof report)
            _exit(4);
    }
    _exit(0);
}

static FILE *start_workers(const struct settings *settings)
{
    int ends[2];
    if (pipe(ends)) {
        perror("verdicts: pipe");
        exit(4);
    }
    fflush(NULL);
    for (unsigned worker = 0; worker < settings->jobs; worker++) {
        const pid_t pid = fork();
        if (pid == 0) {
            close(ends[0]);
            work(settings, worker, ends[1]);
        }
        if (pid < 0) {
            perror("verdicts: fork");
            exit(4);
        }
    }
    close(ends[1]);
    return fdopen(ends[0], "rb");
}

/* ---- what was seen */

struct tally {
    struct row {
        char class[40];
        unsigned long seen[VERDICTS], wrong, all;
    } row[CLASSES_MAX];
    unsigned rows;
    struct signature {
        char text[96];
        struct report first;
        unsigned long times;
    } signature[SIGNATURES_MAX];
    unsigned signatures;
    struct refusal {
        char form[256], text[640];
        uint64_t seed;
        unsigned long times;
    } refusal[REFUSALS_MAX];
    unsigned refusals;
    unsigned long done, wrong, refused;
    double seconds, slowest;
};

static struct row *row_of(struct tally *tally, const struct report *report)
{
    char class[40];
    const bool defect = defect_by_name(report->class);
    snprintf(class, sizeof class, "%.30s%s", report->class, defect && report->faults ? " + faults" : "");
    for (unsigned i = 0; i < tally->rows; i++)
        if (!strcmp(tally->row[i].class, class))
            return &tally->row[i];
    struct row *row = &tally->row[tally->rows < CLASSES_MAX - 1 ? tally->rows++ : tally->rows];
    snprintf(row->class, sizeof row->class, "%s", class);
    return row;
}

static unsigned bit_number(unsigned set)
{
    return (unsigned)__builtin_ctz(set);
}

static void note_wrong(struct tally *tally, const struct report *report)
{
    char text[96];
    snprintf(text, sizeof text, "%s%s: %s %s", report->class,
             defect_by_name(report->class) && report->faults ? " + faults" : "",
             verdict_names[bit_number(report->outcome.verdict)], report->outcome.finding);
    tally->wrong++;
    for (unsigned i = 0; i < tally->signatures; i++)
        if (!strcmp(tally->signature[i].text, text)) {
            tally->signature[i].times++;
            return;
        }
    if (tally->signatures == SIGNATURES_MAX)
        return;
    struct signature *signature = &tally->signature[tally->signatures++];
    *signature = (struct signature){.first = *report, .times = 1};
    snprintf(signature->text, sizeof signature->text, "%s", text);
}

/* Refusals that differ in their numbers only are the same. */
static void note_refusal(struct tally *tally, const struct report *report)
{
    char form[256] = "";
    size_t length = 0;
    const char *text = strstr(report->outcome.text, ".yaml:");
    text = text ? text + 6 : report->outcome.text;
    for (const char *c = text; *c && length < sizeof form - 1; c++) {
        const bool digit = strchr("0123456789abcdefABCDEFx.", *c) &&
                           (strchr("0123456789", *c) || (length && form[length - 1] == '#'));
        if (digit && length && form[length - 1] == '#')
            continue;
        form[length++] = digit ? '#' : *c;
    }
    form[length] = 0;
    tally->refused++;
    for (unsigned i = 0; i < tally->refusals; i++)
        if (!strcmp(tally->refusal[i].form, form)) {
            tally->refusal[i].times++;
            return;
        }
    if (tally->refusals == REFUSALS_MAX)
        return;
    struct refusal *refusal = &tally->refusal[tally->refusals++];
    *refusal = (struct refusal){.seed = report->seed, .times = 1};
    memcpy(refusal->form, form, sizeof refusal->form);
    snprintf(refusal->text, sizeof refusal->text, "%s", text);
}

static void note(struct tally *tally, const struct report *report, const struct settings *settings,
                 FILE *wrong_list)
{
    struct row *row = row_of(tally, report);
    char expected[80];
    const bool right = report->expected & report->outcome.verdict;
    tally->done++;
    tally->seconds += report->outcome.seconds;
    if (report->outcome.seconds > tally->slowest)
        tally->slowest = report->outcome.seconds;
    row->all++;
    row->seen[bit_number(report->outcome.verdict)]++;
    if (report->outcome.verdict == V_REFUSED)
        note_refusal(tally, report);
    verdict_list(expected, sizeof expected, report->expected);
    if (settings->tap)
        printf("%sok %lu - case %" PRIu64 ", %s: %s\n", right ? "" : "not ", tally->done, report->seed,
               report->class, verdict_names[bit_number(report->outcome.verdict)]);
    if (right)
        return;
    row->wrong++;
    note_wrong(tally, report);
    fprintf(wrong_list, "%" PRIu64 "\t%s\t%u faults\texpected %s\tseen %s\t%s\t%s\n", report->seed,
            report->class, report->faults, expected, verdict_names[bit_number(report->outcome.verdict)],
            report->outcome.finding, report->outcome.text);
    fflush(wrong_list);
    if (settings->tap)
        printf("# expected %s; %s %s\n", expected, report->outcome.finding, report->outcome.text);
}

static void progress(const struct tally *tally, const struct settings *settings, time_t start)
{
    static time_t last;
    const time_t now = time(NULL);
    if (now - last < (isatty(STDERR_FILENO) ? 1 : 30))
        return;
    last = now;
    const double left =
        tally->done ? (double)(now - start) / (double)tally->done * (double)(settings->count - tally->done)
                    : 0;
    fprintf(stderr, "%s%lu of %" PRIu64 " cases, %lu wrong, %lu refused, %.0f s left%s",
            isatty(STDERR_FILENO) ? "\r" : "", tally->done, settings->count, tally->wrong, tally->refused,
            left, isatty(STDERR_FILENO) ? "  " : "\n");
}

/* ---- at the end */

static int by_class(const void *left, const void *right)
{
    return strcmp(((const struct row *)left)->class, ((const struct row *)right)->class);
}

static void print_table(struct tally *tally, const char *before)
{
    unsigned long sum[VERDICTS] = {0};
    qsort(tally->row, tally->rows, sizeof *tally->row, by_class);
    printf("%s%-34s", before, "CLASS");
    for (unsigned v = 0; v < VERDICTS; v++)
        printf(" %12s", verdict_names[v]);
    printf(" %8s\n", "WRONG");
    for (unsigned i = 0; i < tally->rows; i++) {
        printf("%s%-34s", before, tally->row[i].class);
        for (unsigned v = 0; v < VERDICTS; v++) {
            printf(" %12lu", tally->row[i].seen[v]);
            sum[v] += tally->row[i].seen[v];
        }
        printf(" %8lu\n", tally->row[i].wrong);
    }
    printf("%s%-34s", before, "all");
    for (unsigned v = 0; v < VERDICTS; v++)
        printf(" %12lu", sum[v]);
    printf(" %8lu\n", tally->wrong);
}

static void write_shrunk(const struct settings *settings, const struct signature *signature,
                         const struct test_case *test, const struct outcome *outcome)
{
    char path[400], expected[80];
    snprintf(path, sizeof path, "%s/wrong/%" PRIu64 ".yaml", settings->directory, test->seed);
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    verdict_list(expected, sizeof expected, test->expected);
    fprintf(file,
            "# SPDX-FileCopyrightText: The phasebench authors\n# SPDX-License-Identifier: Apache-2.0\n#\n");
    fprintf(file,
            "# expected: %s\n# why: %s\n# from case %" PRIu64 " (%s), made smaller\n# seen: %s %s\n# %s\n",
            expected, test->why, test->seed, signature->text, verdict_names[bit_number(outcome->verdict)],
            outcome->finding, outcome->text);
    write_yaml(file, test);
    fclose(file);
    printf("# %lu times: %s; smallest: %s\n", signature->times, signature->text, path);
    fflush(stdout);
}

static int by_times(const void *left, const void *right)
{
    const struct signature *a = left, *b = right;
    return a->times > b->times ? -1 : a->times < b->times;
}

static void shrink_all(const struct settings *settings, struct tally *tally)
{
    struct runner runner;
    runner_init(&runner, settings->program, settings->directory, "shrink");
    qsort(tally->signature, tally->signatures, sizeof *tally->signature, by_times);
    const struct draw_options options = {settings->kinds, settings->class};
    for (unsigned i = 0; i < tally->signatures; i++) {
        struct test_case test;
        struct signature *signature = &tally->signature[i];
        draw_case(&test, signature->first.seed, &options);
        if (i < settings->shrink)
            shrink_case(&runner, &test, &signature->first.outcome, SHRINK_RUNS);
        write_shrunk(settings, signature, &test, &signature->first.outcome);
    }
}

static void write_refusals(const struct settings *settings, const struct tally *tally)
{
    char path[400];
    snprintf(path, sizeof path, "%s/refused.txt", settings->directory);
    FILE *file = fopen(path, "w");
    for (unsigned i = 0; file && i < tally->refusals; i++)
        fprintf(file, "%lu\tcase %" PRIu64 "\t%s\n", tally->refusal[i].times, tally->refusal[i].seed,
                tally->refusal[i].text);
    if (file)
        fclose(file);
}

/* ---- kept cases */

/* The expectation is in a comment of the file. */
static unsigned kept_expectation(const char *path)
{
    static const char mark[] = "# expected: ";
    char line[512];
    unsigned set = 0;
    FILE *file = fopen(path, "r");
    while (file && !set && fgets(line, sizeof line, file))
        if (!strncmp(line, mark, sizeof mark - 1))
            for (char *word = strtok(line + sizeof mark - 1, "| \n"); word; word = strtok(NULL, "| \n"))
                set |= verdict_by_name(word);
    if (file)
        fclose(file);
    return set;
}

static int is_yaml(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && !strcmp(dot, ".yaml");
}

static int run_kept(const struct settings *settings)
{
    struct dirent **file;
    struct runner runner;
    unsigned wrong = 0;
    const int files = scandir(settings->kept, &file, is_yaml, alphasort);
    runner_init(&runner, settings->program, settings->directory, "kept");
    for (int i = 0; i < files; i++) {
        char path[512], expected[80];
        struct outcome outcome;
        snprintf(path, sizeof path, "%s/%s", settings->kept, file[i]->d_name);
        const unsigned set = kept_expectation(path);
        run_file(&runner, path, &outcome);
        const bool right = set & outcome.verdict;
        verdict_list(expected, sizeof expected, set);
        printf("%sok - kept %s: %s\n", right ? "" : "not ", file[i]->d_name,
               verdict_names[bit_number(outcome.verdict)]);
        if (!right)
            printf("# expected %s; %s %s\n", expected, outcome.finding, outcome.text);
        wrong += !right;
        free(file[i]);
    }
    printf("1..%d\n", files);
    if (files < 0) {
        fprintf(stderr, "verdicts: cannot read %s\n", settings->kept);
        return 4;
    }
    free(file);
    return wrong > 0;
}

/* ---- */

static int run_generated(const struct settings *settings)
{
    static struct tally tally;
    struct report report;
    char path[400];
    snprintf(path, sizeof path, "%s/wrong.txt", settings->directory);
    FILE *wrong_list = fopen(path, "w");
    if (!wrong_list) {
        fprintf(stderr, "verdicts: cannot write %s\n", path);
        return 4;
    }
    const time_t start = time(NULL);
    FILE *in = start_workers(settings);
    while (in && fread(&report, sizeof report, 1, in) == 1) {
        note(&tally, &report, settings, wrong_list);
        if (!settings->tap)
            progress(&tally, settings, start);
    }
    while (wait(NULL) > 0)
        ;
    fclose(wrong_list);
    if (!settings->tap && isatty(STDERR_FILENO))
        fprintf(stderr, "\n");
    if (settings->tap)
        printf("1..%" PRIu64 "\n", settings->count);
    print_table(&tally, settings->tap ? "# " : "");
    printf("# %lu cases from %" PRIu64
           " on, %lu wrong, %lu refused; %.0f s; a case takes %.2f s, at most %.2f s\n",
           tally.done, settings->seed, tally.wrong, tally.refused, (double)(time(NULL) - start),
           tally.seconds / (tally.done ? (double)tally.done : 1), tally.slowest);
    fflush(stdout);
    write_refusals(settings, &tally);
    shrink_all(settings, &tally);
    if (tally.done != settings->count) {
        fprintf(stderr, "verdicts: %lu of %" PRIu64 " cases were run\n", tally.done, settings->count);
        return 4;
    }
    return tally.wrong > 0;
}

static unsigned kinds_by_list(const char *list)
{
    return (strstr(list, "native") ? 1u << KIND_NATIVE : 0) | (strstr(list, "ref") ? 1u << KIND_REF : 0) |
           (strstr(list, "contract") ? 1u << KIND_CONTRACT : 0);
}

static int usage(void)
{
    fprintf(stderr, "usage: verdicts PROGRAM DIRECTORY [-n CASES] [-s SEED] [-j JOBS] [-c CLASS] [-k "
                    "KIND,KIND] [-x SHRINKS] [-t]\n"
                    "       verdicts PROGRAM DIRECTORY -K KEPT\n"
                    "       verdicts PROGRAM DIRECTORY -p CASE [-c CLASS] [-k KIND,KIND]\n"
                    "-t: TAP; -K: runs the files of a directory; -p: prints a case\n");
    return 2;
}

static int print_case(const struct settings *settings)
{
    struct test_case test;
    char expected[80];
    const struct draw_options options = {settings->kinds, settings->class};
    draw_case(&test, settings->seed, &options);
    verdict_list(expected, sizeof expected, test.expected);
    printf("# expected: %s\n# why: %s\n# class: %s\n", expected, test.why, test.class);
    write_yaml(stdout, &test);
    return 0;
}

int main(int argc, char **argv)
{
    struct settings settings = {.seed = 1, .count = 100, .jobs = 1, .kinds = (1u << KINDS) - 1, .shrink = 12};
    bool print = false;
    if (argc < 3)
        return usage();
    settings.program = argv[1];
    settings.directory = argv[2];
    for (int option; (option = getopt(argc - 2, argv + 2, "n:s:j:c:k:x:K:p:t")) != -1;)
        switch (option) {
        case 'n':
            settings.count = strtoull(optarg, NULL, 10);
            break;
        case 's':
            settings.seed = strtoull(optarg, NULL, 10);
            break;
        case 'j':
            settings.jobs = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 'c':
            settings.class = optarg;
            break;
        case 'k':
            settings.kinds = kinds_by_list(optarg);
            break;
        case 'x':
            settings.shrink = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 'K':
            settings.kept = optarg;
            break;
        case 'p':
            settings.seed = strtoull(optarg, NULL, 10);
            print = true;
            break;
        case 't':
            settings.tap = true;
            break;
        default:
            return usage();
        }
    const bool known = !settings.class || defect_by_name(settings.class) ||
                       !strcmp(settings.class, "sound") || !strcmp(settings.class, "faults") ||
                       !strcmp(settings.class, "idle") || !strcmp(settings.class, "corner");
    if (!settings.kinds || !settings.jobs || settings.jobs > JOBS_MAX || !known)
        return usage();
    char wrong[400];
    snprintf(wrong, sizeof wrong, "%s/wrong", settings.directory);
    if ((mkdir(settings.directory, 0755) && access(settings.directory, W_OK)) ||
        (mkdir(wrong, 0755) && access(wrong, W_OK))) {
        fprintf(stderr, "verdicts: cannot write to %s\n", settings.directory);
        return 4;
    }
    if (print)
        return print_case(&settings);
    return settings.kept ? run_kept(&settings) : run_generated(&settings);
}
