/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/unit/check_script.h"
#include "tests/bench/unit/run_fixture.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOPS_MAX = 4, CHOICES_MAX = 200, FILE_MAX = 100000, PIECES_MAX = 30 };

int64_t (*script_function)(const char *, const int64_t *, unsigned);
int64_t (*script_tick)(uint32_t, unsigned);

static const struct script_case *now;
static char present[SCRIPT_PIECE]; /* the piece that is run, its variables replaced */
static const char *rest;

void script_fail(const char *format, ...)
{
    char text[2000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fail_msg("%s: %s: %s", now->name, present, text);
    abort();
}

/* ---- files */

/* Cuts the text of a case, "NAME: PIECE; PIECE ...", which may go on in lines that begin with a blank. */
static struct script_case cut_case(char *text, const char *setup, const char *path)
{
    struct script_case it = {.setup = setup, .piece = calloc(PIECES_MAX, sizeof *it.piece)};
    char *body = strchr(text, ':'), *at;
    size_t count = 0;
    assert_non_null(it.piece);
    if (!body)
        fail_msg("%s: a case without ':': %s", path, text);
    *body++ = '\0';
    while ((at = strpbrk(body, "\n#")) && *at == '\n' && at[1] == ' ')
        *at = ' ';
    if (at)
        *at = '\0';
    const char *file = strrchr(path, '/') + 1;
    it.name = calloc(1, strlen(file) + strlen(text) + 1);
    assert_non_null(it.name);
    sprintf(it.name, "%.*s/%s", (int)strcspn(file, "."), file, text);
    for (char *more; body; body = more) {
        more = strstr(body, "; ");
        if (more) {
            *more = '\0';
            more += 2;
        }
        body += strspn(body, " ");
        if (count + 2 > PIECES_MAX || strlen(body) >= SCRIPT_PIECE)
            fail_msg("%s: too long: %s", it.name, body);
        it.piece[count++] = body;
    }
    return it;
}

static void read_file(struct script *script, const char *path)
{
    char *text = calloc(1, FILE_MAX);
    FILE *file = fopen(path, "r");
    assert_non_null(text);
    assert_non_null(file);
    assert_in_range(fread(text, 1, FILE_MAX - 1, file), 1, FILE_MAX - 2);
    fclose(file);
    for (char *at = strstr(text, "\ncase "), *next; at; at = next) {
        next = strstr(at + 1, "\ncase ");
        *at = '\0';
        if (next)
            *next = '\0';
        script->it = realloc(script->it, (script->count + 1) * sizeof *script->it);
        assert_non_null(script->it);
        script->it[script->count++] = cut_case(at + 6, text, path);
        if (next)
            *next = '\n';
    }
}

void script_read(struct script *script, const char *folder)
{
    glob_t found;
    *script = (struct script){0};
    assert_int_equal(glob(formatted("%s/*.cases", folder), 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        read_file(script, found.gl_pathv[i]);
    globfree(&found);
}

void script_free(struct script *script)
{
    for (size_t i = 0; i < script->count; i++) {
        if (i == 0 || script->it[i].setup != script->it[i - 1].setup)
            free((void *)(uintptr_t)script->it[i].setup);
        free(script->it[i].name);
        free(script->it[i].piece);
    }
    free(script->it);
}

/* ---- loops */

struct loop {
    char names[80], choice[CHOICES_MAX][80];
    unsigned choices, at;
};
static struct loop loop[LOOPS_MAX];
static unsigned loops;

/* "each NAME[,NAME] CHOICE...": a choice is a list like the names, or FROM..TO[/STEP]. */
static void read_loop(const char *piece)
{
    char text[SCRIPT_PIECE], *more = text;
    if (loops == LOOPS_MAX)
        script_fail("more than %d loops", LOOPS_MAX);
    struct loop *one = &loop[loops++];
    *one = (struct loop){.choices = 0};
    snprintf(text, sizeof text, "%s", piece);
    snprintf(one->names, sizeof one->names, "%s", strtok_r(text, " ", &more));
    for (char *word; (word = strtok_r(NULL, " ", &more));) {
        int from, to, step = 1;
        const bool range = sscanf(word, "%d..%d/%d", &from, &to, &step) >= 2;
        for (int value = range ? from : 0; value <= (range ? to : 0); value += step) {
            if (one->choices == CHOICES_MAX)
                script_fail("more than %d choices", CHOICES_MAX);
            if (range)
                snprintf(one->choice[one->choices++], sizeof one->choice[0], "%d", value);
            else
                snprintf(one->choice[one->choices++], sizeof one->choice[0], "%s", word);
        }
    }
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The text of a variable in this choice; NULL: there is no such. */
static const char *choice_of(const char *name, size_t length, char *value, size_t size)
{
    for (unsigned i = 0; i < loops; i++) {
        const char *at = loop[i].names, *chosen = loop[i].choice[loop[i].at];
        const bool alone = !strchr(at, ','); /* then its choices may have commas of their own */
        for (;;) {
            const size_t here = strcspn(at, ","), there = strcspn(chosen, alone ? "" : ",");
            if (here == length && !strncmp(at, name, length)) {
                snprintf(value, size, "%.*s", (int)there, chosen);
                return value;
            }
            if (!at[here])
                break;
            at += here + 1;
            chosen += there + (chosen[there] == ',');
        }
    }
    return NULL;
}

static void replace_variables(char *to, const char *from, const char *i_value)
{
    size_t count = 0;
    char value[80];
    while (*from && count < SCRIPT_PIECE - 80) {
        size_t length = 0;
        while (*from == '$' && is_name(from[1 + length]))
            length++;
        const char *with = NULL;
        if (length == 1 && from[1] == 'i')
            with = i_value; /* before it is known: as it is */
        else if (length && !(with = choice_of(from + 1, length, value, sizeof value)))
            script_fail("no such variable: %.*s", (int)length, from + 1);
        if (with)
            count += (size_t)snprintf(to + count, SCRIPT_PIECE - count, "%s", with);
        else
            to[count++] = *from;
        from += with ? length + 1 : 1;
    }
    to[count] = '\0';
}

static void run_piece(const char *piece, const char *i_value, void (*word)(const char *))
{
    replace_variables(present, piece, i_value);
    rest = present;
    if (script_take("repeat ")) {
        const int64_t times = script_number();
        const char *again = strstr(piece, "repeat ") + 7; /* as it was written */
        again += strcspn(again, " ") + 1;
        for (int64_t i = 0; i < times; i++) {
            run_piece(again, formatted("%lld", (long long)i), word);
        }
        return;
    }
    word(script_word());
    if (script_more())
        script_fail("what is '%s'?", rest);
}

static bool next_choice(void)
{
    for (unsigned i = 0; i < loops; i++) {
        if (++loop[i].at < loop[i].choices)
            return true;
        loop[i].at = 0;
    }
    return false;
}

void script_run(const struct script_case *it, void (*begin)(const struct script_case *),
                void (*word)(const char *))
{
    now = it;
    loops = 0;
    present[0] = '\0';
    for (char **piece = it->piece; *piece; piece++)
        if (!strncmp(*piece, "each ", 5))
            read_loop(*piece + 5);
    do {
        begin(it);
        for (char **piece = it->piece; *piece; piece++)
            if (strncmp(*piece, "each ", 5))
                run_piece(*piece, NULL, word);
    } while (next_choice());
}

/* ---- words */

bool script_more(void)
{
    rest += strspn(rest, " ");
    return *rest != '\0';
}

bool script_take(const char *text)
{
    const size_t length = strlen(text);
    if (strncmp(rest, text, length))
        return false;
    rest += length;
    return true;
}

const char *script_text(const char *ends)
{
    static char text[4][SCRIPT_PIECE];
    static unsigned which = 0;
    which = (which + 1) % 4;
    const size_t length = strcspn(rest, ends);
    memcpy(text[which], rest, length);
    text[which][length] = '\0';
    rest += length;
    return text[which];
}

const char *script_peek(const char *ends)
{
    const char *const here = rest, *const text = script_text(ends);
    rest = here;
    return text;
}

const char *script_word(void)
{
    if (!script_more())
        script_fail("a word is missing");
    return script_text(" ");
}

void script_again(const char *text, void (*reader)(void *), void *argument)
{
    const char *const here = rest;
    rest = text;
    reader(argument);
    rest = here;
}

/* ---- expressions: of the weakest operator first */

static int64_t comparison(void);

static int64_t call(const char *name)
{
    int64_t argument[4];
    unsigned arguments = 0;
    if (script_take("("))
        do {
            if (arguments == 4)
                script_fail("too many arguments");
            argument[arguments++] = comparison();
        } while (script_take(","));
    if (arguments && !script_take(")"))
        script_fail("')' is missing before '%s'", rest);
    return script_function(name, argument, arguments);
}

int64_t script_primary(void)
{
    char name[40];
    size_t length = 0;
    if (script_take("(")) {
        const int64_t value = comparison();
        if (!script_take(")"))
            script_fail("')' is missing before '%s'", rest);
        return value;
    }
    if (script_take("-"))
        return -script_primary();
    if (script_take("'")) {
        const int64_t value = *rest++;
        if (!script_take("'"))
            script_fail("' is missing before '%s'", rest);
        return value;
    }
    if (isdigit((unsigned char)*rest)) {
        char *end;
        const int64_t value = strtoll(rest, &end, 0);
        rest = end;
        return script_take("us") ? value * 48 : value;
    }
    while (is_name(rest[length]) || (length && rest[length] == '.'))
        length++;
    if (!length || length >= sizeof name)
        script_fail("no number: '%s'", rest);
    memcpy(name, rest, length);
    name[length] = '\0';
    rest += length;
    return call(name);
}

static int64_t instant(void)
{
    const int64_t value = script_primary();
    if (!script_take(":"))
        return value;
    return script_tick((uint32_t)value, (unsigned)script_primary());
}

static int64_t product(void)
{
    int64_t value = instant();
    for (;;) {
        if (script_take("*"))
            value *= instant();
        else if (*rest == '/' || *rest == '%') {
            const bool quotient = *rest++ == '/';
            const int64_t by = instant();
            if (!by)
                script_fail("divided by 0");
            value = quotient ? value / by : value % by;
        } else
            return value;
    }
}

static int64_t sum(void)
{
    int64_t value = product();
    for (;;) {
        if (script_take("+"))
            value += product();
        else if (script_take("-"))
            value -= product();
        else
            return value;
    }
}

static int64_t comparison(void)
{
    int64_t value = sum();
    static const char *const operator[] = {"==", "!=", "<=", ">=", "<", ">"};
    for (unsigned i = 0; i < COUNT(operator); i++)
        if (script_take(operator[i])) {
            const int64_t right = sum();
            const bool truth[] = {value == right, value != right, value <= right, value >= right,
                                  value<right, value> right};
            return truth[i];
        }
    return value;
}

int64_t script_number(void)
{
    script_more();
    return comparison();
}
