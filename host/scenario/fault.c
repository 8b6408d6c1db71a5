/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/fault.h"
#include "phasebench/result.h"

#include <stddef.h>
#include <string.h>

/* The register map describes the effect of a kind, except of kinds unknown to the core. */
static const char *text_of(unsigned kind)
{
    switch (kind) {
    case PB_FAULT_SHORT_FRAME:
        return "a slot frame with fewer bytes of payload";
    case PB_FAULT_LONG_FRAME:
        return "a slot frame with more bytes after its end";
    case PB_FAULT_WRONG_LENGTH:
        return "a slot frame with another length in its length field";
    case PB_FAULT_OUTSIDE_ADDRESS:
        return "a slot frame for an address outside the cube";
#define REG(name, address, access, reset, text)
#define ARRAY(name, address, count, reset, text)
#define FIELD(reg, name, lsb, width, text)
#define OPCODE(name, value, text)
#define STATUS_CODE(name, value, text)
#define EVENT(name, value, text)
#define ALARM(name, value, text)
#define LAYOUT(name, bits, text)
#define PART(layout, name, lsb, width, text)
#define SPARE(owner, lsb, width)
#define NUMBER(set, name, bits, value, text)
#define FAULT_KIND(name, value, text)                                                                        \
    case value:                                                                                              \
        return text;
#include "rtl/proto/regs.def"
    default:
        return "";
    }
}

static struct pb_fault_info info[] = {
#define PB_FAULT_INFO(name, id, place, wiring, finding)                                                      \
    {PB_FAULT_##name, id, PB_FAULT_ON_##place, PB_WIRING_##wiring, PB_FINDING_##finding, NULL},
    PB_FAULT_LIST(PB_FAULT_INFO)
#undef PB_FAULT_INFO
};

enum { KINDS = sizeof info / sizeof info[0] };

const struct pb_fault_info *pb_fault_infos(unsigned *count)
{
    for (unsigned i = 0; i < KINDS; i++)
        info[i].text = text_of(info[i].kind);
    *count = KINDS;
    return info;
}

const struct pb_fault_info *pb_fault_info(unsigned kind)
{
    unsigned count;
    const struct pb_fault_info *all = pb_fault_infos(&count);
    for (unsigned i = 0; i < count; i++)
        if (all[i].kind == kind)
            return &all[i];
    return NULL;
}

const struct pb_fault_info *pb_fault_by_id(const char *id)
{
    unsigned count;
    const struct pb_fault_info *all = pb_fault_infos(&count);
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(all[i].id, id))
            return &all[i];
    return NULL;
}

unsigned pb_fault_core_kind(unsigned kind)
{
    return kind >= PB_FAULT_SHORT_FRAME ? PB_FAULT_WRONG_BYTES : kind;
}
