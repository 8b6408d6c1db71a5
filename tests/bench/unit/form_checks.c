/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "form_checks.h"

#include "host/base/utf8.h"
#include "report_fixture.h"
#include "tests/bench/unit/tests.h"

#include <stdlib.h>
#include <string.h>

size_t check_count(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        count++;
    return count;
}

bool check_installed(const char *program)
{
    const char *command = formatted("command -v %s >/dev/null 2>&1", program);
    return system(command) == 0;
}

int check_run(const char *command, const char *text)
{
    FILE *pipe = popen(command, "w");
    assert_non_null(pipe);
    assert_true(fputs(text, pipe) >= 0);
    return pclose(pipe);
}

void check_junit(const char *text)
{
    static const char *const reader[] = {"xunit", "gitlab", "common"};
    for (size_t i = 0; i < sizeof reader / sizeof reader[0]; i++)
        assert_int_equal(
            check_run(formatted("xmllint --noout --schema tests/cli/junit/%s.xsd - 2>/dev/null", reader[i]),
                      text),
            0);
}

void check_width(const char *text, size_t columns)
{
    const char *last = strrchr(text, '\n');
    while (last > text && last[-1] != '\n')
        last--;
    for (const char *line = text; line < last; line = strchr(line, '\n') + 1) {
        size_t width = strcspn(line, "\n");
        if (width > columns || (width && line[width - 1] == ' '))
            fail_msg("%zu characters or blanks at the end: %.*s", width, (int)width, line);
    }
}

void check_tap(const char *text, size_t points, bool ok[])
{
    unsigned long planned = 0, point = 0;
    bool in_block = false;
    int line_number = 0;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1, line_number++) {
        assert_non_null(strchr(line, '\n'));
        char *end;
        if (line_number == 0) {
            assert_memory_equal(line, "TAP version 13\n", 15);
        } else if (line_number == 1) {
            assert_memory_equal(line, "1..", 3);
            planned = strtoul(line + 3, &end, 10);
            assert_int_equal(*end, '\n');
        } else if (!strncmp(line, "  ---\n", 6)) {
            assert_true(!in_block && point);
            in_block = true;
        } else if (!strncmp(line, "  ...\n", 6)) {
            assert_true(in_block);
            in_block = false;
        } else if (in_block) {
            assert_memory_equal(line, "  ", 2);
        } else if (*line != '#') {
            bool failed = !strncmp(line, "not ", 4);
            line += failed ? 4 : 0;
            assert_memory_equal(line, "ok ", 3);
            assert_int_equal(strtoul(line + 3, &end, 10), point + 1);
            assert_memory_equal(end, " - ", 3);
            for (const char *at = end; *at != '\n'; at++)
                if (*at == '#' && strncmp(at, "# SKIP ", 7))
                    assert_int_equal(at[-1], '\\');
            assert_true(point < points);
            ok[point++] = !failed;
        }
    }
    assert_false(in_block);
    assert_int_equal(point, points);
    assert_int_equal(planned, points);
}

/* Every element is closed in order; attributes are double-quoted. Returns how many elements there are. */
static size_t check_tags(const char *html)
{
    char stack[32][24];
    size_t depth = 0, elements = 0;
    const char *at = strchr(html, '\n'); /* after the doctype */
    while ((at = strchr(at, '<')) != NULL) {
        bool closing = at[1] == '/';
        const char *name = at + 1 + closing;
        size_t length = strcspn(name, " />\n");
        const char *end = name;
        for (bool quoted = false; *end && (quoted || *end != '>'); end++)
            quoted ^= *end == '"';
        assert_true(*end == '>' && length > 0 && length < 24);
        bool empty = end[-1] == '/' || !strncmp(name, "meta", 4);
        if (closing) {
            assert_true(depth > 0);
            depth--;
            if (strlen(stack[depth]) != length || strncmp(stack[depth], name, length))
                fail_msg("<%s> is closed by </%.*s>", stack[depth], (int)length, name);
        } else {
            elements++;
            if (!empty) {
                assert_true(depth < 32);
                snprintf(stack[depth++], sizeof stack[0], "%.*s", (int)length, name);
            }
        }
        at = end;
    }
    assert_int_equal(depth, 0);
    return elements;
}

/* Takes out what begins with `tag` and ends with </script>; its content goes to `check`. Returns how many. */
static unsigned take_scripts(char *html, const char *tag, void (*check)(const char *content))
{
    static const char end_tag[] = "</script>";
    unsigned taken = 0;
    for (char *at = html, *end; (at = strstr(at, tag)) != NULL; taken++) {
        end = strstr(at, end_tag);
        assert_non_null(end);
        *end = '\0';
        check(at + strlen(tag));
        end += strlen(end_tag);
        memmove(at, end, strlen(end) + 1);
    }
    return taken;
}

static void check_timeline_data(const char *content)
{
    json_error_t error;
    json_t *data = json_loads(content, JSON_REJECT_DUPLICATES, &error);
    if (!data)
        fail_msg("%d: %s", error.line, error.text);
    assert_null(strchr(content, '<'));
    json_decref(data);
}

static void check_script(const char *content)
{
    assert_string_equal(content, file_read("host/report/timeline.js", NULL));
}

static void check_markup(const char *html);
void check_html(const char *html)
{
    char *markup = strdup(html);
    const unsigned scripts = take_scripts(markup, "<script>", check_script);
    const unsigned timelines =
        take_scripts(markup, "<script type=\"application/json\">", check_timeline_data);
    assert_true(scripts <= 1 && timelines == check_count(html, "<svg class=\"timeline\""));
    assert_int_equal(check_count(html, "script-src 'sha256-"), scripts);
    assert_true(scripts || !timelines);
    check_markup(markup);
    free(markup);
}

static void check_markup(const char *html)
{
    static const char *const forbidden[] = {
        "http:", "https:", "src=",   "<script", "<link", "<img", "<iframe", "@import",
        "url(h", "url(/",  "url(\"", "javascript:", "onload",  "\x01",  "\x1b", "\xff",    "\xe2\x80\xae"};
    for (size_t i = 0; i < sizeof forbidden / sizeof forbidden[0]; i++)
        fixture_lacks(html, forbidden[i]);
    assert_true(check_tags(html) > 40);
    /* A link leads to a file in the directory of the page: no scheme, no host, no root. */
    for (const char *at = html; (at = strstr(at, "href=")) != NULL;) {
        at += strlen("href=\"");
        const size_t length = strcspn(at, "\"");
        assert_true(length > 0 && *at != '/' && !memchr(at, ':', length));
    }
    char valid[16];
    for (const char *at = html; *at;) {
        const char *before = at;
        uint32_t code = pb_utf8_next(&at);
        size_t length = pb_utf8_put(valid, code);
        assert_memory_equal(before, valid, length); /* no byte had to be replaced */
    }
}

const char *check_record(const char *at, unsigned columns, char (*field)[CHECK_FIELD])
{
    for (unsigned column = 0; column < columns; column++) {
        size_t used = 0;
        const bool escaped = *at == '"';
        at += escaped;
        for (;; at++) {
            assert_true(*at && used + 1 < CHECK_FIELD);
            if (escaped && at[0] == '"' && at[1] == '"')
                at++;
            else if (escaped ? *at == '"' : strchr(",\r\n", *at) != NULL)
                break;
            else
                assert_true(escaped || *at != '"');
            field[column][used++] = *at;
        }
        field[column][used] = 0;
        at += escaped;
        if (column + 1 < columns)
            assert_int_equal(*at++, ',');
    }
    assert_memory_equal(at, "\r\n", 2);
    return at + 2;
}

json_t *check_load_schema(const char *path)
{
    json_error_t error;
    json_t *schema = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!schema)
        fail_msg("%s:%d: %s", path, error.line, error.text);
    return schema;
}

static bool has_type(const json_t *value, const char *type)
{
    return (!strcmp(type, "object") && json_is_object(value)) ||
           (!strcmp(type, "array") && json_is_array(value)) ||
           (!strcmp(type, "string") && json_is_string(value)) ||
           (!strcmp(type, "integer") && json_is_integer(value)) ||
           (!strcmp(type, "boolean") && json_is_boolean(value)) ||
           (!strcmp(type, "null") && json_is_null(value));
}

void check_schema(const json_t *root, const json_t *schema, const json_t *value, const char *where)
{
    static const char prefix[] = "#/$defs/";
    const char *reference = json_string_value(json_object_get(schema, "$ref"));
    if (reference) {
        assert_memory_equal(reference, prefix, strlen(prefix));
        const json_t *target = json_object_get(json_object_get(root, "$defs"), reference + strlen(prefix));
        assert_non_null(target);
        check_schema(root, target, value, where);
    }
    const json_t *condition = json_object_get(schema, "if"); /* on members alone */
    if (condition) {
        bool met = true;
        size_t k;
        json_t *needed;
        json_array_foreach(json_object_get(condition, "required"), k, needed) met &=
            json_object_get(value, json_string_value(needed)) != NULL;
        check_schema(root, json_object_get(schema, met ? "then" : "else"), value, where);
    }
    const json_t *constant = json_object_get(schema, "const"), *type = json_object_get(schema, "type");
    if (constant && !json_equal(constant, value))
        fail_msg("%s is not the constant", where);
    bool typed = !type || (json_is_string(type) && has_type(value, json_string_value(type)));
    size_t i;
    json_t *entry;
    json_array_foreach((json_t *)type, i, entry) typed |= has_type(value, json_string_value(entry));
    if (!typed)
        fail_msg("%s has the wrong type", where);
    bool listed = !json_object_get(schema, "enum");
    json_array_foreach(json_object_get(schema, "enum"), i, entry) listed |= json_equal(entry, value) != 0;
    if (!listed)
        fail_msg("%s is not in the enum", where);
    const json_t *minimum = json_object_get(schema, "minimum"), *maximum = json_object_get(schema, "maximum");
    if (json_is_integer(value) && ((minimum && json_integer_value(value) < json_integer_value(minimum)) ||
                                   (maximum && json_integer_value(value) > json_integer_value(maximum))))
        fail_msg("%s is out of range", where);
    json_array_foreach(json_object_get(schema, "required"), i,
                       entry) if (json_is_object(value) && !json_object_get(value, json_string_value(entry)))
        fail_msg("%s lacks %s", where, json_string_value(entry));
    const json_t *items = json_object_get(schema, "items");
    if (json_array_size(value) < (size_t)json_integer_value(json_object_get(schema, "minItems")) ||
        (json_object_get(schema, "maxItems") &&
         json_array_size(value) > (size_t)json_integer_value(json_object_get(schema, "maxItems"))))
        fail_msg("%s has the wrong length", where);
    json_array_foreach((json_t *)value, i, entry) if (items) check_schema(root, items, entry, where);
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *additional = json_object_get(schema, "additionalProperties");
    const char *key;
    json_object_foreach((json_t *)value, key, entry)
    {
        const json_t *property = json_object_get(properties, key);
        if (!property && json_is_false(additional))
            fail_msg("%s.%s is not in the schema", where, key);
        if (property || json_is_object(additional))
            check_schema(root, property ? property : additional, entry, key);
    }
}
