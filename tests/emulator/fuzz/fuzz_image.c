/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Firmware images, ELF and UF2. The segments of an accepted one ascend without overlap inside the file, and
 * any address has a place; settings that are found lie in it; a refusal is one line that begins with the
 * name of the file.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "bench/emulator/image/image.h"
#include "bench/emulator/image/image_lines.h"
#include "bench/emulator/image/settings_block.h"

#include <string.h>

static void find_settings(const struct pb_image *image)
{
    struct pb_diag diag = {""};
    uint32_t address;
    const uint32_t base = image->segment[0].address, bytes = UINT32_C(2) << 20;
    if (pb_settings_find(image, base, bytes, &address, &diag))
        MUST(!strncmp(diag.text, "kind: ", 6) && !strchr(diag.text, '\n'));
    else
        MUST(!address || (address % 4 == 0 && address >= base &&
                          (image->format == PB_IMAGE_UF2 || address - base <= bytes - PB_SETTINGS_BYTES)));
}

static void read_lines(const struct pb_image *image)
{
    struct pb_diag diag;
    struct pb_image_lines *lines;
    MUST(!pb_image_lines_read(&lines, image, &diag));
    pb_image_line_at(lines, image->entry);
    pb_image_lines_free(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pb_diag diag = {""};
    struct pb_image *image;
    char *bytes = malloc(size + 1), place[160];
    uint32_t address, length;
    MUST(bytes);
    if (size)
        memcpy(bytes, data, size);
    if (pb_image_parse(&image, "node.elf", bytes, size, &diag)) {
        MUST(!image && !strncmp(diag.text, "node.elf", 8) && !strchr(diag.text, '\n'));
        return 0;
    }
    MUST(image->segments);
    for (unsigned i = 0; i < image->segments; i++) {
        const struct pb_image_segment *segment = &image->segment[i];
        uint8_t sum = 0;
        MUST(segment->bytes && (uint64_t)segment->address + segment->bytes <= UINT64_C(1) << 32);
        MUST(!i || segment[-1].address + (uint64_t)segment[-1].bytes <= segment->address);
        for (uint32_t k = 0; k < segment->bytes; k++)
            sum ^= segment->data[k]; /* reads all of it */
        pb_image_place(image, segment->address + sum % segment->bytes, place, sizeof place);
        MUST(*place && strlen(place) < sizeof place);
    }
    pb_image_symbol(image, "node_settings", &address, &length);
    find_settings(image);
    if (image->format == PB_IMAGE_UF2)
        read_lines(image);
    pb_image_place(image, image->entry, place, sizeof place);
    pb_image_destroy(image);
    return 0;
}
