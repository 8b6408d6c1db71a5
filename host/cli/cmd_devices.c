/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "devices_map.h"
#include "host/rig/found_forms.h"
#include "output.h"
#include "rows.h"

#include <stdio.h>

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
        exit_code = devices_map(&survey, &shown.found.chips, request.map);
    } else {
        pb_tty_find(&shown.found.ports, NULL);
    }
    if (exit_code == CLI_PASS)
        exit_code = output_forms_end(request.out, forms, &shown, request.json);
    pb_map_survey_close(&survey);
    return exit_code;
}
