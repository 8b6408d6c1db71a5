/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Firmware images. The segments of an accepted one ascend without overlap inside the file, and any address
 * has a place; a refusal is one line that begins with the name of the file.
 */
#include "tests/fuzz/fuzz.h"

#include "bench/mcu/image.h"

#include <string.h>

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
    pb_image_place(image, image->entry, place, sizeof place);
    pb_image_destroy(image);
    return 0;
}
