/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "output.h"
#include "rigs.h"
#include "rows.h"
#include "runner.h"
#include "source.h"
#include "vusb.h"

#include "host/base/utf8.h"
#include "host/production/map/survey.h"
#include "host/rig/found_forms.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* What is written: the rigs that were found, or of a hardware map its boards. */
struct shown {
    struct pb_rigs_found found;
    const struct pb_map_survey *survey; /* NULL: no map */
};

static int write_json(FILE *out, void *context)
{
    const struct shown *shown = context;
    return shown->survey ? pb_map_survey_json(out, shown->survey) : pb_rigs_found_json(out, &shown->found);
}

static int write_text(FILE *out, void *context)
{
    const struct shown *shown = context;
    return shown->survey ? pb_map_survey_text(out, shown->survey) : pb_rigs_found_text(out, &shown->found);
}

static const struct cli_form forms[] = {
    {"devices.txt", write_text}, {"devices.json", write_json}, {.name = NULL}};

/* ---- the boards of a hardware map */

enum { REACH_LIMIT_S = 30 };

struct asked {
    struct pb_map_survey *survey;
    const struct pb_scenario *scenario;
};

/* Folder of the virtual boards that the map has; "": none. Then all chips found are of it. */
static void virtual_folder(char *folder, size_t size, const struct pb_map *map)
{
    *folder = '\0';
    for (size_t i = 0; i < pb_map_count(map) && !*folder; i++)
        if (!pb_vusb_folder(pb_map_entry(map, i)->rig, folder, size))
            *folder = '\0';
}

static int ask(void *context, const struct pb_map_entry *entry, size_t index, void *share)
{
    const struct asked *asked = context;
    struct pb_map_board *board = share;
    struct pb_diag diag = {.text = ""};
    (void)index;
    board->reached = !rigs_reach(entry->rig, asked->scenario, &board->map_hash, &diag);
    pb_utf8_shorten(board->why, sizeof board->why, "%s", diag.text);
    return CLI_PASS;
}

static void answered(void *context, size_t index, int exit_code, const char *failure, const void *share)
{
    struct pb_map_board *board = &((const struct asked *)context)->survey->board[index];
    (void)exit_code;
    *board = *(const struct pb_map_board *)share;
    if (failure) {
        board->reached = false;
        snprintf(board->why, sizeof board->why, "%.255s", failure);
    }
}

static int ask_all(struct pb_map_survey *survey)
{
    struct source source;
    struct asked asked = {.survey = survey};
    struct rigs rigs = {.map = survey->asked, .count = survey->count};
    const struct rigs_tasks tasks = {.work = ask,
                                     .ended = answered,
                                     .context = &asked,
                                     .share_bytes = sizeof(struct pb_map_board),
                                     .limit_s = REACH_LIMIT_S};
    if (!survey->count)
        return CLI_PASS;
    rigs.entry = calloc(survey->count, sizeof *rigs.entry);
    if (!rigs.entry)
        return cli_fail(CLI_BENCH_FAILED, "devices: no memory for %zu boards", survey->count);
    for (size_t i = 0; i < survey->count; i++)
        rigs.entry[i] = i;
    int exit_code = source_open_demo(&source, NULL);
    if (exit_code == CLI_PASS) {
        asked.scenario = source.scenario;
        exit_code = rigs_run(&rigs, &tasks);
        source_close(&source);
    }
    free(rigs.entry);
    return exit_code == CLI_PASS && runner_stopped() ? CLI_INTERRUPTED : exit_code;
}

/* Adds the chips that the map lacks, asks each of its boards for its map hash, and writes the file if
 * anything changed. The caller closes *survey, also after a failure. */
static int update_map(struct pb_map_survey *survey, const struct pb_chips *chips, const char *path)
{
    char folder[PATH_MAX];
    struct pb_diag diag;
    int exit_code = CLI_PASS, code = pb_map_survey_open(survey, path, &diag);
    if (!code) {
        virtual_folder(folder, sizeof folder, survey->map);
        code = pb_map_survey_add(survey, chips, folder, &diag);
    }
    if (!code)
        exit_code = ask_all(survey);
    if (!code && exit_code == CLI_PASS)
        code = pb_map_survey_update(survey, &diag);
    return code ? cli_outcome_of("devices", code, &diag) : exit_code;
}

/* ---- command line */

struct request {
    const char *map, *out;
    bool json;
};

static const struct cli_option options[] = {
    {"map", "FILE", CLI_FILE, CLI_AT(request, map), .use = CLI_WRITES,
     .help = "write what is found into this hardware map, which is made when missing, and ask each of its "
             "boards for "
             "the map hash of its bitstream"},
    CLI_ROW_JSON(request, json),
    CLI_ROW_OUT(request, out, forms),
    {.name = NULL},
};

const struct cli_verb verb_devices = {
    .name = "devices",
    .summary = "list rigs and the boards found on USB",
    .usage = "[options]",
    .about = "Lists the rigs: the simulated one, which is always there, FTDI chips found on USB, and serial "
             "ports (/dev/ttyACM*, /dev/ttyUSB*), behind which a board may be, each with the URL for --rig. "
             "Nothing is opened, claimed or changed. No board is no error.\n"
             "\n"
             "With --map, FTDI chips that the hardware map lacks are added to it, and each of its boards is "
             "opened, all "
             "at once, and asked for the map hash of its bitstream. Other keys, their order and comments "
             "stay as they "
             "are. A board that does not answer keeps its entry. Serial ports are asked only when the map "
             "has them, as "
             "anything may be behind one. docs/use/map.md.",
    .options = options,
    .exits = "0 done, 2 wrong usage, 3 the hardware map is wrong, 4 the result could not be written",
    .examples = "  phasebench devices\n"
                "  phasebench devices --map station.yaml\n"
                "  phasebench devices --json\n",
    .run = cmd_devices,
};

int cmd_devices(int argc, char **argv)
{
    struct request request = {.map = NULL};
    int exit_code;
    if (!cli_parse(&verb_devices, &request, argc, argv, &exit_code))
        return exit_code;
    struct pb_map_survey survey = {.map = NULL};
    struct shown shown = {.survey = NULL};
    exit_code = output_forms_begin(request.out, forms);
    if (exit_code != CLI_PASS)
        return exit_code;
    pb_chips_find(&shown.found.chips);
    if (request.map) {
        shown.survey = &survey;
        exit_code = update_map(&survey, &shown.found.chips, request.map);
    } else {
        pb_tty_find(&shown.found.ports, NULL);
    }
    if (exit_code == CLI_PASS)
        exit_code = output_forms_end(request.out, forms, &shown, request.json);
    pb_map_survey_close(&survey);
    return exit_code;
}
