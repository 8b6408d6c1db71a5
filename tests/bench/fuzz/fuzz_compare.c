/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two results, or lists of results, to compare: what is before a line of four equal signs and what is after
 * it. Each with itself differs in nothing; the other way round every change has the other sign.
 */
#include "tests/bench/fuzz/fuzz.h"

#include "phasebench/compare.h"

#include <jansson.h>
#include <string.h>

static const char separator[] = "\n====\n";

struct side {
    struct pb_result **result;
    size_t count;
};

static bool read_side(struct side *side, const char *text, size_t length)
{
    struct pb_diag diag = {""};
    const int code = pb_report_read_json_all(&side->result, &side->count, text, length, &diag);
    MUST(code ? !side->result && !side->count && *diag.text && !strchr(diag.text, '\n') : side->count > 0);
    return !code;
}

static void write_forms(const struct pb_compare_set *set)
{
    char *text = NULL;
    size_t length = 0;
    const struct pb_report_style style = {.colour = false, .columns = 60};
    FILE *stream = open_memstream(&text, &length);
    MUST(stream && pb_compare_text(stream, set, false, &style) == PB_OK);
    MUST(pb_compare_text(stream, set, true, &style) == PB_OK && fflush(stream) == 0);
    MUST(!memchr(text, '\033', length));
    const size_t before = length;
    MUST(pb_compare_json(stream, set) == PB_OK);
    fclose(stream);
    json_t *root = json_loads(text + before, JSON_REJECT_DUPLICATES, NULL);
    MUST(root && json_is_true(json_object_get(root, "worse")) == pb_compare_is_worse(set));
    json_decref(root);
    free(text);
}

static void compare_with_itself(const struct side *side)
{
    struct pb_compare_set set;
    MUST(pb_compare(&set, side->result, side->count, side->result, side->count) == PB_OK);
    MUST(set.pairs == side->count && !set.only_as && !set.only_bs && !pb_compare_is_worse(&set));
    for (size_t i = 0; i < set.pairs; i++)
        MUST(!set.pair[i].settings_differ && !set.pair[i].only_a && !set.pair[i].only_b);
    write_forms(&set);
    pb_compare_free(&set);
}

static void compare_both_ways(const struct side *a, const struct side *b)
{
    struct pb_compare_set there, back;
    MUST(pb_compare(&there, a->result, a->count, b->result, b->count) == PB_OK);
    MUST(pb_compare(&back, b->result, b->count, a->result, a->count) == PB_OK);
    MUST(there.pairs == back.pairs && there.only_as == back.only_bs && there.only_bs == back.only_as);
    if (there.pairs == 1) {
        MUST(there.pair[0].significant == back.pair[0].significant ||
             there.pair[0].common != back.pair[0].common);
        MUST(!there.pair[0].verdict_worse || !back.pair[0].verdict_worse);
    }
    write_forms(&there);
    pb_compare_free(&there);
    pb_compare_free(&back);
}

static const char *find_separator(const char *text, size_t size)
{
    const size_t length = sizeof separator - 1;
    for (size_t i = 0; i + length <= size; i++)
        if (!memcmp(text + i, separator, length))
            return text + i;
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *cut = find_separator(text, size);
    struct side a = {NULL, 0}, b = {NULL, 0};
    const size_t first = cut ? (size_t)(cut - text) : size;
    if (read_side(&a, text, first))
        compare_with_itself(&a);
    if (cut && read_side(&b, cut + sizeof separator - 1, size - first - (sizeof separator - 1)) && a.count)
        compare_both_ways(&a, &b);
    pb_report_free_all(a.result, a.count);
    pb_report_free_all(b.result, b.count);
    return 0;
}
