/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * `phasebench complete WORD...`, called by the completions of the shells: completes the last of the words
 * after "phasebench". Prints a line for each candidate, with a tab and a description; ":file" or ":folder"
 * represents the candidates that the shell itself finds. */
#include "cli.h"
#include "host/procedure/suite/find_scenarios.h"

#include <string.h>

static void offer(const char *word, const char *text)
{
    printf("%s\t%s\n", word, text);
}

static const struct cli_verb *offer_verbs(const char *wanted)
{
    for (const struct cli_verb *const *verb = cli_verbs; *verb; verb++) {
        if (wanted && strcmp((*verb)->name, wanted) == 0)
            return *verb;
        if (!wanted)
            offer((*verb)->name, (*verb)->summary);
    }
    return NULL;
}

static void offer_options(const struct cli_verb *verb)
{
    for (const struct cli_option *option = verb->options; option->name; option++)
        printf("--%s\t%s\n", option->name, option->help);
    offer("--help", "this text");
}

static void offer_values(const struct cli_option *option)
{
    if (option->kind == CLI_FOLDER || option->kind == CLI_FILE)
        puts(option->kind == CLI_FOLDER ? ":folder" : ":file");
    for (const char *word = option->words; word && *word; word += strcspn(word, " "), word += *word == ' ')
        printf("%.*s\t\n", (int)strcspn(word, " "), word);
}

static void offer_scenarios(void)
{
    struct find_list list = {.path = NULL};
    char name[FIND_PATH_SIZE];
    struct pb_diag diag;
    const int code = find_all_shipped(&list, &diag);
    if (code)
        cli_outcome(code, &diag);
    else
        for (size_t i = 0; i < list.count; i++) {
            struct pb_scenario *scenario;
            find_name(name, list.path[i]);
            if (pb_scenario_load(&scenario, list.path[i], NULL))
                continue;
            printf("%s\t", name);
            cli_say("%s", scenario->description);
            pb_scenario_free(scenario);
        }
    find_free(&list);
}

/* The option that takes the next word as its value; NULL: none. */
static const struct cli_option *waiting(const struct cli_verb *verb, const char *word)
{
    for (const struct cli_option *option = verb->options; option->name; option++) {
        const bool is = strncmp(word, "--", 2) == 0
                            ? strcmp(word + 2, option->name) == 0
                            : word[0] == '-' && option->letter && word[1] == option->letter && !word[2];
        if (is && option->argument)
            return option;
    }
    return NULL;
}

int cli_complete(int words, char **word)
{
    const bool help = words > 1 && strcmp(word[0], "help") == 0;
    if (words == 1) {
        offer_verbs(NULL);
        offer("help", "options, exit codes and examples of a verb");
        offer("--help", "this text");
        offer("--version", "version and register map");
    } else if (help && words == 2) {
        offer_verbs(NULL);
        offer("scenario", "keys of a scenario file");
    } else if (words > 1 && !help) {
        const struct cli_verb *verb = offer_verbs(word[0]);
        const struct cli_option *option = verb && words > 2 ? waiting(verb, word[words - 2]) : NULL;
        if (option)
            offer_values(option);
        else if (verb && word[words - 1][0] == '-')
            offer_options(verb);
        else if (verb && verb->first && words == 2)
            for (unsigned i = 0; verb->first(i); i++)
                printf("%s\t\n", verb->first(i));
        else if (verb && verb->operand == CLI_OPERAND_SCENARIO)
            offer_scenarios();
        if (verb && !option && word[words - 1][0] != '-' && verb->operand >= CLI_OPERAND_FILE)
            puts(":file");
    }
    return cli_flush();
}
