/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The processor that an ELF file for Arm is for, by its build attributes ("Addenda to, and Errata in, the ABI
 * for the Arm Architecture", IHI 0045: Tag_CPU_arch). They begin with 'A'; a vendor has a subsection "aeabi",
 * whose part for the whole file (Tag_File) has pairs of tag and value.
 */
#include "bench/emulator/image/image_elf.h"

#include <string.h>

enum { TAG_FILE = 1, TAG_CPU_RAW_NAME = 4, TAG_CPU_NAME = 5, TAG_CPU_ARCH = 6, TAG_COMPATIBILITY = 32 };

struct bytes {
    const uint8_t *at, *end;
};

static uint32_t take_word(struct bytes *bytes)
{
    uint32_t word = 0;
    for (unsigned i = 0; i < 4 && bytes->at < bytes->end; i++)
        word |= (uint32_t)*bytes->at++ << 8 * i;
    return word;
}

static uint32_t take_uleb(struct bytes *bytes)
{
    uint32_t value = 0;
    for (unsigned shift = 0; bytes->at < bytes->end; shift += 7) {
        const uint8_t byte = *bytes->at++;
        value |= shift < 28 ? (uint32_t)(byte & 0x7F) << shift : 0;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

/* False: it does not end. */
static bool skip_string(struct bytes *bytes)
{
    const uint8_t *zero = memchr(bytes->at, 0, (size_t)(bytes->end - bytes->at));
    bytes->at = zero ? zero + 1 : bytes->end;
    return zero;
}

/* A part of `length` bytes, those of its head included, of which `head` are taken. */
static struct bytes take_part(struct bytes *bytes, uint32_t length, uint32_t head)
{
    const size_t left = (size_t)(bytes->end - bytes->at);
    const size_t inner = length < head ? 0 : length - head < left ? length - head : left;
    const struct bytes part = {bytes->at, bytes->at + inner};
    bytes->at = length < head ? bytes->end : part.end;
    return part;
}

static int arch_of_file(struct bytes pairs)
{
    while (pairs.at < pairs.end) {
        const uint32_t tag = take_uleb(&pairs);
        if (tag == TAG_CPU_ARCH)
            return (int)take_uleb(&pairs);
        const bool both = tag == TAG_COMPATIBILITY,
                   named = tag == TAG_CPU_RAW_NAME || tag == TAG_CPU_NAME,
                   text = named || (tag > TAG_COMPATIBILITY && tag & 1);
        if (!text)
            take_uleb(&pairs);
        if ((text || both) && !skip_string(&pairs))
            break;
    }
    return -1;
}

/* Tag_CPU_arch; -1: not in the attributes. */
static int arch_of(struct bytes all)
{
    if (all.at == all.end || *all.at++ != 'A')
        return -1;
    while (all.end - all.at > 4) {
        const uint32_t length = take_word(&all);
        struct bytes vendor = take_part(&all, length, 4);
        const bool aeabi = vendor.end - vendor.at > 6 && !memcmp(vendor.at, "aeabi", 6);
        if (!aeabi || !skip_string(&vendor))
            continue;
        while (vendor.end - vendor.at > 5) {
            const uint8_t scope = *vendor.at++;
            const uint32_t bytes = take_word(&vendor);
            const struct bytes part = take_part(&vendor, bytes, 5);
            if (scope == TAG_FILE)
                return arch_of_file(part);
        }
    }
    return -1;
}

const char *pb_image_arm_arch(const struct pb_image_symbols *symbols)
{
    /* By Tag_CPU_arch. NULL: Thumb code of it runs on ARMv6-M, or may. */
    static const char *const name[] = {
        [5] = "ARMv5TEJ",         [6] = "ARMv6",   [7] = "ARMv6KZ",  [8] = "ARMv6T2",
        [9] = "ARMv6K",           [10] = "ARMv7",  [13] = "ARMv7E-M", [14] = "ARMv8-A",
        [15] = "ARMv8-R",         [16] = "ARMv8-M.baseline", [17] = "ARMv8-M.mainline",
        [21] = "ARMv8.1-M.mainline", [22] = "ARMv9-A",
    };
    for (Elf_Scn *section = NULL; symbols->elf && (section = elf_nextscn(symbols->elf, section));) {
        GElf_Shdr header;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_ARM_ATTRIBUTES ||
            !(data = elf_rawdata(section, NULL)) || !data->d_buf)
            continue;
        const uint8_t *begin = data->d_buf;
        const int arch = arch_of((struct bytes){begin, begin + data->d_size});
        return arch >= 0 && (size_t)arch < sizeof name / sizeof name[0] ? name[arch] : NULL;
    }
    return NULL;
}
