/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "images.h"

#include "bench/nodes/words.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { BLOCK_SIZE = 1 << 16, PATH_SIZE = 4096 };

static bool sum_up(struct pb_history_node *image, FILE *file)
{
    static unsigned char block[BLOCK_SIZE];
    size_t length;
    image->image_bytes = 0;
    while ((length = fread(block, 1, sizeof block, file)) > 0) {
        image->image_crc32 = (uint32_t)crc32(image->image_crc32, block, (unsigned)length);
        image->image_bytes += (int64_t)length;
    }
    return !ferror(file);
}

/* A file of a node: false if it is none. A relative path counts from the node's folder, and that from the
 * folder of the scenario. */
static bool read_image(struct pb_history_node *image, const struct pb_scenario *scenario,
                       const struct pb_scenario_node *node, const char *file)
{
    char path[PATH_SIZE];
    struct stat status;
    const char *slash = scenario->path ? strrchr(scenario->path, '/') : NULL;
    const char *folder = *file != '/' && node->folder ? node->folder : "";
    const int above = slash && *file != '/' && *folder != '/' ? (int)(slash - scenario->path) + 1 : 0;
    const int length = snprintf(path, sizeof path, "%.*s%s%s%s", above, above ? scenario->path : "", folder,
                                *folder ? "/" : "", file);
    if ((size_t)length >= sizeof path || stat(path, &status) || !S_ISREG(status.st_mode))
        return false;
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return false;
    if (!sum_up(image, stream))
        image->image_bytes = -1;
    fclose(stream);
    return true;
}

/* The first word of a command that is a file: the program, or the script of an interpreter in PATH. */
static void read_command(struct pb_history_node *image, const struct pb_scenario *scenario,
                         const struct pb_scenario_node *node)
{
    char **word = pb_words_split(node->argument);
    for (char **at = word; at && *at; at++)
        if (read_image(image, scenario, node, *at))
            break;
    free(word);
}

void pb_history_look(struct pb_history_node *image, const struct pb_scenario *scenario)
{
    for (size_t i = 0; i < scenario->node_count; i++) {
        const struct pb_scenario_node *node = &scenario->node[i];
        image[i] = (struct pb_history_node){.address = node->address, .image_bytes = -1};
        snprintf(image[i].kind, sizeof image[i].kind, "%s", node->kind ? node->kind : "");
        if (node->argument && !strcmp(node->kind, "exec"))
            read_command(&image[i], scenario, node);
        else if (node->argument)
            read_image(&image[i], scenario, node, node->argument);
    }
}
