/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A machine under traffic as text, JSON and CSV. */
#include "machine_forms.h"
#include "machine_bench.h"
#include "network_json.h"

#include "host/base/form.h"

#include <inttypes.h>
#include <math.h>

static const char *state_of(const struct pb_machine_sweep *sweep, const struct pb_machine_result *result)
{
    if (pb_machine_sweep_once(sweep) && !result->finished)
        return "not finished";
    return result->saturated ? "saturated" : result->settled ? "" : "not settled";
}

/* ---- text */

static void put_engine(FILE *out, const struct pb_machine_sweep *sweep)
{
    static const char *const what[PB_ENGINES] = {
        [PB_ENGINE_FIRMWARE] = "the firmware in each node",
        [PB_ENGINE_WIRE] = "the firmware at the pins of each node",
        [PB_ENGINE_IMAGE] = "the image at the pins of each node",
        [PB_ENGINE_ALL] = "the firmware in each node",
    };
    uint64_t compared = 0;

    fprintf(out, "engine       %s: %s, with room for %u messages", pb_machine_engine_name(sweep->engine),
            what[sweep->engine], PB_MACHINE_FIRMWARE_ROOM);
    for (unsigned i = 0; i < sweep->points; i++)
        compared += sweep->point[i].result.compared;
    if (sweep->engine == PB_ENGINE_ALL)
        fprintf(out, "; %s agree on %" PRIu64 " crossings",
                sweep->image ? "slot, firmware, wire and image" : "slot, firmware and wire", compared);
    putc('\n', out);
    if (sweep->engine < PB_ENGINE_WIRE)
        return;
    fprintf(out, "nodes        %" PRIu32 " baud, clocks within %" PRIu32 " ppm", sweep->line.baud_hz,
            sweep->line.clock_ppm);
    if (sweep->engine != PB_ENGINE_IMAGE)
        fprintf(out, ", latency %.6g us, jitter %.6g us", (double)sweep->line.irq_latency_ps / 1e6,
                (double)sweep->line.irq_jitter_ps / 1e6);
    if (sweep->image)
        pb_form_line(out, ", image %s", sweep->image);
    else
        putc('\n', out);
}

/* Of nodes at their pins. */
static json_t *line_json(const struct pb_machine_sweep *sweep)
{
    const struct pb_machine_line *const line = &sweep->line;
    json_t *object = json_pack("{s:I, s:I, s:I}", "baud_hz", (json_int_t)line->baud_hz, "payload_bytes",
                               (json_int_t)line->payload_bytes, "clock_ppm", (json_int_t)line->clock_ppm);
    if (sweep->engine != PB_ENGINE_IMAGE) {
        pb_form_set(object, "irq_latency_ps", json_integer(line->irq_latency_ps));
        pb_form_set(object, "irq_jitter_ps", json_integer(line->irq_jitter_ps));
    }
    if (sweep->image)
        pb_form_set(object, "image", pb_form_text(sweep->image));
    return object;
}

static void put_sentence(FILE *out, const struct pb_machine_sweep *sweep)
{
    const struct pb_saturation *found = &sweep->saturation;
    const bool ecube = sweep->rule == PB_RULE_ECUBE;

    if (sweep->engine == PB_ENGINE_BENCH)
        pb_machine_put_bench(out, sweep);
    else if (sweep->engine != PB_ENGINE_SLOT)
        put_engine(out, sweep);
    if (sweep->limit > 0)
        fprintf(out, "limit        %.6g messages of a node and superframe: %s\n", sweep->limit,
                ecube ? "the busiest link is then never idle" : "more do not pass the links, in any order");
    if (sweep->searched) {
        fprintf(out, "saturation   %.6g (%.6g to %.6g; %u runs)", found->load, found->lower, found->upper,
                found->runs);
        if (sweep->limit > 0)
            fprintf(out, ", %.4f of the limit", found->load / sweep->limit);
        putc('\n', out);
    }
    if (sweep->dead)
        fprintf(out, "unreachable  %" PRIu64 " of %" PRIu64 " pairs of nodes\n", sweep->unreachable,
                (uint64_t)sweep->network->nodes * (sweep->network->nodes - 1));
}

static void put_mean(FILE *out, const struct pb_batch_means *means, int width, int decimals)
{
    fprintf(out, " %*.*f", width, decimals, means->mean);
    if (isfinite(means->half95))
        fprintf(out, " %7.*f", decimals, means->half95);
    else
        fprintf(out, " %7s", "-");
}

static void put_rows(FILE *out, const struct pb_machine_sweep *sweep)
{
    const bool closed = sweep->closed;

    fprintf(out, "\n%8s %9s  latency in phases                               %10s\n",
            pb_machine_sweep_once(sweep) ? ""
            : closed                     ? "window"
                                         : "load",
            "through-", "in a node");
    fprintf(out, "%8s %9s %9s %7s %6s %6s %6s %6s %10s\n", "", "put", "mean", "+-95 %", "p50", "p95", "p99",
            "max", "mean");
    for (unsigned i = 0; i < sweep->points; i++) {
        const struct pb_machine_result *result = &sweep->point[i].result;
        if (pb_machine_sweep_once(sweep))
            fprintf(out, "%8s", "");
        else if (closed)
            fprintf(out, "%8u", sweep->point[i].window);
        else
            fprintf(out, "%8.6g", sweep->point[i].load);
        fprintf(out, " %9.5f", result->throughput.mean);
        put_mean(out, &result->latency, 9, 3);
        fprintf(out, " %6" PRIu32 " %6" PRIu32 " %6" PRIu32 " %6" PRIu32 " %10.4f  %s\n", result->p50,
                result->p95, result->p99, result->latency_max, result->occupancy.mean,
                state_of(sweep, result));
    }
}

/* What only some runs have. */
static void put_rest(FILE *out, const struct pb_machine_sweep *sweep)
{
    for (unsigned i = 0; i < sweep->points; i++) {
        const struct pb_machine_result *result = &sweep->point[i].result;
        if (pb_machine_sweep_once(sweep))
            fprintf(out, "\nall crossings within %" PRIu32 " superframes; %" PRIu64 " messages arrived\n",
                    result->last_crossing, result->completed);
        if (!result->dropped && !result->unreachable && !result->local)
            continue;
        fprintf(out, "%s", i == 0 || sweep->points == 1 ? "\n" : "");
        if (sweep->points > 1)
            fprintf(out, "at %g: ", sweep->point[i].load > 0 ? sweep->point[i].load : sweep->point[i].window);
        fprintf(out, "dropped %" PRIu64 ", unreachable %" PRIu64 ", to the node itself %" PRIu64 "\n",
                result->dropped, result->unreachable, result->local);
    }
}

int pb_report_machine_text(FILE *stream, void *context)
{
    const struct pb_machine_sweep *sweep = context;
    const struct pb_network *network = sweep->network;
    char size[PB_NETWORK_TEXT_SIZE];

    pb_form_line(stream, "machine      %s, %s, %" PRIu32 " nodes, %s", sweep->pattern,
                 pb_network_text(network, size), network->nodes, pb_rule_name(sweep->rule));
    put_sentence(stream, sweep);
    if (sweep->points)
        put_rows(stream, sweep);
    put_rest(stream, sweep);
    if (sweep->engine == PB_ENGINE_BENCH)
        pb_machine_put_findings(stream, sweep);
    return fflush(stream) || ferror(stream) ? PB_ERR_IO : PB_OK;
}

/* ---- JSON and CSV */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *means_json(const struct pb_batch_means *means)
{
    return json_pack("{s:o, s:o}", "mean", number(means->mean), "half95", number(means->half95));
}

/* The pairs [phases, how many], of those that occur. */
static json_t *histogram_json(const struct pb_machine_result *result)
{
    json_t *list = json_array();
    for (uint32_t phases = 0; result->completed && phases <= result->latency_max; phases++)
        if (result->latencies[phases])
            pb_form_add(list, json_pack("[I, I]", (json_int_t)phases, (json_int_t)result->latencies[phases]));
    return list;
}

/* Of each port: the mean and the largest share of superframes in which a link was used. */
static json_t *links_json(const struct pb_machine_sweep *sweep, const struct pb_machine_result *result)
{
    const struct pb_network *network = sweep->network;
    json_t *list = json_array();
    for (unsigned port = 0; port < network->ports; port++) {
        double sum = 0, most = 0;
        for (uint32_t node = 0; node < network->nodes; node++) {
            const double used = result->link[(size_t)node * network->ports + port];
            sum += used;
            most = used > most ? used : most;
        }
        pb_form_add(
            list, json_pack("{s:i, s:f, s:f}", "port", (int)port, "mean", sum / network->nodes, "max", most));
    }
    return list;
}

static json_t *point_json(const struct pb_machine_sweep *sweep, const struct pb_machine_point *point)
{
    const struct pb_machine_result *result = &point->result;
    json_t *object = json_object(), *course = json_array();
    const struct {
        const char *key;
        uint64_t value;
    } figures[] = {
        {"warm_up", result->warm_up},
        {"superframes", result->superframes},
        {"senders", result->senders},
        {"offered", result->offered},
        {"completed", result->completed},
        {"dropped", result->dropped},
        {"local", result->local},
        {"unreachable", result->unreachable},
        {"crossings", result->crossings},
        {"compared", result->compared},
        {"latency_min", result->latency_min},
        {"latency_p50", result->p50},
        {"latency_p95", result->p95},
        {"latency_p99", result->p99},
        {"latency_max", result->latency_max},
        {"max_occupancy", result->max_occupancy},
        {"max_queue", result->max_queue},
        {"last_crossing_superframes", result->last_crossing},
    };

    pb_form_set(object, "load", point->load > 0 ? json_real(point->load) : json_null());
    pb_form_set(object, "window", point->window ? json_integer(point->window) : json_null());
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        pb_form_set(object, figures[i].key, json_integer((json_int_t)figures[i].value));
    pb_form_set(object, "settled", json_boolean(result->settled));
    pb_form_set(object, "finished", json_boolean(result->finished));
    pb_form_set(object, "saturated", json_boolean(result->saturated));
    pb_form_set(object, "growth", number(result->growth));
    pb_form_set(object, "throughput", means_json(&result->throughput));
    pb_form_set(object, "latency", means_json(&result->latency));
    pb_form_set(object, "occupancy", means_json(&result->occupancy));
    pb_form_set(object, "latencies", histogram_json(result));
    pb_form_set(object, "links", links_json(sweep, result));
    for (size_t i = 0; i < result->courses; i++)
        pb_form_add(course, number(result->course[i]));
    if (sweep->engine == PB_ENGINE_BENCH)
        pb_form_set(object, "bench", pb_machine_seen_json(&result->seen));
    pb_form_set(object, "course_every", json_integer(result->course_every));
    pb_form_set(object, "course", course);
    return object;
}

int pb_report_machine_json(FILE *stream, void *context)
{
    const struct pb_machine_sweep *sweep = context;
    const struct pb_saturation *found = &sweep->saturation;
    json_t *object = json_object(), *list = json_array();

    pb_form_set(object, "schema_version", json_integer(1));
    pb_form_set(object, "engine", json_string(pb_machine_engine_name(sweep->engine)));
    if (sweep->engine == PB_ENGINE_BENCH)
        pb_form_set(object, "bench", pb_machine_bench_json(sweep));
    else if (sweep->engine >= PB_ENGINE_WIRE)
        pb_form_set(object, "line", line_json(sweep));
    pb_form_set(object, "traffic", pb_form_text(sweep->pattern));
    pb_network_json(object, sweep->network);
    pb_form_set(object, "rule", json_string(pb_rule_name(sweep->rule)));
    pb_form_set(object, "seed", json_integer((json_int_t)sweep->seed));
    pb_form_set(object, "limit", sweep->limit > 0 ? json_real(sweep->limit) : json_null());
    pb_form_set(object, "saturation",
                sweep->searched ? json_pack("{s:f, s:f, s:f, s:i}", "load", found->load, "lower",
                                            found->lower, "upper", found->upper, "runs", (int)found->runs)
                                : json_null());
    pb_form_set(object, "unreachable_pairs", json_integer((json_int_t)sweep->unreachable));
    for (unsigned i = 0; i < sweep->points; i++)
        pb_form_add(list, point_json(sweep, &sweep->point[i]));
    pb_form_set(object, "points", list);
    return pb_form_json(stream, object);
}

static void put_number(FILE *stream, double value)
{
    if (isfinite(value))
        fprintf(stream, ",%.9g", value);
    else
        putc(',', stream);
}

int pb_report_machine_csv(FILE *stream, void *context)
{
    const struct pb_machine_sweep *sweep = context;

    fputs("load,window,throughput,throughput_half95,latency,latency_half95,p50,p95,p99,max,occupancy,offered,"
          "completed,dropped,unreachable,saturated,settled\n",
          stream);
    for (unsigned i = 0; i < sweep->points; i++) {
        const struct pb_machine_point *point = &sweep->point[i];
        const struct pb_machine_result *result = &point->result;
        if (point->load > 0)
            fprintf(stream, "%.9g", point->load);
        putc(',', stream);
        if (point->window)
            fprintf(stream, "%u", point->window);
        put_number(stream, result->throughput.mean);
        put_number(stream, result->throughput.half95);
        put_number(stream, result->latency.mean);
        put_number(stream, result->latency.half95);
        fprintf(stream, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32, result->p50, result->p95,
                result->p99, result->latency_max);
        put_number(stream, result->occupancy.mean);
        fprintf(stream, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%d,%d\n", result->offered,
                result->completed, result->dropped, result->unreachable, result->saturated, result->settled);
    }
    return fflush(stream) || ferror(stream) ? PB_ERR_IO : PB_OK;
}
