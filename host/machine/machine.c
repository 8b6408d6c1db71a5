/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A run of a machine: warm-up, measured superframes, and what must hold in every run. */
#include "state.h"

#include "host/base/room.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PILOT = 64 };
/* Of a step, in place of a code: two engines differ. */
enum { DIFFERS = 1 };

static int no_memory(const struct pb_machine_state *run)
{
    return pb_fail(run->diag, PB_ERR_MEMORY,
                   "machine: no memory for the results of superframe %" PRIu32
                   "; run fewer, or lower the load",
                   run->superframe);
}

/* ---- one superframe */

static int note_latency(struct pb_machine_state *run, uint64_t phases, double *sum)
{
    struct pb_machine_result *result = run->result;
    const size_t before = run->latencies_max;

    if (phases >= UINT32_MAX ||
        pb_make_room(&result->latencies, &run->latencies_max, (size_t)phases + 1, sizeof *result->latencies))
        return PB_ERR_MEMORY;
    if (run->latencies_max > before)
        memset(result->latencies + before, 0, (run->latencies_max - before) * sizeof *result->latencies);
    result->latencies[phases]++;
    result->latency_max = phases > result->latency_max ? (uint32_t)phases : result->latency_max;
    *sum += (double)phases;
    return PB_OK;
}

/* To the end of a crossing. */
static uint64_t life_of(const struct pb_machine_state *run, const struct pb_crossing *crossing)
{
    return pb_life_phases(run->options->network->phases, crossing->superframe, crossing->phase,
                          crossing->release_superframe, crossing->release_phase);
}

static int take_arrivals(struct pb_machine_state *run, const struct pb_step *step, double *sum,
                         double *complete)
{
    const uint64_t phases = run->options->network->phases;
    int code = PB_OK;

    for (size_t i = 0; i < step->crossings && code == PB_OK; i++) {
        const struct pb_crossing *crossing = &step->crossing[i];
        struct pb_arrival arrival;
        if (run->options->visit)
            run->options->visit(run->options->context, crossing);
        if (!crossing->last)
            continue;
        run->delivered++;
        run->lives += life_of(run, crossing);
        run->area -= phases - crossing->phase - 1;
        code = pb_traffic_arrived(run->traffic, crossing, &arrival);
        if (code || !run->measuring || !arrival.complete)
            continue;
        run->result->completed++;
        *complete += 1;
        code = note_latency(run, crossing->superframe * phases + crossing->phase + 1 - arrival.born, sum);
    }
    return code;
}

/* The same of what the engine has summed up: messages without legs. */
static int take_sums(struct pb_machine_state *run, const struct pb_step_sums *sums, double *sum,
                     double *complete)
{
    struct pb_machine_result *result = run->result;

    run->delivered += sums->arrived;
    run->dropped += sums->dropped;
    run->lives += sums->lives;
    run->area -= sums->rest;
    if (!run->measuring)
        return PB_OK;
    result->completed += sums->arrived;
    result->dropped += sums->dropped;
    *complete += (double)sums->arrived;
    for (size_t phases = 0; phases < sums->latencies; phases++) {
        if (!sums->latency[phases])
            continue;
        if (note_latency(run, phases, sum))
            return PB_ERR_MEMORY;
        result->latencies[phases] += sums->latency[phases] - 1;
        *sum += (double)((sums->latency[phases] - 1) * phases);
    }
    return PB_OK;
}

static int take_drops(struct pb_machine_state *run, const struct pb_step *step)
{
    const uint64_t phases = run->options->network->phases;
    int code = PB_OK;

    for (size_t i = 0; i < step->drops && code == PB_OK; i++) {
        const struct pb_drop *drop = &step->drop[i];
        run->dropped++;
        run->area -= phases - drop->phase - !drop->at_release;
        /* The last crossing before the drop brought the message. */
        run->lives += drop->at_release ? 0 : life_of(run, &step->crossing[drop->crossings - 1]);
        run->result->dropped += run->measuring;
        code = pb_traffic_dropped(run->traffic, drop->message, drop->superframe);
    }
    return code;
}

static int take_losses(struct pb_machine_state *run, const struct pb_step *step)
{
    const uint64_t phases = run->options->network->phases;
    int code = PB_OK;

    for (size_t i = 0; i < step->losses && code == PB_OK; i++) {
        const struct pb_crossing *lost = &step->lost[i];
        run->dropped++;
        run->area -= phases - lost->phase - 1;
        run->lives += life_of(run, lost);
        run->result->dropped += run->measuring;
        code = pb_traffic_dropped(run->traffic, lost->message, lost->superframe);
    }
    return code;
}

static int check_conservation(const struct pb_machine_state *run)
{
    const struct pb_mover_stats *stats = run->engine->ops->stats(run->engine);
    if (run->traffic->released == run->delivered + run->dropped + run->in_flight &&
        stats->released == run->traffic->released && stats->delivered == run->delivered &&
        stats->dropped == run->dropped)
        return PB_OK;
    return pb_fail(run->diag, PB_ERR_IO,
                   "machine: after superframe %" PRIu32 " %" PRIu64 " messages were released, %" PRIu64
                   " delivered, %" PRIu64 " dropped and %" PRIu64
                   " are in queues; that is not conserved; report this as a defect of phasebench",
                   run->superframe, run->traffic->released, run->delivered, run->dropped, run->in_flight);
}

/* Keeps at most PB_MACHINE_COURSE values: two become one when there are more. */
static int add_course(struct pb_machine_state *run, double value)
{
    struct pb_machine_result *result = run->result;

    if (pb_make_room(&result->course, &run->course_max, PB_MACHINE_COURSE, sizeof *result->course))
        return PB_ERR_MEMORY;
    if (run->course_filled == result->course_every && result->courses == PB_MACHINE_COURSE) {
        for (size_t i = 0; i < PB_MACHINE_COURSE / 2; i++)
            result->course[i] = (result->course[2 * i] + result->course[2 * i + 1]) / 2;
        result->courses = PB_MACHINE_COURSE / 2;
        result->course_every *= 2;
        run->course_filled *= 2; /* the last one is whole, too */
    }
    if (run->course_filled == result->course_every || result->courses == 0) {
        result->course[result->courses++] = 0;
        run->course_filled = 0;
    }
    double *last = &result->course[result->courses - 1];
    *last = (*last * (double)run->course_filled + value) / (double)(run->course_filled + 1);
    run->course_filled++;
    return PB_OK;
}

static int add_series(struct pb_machine_state *run, double latency, double complete)
{
    struct pb_series *series = &run->series;
    if (pb_make_room(&series->in_flight, &series->capacity[0], series->count + 1, sizeof(double)) ||
        pb_make_room(&series->latency, &series->capacity[1], series->count + 1, sizeof(double)) ||
        pb_make_room(&series->complete, &series->capacity[2], series->count + 1, sizeof(double)))
        return PB_ERR_MEMORY;
    series->in_flight[series->count] = (double)run->in_flight;
    series->latency[series->count] = latency;
    series->complete[series->count++] = complete;
    return PB_OK;
}

/* Hands over what the run goes on from, if that is due. */
static int keep(struct pb_machine_state *run)
{
    const struct pb_machine_options *options = run->options;
    struct pb_bytes bytes = {0};
    uint8_t *engine = NULL;
    size_t count = 0;

    if (!options->is_due || !options->is_due(options->context, run->superframe))
        return PB_OK;
    int code = pb_machine_state_pass(run, &bytes);
    if (code == PB_OK)
        code = run->engine->ops->save(run->engine, &engine, &count);
    pb_put_bytes(&bytes, engine, count);
    free(engine);
    if (code == PB_OK && !bytes.failed)
        return options->keep(options->context, bytes.byte, bytes.count, run->diag);
    free(bytes.byte);
    return no_memory(run);
}

static int step(struct pb_machine_state *run)
{
    const struct pb_network *network = run->options->network;
    struct pb_machine_traffic *traffic = run->traffic;
    struct pb_step done = {0};
    double latency = 0, complete = 0;

    if (run->superframe == UINT32_MAX)
        return pb_fail(run->diag, PB_ERR_ARGUMENT,
                       "machine: superframe %" PRIu32 " does not exist; run fewer", run->superframe);
    int code = run->engine->ops->step(run->engine, run->superframe, &done, run->diag);
    if (code)
        return code;
    if (done.difference) {
        run->result->difference = *done.difference;
        return DIFFERS;
    }
    run->result->compared += run->options->engine == PB_ENGINE_ALL ? done.crossings : 0;
    /* Each message that is there counts until the end of the superframe, first. */
    run->area += (run->in_flight + traffic->count) * network->phases - traffic->instants;
    if (done.sums ? take_sums(run, done.sums, &latency, &complete)
                  : take_arrivals(run, &done, &latency, &complete) || take_drops(run, &done) ||
                        take_losses(run, &done))
        return no_memory(run);
    run->in_flight = pb_step_held(&done, network->nodes);
    code = check_conservation(run);
    if (code)
        return code;
    if (add_course(run, (double)run->in_flight) || add_series(run, latency, complete))
        return no_memory(run);
    run->superframe++;
    if (run->options->progress)
        run->options->progress(run->options->context, run->superframe);
    return keep(run);
}

/* ---- what is said at the end */

struct rest {
    uint64_t messages, lives, instant;
    unsigned phases;
};

static void add_rest(void *context, uint32_t node, const struct pb_crossing *message)
{
    struct rest *rest = context;
    (void)node;
    rest->messages++;
    rest->lives +=
        rest->instant - (uint64_t)message->release_superframe * rest->phases - message->release_phase;
}

static int check_little(const struct pb_machine_state *run)
{
    struct rest rest = {.instant = (uint64_t)run->superframe * run->options->network->phases,
                        .phases = run->options->network->phases};

    run->engine->ops->waiting(run->engine, add_rest, &rest);
    if (rest.messages == run->in_flight && run->area == run->lives + rest.lives)
        return PB_OK;
    return pb_fail(
        run->diag, PB_ERR_IO,
        "machine: the messages in flight sum to %" PRIu64 " over all phases, the phases of each message "
        "to %" PRIu64 ", with %" PRIu64 " of %" PRIu64 " in flight; Little's law does not hold; report "
        "this as a defect of phasebench",
        run->area, run->lives + rest.lives, rest.messages, run->in_flight);
}

static uint32_t percentile(const struct pb_machine_result *result, unsigned percent)
{
    const uint64_t rank = (result->completed * percent + 99) / 100;
    uint64_t below = 0;
    for (uint32_t phases = 0; rank && phases <= result->latency_max; phases++) {
        below += result->latencies[phases];
        if (below >= rank)
            return phases;
    }
    return 0;
}

static void conclude_latency(struct pb_machine_result *result)
{
    if (!result->completed)
        return;
    while (!result->latencies[result->latency_min])
        result->latency_min++;
    result->p50 = percentile(result, 50);
    result->p95 = percentile(result, 95);
    result->p99 = percentile(result, 99);
}

static void conclude_growth(struct pb_machine_state *run)
{
    const double before = run->before.in_flight;
    struct pb_machine_result *result = run->result;
    const size_t n = run->series.count;
    double *change = run->series.latency; /* no longer needed */
    struct pb_batch_means means;

    for (size_t i = 0; i < n; i++)
        change[i] = run->series.in_flight[i] - (i ? run->series.in_flight[i - 1] : before);
    pb_batch_means_of(&means, change, NULL, n, PB_MACHINE_BATCHES);
    result->growth = n ? (run->series.in_flight[n - 1] - before) / (double)n : 0;
    /* 95 % would call one stable run in forty saturated. */
    const double most = result->occupancy.mean * run->options->network->nodes / 2;
    result->saturated =
        run->traffic->mode == PB_OPEN && means.mean > 2 * means.half95 && result->growth * (double)n > most;
}

static void scale(struct pb_batch_means *means, double by)
{
    means->mean *= by;
    means->half95 *= by;
}

/* By itself, when all messages of a batch or a trace have arrived. */
static bool ends(const struct pb_machine_state *run)
{
    return run->traffic->mode == PB_BATCH || run->traffic->mode == PB_TRACE;
}

static int conclude(struct pb_machine_state *run)
{
    const struct pb_network *network = run->options->network;
    const size_t links = (size_t)network->nodes * network->ports;
    struct pb_machine_result *result = run->result;
    const struct pb_series *series = &run->series;
    const struct pb_mover_stats *stats = run->engine->ops->stats(run->engine);
    uint32_t *load = calloc(links, sizeof *load);

    if (!load)
        return no_memory(run);
    run->engine->ops->loads(run->engine, load);
    result->max_occupancy = stats->max_occupancy;
    result->max_queue = stats->max_queue;
    result->last_crossing = stats->superframes;
    /* Of many nodes queues and results do not fit at once. */
    run->engine->ops->destroy(run->engine);
    run->engine = NULL;
    result->link = calloc(links, sizeof *result->link);
    if (!result->link) {
        free(load);
        return no_memory(run);
    }
    result->superframes = (uint32_t)series->count;
    for (size_t i = 0; i < links && series->count; i++)
        result->link[i] = (double)(load[i] - run->before.load[i]) / (double)series->count;
    free(load);
    pb_batch_means_of(&result->throughput, series->complete, NULL, series->count, PB_MACHINE_BATCHES);
    scale(&result->throughput, 1.0 / result->senders);
    pb_batch_means_of(&result->latency, series->latency, series->complete, series->count, PB_MACHINE_BATCHES);
    pb_batch_means_of(&result->occupancy, series->in_flight, NULL, series->count, PB_MACHINE_BATCHES);
    scale(&result->occupancy, 1.0 / network->nodes);
    if (ends(run)) /* it is measured whole, and no sample of a longer one */
        result->throughput.half95 = result->latency.half95 = result->occupancy.half95 = NAN;
    conclude_latency(result);
    conclude_growth(run);
    return PB_OK;
}

/* ---- the course of a run */

static int steps(struct pb_machine_state *run, uint32_t count)
{
    int code = PB_OK;
    while (count-- > 0 && code == PB_OK)
        code = step(run);
    return code;
}

static bool is_over(const struct pb_machine_state *run)
{
    return ends(run) && !run->in_flight && !pb_traffic_left(run->traffic);
}

/* Twice as long each time, until the transient is over. */
static int warm_up(struct pb_machine_state *run)
{
    const struct pb_machine_options *options = run->options;
    int code = PB_OK;

    run->result->settled = true;
    if (options->warm_up != PB_MACHINE_DETECT)
        return steps(run, options->warm_up - run->superframe);
    if (ends(run))
        return PB_OK;
    run->until = run->until ? run->until : PILOT;
    for (;; run->until *= 2) {
        const bool last = run->until >= options->superframes;
        run->until = last ? options->superframes : run->until;
        code = steps(run, (uint32_t)run->until - run->superframe);
        run->result->settled =
            pb_transient_of(run->series.in_flight, run->series.count) <= run->series.count / 2;
        if (code || run->result->settled || last)
            break;
    }
    return code;
}

static int begin_measuring(struct pb_machine_state *run)
{
    const struct pb_network *network = run->options->network;
    const struct pb_machine_traffic *traffic = run->traffic;

    run->before.load = calloc((size_t)network->nodes * network->ports, sizeof *run->before.load);
    if (!run->before.load)
        return no_memory(run);
    run->engine->ops->loads(run->engine, run->before.load);
    run->before.in_flight = (double)run->in_flight;
    run->before.offered = traffic->offered;
    run->before.local = traffic->local;
    run->before.unreachable = traffic->unreachable;
    run->before.crossings = run->engine->ops->stats(run->engine)->crossings;
    run->series.count = 0;
    run->measuring = true;
    run->result->warm_up = run->superframe;
    return PB_OK;
}

static int measure(struct pb_machine_state *run)
{
    const struct pb_machine_traffic *traffic = run->traffic;
    struct pb_machine_result *result = run->result;
    int code = PB_OK;

    while (run->series.count < run->options->superframes && code == PB_OK && !is_over(run))
        code = step(run);
    result->finished = is_over(run);
    result->offered = traffic->offered - run->before.offered;
    result->local = traffic->local - run->before.local;
    result->unreachable = traffic->unreachable - run->before.unreachable;
    result->crossings = run->engine->ops->stats(run->engine)->crossings - run->before.crossings;
    if (code == PB_OK)
        code = check_little(run);
    if (code == PB_OK && run->engine->ops->finish)
        code = run->engine->ops->finish(run->engine, run->diag);
    return code == PB_OK ? conclude(run) : code;
}

/* ---- a run that goes on */

struct messages {
    const struct pb_machine_traffic *traffic;
    bool known;
};

/* The number of a message of several legs is that of its entry. */
static void look_up(void *context, uint32_t node, const struct pb_crossing *message)
{
    struct messages *messages = context;
    (void)node;
    messages->known &= !messages->traffic->legged || message->message < messages->traffic->legs;
}

static int go_on(struct pb_machine_state *run)
{
    const struct pb_machine_options *options = run->options;
    struct pb_bytes bytes = {.byte = (uint8_t *)options->state, .count = options->state_bytes, .reads = true};
    struct messages messages = {run->traffic, true};

    int code = pb_machine_state_pass(run, &bytes);
    if (code == PB_OK && !bytes.failed)
        code = run->engine->ops->load(run->engine, bytes.byte + bytes.taken, bytes.count - bytes.taken,
                                      run->superframe);
    if (code == PB_ERR_MEMORY)
        return no_memory(run);
    if (code == PB_OK && !bytes.failed)
        run->engine->ops->waiting(run->engine, look_up, &messages);
    if (code == PB_OK && !bytes.failed && messages.known && check_conservation(run) == PB_OK)
        return PB_OK;
    return pb_fail(run->diag, PB_ERR_CONFIG,
                   "machine: the state of %zu bytes is of no such run; begin anew, without it",
                   options->state_bytes);
}

int pb_machine_run(struct pb_machine_result *out, const struct pb_machine_options *options,
                   struct pb_diag *diag)
{
    static const struct pb_machine_line line = PB_MACHINE_LINE_DEFAULT;
    struct pb_machine_state run = {
        .options = options, .traffic = options->traffic, .result = out, .diag = diag};

    *out = (struct pb_machine_result){.senders = options->traffic->senders, .course_every = 1};
    if (!options->superframes)
        return pb_fail(diag, PB_ERR_ARGUMENT, "machine: 0 superframes are measured; give at least 1");
    if (options->is_due || options->state) {
        const int kept = pb_machine_engine_check_kept(options->engine, diag);
        if (kept)
            return kept;
    }
    int code = pb_engine_create(&run.engine, options->engine,
                                &(struct pb_engine_options){.network = options->network,
                                                            .rule = options->rule,
                                                            .releases = &options->traffic->base,
                                                            .room = options->room,
                                                            .room_port = options->room_port,
                                                            .all = options->visit != NULL,
                                                            .sums = options->engine == PB_ENGINE_SLOT &&
                                                                    !options->visit && !run.traffic->legged,
                                                            .traffic = options->traffic,
                                                            .threads = options->threads,
                                                            .ranks = options->ranks,
                                                            .line = options->line ? options->line : &line,
                                                            .image = options->image,
                                                            .images = options->images,
                                                            .bench = options->bench,
                                                            .seen = &out->seen},
                                diag);
    if (code)
        return code;
    if (options->state)
        code = go_on(&run);
    if (code == PB_OK && !run.measuring) {
        code = warm_up(&run);
        if (code == PB_OK)
            code = begin_measuring(&run);
    }
    if (code == PB_OK)
        code = measure(&run);
    if (run.engine)
        run.engine->ops->destroy(run.engine);
    free(run.series.in_flight);
    free(run.series.latency);
    free(run.series.complete);
    free(run.before.load);
    const struct pb_machine_difference difference = out->difference;
    if (code)
        pb_machine_result_free(out);
    out->difference = difference;
    return code == DIFFERS ? PB_OK : code;
}

void pb_machine_result_free(struct pb_machine_result *result)
{
    if (!result)
        return;
    free(result->latencies);
    free(result->course);
    free(result->link);
    *result = (struct pb_machine_result){0};
}

/* Loads of the links, the course, and a histogram of some superframes. */
uint64_t pb_machine_result_bytes(const struct pb_network *network)
{
    return (uint64_t)network->nodes * network->ports * sizeof(double) + PB_MACHINE_COURSE * sizeof(double) +
           UINT64_C(64) * network->phases * sizeof(uint64_t);
}

/* Messages that a node has in an open loop, the mean over all nodes: those of a superframe, and those that
 * wait. On each of its hops a message waits in a queue with one server and a fixed time of service: two
 * thirds of what it waits in such a queue by itself are enough. On its first hop it also waits for half of
 * that part of its burst which leaves at the same port, one message a superframe. At the limit queues grow as
 * the root of the time, above it as the time. */
static double in_open_loop(const struct pb_network *network, const struct pb_machine_traffic_options *traffic,
                           double limit, double superframes)
{
    const double used = limit > 0 ? traffic->load / limit : 0, most = 1 - 1 / sqrt(superframes + 1),
                 lasting = used < most ? used : most;
    const bool anywhere = pb_network_is_complete(network) && strncmp(traffic->pattern, "uniform", 7) == 0;
    const double burst = traffic->burst > 1 ? traffic->burst : 1;
    double hops = network->hops, waits = superframes;
    double at_port = 1,
           at_same_port = 0; /* shares of a burst for anywhere: of a digit, of a message's port */

    for (unsigned digit = 0; anywhere && digit < network->digits; digit++) {
        at_port /= network->radix[digit];
        at_same_port += (network->radix[digit] - 1) * at_port * at_port;
        hops -= 1.0 / network->radix[digit];
    }
    if (!anywhere && !traffic->valiant)
        at_same_port = 1;
    if (limit > 0)
        waits = fmax((hops * (traffic->valiant ? 2 : 1) * lasting / 3 + (burst - 1) * at_same_port / 2) /
                         (1 - lasting),
                     hops + superframes * (1 - 1 / used));
    return traffic->load * (1.5 + (waits < superframes ? waits : superframes));
}

/* Of the mover (movement.h), the traffic and the results. */
uint64_t pb_machine_bytes(const struct pb_machine_options *options,
                          const struct pb_machine_traffic_options *traffic, double limit)
{
    const struct pb_network *network = options->network;
    const double nodes = network->nodes, links = nodes * network->ports;
    const double superframes = 2.0 * options->superframes;
    const bool ecube = options->rule == PB_RULE_ECUBE, rooms = options->room || options->room_port;
    const double of_message =
        56 + (ecube ? 0 : 8.0 * network->ports) + (traffic->valiant || traffic->window ? 40 : 0);
    const double in_flight = traffic->window  ? (double)traffic->window
                             : traffic->batch ? (double)traffic->batch
                             : traffic->trace ? (double)traffic->trace->count / nodes
                                              : in_open_loop(network, traffic, limit, superframes);
    const bool open = !traffic->window && !traffic->batch && !traffic->trace;
    const double once = open ? traffic->load : in_flight;
    /* Its nodes, and what each of them sends in each phase. */
    const double of_firmware = 4400 + 8.0 * network->phases, of_wire = 10000 + 20.0 * network->phases,
                 of_image = 32000 + of_wire;
    const double of_node = options->engine == PB_ENGINE_SLOT       ? 0
                           : options->engine == PB_ENGINE_FIRMWARE ? of_firmware
                           : options->engine == PB_ENGINE_BENCH    ? 20.0 * network->phases
                           : options->engine == PB_ENGINE_WIRE     ? of_wire
                           : options->engine == PB_ENGINE_IMAGE
                               ? of_image
                               : of_firmware + of_wire + (options->images ? of_image : 0);
    /* Queues, loads, and the schedule of a network that is no cube. */
    const double of_link = 21 + (network->dims ? 0 : 14) +
                           (options->engine == PB_ENGINE_SLOT  ? (options->visit || rooms) * 50
                            : options->engine == PB_ENGINE_ALL ? 116
                                                               : 68);
    /* Each process has its part of these, and the loads of all links. */
    const double share = options->ranks ? 1.0 / options->ranks->count : 1;
    const double part = links * (of_link - 4) + nodes * (16 + (ecube ? 0 : 90) + (rooms ? 30 : 0) + of_node) +
                        nodes * in_flight * of_message * 1.5 + nodes * once * 160;
    const double during = links * 4 + nodes * 4 + part * share, after = links * 16;
    return (uint64_t)((during > after ? during : after) +
                      superframes *
                          (24.0 + (limit > 0 && traffic->load > limit ? 8.0 * network->phases : 0)));
}
