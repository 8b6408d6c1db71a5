/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * `phasebench describe < FILE`: the file with what is generated in it made anew. `make gen` does so with the
 * manual pages. A block is between a line with "generated: NAME" and one with "end of generated"; NAME is a row
 * of `blocks`, and what follows it. */
#include "cli.h"

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

/* `name` is that of a verb. */
static bool man_options(const char *name)
{
    const struct cli_verb *const *verb = cli_verbs;
    while (*verb && strcmp((*verb)->name, name) != 0)
        verb++;
    if (!*verb)
        return false;
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
        printf("\n%c%s.\n", toupper((unsigned char)*sentence), sentence + 1);
        if (cli_default(option))
            printf("Default: %s.\n", cli_default(option));
    }
    puts(".El");
    return true;
}

/* ---- blocks */

static const struct {
    const char *name;
    bool (*print)(const char *rest); /* false: there is no such block */
} blocks[] = {{"options ", man_options}};

static int print_block(const char *name)
{
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        const size_t length = strlen(blocks[i].name);
        if (strncmp(name, blocks[i].name, length) == 0 && blocks[i].print(name + length))
            return CLI_PASS;
    }
    return cli_fail(CLI_USAGE, "describe: unknown block '%s'; give options VERB", name);
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
        inside = true;
    }
    free(line);
    return cli_worse(exit_code, cli_flush());
}
