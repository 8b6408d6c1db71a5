/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * `phasebench describe < FILE`: prints the file with its generated blocks made anew. `make front` uses it for
 * docs/reference/scenario.md, `make install` for the manual pages. A block is between a line with "generated:
 * NAME" and a line with "end of generated"; in a manual page such a comment is replaced by its block. NAME is
 * a row of `blocks`, and its argument. */
#include "cli.h"

#include "host/scenario/key_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- the manual page */

static void put_argument(const struct cli_option *option)
{
    fputs(option->argument ? " Ar " : "", stdout);
    for (const char *c = option->argument; c && *c; c++)
        putchar(tolower((unsigned char)*c));
}

/* A sentence begins with a capital letter, unless a word of a file or of the command is its first one, as
 * "nodes[0]" or "jitter:". */
static void man_sentence(const char *text)
{
    const size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz-,");
    putchar(text[word] && text[word] != ' ' ? *text : toupper((unsigned char)*text));
    fputs(text + 1, stdout);
}

/* Each sentence on a line of its own, none of which is taken for a macro. */
static void man_line(const char *text, size_t length, bool literal)
{
    for (size_t i = 0; i < length; i++) {
        const bool begins = i == 0 || (!literal && text[i] == ' ' && text[i - 1] == '.' &&
                                       isupper((unsigned char)text[i + 1]));
        if (begins)
            fputs(strchr(".'", text[i]) ? "\\&" : i ? "\n" : "", stdout);
        if (!begins || !i)
            putchar(text[i]);
    }
    putchar('\n');
}

/* Lines as help has them: one that begins with blanks is kept as it is, an empty one begins a paragraph. */
static void man_lines(const char *text)
{
    bool literal = false;
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        if ((*text == ' ') != literal)
            puts(literal ? ".Ed" : ".Bd -literal -compact");
        literal = *text == ' ';
        if (*text == '\n')
            puts(".Pp");
        else
            man_line(text, strcspn(text, "\n"), literal);
    }
    if (literal)
        puts(".Ed");
}

/* The section of a verb. */
static bool man_verb(const char *name)
{
    const struct cli_verb *const *verb = cli_verbs;
    while (*verb && strcmp((*verb)->name, name) != 0)
        verb++;
    if (!*verb)
        return false;
    printf(".Ss %s\n", name);
    for (const char *line = (*verb)->usage; *line; line += strcspn(line, "\n"), line += *line == '\n')
        printf(".D1 phasebench %s %.*s\n", name, (int)strcspn(line, "\n"), line);
    puts(".Pp");
    man_lines((*verb)->about);
    puts(".Bl -tag -width Ds");
    for (const struct cli_option *option = (*verb)->options; option->name; option++) {
        char sentence[CLI_SENTENCE_SIZE];
        cli_sentence(option, sentence);
        printf(".It Fl -%s", option->name);
        put_argument(option);
        if (option->letter) {
            printf(" , Fl %c", option->letter);
            put_argument(option);
        }
        putchar('\n');
        man_sentence(sentence);
        puts(".");
        if (cli_default(option))
            printf("Default: %s.\n", cli_default(option));
    }
    puts(".El");
    if ((*verb)->more) {
        puts(".Pp");
        man_lines((*verb)->more);
    }
    return true;
}

/* ---- the keys of a scenario */

static void find_example(const struct pb_key_row *row, void *any)
{
    *(bool *)any |= row->example != NULL;
}

static void markdown_row(const struct pb_key_row *row, void *examples)
{
    printf("| %s | %s | %s |", row->name, row->range, row->otherwise ? row->otherwise : "");
    if (*(bool *)examples)
        printf(row->example ? " `%s` |" : " |", row->example);
    printf(" %s |\n", row->meaning);
}

static bool markdown_keys(const char *section)
{
    bool examples = false;
    pb_key_rows(section, find_example, &examples);
    printf("| key | range | default |%s meaning |\n|---|---|---|%s---|\n", examples ? " example |" : "",
           examples ? "---|" : "");
    return pb_key_rows(section, markdown_row, &examples);
}

static void man_row(const struct pb_key_row *row, void *unused)
{
    char text[512];
    (void)unused;
    printf(".It Cm %s\n", pb_key_plain(text, row->name));
    pb_key_plain(text, row->range);
    /* A word of the file stays as it is written there. */
    printf("%c%s: ", *row->range == '`' ? *text : toupper((unsigned char)*text), text + 1);
    printf("%s.\n", pb_key_plain(text, row->meaning));
    if (row->otherwise)
        printf("Default: %s.\n", pb_key_plain(text, row->otherwise));
}

static bool man_keys(const char *section)
{
    puts(".Bl -tag -width Ds");
    const bool known = pb_key_rows(section, man_row, NULL);
    puts(".El");
    return known;
}

static void help_row(const struct pb_key_row *row, void *width)
{
    char text[512], line[1400];
    int length = snprintf(line, sizeof line, "  %-*s  ", *(int *)width, pb_key_plain(text, row->name));
    length += snprintf(line + length, sizeof line - (size_t)length, "%s: ", pb_key_plain(text, row->range));
    length += snprintf(line + length, sizeof line - (size_t)length, "%s", pb_key_plain(text, row->meaning));
    if (row->otherwise)
        snprintf(line + length, sizeof line - (size_t)length, " (%s)", pb_key_plain(text, row->otherwise));
    cli_wrap(stdout, line, (unsigned)*(int *)width + 2);
}

int cli_print_keys(void)
{
    static const char *const sections[] = {"scenario", "network", "cube",   "link",   "clock",
                                           "nodes",    "traffic", "limits", "faults", "other"};
    int width = 15;
    puts("Keys of a scenario file: what each may be, what it means (default).");
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        printf("\n%s\n", i == 0 ? "at the top" : sections[i]);
        pb_key_rows(sections[i], help_row, &width);
    }
    return cli_flush();
}

/* ---- blocks */

static const struct {
    const char *name;
    bool (*print)(const char *rest); /* false: there is no such block */
} blocks[] = {{"verb ", man_verb}, {"keys ", markdown_keys}, {"list ", man_keys}};

static int print_block(const char *name)
{
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        const size_t length = strlen(blocks[i].name);
        if (strncmp(name, blocks[i].name, length) == 0 && blocks[i].print(name + length))
            return CLI_PASS;
    }
    return cli_fail(CLI_USAGE, "describe: unknown block '%s'; give verb VERB, keys SECTION or list SECTION",
                    name);
}

int cli_generate(void)
{
    static const char begin[] = "generated: ";
    char *line = NULL;
    size_t size = 0;
    bool inside = false;
    int exit_code = CLI_PASS;
    while (exit_code == CLI_PASS && getline(&line, &size, stdin) > 0) {
        const char *name = strstr(line, begin);
        inside = inside && !strstr(line, "end of generated");
        if (!inside)
            fputs(line, stdout);
        if (inside || !name)
            continue;
        name += strlen(begin);
        line[strcspn(line, "\n")] = '\0';
        if (strstr(name, " -->"))
            *strstr(name, " -->") = '\0';
        exit_code = print_block(name);
        inside = *line != '.';
    }
    free(line);
    return cli_worse(exit_code, cli_flush());
}
