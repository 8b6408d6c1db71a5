/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "found_forms.h"

#include "host/base/form.h"

#define NO_PERMISSION "no permission to open it; 'phasebench doctor' says how to get it"

/* Why the board cannot be used; "": it can. */
static const char *chip_note(const struct pb_chip *chip)
{
    if (chip->denied)
        return NO_PERMISSION;
    if (!chip->accessible)
        return "it does not open; plug it in again";
    return chip->silent ? "silent: it does not report its serial number; plug it in again" : "";
}

static json_t *chip_json(const struct pb_chip *chip)
{
    char id[16], url[96];
    snprintf(id, sizeof id, "%04x:%04x", chip->vendor, chip->product);
    return json_pack("{s:s, s:o, s:s, s:s, s:s, s:i, s:i, s:o, s:o, s:b, s:o}", "kind", "ftdi", "url",
                     pb_form_text(pb_chip_url(url, chip)), "chip", chip->type, "id", id, "port", chip->port,
                     "bus", (int)chip->bus, "address", (int)chip->address, "serial",
                     pb_form_text(chip->serial), "product", pb_form_text(chip->name), "usable",
                     !*chip_note(chip), "note", pb_form_text(chip_note(chip)));
}

int pb_rigs_found_json(FILE *out, const struct pb_rigs_found *found)
{
    const struct pb_chips *chips = &found->chips;
    const struct pb_tty_ports *ports = &found->ports;
    json_t *devices = json_array();
    pb_form_add(devices, json_pack("{s:s, s:s, s:b}", "kind", "simulated", "url", "sim:", "usable", 1));
    for (unsigned i = 0; i < chips->count; i++)
        pb_form_add(devices, chip_json(&chips->chip[i]));

    for (unsigned i = 0; i < ports->count; i++) {
        char url[160];
        snprintf(url, sizeof url, "tty:%s", ports->port[i].path);
        pb_form_add(devices, json_pack("{s:s, s:o, s:b, s:s}", "kind", "tty", "url", pb_form_text(url),
                                       "usable", ports->port[i].accessible, "note",
                                       ports->port[i].accessible ? "" : NO_PERMISSION));
    }

    json_t *object = json_pack("{s:o}", "devices", devices);
    if (object && *chips->problem)
        pb_form_set(object, "usb_problem", pb_form_text(chips->problem));
    return pb_form_json(out, object);
}

int pb_rigs_found_text(FILE *out, const struct pb_rigs_found *found)
{
    const struct pb_chips *chips = &found->chips;
    const struct pb_tty_ports *ports = &found->ports;
    fputs("sim:    simulated rig, always there\n", out);
    for (unsigned i = 0; i < chips->count; i++) {
        const struct pb_chip *chip = &chips->chip[i];
        char url[96];
        pb_form_line(out, "%-7s %s (%04x:%04x) at USB port %s%s%s%s%s%s", pb_chip_url(url, chip), chip->type,
                     chip->vendor, chip->product, chip->port, *chip->serial ? ", serial " : "", chip->serial,
                     *chip->name ? ", \"" : "", chip->name, *chip->name ? "\"" : "");
        if (*chip_note(chip))
            pb_form_line(out, "        %s", chip_note(chip));
        else if (chip->twin)
            pb_form_line(out, "        another chip has its serial number, so the URL names the port");
    }
    if (*chips->problem)
        pb_form_line(out, "usb     not searched: %s", chips->problem);
    else if (!chips->count)
        fputs("usb     no FTDI chip found\n", out);
    for (unsigned i = 0; i < ports->count; i++) {
        pb_form_line(out, "tty:%s serial port", ports->port[i].path);
        if (!ports->port[i].accessible)
            pb_form_line(out, "        %s", NO_PERMISSION);
    }
    return 0;
}
