/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "devices_map.h"

#include "cli.h"
#include "rigs.h"
#include "runner.h"
#include "source.h"
#include "vusb.h"

#include "host/base/utf8.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

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

/* ---- the boards */

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

int devices_map(struct pb_map_survey *survey, const struct pb_chips *chips, const char *path)
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
