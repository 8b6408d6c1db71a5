/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "devices_map.h"

#include "cli.h"
#include "rigs.h"
#include "runner.h"
#include "source.h"
#include "vusb.h"

#include "host/base/utf8.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REACH_LIMIT_S = 30 };

/* What a board answered. */
struct answer {
    bool reached;
    uint32_t map_hash;
    char why[256]; /* it was not reached */
};

struct board {
    struct answer answer;
    const char *change; /* "added", "updated" or "unchanged" */
};

struct devices_survey {
    struct pb_map *map;        /* of the file */
    struct rigs asked;         /* a map of what is asked: the boards of the file, and others found */
    const struct pb_scenario *scenario;
    struct board *board; /* of `asked` */
    size_t known;        /* of `asked`, those of the file */
};

const char *devices_url(char url[DEVICES_URL_SIZE], const struct pb_chip *chip)
{
    const char *label = pb_chip_label(chip);
    snprintf(url, DEVICES_URL_SIZE, "ftdi:%s", label[strcspn(label, "?/: ")] ? chip->port : label);
    return url;
}

/* ---- what is asked */

static int fail(int code, const struct pb_diag *diag)
{
    return cli_fail(pb_error_exit_code(code), "devices: %s", diag->text);
}

static int load(struct devices_survey *survey, const char *path)
{
    struct pb_diag diag;
    const int code = access(path, F_OK) && errno == ENOENT ? pb_map_new(&survey->map, path, &diag)
                                                           : pb_map_load(&survey->map, path, &diag);
    return code ? fail(code, &diag) : CLI_PASS;
}

/* Folder of the virtual boards that the map has; "": none. Then all chips found are of it. */
static void virtual_folder(char *folder, size_t size, const struct pb_map *map)
{
    *folder = '\0';
    for (size_t i = 0; i < pb_map_count(map) && !*folder; i++)
        if (!pb_vusb_folder(pb_map_entry(map, i)->rig, folder, size))
            *folder = '\0';
}

static void name_rig(struct pb_map_entry *entry, const char *folder, const char *name)
{
    if (*folder)
        snprintf(entry->rig, sizeof entry->rig, "vusb:%.150s/%s", folder, name);
    else
        snprintf(entry->rig, sizeof entry->rig, "ftdi:%s", name);
}

/* By its serial number. By its port where another chip has that number, and where the map knows it so. */
static void describe_chip(struct pb_map_entry *entry, const struct pb_chip *chip, const char *folder,
                          const struct pb_map *map)
{
    char url[DEVICES_URL_SIZE];
    *entry = (struct pb_map_entry){.enabled = true};
    name_rig(entry, folder, chip->port);
    if (chip->twin)
        snprintf(entry->note, sizeof entry->note, "another chip has its serial number %s", chip->serial);
    if (chip->twin || pb_map_find(map, entry) != SIZE_MAX)
        return;
    snprintf(entry->serial, sizeof entry->serial, "%s", chip->serial);
    name_rig(entry, folder, devices_url(url, chip) + strlen("ftdi:"));
}

static int collect(struct devices_survey *survey, const struct pb_chips *chips)
{
    char folder[PATH_MAX];
    struct pb_map_entry entry;
    struct pb_diag diag;
    bool changed;
    int code = pb_map_parse(&survey->asked.map, pb_map_path(survey->map), pb_map_text(survey->map),
                            strlen(pb_map_text(survey->map)), &diag);
    survey->known = pb_map_count(survey->map);
    virtual_folder(folder, sizeof folder, survey->map);
    for (unsigned i = 0; i < chips->count && !code; i++) {
        describe_chip(&entry, &chips->chip[i], folder, survey->map);
        code = pb_map_put(survey->asked.map, &entry, &changed, &diag);
    }
    if (code)
        return fail(code, &diag);
    const size_t count = pb_map_count(survey->asked.map);
    survey->asked.entry = calloc(count + 1, sizeof *survey->asked.entry);
    survey->board = calloc(count + 1, sizeof *survey->board);
    if (!survey->asked.entry || !survey->board)
        return cli_fail(CLI_BENCH_FAILED, "devices: no memory for %zu boards", count);
    for (size_t i = 0; i < count; i++)
        survey->asked.entry[survey->asked.count++] = i;
    return CLI_PASS;
}

/* ---- the boards */

static int ask(void *context, const struct pb_map_entry *entry, size_t index, void *share)
{
    const struct devices_survey *survey = context;
    struct answer *answer = share;
    struct pb_diag diag = {.text = ""};
    (void)index;
    answer->reached = !rigs_reach(entry->rig, survey->scenario, &answer->map_hash, &diag);
    pb_utf8_shorten(answer->why, sizeof answer->why, "%s", diag.text);
    return CLI_PASS;
}

static void answered(void *context, size_t index, int exit_code, const char *failure, const void *share)
{
    struct devices_survey *survey = context;
    (void)exit_code;
    survey->board[index].answer = *(const struct answer *)share;
    if (failure) {
        survey->board[index].answer.reached = false;
        snprintf(survey->board[index].answer.why, sizeof survey->board[index].answer.why, "%.255s", failure);
    }
}

static int ask_all(struct devices_survey *survey)
{
    struct source source;
    const struct rigs_tasks tasks = {.work = ask,
                                     .ended = answered,
                                     .context = survey,
                                     .share_bytes = sizeof(struct answer),
                                     .limit_s = REACH_LIMIT_S};
    if (!survey->asked.count)
        return CLI_PASS;
    int exit_code = source_open_demo(&source, NULL);
    if (exit_code != CLI_PASS)
        return exit_code;
    survey->scenario = source.scenario;
    exit_code = rigs_run(&survey->asked, &tasks);
    source_close(&source);
    return exit_code == CLI_PASS && runner_stopped() ? CLI_INTERRUPTED : exit_code;
}

/* ---- the file */

static int update(struct devices_survey *survey)
{
    char host[PB_MAP_TEXT_SIZE] = "";
    bool changed, any = access(pb_map_path(survey->map), F_OK) != 0;
    struct pb_diag diag;
    gethostname(host, sizeof host - 1);
    for (size_t i = 0; i < survey->asked.count; i++) {
        struct board *board = &survey->board[i];
        struct pb_map_entry entry = *rigs_entry(&survey->asked, i);
        const bool added = i >= survey->known;
        entry.hash_given = board->answer.reached;
        entry.map_hash = board->answer.map_hash;
        if (added) {
            snprintf(entry.station, sizeof entry.station, "%s", host);
            entry.enabled = board->answer.reached;
            if (*board->answer.why)
                pb_utf8_shorten(entry.note, sizeof entry.note, "%s", board->answer.why);
        }
        const int code = pb_map_put(survey->map, &entry, &changed, &diag);
        if (code)
            return fail(code, &diag);
        any |= changed;
        board->change = added ? "added" : changed ? "updated" : "unchanged";
    }
    const int code = any ? pb_map_save(survey->map, &diag) : PB_OK;
    return code ? fail(code, &diag) : CLI_PASS;
}

int devices_map_text(FILE *out, const struct devices_survey *survey)
{
    for (size_t i = 0; i < survey->asked.count; i++) {
        const struct pb_map_entry *entry = rigs_entry(&survey->asked, i);
        const struct board *board = &survey->board[i];
        if (board->answer.reached)
            cli_say_to(out, "%-9s  %s: map hash 0x%08X", board->change, entry->rig, board->answer.map_hash);
        else
            cli_say_to(out, "%-9s  %s: not reached: %s", board->change, entry->rig, board->answer.why);
    }
    cli_say_to(out, "%zu boards in %s", pb_map_count(survey->map), pb_map_path(survey->map));
    return 0;
}

int devices_map_json(FILE *out, const struct devices_survey *survey)
{
    json_t *boards = json_array();
    for (size_t i = 0; i < survey->asked.count; i++) {
        const struct pb_map_entry *entry = rigs_entry(&survey->asked, i);
        const struct board *board = &survey->board[i];
        char hash[16];
        snprintf(hash, sizeof hash, "0x%08X", board->answer.map_hash);
        cli_json_add(boards, json_pack("{s:o, s:o, s:s, s:b, s:o, s:o}", "url", cli_json_text(entry->rig),
                                       "serial", cli_json_text(entry->serial), "change", board->change,
                                       "reached", board->answer.reached, "map_hash",
                                       board->answer.reached ? json_string(hash) : json_null(), "note",
                                       cli_json_text(board->answer.why)));
    }
    return cli_write_json(out, json_pack("{s:o, s:o}", "file", cli_json_text(pb_map_path(survey->map)),
                                         "boards", boards));
}

int devices_map(struct devices_survey **out, const struct pb_chips *chips, const char *path)
{
    struct devices_survey *survey = *out = calloc(1, sizeof *survey);
    if (!survey)
        return cli_fail(CLI_BENCH_FAILED, "devices: no memory for the boards; close other programs");
    int exit_code = load(survey, path);
    if (exit_code == CLI_PASS)
        exit_code = collect(survey, chips);
    if (exit_code == CLI_PASS)
        exit_code = ask_all(survey);
    if (exit_code == CLI_PASS)
        exit_code = update(survey);
    return exit_code;
}

void devices_map_free(struct devices_survey *survey)
{
    if (!survey)
        return;
    rigs_close(&survey->asked);
    pb_map_free(survey->map);
    free(survey->board);
    free(survey);
}
