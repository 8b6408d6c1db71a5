/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Memory that runs out: the first allocation fails, then the second, and so on, until all goes well. Each
 * time the caller must get PB_ERR_MEMORY and no object, and lose nothing: the leak sanitizer checks this at
 * the end. Linked with --wrap, so this reaches what is linked statically, and jansson through its hooks.
 */
#include "bench/nodes/child.h"
#include "bench/sim/pb_sim.h"
#include "host/check/check.h"
#include "host/plan/plan.h"
#include "phasebench/flow.h"
#include "phasebench/report.h"
#include "tests/bench/unit/run_fixture.h"
#include "tests/production/unit/validation_fixture.h"

#include "tests/bench/unit/tests.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct pb_sim *__real_pb_sim_create(const struct pb_sim_config *config);
struct pb_sim *__wrap_pb_sim_create(const struct pb_sim_config *config);
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *at, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *at, size_t size);
char *__wrap_strdup(const char *text);

static unsigned left; /* allocations that still succeed, and then one that does not; 0: all do */
static bool failed;
static bool in_jansson =
    true; /* its reader crashes and leaks of its own (2.14), so that it is spared there */

static bool fails(void)
{
    if (!left || --left)
        return false;
    failed = true;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *at, size_t size)
{
    return fails() ? NULL : __real_realloc(at, size);
}

static void *jansson_malloc(size_t size)
{
    return in_jansson ? __wrap_malloc(size) : __real_malloc(size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

/* What goes to the simulated core takes memory, too, and is counted apart. */
static unsigned writes_left;
int __real_pb_sim_host_write(struct pb_sim *sim, const uint8_t *bytes, size_t count);
int __wrap_pb_sim_host_write(struct pb_sim *sim, const uint8_t *bytes, size_t count);
int __wrap_pb_sim_host_write(struct pb_sim *sim, const uint8_t *bytes, size_t count)
{
    if (writes_left && --writes_left == 0)
        return -1;
    return __real_pb_sim_host_write(sim, bytes, count);
}

/* What Verilator's own code asks for while it builds a model is not ours to check. */
struct pb_sim *__wrap_pb_sim_create(const struct pb_sim_config *config)
{
    const unsigned armed = left;
    left = 0;
    struct pb_sim *sim = __real_pb_sim_create(config);
    left = armed;
    return sim;
}

/* Calls `work` with the n-th allocation failing, for n from 1 on, until none fails any more. */
static void sweep(int (*work)(void))
{
    unsigned n = 1;
    for (;; n++) {
        left = n;
        failed = false;
        const int code = work();
        left = 0;
        if (!failed) {
            assert_int_equal(code, PB_OK);
            break;
        }
        if (code != PB_ERR_MEMORY)
            fail_msg("allocation %u failed, and the caller was told %d", n, code);
        assert_true(n < 20000);
    }
    print_message("%u allocations\n", n - 1);
    assert_true(n > 1);
}

static const char text[] = "name: memory\n"
                           "description: every key that needs memory\n"
                           "cube: {dims: 2}\n"
                           "nodes:\n"
                           "  - {address: 2, kind: native}\n"
                           "  - {address: 1, kind: ref}\n"
                           "traffic:\n"
                           "  - {from: 2, to: 1}\n"
                           "  - {pattern: complement, superframe: 1}\n"
                           "  - {from: 2, to: 0, superframe: 3, phase: 1}\n"
                           "limits: {max_superframes: 3}\n";

static struct pb_scenario *scenario;
static struct pb_observation *played;
static struct pb_result *whole; /* of a run of its own */

static int load(void)
{
    struct pb_scenario *loaded;
    struct pb_diag diag = {""};
    const int code = pb_scenario_parse(&loaded, "memory.yaml", text, strlen(text), &diag);
    if (code) {
        assert_null(loaded);
        assert_true(*diag.text);
    }
    pb_scenario_free(loaded);
    return code;
}

static int load_file(void)
{
    struct pb_scenario *loaded;
    struct pb_diag diag;
    const int code = pb_scenario_load(&loaded, "host/scenarios/two-boards.yaml", &diag);
    pb_scenario_free(loaded);
    return code;
}

static int load_command(void)
{
    static const char command[] = "cube: {dims: 2}\nnodes: [{address: 2, kind: \"exec:./node 'a b'\"}]\n"
                                  "traffic: [{from: 2, to: 1}]\n";
    struct pb_scenario *loaded;
    struct pb_diag diag;
    const int code = pb_scenario_parse(&loaded, "command.yaml", command, strlen(command), &diag);
    pb_scenario_free(loaded);
    return code;
}

static int start_process(void)
{
    char *word[] = {"true", NULL};
    struct pb_child *child;
    struct pb_diag diag;
    const int code = pb_child_start(&child, word, NULL, &diag);
    pb_child_free(child);
    return code;
}

/* The binary cube as an argument; it lives as long as the block. */
#define CUBE(dims) ((const struct pb_network[]){pb_network_cube(dims)})

static int generate(void)
{
    struct pb_traffic traffic;
    struct pb_flow_bound bound;
    int code = pb_traffic_generate(&traffic, CUBE(3), "pairs:5", NULL);
    if (!code)
        code = pb_flow_analyse(CUBE(3), &traffic, &bound);
    pb_traffic_free(&traffic);
    return code;
}

/* A node with a room, and a joined source. */
static int move_rule(enum pb_rule rule)
{
    const struct pb_mover_options options = {.network = CUBE(3),
                                             .rule = rule,
                                             .room = &(struct pb_flow_room){.node = 5, .in_all = 2},
                                             .rooms = 1,
                                             .crossings = true};
    const struct pb_repeat often = {.every = 1, .times = 40};
    struct pb_message message[] = {{0, 7, 1, 0}, {1, 6, 0, 0}}; /* not in the order of their releases */
    const struct pb_traffic list = {.message = message, .count = 2};
    struct pb_releases *part[2] = {NULL, NULL}, *source = NULL;
    struct pb_mover *mover = NULL;
    struct pb_diag diag = {""};

    int code = pb_releases_repeat(&part[0], CUBE(3), "total", &often, &diag);
    assert_true(!code == (part[0] && !*diag.text));
    if (!code)
        code = pb_releases_list(&part[1], CUBE(3), &list);
    if (code)
        pb_releases_free(part[0]);
    else
        code = pb_releases_join(&source, part, 2);
    if (!code)
        code = pb_mover_create(&mover, &options, source);
    assert_true(!code == (mover != NULL));
    for (unsigned i = 0; i < 40 && !code; i++) {
        code = pb_mover_step(mover, &diag);
        assert_true(!code == !*diag.text);
    }
    pb_mover_free(mover);
    pb_releases_free(source);
    return code;
}

static int move(void)
{
    const int code = move_rule(PB_RULE_ECUBE);
    return code ? code : move_rule(PB_RULE_OPPORTUNISTIC);
}

/* Messages that arrive make place for others: after a while nothing is allocated any more. */
TEST(test_long_movement)
{
    for (int rule = 0; rule < PB_RULES; rule++) {
        const struct pb_mover_options options = {
            .network = CUBE(4), .rule = (enum pb_rule)rule, .crossings = true};
        struct pb_releases *source;
        struct pb_mover *mover;
        const struct pb_repeat ever = {.every = 1};
        assert_int_equal(pb_releases_repeat(&source, CUBE(4), "uniform:1", &ever, NULL), PB_OK);
        assert_int_equal(pb_mover_create(&mover, &options, source), PB_OK);
        for (unsigned i = 0; i < 5000; i++) {
            left = i >= 500;
            const int code = pb_mover_step(mover, NULL);
            left = 0;
            assert_int_equal(code, PB_OK);
        }
        assert_int_equal(pb_mover_stats(mover)->released, 5000 * 16);
        pb_mover_free(mover);
        pb_releases_free(source);
    }
}

/* So does a plan, and a console that types to the nodes all the time. */
TEST(test_long_plan)
{
    static const char *const rule[PB_RULES] = {"ecube", "opportunistic"};
    for (int i = 0; i < PB_RULES; i++) {
        char yaml[400];
        snprintf(
            yaml, sizeof yaml,
            "cube: {dims: 4, rule: %s}\nsuperframes: 100000\nlink: {payload: 1 byte, console_baud: 1 Mbaud}\n"
            "nodes: [{address: 1}, {address: 6}]\nfaults: [{kind: framing, node: 1, superframe: 99000, "
            "dimension: 2}]\n"
            "traffic: [{pattern: complement, every: 2, repeat: forever}, {from: 1, to: 6, every: 7, repeat: "
            "forever}]\n",
            rule[i]);
        struct pb_scenario *endless = parse_scenario(yaml);
        struct pb_diag diag = {""};
        struct pb_plan plan;
        size_t records = 0, lines = 0;
        assert_succeeds(pb_plan_make(&plan, endless, &played->info, &diag));
        while (plan.superframe < endless->superframes) {
            left = plan.superframe >= 5000;
            const int code = pb_plan_next(&plan, &diag);
            left = 0;
            if (code)
                fail_msg("superframe %u: %s", plan.superframe, diag.text);
            records += plan.now.records;
            lines += plan.typed_lines;
        }
        /* One of the pattern for each node in every second superframe, one more in every seventh; to each
         * node come three to pass on and one to stay, from virtual nodes except the line between the two. */
        assert_in_range(lines, 100000 + 100000 / 7 - 10, 100000 + 100000 / 7 + 1);
        assert_in_range(records - lines, 50000 * 6, 50000 * 10);
        pb_plan_free(&plan);
    }
}

static int make_plan(void)
{
    struct pb_plan plan;
    struct pb_diag diag = {""};
    int code = pb_plan_make(&plan, scenario, &played->info, &diag);
    if (code)
        assert_true(*diag.text && !plan.now.record && !plan.maker);
    while (!code && plan.superframe < scenario->superframes) {
        code = pb_plan_next(&plan, &diag);
        assert_true(!code || *diag.text);
    }
    pb_plan_free(&plan);
    return code;
}

static int judge(void)
{
    const unsigned armed = left;
    left = 0;
    struct pb_observation *seen = copy_observation(played);
    struct pb_result *result = calloc(1, sizeof *result);
    assert_non_null(result);
    left = armed;
    const int code = pb_check(result, scenario, seen);
    left = 0;
    pb_result_free(result);
    return code;
}

/* The same with a finding to store. */
static int judge_wrong(void)
{
    const uint64_t lost = played->events_lost;
    played->events_lost = 1;
    const int code = judge();
    played->events_lost = lost;
    return code;
}

/* The same in the midst of the run. */
static int judge_so_far(void)
{
    const unsigned armed = left;
    left = 0;
    struct pb_result *result = calloc(1, sizeof *result), *so_far = NULL;
    struct pb_checker *check;
    assert_non_null(result);
    left = armed;
    struct pb_expectation expectation;
    int code = pb_expect(&expectation, result, scenario);
    if (!code) {
        code = pb_check_open(&check, result, scenario, &expectation, played, NULL);
        assert_true(!code || !check);
    }
    if (!code) {
        code = pb_check_push(check, played->events.event, played->events.count / 2);
        const int looked = pb_check_so_far(check, "half of it", &so_far);
        const int closed = pb_check_close(check);
        code = code ? code : looked ? looked : closed;
    }
    left = 0;
    pb_result_free(so_far);
    pb_result_free(result);
    return code;
}

static int write_json(void)
{
    char buffer[1 << 16];
    FILE *stream = fmemopen(buffer, sizeof buffer, "w");
    assert_non_null(stream);
    const int code = pb_report_json(stream, whole);
    fclose(stream);
    return code;
}

/* The form is complete in memory before the first byte is written. */
static int unit_length = -1;
static int write_validation(void)
{
    static const char fill[] = "0123456789012345678901234567890123456789012345678901234567890123";
    static char buffer[1 << 16];
    const unsigned armed = left;
    left = 0;
    struct pb_validation *validation = unit_length < 0 ? validation_no_go() : validation_not_ready();
    if (unit_length >= 0)
        snprintf(validation->unit, sizeof validation->unit, "%.*s", unit_length, fill);
    FILE *stream = fmemopen(buffer, sizeof buffer, "w");
    assert_non_null(stream);
    left = armed;
    const int code = pb_report_validation_json(stream, validation);
    left = 0;
    assert_int_equal(ftell(stream) == 0, code != PB_OK);
    fclose(stream);
    return code;
}

static int add_values(void)
{
    struct pb_validation validation = {.steps = 1};
    int code = PB_OK;
    for (size_t i = 0; i < 300 && !code; i++) {
        const size_t before = validation.values;
        code = pb_validation_add(&validation, &(struct pb_item_value){.item = PB_ITEM_LOST});
        assert_int_equal(validation.values, before + !code);
        assert_int_equal(validation.step[0].count, validation.values);
    }
    pb_validation_clear(&validation);
    return code;
}

static int read_limits(void)
{
    static const char file[] = "title: t\nversion: 1\ndecision: simple\n"
                               "limits:\n  lost: {unit: count, max: 0}\n";
    struct pb_limit_set limits;
    struct pb_diag diag = {""};
    const int code = pb_limits_parse(&limits, "l.yaml", file, strlen(file), &diag);
    assert_int_equal(code != PB_OK, *diag.text != '\0');
    return code;
}

static int read_json(void)
{
    static char buffer[1 << 16];
    static size_t length;
    struct pb_result *result;
    struct pb_diag diag;
    if (!length) {
        FILE *stream = fmemopen(buffer, sizeof buffer, "w");
        const unsigned armed = left;
        left = 0;
        assert_int_equal(pb_report_json(stream, whole), PB_OK);
        length = (size_t)ftell(stream);
        fclose(stream);
        left = armed;
    }
    in_jansson = false;
    const int code = pb_report_read_json(&result, buffer, length, &diag);
    in_jansson = true;
    assert_true(!code == (result != NULL));
    pb_result_free(result);
    return code;
}

static int run(void)
{
    static const char small[] = "cube: {dims: 1}\nnodes:\n  - {address: 1}\ntraffic:\n  - {from: 1, to: 0}\n";
    const unsigned armed = left;
    struct pb_scenario *tiny;
    struct pb_result *result;
    struct pb_diag diag = {""};
    const struct pb_run_options options = {.rig_url = "sim:"};
    left = 0;
    assert_int_equal(pb_scenario_parse(&tiny, "tiny", small, strlen(small), &diag), PB_OK);
    left = armed;
    const int code = pb_run(&result, tiny, &options, &diag);
    left = 0;
    if (code)
        assert_true(*diag.text && (!result || *result->incomplete));
    pb_result_free(result);
    pb_scenario_free(tiny);
    return code;
}

/* Each write to the core fails once, and the next one works. The caller gets the error, except from the abort
 * at the end. */
TEST(test_writes)
{
    unsigned n = 1, told = 0;
    for (bool reached = true; reached; n++) {
        writes_left = n;
        const int code = run();
        reached = !writes_left;
        writes_left = 0;
        if (code != PB_OK && code != PB_ERR_MEMORY)
            fail_msg("write %u failed, and the caller was told %d", n, code);
        assert_true(reached || code == PB_OK);
        told += code == PB_ERR_MEMORY;
    }
    print_message("%u writes, %u failures told\n", n - 2, told);
    assert_true(told > 30 && told + 8 > n);
}

#define SWEEP(work)                                                                                          \
    TEST(test_##work)                                                                                        \
    {                                                                                                        \
        sweep(work);                                                                                         \
    }
SWEEP(load)
SWEEP(load_file)
SWEEP(load_command)
SWEEP(start_process)
SWEEP(generate)
SWEEP(move)
SWEEP(make_plan)
SWEEP(judge)
SWEEP(judge_wrong)
SWEEP(judge_so_far)
SWEEP(write_json)
SWEEP(read_json)
SWEEP(write_validation)

/* The text grows at another place for each length, in some at a key. */
TEST(test_write_validation_of_each_length)
{
    for (unit_length = 0; unit_length < 64; unit_length += 7)
        sweep(write_validation);
    unit_length = -1;
}

SWEEP(add_values)
SWEEP(read_limits)
SWEEP(run)

static void set_up(void)
{
    json_set_alloc_funcs(jansson_malloc, free);
    scenario = parse_scenario(text);
    played = play_scenario(scenario, NULL);
    whole = run_scenario(scenario, NULL);
}

AROUND_ALL(set_up, NULL)
