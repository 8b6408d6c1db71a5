/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "machine_program.h"

#include "cli.h"
#include "output.h"

#include "host/base/nearest_word.h"
#include "host/report/network_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PHASE_NS = 100000, PHASE_HZ = 10000 };

/* ---- forms */

static uint64_t phases_of(const struct machine_run *run)
{
    return (uint64_t)pb_program_play_superframes(run->play) * run->network->phases;
}

static uint64_t links_of(const struct machine_run *run)
{
    return (uint64_t)run->network->nodes * run->network->ports;
}

static int write_text(FILE *out, void *context)
{
    const struct machine_run *run = context;
    const struct pb_program *program = run->program;
    char size[PB_NETWORK_TEXT_SIZE];

    cli_say_to(out, "%s, %s, %" PRIu32 " nodes", program->name, pb_network_text(run->network, size),
               run->network->nodes);
    cli_say_to(out, "%s", program->summary);
    if (program->argument_is)
        cli_say_to(out, "argument %" PRIu32 ": %s", run->argument, program->argument_is);
    fprintf(out, "\nsuperframes      %10" PRIu32 "\n", pb_program_play_superframes(run->play));
    fprintf(out, "phases           %10" PRIu64 ", %.3f ms at %d kHz\n", phases_of(run),
            (double)phases_of(run) * PHASE_NS / 1e6, PHASE_HZ / 1000);
    fprintf(out, "frames           %10" PRIu64 ", payload of %u byte%s\n", run->frames,
            program->payload_bytes, program->payload_bytes == 1 ? "" : "s");
    fprintf(out, "directed links   %10" PRIu32 " used of %" PRIu64 ", the busiest by %" PRIu32 " frame%s\n",
            run->used, links_of(run), run->busiest, run->busiest == 1 ? "" : "s");
    fprintf(out, "rooms            %10u, the messages that a node holds at most\n", program->rooms);
    fprintf(out, "digest           0x%08" PRIX32 ", CRC-32 of the results in order\n", run->digest);
    cli_say_to(out, "%s: %s%s%s", run->kind->checked, run->right ? "yes" : "NO", *run->detail ? ", " : "",
               run->detail);
    return 0;
}

static int write_json(FILE *out, void *context)
{
    const struct machine_run *run = context;
    const struct machine_program_request *request = run->request;
    const struct {
        const char *key;
        uint64_t value;
    } figures[] = {
        {"argument", run->argument},
        {"superframes", pb_program_play_superframes(run->play)},
        {"phases", phases_of(run)},
        {"time_ns", phases_of(run) * PHASE_NS},
        {"frames", run->frames},
        {"payload_bytes", run->program->payload_bytes},
        {"directed_links", links_of(run)},
        {"links_used", run->used},
        {"busiest_link_frames", run->busiest},
        {"rooms", run->program->rooms},
        {"crc32", run->digest},
    };
    char seed[24];
    json_t *object = json_object();

    snprintf(seed, sizeof seed, "%" PRIu64, request->seed); /* JSON numbers have 63 bits here */
    cli_json_set(object, "program", cli_json_text(run->program->name));
    pb_network_json(object, run->network);
    if (request->input)
        cli_json_set(object, "input", cli_json_text(request->input));
    else
        cli_json_set(object, "seed", cli_json_text(seed));
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        cli_json_set(object, figures[i].key, json_integer((json_int_t)figures[i].value));
    cli_json_set(object, "check", cli_json_text(run->kind->checked));
    cli_json_set(object, "check_ok", json_boolean(run->right));
    if (*run->detail)
        cli_json_set(object, "check_detail", cli_json_text(run->detail));
    return cli_write_json(out, object);
}

static int write_csv(FILE *out, void *context)
{
    const struct machine_run *run = context;
    const bool samples = run->kind->form == MACHINE_SAMPLES;
    if (run->kind->form == MACHINE_MATRIX)
        return CLI_NO_FORM;
    fprintf(out, "index,node,%s\n", samples ? "re,im" : "value");
    for (uint32_t index = 0; index < run->network->nodes; index++) {
        const uint8_t *result = machine_result_at(run, run->play, index);
        fprintf(out, "%" PRIu32 ",%" PRIu32 ",", index,
                pb_program_sink(run->program, run->network, run->argument, index));
        if (samples) {
            const double unit = UINT32_C(1) << (15 - run->network->dims);
            fprintf(out, "%.17g,%.17g\n", (int32_t)machine_word(result) / unit,
                    (int32_t)machine_word(result + 4) / unit);
        } else {
            fprintf(out, "%" PRIu32 "\n", run->program->result_bytes == 1 ? *result : machine_word(result));
        }
    }
    return 0;
}

static int write_pgm(FILE *out, void *run)
{
    return machine_write_pgm(out, run);
}

static int write_gif(FILE *out, void *run)
{
    return machine_write_gif(out, run);
}

enum { TEXT, JSON, CSV };
const struct cli_form machine_program_forms[] = {{"machine.txt", write_text},
                                                 {"machine.json", write_json},
                                                 {"machine.csv", write_csv},
                                                 {"machine.pgm", write_pgm},
                                                 {.name = NULL}};

/* ---- the run */

static int unknown(const char *name)
{
    enum { PROGRAMS_MAX = 32 };
    const char *names[PROGRAMS_MAX];
    char list[256], hint[PB_HINT_SIZE];
    size_t count = 0;
    for (; count < PROGRAMS_MAX && pb_program_at(count); count++)
        names[count] = pb_program_at(count)->name;
    return cli_fail(CLI_USAGE, "--program is '%s', no program; give %s%s", name,
                    pb_word_list(list, sizeof list, names, count),
                    pb_hint(hint, "", name, names, count, ""));
}

static void count_frame(void *context, const struct pb_program_frame *frame)
{
    struct machine_run *run = context;
    const uint32_t frames = ++run->link[(size_t)frame->from * run->network->ports + frame->port];
    run->frames++;
    run->used += frames == 1;
    run->busiest = frames > run->busiest ? frames : run->busiest;
}

static void play(struct machine_run *run)
{
    struct machine_screen screen = machine_screen_begin(run->request->watch);
    machine_screen_draw(&screen, run);
    while (pb_program_play_step(run->play, count_frame, run))
        machine_screen_draw(&screen, run);
    const size_t bytes = pb_program_result_bytes(run->program, run->network);
    uLong digest = crc32(0, NULL, 0);
    for (uint32_t index = 0; index < run->network->nodes; index++)
        digest = crc32(digest, machine_result_at(run, run->play, index), (uInt)bytes);
    run->digest = (uint32_t)digest;
}

/* Input and state of each node. */
static int begin(struct machine_run *run)
{
    struct pb_diag diag;
    int code = run->program->suits ? run->program->suits(run->network, run->argument, &diag) : PB_OK;
    if (code) /* before the input is read, as it has the length of another network */
        return cli_fail(pb_error_exit_code(code), "machine: %s", diag.text);
    const int exit_code = machine_input(run);
    if (exit_code != CLI_PASS)
        return exit_code;
    code = pb_program_play_create(&run->play, run->program, run->network, run->argument, run->inputs,
                                  run->length, &diag);
    if (code)
        return cli_fail(pb_error_exit_code(code), "machine: %s", diag.text);
    run->link = calloc(links_of(run), sizeof *run->link);
    return run->link ? CLI_PASS
                     : cli_fail(CLI_BENCH_FAILED, "no memory for %" PRIu64 " links; give fewer nodes",
                                links_of(run));
}

static int write_all(struct machine_run *run, const struct output_file *gif)
{
    const struct machine_program_request *request = run->request;
    int exit_code = output_forms_end(request->out, machine_program_forms, run,
                                     request->json  ? JSON
                                     : request->csv ? CSV
                                                    : TEXT);
    if (gif->path)
        exit_code = cli_worse(exit_code, output_form(gif, write_gif, run));
    if (!run->right)
        exit_code =
            cli_worse(exit_code, cli_fail(CLI_BENCH_FAILED,
                                          "machine: program '%s' and the plain computation differ%s%s; "
                                          "report this command as an error of phasebench",
                                          run->program->name, *run->detail ? ": " : "", run->detail));
    return exit_code;
}

int machine_program(const struct machine_program_request *request)
{
    struct machine_run run = {.request = request,
                              .program = pb_program_find(request->program),
                              .network = &request->network,
                              .kind = machine_kind_of(request->program)};
    struct output_file gif = {.path = NULL};
    if (!run.program || !run.kind)
        return unknown(request->program);
    if (request->watch && (request->json || request->csv))
        return cli_fail(CLI_USAGE, "machine: --watch draws on the stdout that --%s fills; leave one out",
                        request->json ? "json" : "csv");
    run.argument = request->argument_given ? (uint32_t)request->argument : run.program->argument_initial;
    if (request->gif && !machine_has_picture(&run))
        return cli_fail(CLI_USAGE, "machine: program '%s' has no picture; leave out --gif",
                        run.program->name);
    int exit_code = begin(&run);
    if (exit_code == CLI_PASS)
        exit_code = output_forms_begin(request->out, machine_program_forms);
    if (exit_code == CLI_PASS && request->gif)
        exit_code = output_check_file(&gif, request->gif);
    if (exit_code == CLI_PASS) {
        play(&run);
        exit_code = run.kind->check(&run);
    }
    if (exit_code == CLI_PASS)
        exit_code = write_all(&run, &gif);
    pb_program_play_free(run.play);
    free(run.inputs);
    free(run.link);
    return exit_code;
}
