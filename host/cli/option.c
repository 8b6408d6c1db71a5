/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "option.h"

#include "cli.h"
#include "file_clash.h"
#include "network.h"

#include "host/base/form.h"
#include "host/base/nearest_word.h"
#include "phasebench/number.h"
#include "phasebench/rig.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Values of long options, so that they are no characters. */
enum { LONG_OPTION = 256, WORDS_MAX = 24 };

enum { DAY_S = 86400, SPAN_MAX_DAYS = 45 };
#define SPAN_RANGE "whole seconds 1s..%dd with %s"

/* ---- values */

/* "a, b or c" */
static void choice_text(const char *words, char *out, size_t size)
{
    const char *word[WORDS_MAX];
    char text[CLI_SENTENCE_SIZE];
    const size_t count = pb_words(words, text, sizeof text, word, WORDS_MAX);
    *out = '\0';
    for (size_t i = 0; i < count; i++)
        snprintf(out + strlen(out), size - strlen(out), "%s%s",
                 i == 0           ? ""
                 : i + 1 == count ? " or "
                                  : ", ",
                 word[i]);
}

static bool take_choice(const struct cli_option *option, const char *name, const char *argument,
                        unsigned *value)
{
    const char *word[WORDS_MAX];
    char text[CLI_SENTENCE_SIZE], known[CLI_SENTENCE_SIZE], hint[PB_HINT_SIZE];
    const size_t count = pb_words(option->words, text, sizeof text, word, WORDS_MAX);
    for (size_t i = 0; i < count; i++)
        if (strcmp(argument, word[i]) == 0) {
            *value = (unsigned)i;
            return true;
        }
    choice_text(option->words, known, sizeof known);
    cli_fail(CLI_USAGE, "%s is '%s'; give %s%s", name, argument, known,
             pb_hint(hint, "", argument, word, count, ""));
    return false;
}

static bool is_number(const struct cli_option *option)
{
    return option->kind == CLI_COUNT || option->kind == CLI_NUMBER || option->kind == CLI_DECIMAL;
}

/* "LOW..HIGH unit, at most 3 decimals", and the units that the number may have. */
static int range_text(const struct cli_option *option, char *out, size_t size)
{
    char low[PB_FORM_FIXED_SIZE], high[PB_FORM_FIXED_SIZE], decimals[40] = "";
    const char *units = pb_quantity_units(option->quantity);
    if (option->decimals)
        snprintf(decimals, sizeof decimals, ", at most %u decimals", option->decimals);
    if (option->most == UINT64_MAX)
        snprintf(high, sizeof high, "%" PRIu64, option->most);
    else
        pb_form_fixed(high, (int64_t)option->most, option->decimals);
    return snprintf(out, size, "%s..%s%s%s%s%s%s",
                    pb_form_fixed(low, (int64_t)option->least, option->decimals), high,
                    option->unit ? " " : "", option->unit ? option->unit : "", decimals,
                    units ? ", or a number with " : "", units ? units : "");
}

/* The number in steps of the field: without a unit, or with one of the quantity. */
static bool read_number(const struct cli_option *option, const char *argument, uint64_t *value)
{
    const int64_t step = option->step ? option->step : 1;
    int64_t base;
    if (option->kind == CLI_DECIMAL ? pb_parse_decimal(argument, strlen(argument), option->decimals, value)
                                    : pb_parse_number(argument, strlen(argument), value))
        return true;
    if (option->quantity == PB_QUANTITY_NONE || pb_quantity_parse(argument, option->quantity, &base) ||
        base < 0 || base % step)
        return false;
    *value = (uint64_t)(base / step);
    return true;
}

static bool take_number(const struct cli_option *option, const char *name, const char *argument,
                        uint64_t *value)
{
    char range[CLI_SENTENCE_SIZE];
    if (read_number(option, argument, value) && *value >= option->least && *value <= option->most)
        return true;
    range_text(option, range, sizeof range);
    cli_fail(CLI_USAGE, "%s is '%s'; give %s%s", name, argument,
             option->kind == CLI_DECIMAL ? "" : "a whole number ", range);
    return false;
}

static bool take_span(const char *name, const char *argument, uint64_t *seconds)
{
    int64_t value;
    if (pb_quantity_parse(argument, PB_QUANTITY_SPAN, &value) || value < 1 ||
        value > (int64_t)SPAN_MAX_DAYS * DAY_S) {
        cli_fail(CLI_USAGE, "%s is '%s'; give " SPAN_RANGE ", as 90m", name, argument, SPAN_MAX_DAYS,
                 pb_quantity_units(PB_QUANTITY_SPAN));
        return false;
    }
    *seconds = (uint64_t)value;
    return true;
}

/* False: the argument was refused, and that reported. */
static bool take(const struct cli_option *option, void *request, const char *argument)
{
    void *const at = (char *)request + option->at;
    char name[64];
    uint64_t number;
    snprintf(name, sizeof name, "--%s", option->name);
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)at = true;
        return true;
    case CLI_SET:
        *(unsigned *)at = (unsigned)option->least;
        return true;
    case CLI_FILE:
        if (!*argument && option->use == CLI_WRITES) {
            cli_fail(CLI_USAGE, "%s is empty; name a file", name);
            return false;
        }
        *(const char **)at = argument;
        return true;
    case CLI_TEXT:
    case CLI_FOLDER:
    case CLI_RIG:
        *(const char **)at = argument;
        return true;
    case CLI_COUNT:
        if (option->words && strcmp(argument, option->words) == 0)
            number = option->most;
        else if (!take_number(option, name, argument, &number))
            return false;
        *(unsigned *)at = (unsigned)number;
        return true;
    case CLI_NUMBER:
    case CLI_DECIMAL:
        return take_number(option, name, argument, at);
    case CLI_SPAN:
        return take_span(name, argument, at);
    case CLI_CHOICE:
        return take_choice(option, name, argument, at);
    case CLI_DIMS:
        return cli_take_dims(at, argument, (unsigned)option->most);
    case CLI_NETWORK:
        return cli_take_network(at, argument, (unsigned)option->most, (unsigned)option->least);
    }
    return false;
}

/* ---- the command line */

static unsigned option_count(const struct cli_verb *verb)
{
    unsigned count = 0;
    while (verb->options[count].name)
        count++;
    return count;
}

/* What getopt_long calls unknown: several options begin so, or none does. */
static void refuse_unknown(const struct cli_verb *verb, const char *word)
{
    const char *name[CLI_OPTIONS_MAX + 1];
    const unsigned count = option_count(verb);
    const int length = (int)strcspn(word + 2, "=");
    char given[64], list[CLI_SENTENCE_SIZE] = "", hint[PB_HINT_SIZE];
    unsigned begun = 0;
    snprintf(given, sizeof given, "%.*s", length, word + 2);
    for (unsigned i = 0; i <= count; i++) {
        name[i] = i < count ? verb->options[i].name : "help";
        if (strncmp(name[i], given, strlen(given)) == 0)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s--%s", begun++ ? ", " : "", name[i]);
    }
    if (begun > 1 && *given)
        cli_fail(CLI_USAGE, "%s: option '--%s' is ambiguous; give one of %s", verb->name, given, list);
    else
        cli_fail(CLI_USAGE, "%s: unknown option '--%s'%s Try 'phasebench help %s'", verb->name, given,
                 pb_hint(hint, "--", given, name, count + 1, "."), verb->name);
}

static void refuse(const struct cli_verb *verb, int value, const char *word)
{
    if (value == ':')
        cli_fail(CLI_USAGE, "%s: option '%s' needs a value; try 'phasebench help %s'", verb->name, word,
                 verb->name);
    else if (optopt >= LONG_OPTION)
        cli_fail(CLI_USAGE, "%s: option '%s' takes no value; leave out the '='", verb->name, word);
    else if (optopt == 'h' && strncmp(word, "--", 2) == 0)
        cli_fail(CLI_USAGE, "%s: option '%s' takes no value; leave out the '='", verb->name, word);
    else if (optopt)
        cli_fail(CLI_USAGE, "%s: unknown option '-%c'; try 'phasebench help %s'", verb->name, optopt,
                 verb->name);
    else
        refuse_unknown(verb, word);
}

/* An option that was given before and excludes this one; NULL: none. */
static const struct cli_option *excluded(const struct cli_verb *verb, const struct cli_option *option,
                                         const bool *seen)
{
    if (option->kind != CLI_SET && option->kind != CLI_DIMS && option->kind != CLI_NETWORK)
        return NULL;
    for (unsigned i = 0; verb->options[i].name; i++)
        if (seen[i] && verb->options[i].at == option->at && &verb->options[i] != option)
            return &verb->options[i];
    return NULL;
}

/* Refuses an option whose `with` is not there. */
static bool has_company(const struct cli_verb *verb, const bool *seen)
{
    for (unsigned i = 0; verb->options[i].name; i++) {
        const char *with = verb->options[i].with;
        bool there = !seen[i] || !with;
        for (unsigned j = 0; !there && verb->options[j].name; j++)
            there = seen[j] && !strcmp(verb->options[j].name, with);
        if (!there) {
            cli_fail(CLI_USAGE, "%s: --%s has no meaning without --%s; add that, or leave it out", verb->name,
                     verb->options[i].name, with);
            return false;
        }
    }
    return true;
}

static bool take_all(const struct cli_verb *verb, void *request, int argc, char **argv, int *exit_code)
{
    struct option longs[CLI_OPTIONS_MAX + 2] = {{"help", no_argument, NULL, 'h'}};
    char letters[2 * CLI_OPTIONS_MAX + 3] = ":h";
    bool seen[CLI_OPTIONS_MAX] = {false};
    const unsigned count = option_count(verb);
    int value;

    for (unsigned i = 0; i < count; i++) {
        const struct cli_option *option = &verb->options[i];
        const int argument = option->argument ? required_argument : no_argument;
        longs[i + 1] = (struct option){option->name, argument, NULL, LONG_OPTION + (int)i};
        if (option->letter)
            snprintf(letters + strlen(letters), 3, "%c%s", option->letter, option->argument ? ":" : "");
    }
    optind = 0; /* glibc: start over, with all of its hidden state, as one process may run several verbs */
    opterr = 0;
    while ((value = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        if (value == 'h') {
            *exit_code = cli_print_help(verb);
            return false;
        }
        if (value == '?' || value == ':') {
            refuse(verb, value, argv[optind - 1]);
            return false;
        }
        unsigned i = (unsigned)(value - LONG_OPTION);
        for (unsigned j = 0; value < LONG_OPTION && j < count; j++)
            i = verb->options[j].letter == value ? j : i;
        const struct cli_option *option = &verb->options[i], *other = excluded(verb, option, seen);
        if (other) {
            cli_fail(CLI_USAGE, "%s: --%s and --%s exclude each other; give one of them", verb->name,
                     other->name, option->name);
            return false;
        }
        seen[i] = true;
        if (optarg && optarg == argv[optind - 1] && !strncmp(optarg, "--", 2)) { /* a value was left out */
            cli_fail(CLI_USAGE, "%s: --%s needs a value, got '%s'; write --%s=%s if that is meant",
                     verb->name, option->name, optarg, option->name, optarg);
            return false;
        }
        if (!take(option, request, optarg))
            return false;
        if (option->given)
            *((bool *)request + option->given - 1) = true;
    }
    return has_company(verb, seen);
}

char **cli_parse(const struct cli_verb *verb, void *request, int argc, char **argv, int *exit_code)
{
    *exit_code = CLI_USAGE;
    for (const struct cli_option *option = verb->options; option->name; option++)
        if (option->initial && !take(option, request, option->initial))
            return NULL;
    if (!take_all(verb, request, argc, argv, exit_code))
        return NULL;
    const unsigned count = (unsigned)(argc - optind);
    int shape = (int)strcspn(verb->usage, "[\n"); /* the operands that are always there */
    shape -= shape && verb->usage[shape - 1] == ' ';
    if (count > verb->most)
        cli_fail(CLI_USAGE, "%s: unexpected operand '%s'; try 'phasebench help %s'", verb->name,
                 argv[optind + (int)verb->most], verb->name);
    else if (count < verb->least)
        cli_fail(CLI_USAGE, "%s: needs %u operand%s, got %u; give %.*s; try 'phasebench help %s'", verb->name,
                 verb->least, verb->least == 1 ? "" : "s", count, shape, verb->usage, verb->name);
    else
        *exit_code = clash_check(verb, request, argv + optind);
    return *exit_code == CLI_PASS ? argv + optind : NULL;
}

/* ---- options without a run */

static bool is_set(const struct cli_option *option, const void *request)
{
    const void *const at = (const char *)request + option->at;
    switch (option->kind) {
    case CLI_FLAG:
        return *(const bool *)at;
    case CLI_SET:
        return *(const unsigned *)at == (unsigned)option->least;
    case CLI_COUNT:
        return *(const unsigned *)at != (option->initial ? (unsigned)strtoul(option->initial, NULL, 10) : 0);
    case CLI_RIG:
        return pb_rig_target_of(*(const char *const *)at).replays;
    default:
        return *(const char *const *)at != NULL;
    }
}

int cli_refuse_of_run(const struct cli_verb *verb, const void *request, const char *why)
{
    char list[1024] = "";
    bool any = false;
    for (enum cli_of_run about = CLI_OF_FILES; about < CLI_OF_ALL; about++)
        for (const struct cli_option *option = verb->options; option->name; option++) {
            if (option->of_run != about)
                continue;
            any |= is_set(option, request);
            if (option->kind != CLI_RIG)
                snprintf(list + strlen(list), sizeof list - strlen(list), "%s--%s", *list ? ", " : "",
                         option->name);
        }
    return any ? cli_fail(CLI_USAGE, "%s: %s runs nothing; leave out %s and a rig replay:", verb->name, why,
                          list)
               : CLI_PASS;
}

/* ---- help */

const char *cli_default(const struct cli_option *option)
{
    return option->initial ? option->initial : option->otherwise;
}

const char *cli_sentence(const struct cli_option *option, char text[CLI_SENTENCE_SIZE])
{
    int length = snprintf(text, CLI_SENTENCE_SIZE, "%s", option->help);
    char *const end = text + length;
    const size_t room = CLI_SENTENCE_SIZE - (size_t)length;
    if (option->forms) {
        for (const struct cli_form *form = option->forms; form->name; form++)
            length += snprintf(text + length, CLI_SENTENCE_SIZE - (size_t)length, "%s%s",
                               form == option->forms ? ": " : form[1].name ? ", " : " and ", form->name);
    } else if ((is_number(option) || option->kind == CLI_DIMS) && option->most < UINT64_MAX) {
        length = snprintf(end, room, ", ");
        length += range_text(option, end + length, room - (size_t)length);
        if (option->kind == CLI_COUNT && option->words)
            snprintf(end + length, room - (size_t)length, ", or %s", option->words);
    } else if (option->kind == CLI_SPAN) {
        snprintf(end, room, ": " SPAN_RANGE, SPAN_MAX_DAYS, pb_quantity_units(PB_QUANTITY_SPAN));
    } else if (option->kind == CLI_CHOICE) {
        snprintf(end, room, ": ");
        choice_text(option->words, end + 2, room - 2);
    }
    return text;
}

void cli_wrap(FILE *stream, const char *text, unsigned hang)
{
    enum { COLUMNS = 80 };
    while (*text) {
        size_t length = strcspn(text, "\n");
        const unsigned blanks = (unsigned)strspn(text, " "), indent = blanks ? blanks + hang : 0;
        for (unsigned before = 0; before + length > COLUMNS; before = indent) {
            size_t cut = COLUMNS - before;
            while (cut > indent && text[cut] != ' ')
                cut--;
            if (cut <= (before ? 0 : indent))
                break;
            fprintf(stream, "%.*s\n%*s", (int)cut, text, (int)indent, "");
            text += cut + 1;
            length -= cut + 1;
        }
        fprintf(stream, "%.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_option(const struct cli_option *option, unsigned width)
{
    char sentence[CLI_SENTENCE_SIZE], line[2 * CLI_SENTENCE_SIZE], name[64];
    const char *otherwise = cli_default(option), *argument = option->argument;
    int length = snprintf(name, sizeof name, "  --%s%s%s", option->name, argument ? " " : "",
                          argument ? argument : "");
    if (option->letter)
        snprintf(name + length, sizeof name - (size_t)length, ", -%c%s%s", option->letter,
                 argument ? " " : "", argument ? argument : "");
    snprintf(line, sizeof line, "%-*s  %s%s%s%s", (int)width - 2, name, cli_sentence(option, sentence),
             otherwise ? " (" : "", otherwise ? otherwise : "", otherwise ? ")" : "");
    cli_wrap(stdout, line, width - 2);
}

int cli_print_help(const struct cli_verb *verb)
{
    unsigned width = sizeof "  -h, --help" + 1;
    for (const struct cli_option *option = verb->options; option->name; option++) {
        const size_t own = strlen(option->name) + (option->argument ? strlen(option->argument) + 1 : 0) + 6;
        width = own > width && !option->letter ? (unsigned)own : width;
    }
    for (const char *line = verb->usage; *line; line += strcspn(line, "\n") + 1) {
        printf("%s phasebench %s %.*s\n", line == verb->usage ? "usage:" : "      ", verb->name,
               (int)strcspn(line, "\n"), line);
        if (!line[strcspn(line, "\n")])
            break;
    }
    putchar('\n');
    cli_wrap(stdout, verb->about, 2);
    putchar('\n');
    for (const struct cli_option *option = verb->options; option->name; option++) {
        if (option->gap)
            putchar('\n');
        print_option(option, width);
    }
    printf("%-*sthis text\n", (int)width, "  -h, --help");
    if (verb->more) {
        putchar('\n');
        cli_wrap(stdout, verb->more, 2);
    }
    char exits[1024];
    snprintf(exits, sizeof exits, "\nexit codes: %s", verb->exits);
    cli_wrap(stdout, exits, 0);
    printf("\nexamples:\n%s", verb->examples);
    return cli_flush();
}
