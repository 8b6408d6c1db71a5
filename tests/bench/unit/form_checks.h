/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Readers of the forms, which share nothing with the writers. Each stops the test where a rule of the format
 * is broken.
 */
#ifndef PB_TESTS_FORM_CHECKS_H
#define PB_TESTS_FORM_CHECKS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

size_t check_count(const char *text, const char *part);

/* Another program: whether it is installed; its exit status with the text as its input. */
bool check_installed(const char *program);
void check_junit(const char *text); /* by xmllint and the schema of each reader in tests/cli/junit */
int check_run(const char *command, const char *text);

/* Text: no line is wider, except the last one, a command to copy; none ends with a blank. */
void check_width(const char *text, size_t columns);

/* The TAP that is allowed here: version, plan, points in order, each with at most one YAML block. A `#` of a
 * description is escaped, except a directive SKIP. */
void check_tap(const char *text, size_t points, bool ok[]);

/* HTML: elements closed in order, UTF-8, nothing from outside, no script but host/report/timeline.js
 * and the JSON that it draws; links only to files in its directory. */
void check_html(const char *html);

/* One record of CSV by the grammar of RFC 4180: field *(COMMA field) CRLF. Returns what follows. */
#define CHECK_FIELD 600
const char *check_record(const char *at, unsigned columns, char (*field)[CHECK_FIELD]);

/* The part of JSON Schema that the schemas use, without pattern. */
json_t *check_load_schema(const char *path);
void check_schema(const json_t *root, const json_t *schema, const json_t *value, const char *where);

#endif
