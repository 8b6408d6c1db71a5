/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a node's process sends. First byte: 0 a command line, 1 a greeting, else an answer to the ADVANCE
 * whose time and serial follow. What is accepted keeps its limits, what is refused has a reason.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "bench/nodes/process_message.h"
#include "bench/nodes/words.h"

#include <string.h>

static void split(struct input *input)
{
    char text[1024];
    size_t count, length = 0;
    const uint8_t *bytes = take_bytes(input, sizeof text - 1, &count);
    memcpy(text, bytes, count);
    text[count] = '\0';
    char **word = pb_words_split(text);
    if (!word)
        return;
    MUST(word[0]);
    for (unsigned i = 0; word[i]; i++)
        length += strlen(word[i]) + 1;
    MUST(length <= strlen(text) + 1);
    free(word);
}

static void refused(const char *why)
{
    MUST(*why && strlen(why) < PB_PROCESS_WHY);
    for (; *why; why++)
        MUST(*why >= ' ' && *why <= '~');
}

static void greet(struct input *input)
{
    char name[PB_PROCESS_NAME_MAX + 1], why[PB_PROCESS_WHY] = "";
    size_t count;
    const uint8_t *header = take_bytes(input, PB_PROCESS_HEADER, &count);
    if (count < PB_PROCESS_HEADER)
        return;
    if (!pb_process_check_header(header, PB_PROCESS_HELLO, why)) {
        refused(why);
        return;
    }
    const size_t size = pb_process_get32(header);
    const uint8_t *body = take_bytes(input, size, &count);
    if (count < size)
        return;
    if (pb_process_read_version(body, size, name, why))
        MUST(strlen(name) == size - PB_PROCESS_VERSION_BYTES);
    else
        refused(why);
}

static void answer(struct input *input)
{
    static struct pb_process_change change[PB_PROCESS_CHANGES_MAX];
    struct pb_process_answer read;
    char why[PB_PROCESS_WHY] = "";
    size_t size;
    const struct pb_process_advance advance = {.now_ps = (int64_t)take32(input) << 31, .serial = take(input)};
    const uint8_t *body = take_bytes(input, PB_PROCESS_BODY_MAX, &size);
    if (size < PB_PROCESS_ANSWER_BYTES)
        return;
    if (!pb_process_read_answer(&read, change, &advance, body, size, why)) {
        refused(why);
        return;
    }
    MUST(read.wake_ps > advance.now_ps && read.count <= PB_PROCESS_CHANGES_MAX);
    MUST(!(read.pins & read.pins >> PB_PROCESS_HIGH_SHIFT & PB_PROCESS_PULL));
    int64_t last_ps = advance.now_ps;
    for (uint32_t i = 0; i < read.count; i++) {
        MUST(change[i].at_ps > last_ps && !(change[i].pins & ~(uint32_t)PB_PROCESS_OUTPUTS));
        MUST(!(change[i].pins & change[i].pins >> PB_PROCESS_HIGH_SHIFT & PB_PROCESS_PULL));
        last_ps = change[i].at_ps;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    const uint8_t what = take(&input);
    if (what == 0)
        split(&input);
    else if (what == 1)
        greet(&input);
    else
        answer(&input);
    return 0;
}
