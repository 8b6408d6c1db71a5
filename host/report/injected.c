/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Injected faults in words, and as a section of the terminal report.
 */
#include "phasebench/fault.h"
#include "render.h"
#include "terminal.h"

#include <inttypes.h>

const char *pb_fault_id(unsigned kind)
{
    const struct pb_fault_info *info = pb_fault_info(kind);
    return info ? info->id : "unknown";
}

struct pb_clause pb_fault_place_text(const struct pb_fault_row *fault)
{
    struct pb_clause clause;
    char line[48] = ", clock";
    if (fault->link >= 0 && fault->other_link >= 0)
        snprintf(line, sizeof line, ", links %d and %d", fault->link, fault->other_link);
    else if (fault->link >= 0)
        snprintf(line, sizeof line, ", link %d", fault->link);
    snprintf(clause.text, sizeof clause.text, "superframe %" PRIu32 ", phase %u%s", fault->superframe,
             fault->phase, line);
    return clause;
}

struct pb_clause pb_fault_receipt_text(const struct pb_fault_row *fault)
{
    struct pb_clause clause;
    if (!fault->began)
        snprintf(clause.text, sizeof clause.text, "no receipt");
    else if (!fault->ended)
        snprintf(clause.text, sizeof clause.text, "began at %s, no end", pb_duration(fault->start_ps).text);
    else
        snprintf(clause.text, sizeof clause.text, "began at %s, lasted %s", pb_duration(fault->start_ps).text,
                 pb_duration(fault->length_ps).text);
    return clause;
}

static bool found_any(const struct pb_fault_row *fault)
{
    return (unsigned)fault->found_as < PB_FINDING_KINDS;
}

struct pb_clause pb_fault_found_text(const struct pb_fault_row *fault)
{
    struct pb_clause clause;
    const struct pb_fault_info *info = pb_fault_info(fault->kind);
    if (fault->detected)
        snprintf(clause.text, sizeof clause.text, "found as %s after %s",
                 info ? pb_finding_id((enum pb_finding_kind)info->finding) : "unknown",
                 pb_duration((int64_t)((uint64_t)fault->detected_ps - (uint64_t)fault->start_ps)).text);
    else if (fault->unsought)
        snprintf(clause.text, sizeof clause.text, "not sought: %s",
                 fault->kind == PB_FAULT_SECOND_DRIVER ? "the sender drives the line high against it"
                                                       : "only edges show it");
    else if (found_any(fault))
        snprintf(clause.text, sizeof clause.text, "not found as what it is, only as %s",
                 pb_finding_id(fault->found_as));
    else
        snprintf(clause.text, sizeof clause.text, "not found");
    return clause;
}

void pb_terminal_faults(struct pb_terminal *terminal, const struct pb_result *result)
{
    enum { SHOWN = 40 };
    if (!result->faults)
        return;
    fprintf(terminal->stream, "\nINJECTED FAULTS\n");
    for (size_t i = 0; i < result->faults && i < SHOWN; i++) {
        const struct pb_fault_row *fault = &result->fault[i];
        char label[32];
        snprintf(label, sizeof label, "  %zu", i);
        pb_terminal_field(terminal, label, "%s: %s; %s; %s; explains %zu finding%s", pb_fault_id(fault->kind),
                          pb_fault_place_text(fault).text, pb_fault_receipt_text(fault).text,
                          pb_fault_found_text(fault).text, fault->explains, fault->explains == 1 ? "" : "s");
    }
    if (result->faults > SHOWN)
        fprintf(terminal->stream, "  and %zu more\n", result->faults - SHOWN);
}
