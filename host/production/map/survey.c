/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "survey.h"

#include "host/base/form.h"
#include "host/base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int pb_map_survey_open(struct pb_map_survey *survey, const char *path, struct pb_diag *diag)
{
    *survey = (struct pb_map_survey){.map = NULL};
    return access(path, F_OK) && errno == ENOENT ? pb_map_new(&survey->map, path, diag)
                                                 : pb_map_load(&survey->map, path, diag);
}

void pb_map_survey_close(struct pb_map_survey *survey)
{
    pb_map_free(survey->asked);
    pb_map_free(survey->map);
    free(survey->board);
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
    char url[PB_CHIP_URL_SIZE];
    *entry = (struct pb_map_entry){.enabled = true};
    name_rig(entry, folder, chip->port);
    if (chip->twin)
        snprintf(entry->note, sizeof entry->note, "another chip has its serial number %s", chip->serial);
    if (chip->twin || pb_map_find(map, entry) != SIZE_MAX)
        return;
    snprintf(entry->serial, sizeof entry->serial, "%s", chip->serial);
    name_rig(entry, folder, pb_chip_url(url, chip) + strlen("ftdi:"));
}

int pb_map_survey_add(struct pb_map_survey *survey, const struct pb_chips *chips, const char *folder,
                      struct pb_diag *diag)
{
    struct pb_map_entry entry;
    bool changed;
    int code = pb_map_parse(&survey->asked, pb_map_path(survey->map), pb_map_text(survey->map),
                            strlen(pb_map_text(survey->map)), diag);
    survey->known = pb_map_count(survey->map);
    for (unsigned i = 0; i < chips->count && !code; i++) {
        describe_chip(&entry, &chips->chip[i], folder, survey->map);
        code = pb_map_put(survey->asked, &entry, &changed, diag);
    }
    if (code)
        return code;
    survey->count = pb_map_count(survey->asked);
    survey->board = calloc(survey->count + 1, sizeof *survey->board);
    return survey->board ? PB_OK : pb_fail(diag, PB_ERR_MEMORY, "no memory for %zu boards", survey->count);
}

int pb_map_survey_update(struct pb_map_survey *survey, struct pb_diag *diag)
{
    char host[PB_MAP_TEXT_SIZE] = "";
    bool changed, any = access(pb_map_path(survey->map), F_OK) != 0;
    gethostname(host, sizeof host - 1);
    for (size_t i = 0; i < survey->count; i++) {
        struct pb_map_board *board = &survey->board[i];
        struct pb_map_entry entry = *pb_map_entry(survey->asked, i);
        const bool added = i >= survey->known;
        entry.hash_given = board->reached;
        entry.map_hash = board->map_hash;
        if (added) {
            snprintf(entry.station, sizeof entry.station, "%s", host);
            entry.enabled = board->reached;
            if (*board->why)
                pb_utf8_shorten(entry.note, sizeof entry.note, "%s", board->why);
        }
        const int code = pb_map_put(survey->map, &entry, &changed, diag);
        if (code)
            return code;
        any |= changed;
        board->change = added ? "added" : changed ? "updated" : "unchanged";
    }
    return any ? pb_map_save(survey->map, diag) : PB_OK;
}

int pb_map_survey_text(FILE *out, const struct pb_map_survey *survey)
{
    for (size_t i = 0; i < survey->count; i++) {
        const struct pb_map_entry *entry = pb_map_entry(survey->asked, i);
        const struct pb_map_board *board = &survey->board[i];
        if (board->reached)
            pb_form_line(out, "%-9s  %s: map hash 0x%08X", board->change, entry->rig, board->map_hash);
        else
            pb_form_line(out, "%-9s  %s: not reached: %s", board->change, entry->rig, board->why);
    }
    pb_form_line(out, "%zu boards in %s", pb_map_count(survey->map), pb_map_path(survey->map));
    return 0;
}

int pb_map_survey_json(FILE *out, const struct pb_map_survey *survey)
{
    json_t *boards = json_array();
    for (size_t i = 0; i < survey->count; i++) {
        const struct pb_map_entry *entry = pb_map_entry(survey->asked, i);
        const struct pb_map_board *board = &survey->board[i];
        char hash[16];
        snprintf(hash, sizeof hash, "0x%08X", board->map_hash);
        pb_form_add(boards,
                    json_pack("{s:o, s:o, s:s, s:b, s:o, s:o}", "url", pb_form_text(entry->rig), "serial",
                              pb_form_text(entry->serial), "change", board->change, "reached", board->reached,
                              "map_hash", board->reached ? json_string(hash) : json_null(), "note",
                              pb_form_text(board->why)));
    }
    return pb_form_json(
        out, json_pack("{s:o, s:o}", "file", pb_form_text(pb_map_path(survey->map)), "boards", boards));
}
