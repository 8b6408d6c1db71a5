/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "devices_map.h"
#include "host/rig/rig_tty.h"
#include "host/usb/chips.h"
#include "output.h"
#include "rows.h"

#include <stdio.h>
#include <string.h>

#define NO_PERMISSION "no permission to open it; 'phasebench doctor' says how to get it"

/* Why the board cannot be used; "": it can. */
static const char *chip_note(const struct pb_chip *chip)
{
    if (chip->denied)
        return NO_PERMISSION;
    if (!chip->accessible)
        return "it does not open; plug it in again";
    return chip->silent ? "silent: it does not tell its serial number; plug it in again" : "";
}

static json_t *chip_json(const struct pb_chip *chip)
{
    char id[16], url[96];
    snprintf(id, sizeof id, "%04x:%04x", chip->vendor, chip->product);
    return json_pack("{s:s, s:o, s:s, s:s, s:s, s:i, s:i, s:o, s:o, s:b, s:o}", "kind", "ftdi", "url",
                     cli_json_text(pb_chip_url(url, chip)), "chip", chip->type, "id", id, "port", chip->port,
                     "bus", (int)chip->bus, "address", (int)chip->address, "serial",
                     cli_json_text(chip->serial), "product", cli_json_text(chip->name), "usable",
                     !*chip_note(chip), "note", cli_json_text(chip_note(chip)));
}

/* What is written: the rigs that were found, or of a hardware map its boards. */
struct shown {
    struct pb_chips chips;
    struct pb_tty_ports ports;
    const struct pb_map_survey *survey; /* NULL: no map */
};

static int write_json(FILE *out, void *context)
{
    const struct shown *shown = context;
    const struct pb_chips *chips = &shown->chips;
    const struct pb_tty_ports *ports = &shown->ports;
    if (shown->survey)
        return pb_map_survey_json(out, shown->survey);
    json_t *devices = json_array();
    cli_json_add(devices, json_pack("{s:s, s:s, s:b}", "kind", "simulated", "url", "sim:", "usable", 1));
    for (unsigned i = 0; i < chips->count; i++)
        cli_json_add(devices, chip_json(&chips->chip[i]));

    for (unsigned i = 0; i < ports->count; i++) {
        char url[160];
        snprintf(url, sizeof url, "tty:%s", ports->port[i].path);
        cli_json_add(devices, json_pack("{s:s, s:o, s:b, s:s}", "kind", "tty", "url", cli_json_text(url),
                                        "usable", ports->port[i].accessible, "note",
                                        ports->port[i].accessible ? "" : NO_PERMISSION));
    }

    json_t *object = json_pack("{s:o}", "devices", devices);
    if (object && *chips->problem)
        cli_json_set(object, "usb_problem", cli_json_text(chips->problem));
    return cli_write_json(out, object);
}

static int write_text(FILE *out, void *context)
{
    const struct shown *shown = context;
    const struct pb_chips *chips = &shown->chips;
    const struct pb_tty_ports *ports = &shown->ports;
    if (shown->survey)
        return pb_map_survey_text(out, shown->survey);
    fputs("sim:    simulated rig, always there\n", out);
    for (unsigned i = 0; i < chips->count; i++) {
        const struct pb_chip *chip = &chips->chip[i];
        char url[96];
        cli_say_to(out, "%-7s %s (%04x:%04x) at USB port %s%s%s%s%s%s", pb_chip_url(url, chip), chip->type,
                   chip->vendor, chip->product, chip->port, *chip->serial ? ", serial " : "", chip->serial,
                   *chip->name ? ", \"" : "", chip->name, *chip->name ? "\"" : "");
        if (*chip_note(chip))
            cli_say_to(out, "        %s", chip_note(chip));
        else if (chip->twin)
            cli_say_to(out, "        another chip has its serial number, so the URL names the port");
    }
    if (*chips->problem)
        cli_say_to(out, "usb     not searched: %s", chips->problem);
    else if (!chips->count)
        fputs("usb     no FTDI chip found\n", out);
    for (unsigned i = 0; i < ports->count; i++) {
        cli_say_to(out, "tty:%s serial port", ports->port[i].path);
        if (!ports->port[i].accessible)
            cli_say_to(out, "        %s", NO_PERMISSION);
    }
    return 0;
}

enum { TEXT, JSON };
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
    pb_chips_find(&shown.chips);
    if (request.map) {
        shown.survey = &survey;
        exit_code = devices_map(&survey, &shown.chips, request.map);
    } else {
        pb_tty_find(&shown.ports, NULL);
    }
    if (exit_code == CLI_PASS)
        exit_code = output_forms_end(request.out, forms, &shown, request.json ? JSON : TEXT);
    pb_map_survey_close(&survey);
    return exit_code;
}
