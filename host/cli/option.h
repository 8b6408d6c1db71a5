/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The description of a verb: operands, options, help. Parser, help, the verbs of the manual page,
 * and the completions are made of it.
 */
#ifndef PHASEBENCH_CLI_OPTION_H
#define PHASEBENCH_CLI_OPTION_H

#include "host/base/form.h"
#include "host/scenario/quantity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A form of the result of a verb: a file in the folder of --out. */
struct cli_form {
    const char *name; /* NULL ends the list */
    /* Writes it; returns 0, CLI_NO_FORM: this result has no such form, or a negative code with errno. NULL:
     * the verb writes the file itself. */
    int (*write)(FILE *stream, void *result);
};
enum { CLI_NO_FORM = PB_FORM_NONE };
/* A writer by a function of the library that has the type of its result. */
#define CLI_FORM_BY(name, function)                                                                          \
    static int name(FILE *stream, void *result)                                                              \
    {                                                                                                        \
        return function(stream, result);                                                                     \
    }

/* What an option writes into the request of its verb. */
enum cli_kind {
    CLI_FLAG,    /* bool: true */
    CLI_SET,     /* an enum: `least`; options of one field exclude each other */
    CLI_TEXT,    /* const char *, as the next three: the argument; completion offers `words` */
    CLI_FILE,    /* completion offers files */
    CLI_FOLDER,  /* ... folders */
    CLI_RIG,     /* ... rigs */
    CLI_COUNT,   /* unsigned, least..most; or the one word of `words`, which means the most */
    CLI_NUMBER,  /* uint64_t, least..most */
    CLI_DECIMAL, /* uint64_t or int64_t >= 0: the exact fraction times 10^decimals, least..most */
    CLI_SPAN,    /* uint64_t, in seconds, up to 45 days; always with a unit */
    CLI_CHOICE,  /* an enum: the index of the argument among `words` */
    CLI_DIMS,    /* struct pb_network; excludes CLI_NETWORK */
    CLI_NETWORK
};

/* What becomes of the file that an option names; of CLI_RIG: CLI_READS, a recording. */
enum cli_use {
    CLI_USE_NONE,
    CLI_READS,  /* or a word, a colon, and the file */
    CLI_WRITES, /* CLI_FOLDER: its forms, and its files */
    CLI_KEEPS   /* a history, to which is added */
};

/* What an option is about that means nothing where nothing runs; in the order in which a message names
 * them. */
enum cli_of_run {
    CLI_OF_NONE,
    CLI_OF_FILES,
    CLI_OF_WAVEFORMS,
    CLI_OF_PROCESSES,
    CLI_OF_HISTORY,
    CLI_OF_RECORDING, /* of CLI_RIG: a rig replay: */
    CLI_OF_FIRMWARE,
    CLI_OF_SUITE,
    CLI_OF_ALL
};

struct cli_option {
    const char *name;     /* without "--" */
    const char *argument; /* as help calls it; NULL: none */
    enum cli_kind kind;
    size_t at;             /* offset in the request */
    size_t given;          /* offset + 1 of a bool that becomes true; 0: none */
    uint64_t least, most;  /* CLI_DECIMAL: scaled */
    const char *words;     /* separated by blanks */
    const char *unit;      /* of the range, and of a number without one */
    enum pb_quantity_kind quantity; /* whose units a number may have, as in a scenario file */
    unsigned step;         /* base units of the quantity in a step of the field; 0: one */
    const char *initial;   /* value without the option, read like an argument */
    const char *otherwise; /* what help says in its place */
    const char *help;      /* starts with a small letter, no full stop; range, choice and default are added */
    unsigned decimals;     /* of CLI_DECIMAL */
    const struct cli_form *forms; /* of --out: the files that come */
    enum cli_use use;
    const char *const *files; /* of a folder that is written: others than output_names; NULL ends it */
    const char *environment;  /* environment variable used if the option is not given; NULL: none */
    char letter;           /* its short form; 0: none */
    bool gap;              /* help leaves a line before it */
    const char *with;      /* the option without which it has no meaning, and is refused; NULL: none */
    enum cli_of_run of_run; /* what of a run it is about; 0: it has a meaning without one, too */
};

/* The field of a request as `at`, and as `given`. */
#define CLI_AT(type, field) offsetof(struct type, field)
#define CLI_GIVEN(type, field) (offsetof(struct type, field) + 1)

/* What operands are, for completion, and for what is read of a folder: its result, or its scenarios. A target
 * is a file, or a word that may be the name of a folder, too. */
enum cli_operand { CLI_OPERAND_OTHER, CLI_OPERAND_FILE, CLI_OPERAND_SCENARIO, CLI_OPERAND_TARGET };

struct cli_verb {
    const char *name, *summary;
    const char *usage; /* lines, each without "phasebench VERB" */
    /* Lines of help: one that begins with blanks keeps its indent. */
    const char *about, *more, *exits, *examples;
    const struct cli_option *options; /* the last has no name */
    unsigned least, most;             /* operands */
    enum cli_operand operand;
    /* Words that the first operand may be, for completion: the i-th, or NULL; NULL: none are known. */
    const char *(*first)(unsigned i);
    const char *environment; /* environment variable used for a missing operand; NULL: none */
    const char *spared; /* the file of --out that the verb also reads there, and leaves alone then */
    int (*run)(int argc, char **argv); /* argv[0] is the verb; returns the exit code */
};

#define CLI_OPTIONS_MAX 48u

/* Fills the request: first with the initial values, then with what the command line says. Returns the
 * operands, with NULL at their end; or NULL, and the verb ends with *exit_code: help was printed, or an error
 * was reported. */
char **cli_parse(const struct cli_verb *verb, void *request, int argc, char **argv, int *exit_code);

/* Refuses a request in which the field of an option `of_run` is set, though nothing runs, as option `why` was
 * given ("--list"). Returns an exit code; the error has been reported. */
int cli_refuse_of_run(const struct cli_verb *verb, const void *request, const char *why);

/* Prints the help of the verb; returns as cli_flush does. */
int cli_print_help(const struct cli_verb *verb);

/* The sentence of an option with its range or choice, without the default; returns text. */
#define CLI_SENTENCE_SIZE 400
const char *cli_sentence(const struct cli_option *option, char text[CLI_SENTENCE_SIZE]);
/* The default as text; NULL: none. */
const char *cli_default(const struct cli_option *option);

/* Prints lines of at most 80 columns. The next lines of a line that begins with blanks have these blanks and
 * `hang` more. */
void cli_wrap(FILE *stream, const char *text, unsigned hang);

/* Prints the keys of a scenario file; returns as cli_flush does. */
int cli_print_keys(void);

/* Copies stdin to stdout, and makes anew what is generated in it; describe.c. Returns the exit code. */
int cli_generate(void);

/* Prints what the last word of a command line may become; complete.c. Returns as cli_flush does. */
int cli_complete(int words, char **word);

extern const struct cli_verb *const cli_verbs[]; /* NULL at the end */

#endif
