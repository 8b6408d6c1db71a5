/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows of the tables of json_fields.h; private to the files that hold tables.
 */
#ifndef PB_REPORT_JSON_TABLE_H
#define PB_REPORT_JSON_TABLE_H

#include "json_fields.h"

#define ENTRY(type, member, key, kind, low, high, name)                                                      \
    {                                                                                                        \
        key, kind, offsetof(struct type, member), sizeof((struct type *)0)->member, low, high, name          \
    }
#define TEXT(type, member, key) ENTRY(type, member, key, PB_FIELD_TEXT, 0, 0, NULL)
#define BOOL(type, member, key) ENTRY(type, member, key, PB_FIELD_BOOL, 0, 0, NULL)
#define TIME(type, member, key) ENTRY(type, member, key, PB_FIELD_SIGNED, INT64_MIN, INT64_MAX, NULL)
#define TIME_OR_NULL(type, member, key)                                                                      \
    ENTRY(type, member, key, PB_FIELD_SIGNED_OR_NULL, INT64_MIN + 1, INT64_MAX, NULL)
#define COUNT(type, member, key) ENTRY(type, member, key, PB_FIELD_UNSIGNED, 0, INT64_MAX, NULL)
#define UPTO(type, member, key, low, high) ENTRY(type, member, key, PB_FIELD_UNSIGNED, low, high, NULL)
#define OPTIONAL(type, member, key, high) ENTRY(type, member, key, PB_FIELD_OPTIONAL, -1, high, NULL)
#define CHOICE(type, member, key, last, name) ENTRY(type, member, key, PB_FIELD_CHOICE, 0, last, name)
#define MAYBE(type, member, key, none, last, name)                                                           \
    ENTRY(type, member, key, PB_FIELD_CHOICE_OR_NULL, none, last, name)
#define FIELDS(name, table) const struct pb_fields name = {table, sizeof table / sizeof table[0]}

#endif
