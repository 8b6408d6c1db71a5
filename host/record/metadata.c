/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/record/metadata.h"
#include "host/base/json_text.h"

#include "phasebench/number.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- hash */

static uint64_t fnv1a(uint64_t hash, const void *bytes, size_t count)
{
    for (const unsigned char *byte = bytes; count--; byte++)
        hash = (hash ^ *byte) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t fnv1a_number(uint64_t hash, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        hash = fnv1a(hash, &(unsigned char){(unsigned char)(value >> 8 * i)}, 1);
    return hash;
}

uint64_t pb_recording_hash(const struct pb_scenario_texts *texts, uint64_t seed, uint32_t superframes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < texts->count; i++) {
        hash = fnv1a_number(hash, texts->text[i].length);
        hash = fnv1a(hash, texts->text[i].text, texts->text[i].length);
    }
    return fnv1a_number(fnv1a_number(hash, seed), superframes);
}

/* ---- writing */

static json_t *texts_value(const struct pb_scenario_texts *texts)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < texts->count; i++) {
        const struct pb_scenario_text *text = &texts->text[i];
        json_t *entry = json_pack("{s:o, s:o}", "name", pb_json_text(text->name), "text",
                                  json_stringn(text->text, text->length));
        if (!entry || json_array_append_new(list, entry)) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static char *dump(json_t *object)
{
    char *text = object ? json_dumps(object, JSON_INDENT(1)) : NULL;
    json_decref(object);
    return text;
}

char *pb_about_write(const struct pb_recording_about *about)
{
    char map_hash[16], seed[24], hash[24];
    snprintf(map_hash, sizeof map_hash, "0x%08" PRIx32, about->map_hash);
    snprintf(seed, sizeof seed, "%" PRIu64, about->seed);
    snprintf(hash, sizeof hash, "0x%016" PRIx64, about->hash);
    return dump(json_pack("{s:s, s:s, s:o, s:b, s:s, s:s, s:I, s:s, s:I, s:{s:b, s:b}, s:s, s:o}", "program",
                          about->program, "verb", about->verb, "rig", pb_json_text(about->rig_url),
                          "simulated", about->simulated, "started_utc", about->started_utc, "map_hash",
                          map_hash, "session", (json_int_t)PB_SESSION_VERSION, "seed", seed, "superframes",
                          (json_int_t)about->superframes, "given", "seed", about->seed_given, "superframes",
                          about->superframes_given, "hash", hash, "texts", texts_value(about->texts)));
}

char *pb_outcome_write(int exit_code, const char *outcome, const char *reason)
{
    return dump(json_pack("{s:i, s:s, s:o}", "exit_code", exit_code, "outcome", outcome, "reason",
                          pb_json_text(reason)));
}

/* ---- reading */

static bool take_number(const json_t *object, const char *key, uint64_t *value)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text && pb_parse_number(text, strlen(text), value);
}

static bool take_flag(const json_t *object, const char *key, bool *value)
{
    const json_t *flag = json_object_get(object, key);
    *value = json_is_true(flag);
    return json_is_boolean(flag);
}

static int take_texts(struct pb_about_owner *owner, const json_t *list)
{
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry)
    {
        const char *name = json_string_value(json_object_get(entry, "name"));
        const json_t *text = json_object_get(entry, "text");
        if (!name || !json_is_string(text))
            return PB_ERR_CONFIG;
        const int code =
            pb_scenario_texts_add(&owner->texts, name, json_string_value(text), json_string_length(text));
        if (code)
            return code;
    }
    return owner->texts.count ? PB_OK : PB_ERR_CONFIG;
}

static int take(struct pb_about_owner *owner, const json_t *object)
{
    static const char *const key[] = {"program", "verb", "rig", "started_utc"};
    struct pb_recording_about *about = &owner->about;
    const json_t *given = json_object_get(object, "given");
    const json_int_t superframes = json_integer_value(json_object_get(object, "superframes"));
    uint64_t map_hash = 0;

    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
        const char *text = json_string_value(json_object_get(object, key[i]));
        if (!text)
            return PB_ERR_CONFIG;
        owner->string[i] = strdup(text);
        if (!owner->string[i])
            return PB_ERR_MEMORY;
    }
    about->program = owner->string[0];
    about->verb = owner->string[1];
    about->rig_url = owner->string[2];
    about->started_utc = owner->string[3];
    about->texts = &owner->texts;
    const bool good = take_number(object, "map_hash", &map_hash) &&
                      take_number(object, "seed", &about->seed) &&
                      take_number(object, "hash", &about->hash) && superframes > 0 &&
                      superframes <= UINT32_MAX && take_flag(given, "seed", &about->seed_given) &&
                      take_flag(given, "superframes", &about->superframes_given);
    about->map_hash = (uint32_t)map_hash;
    /* Missing in older recordings. */
    const bool place = !json_object_get(object, "simulated") ||
                       take_flag(object, "simulated", &about->simulated);
    const json_t *number = json_object_get(object, "session");
    const json_int_t session = number ? json_integer_value(number) : 1;
    about->session = (uint32_t)session;
    about->superframes = (uint32_t)superframes;
    return good && place && session > 0 && session <= UINT32_MAX
               ? take_texts(owner, json_object_get(object, "texts"))
               : PB_ERR_CONFIG;
}

int pb_about_read(struct pb_about_owner *owner, const char *json, size_t length, struct pb_diag *diag)
{
    *owner = (struct pb_about_owner){0};
    json_error_t error;
    json_t *object = json_loadb(json, length, 0, &error);
    const int code = !object && pb_json_out_of_memory(&error) ? PB_ERR_MEMORY : take(owner, object);
    json_decref(object);
    if (code == PB_ERR_MEMORY)
        return pb_fail(diag, code, "no memory for the description of the run");
    if (code)
        return pb_fail(diag, code, "the description of the run cannot be read; record again");
    if (owner->about.hash != pb_recording_hash(&owner->texts, owner->about.seed, owner->about.superframes))
        return pb_fail(diag, PB_ERR_CONFIG,
                       "the scenario in it does not have the hash it states; record again");
    return PB_OK;
}

void pb_about_free(struct pb_about_owner *owner)
{
    pb_scenario_texts_free(&owner->texts);
    for (size_t i = 0; i < sizeof owner->string / sizeof owner->string[0]; i++)
        free(owner->string[i]);
    *owner = (struct pb_about_owner){0};
}
