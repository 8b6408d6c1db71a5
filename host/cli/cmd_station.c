/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "history_keep.h"
#include "output.h"
#include "rows.h"
#include "runner.h"
#include "validate_watch.h"

#include "host/production/station/station.h"
#include "host/production/station/token.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VALIDATE_ENVIRONMENT "PHASEBENCH_VALIDATE"
#define PROFILES "quick full characterise"

struct request {
    const char *listen, *token, *names, *out, *limits, *rig, *node, *station, *history, *pattern;
    unsigned profile;
    char made[STATION_TOKEN_SIZE];     /* the token */
    char host[PB_HISTORY_LABEL_SIZE];  /* name of the station if none is given */
};

static void say(void *context, const char *sentence)
{
    (void)context;
    cli_say("%s", sentence);
    fflush(stdout);
}

/* ---- the token */

static int take_token(struct request *request, struct station_options *options)
{
    struct pb_diag diag;
    if (!request->token)
        return options->address.loopback
                   ? CLI_PASS
                   : cli_fail(CLI_USAGE,
                              "station: --listen %.60s is not a loopback address, so others reach it; give "
                              "--token FILE or --token generated, or listen on 127.0.0.1",
                              request->listen);
    options->access.token = request->made;
    if (strcmp(request->token, "generated"))
        return cli_outcome(station_token_read(request->made, request->token, &diag), &diag);
    const int exit_code = cli_outcome(station_token_make(request->made, &diag), &diag);
    if (exit_code == CLI_PASS)
        cli_say("token: %s (log in with it, or open the address below with ?token=%s)", request->made,
                request->made);
    return exit_code;
}

/* ---- the options */

/* A validation finds the history in its environment: others may read its arguments. */
static int take_history(const struct request *request)
{
    if (request->history && setenv(HISTORY_ENVIRONMENT, request->history, 1))
        return cli_fail(CLI_BENCH_FAILED, "station: no memory for the place of the history");
    const char *const place = history_default();
    return place ? history_check_place(place) : CLI_PASS;
}

static int take(struct request *request, const char *scenario, struct station_options *options)
{
    static const char *const profile[] = {"quick", "full", "characterise"};
    struct pb_diag diag;
    int exit_code = take_history(request);
    if (exit_code != CLI_PASS)
        return exit_code;
    int code = station_address_read(&options->address, request->listen, &diag);
    if (!code)
        code = station_names_check(request->names, &diag);
    if (code)
        return cli_fail(CLI_USAGE, "station: %s", diag.text);
    if (!request->station && gethostname(request->host, sizeof request->host - 1) == 0)
        request->station = request->host;
    const char *program = getenv(VALIDATE_ENVIRONMENT);
    options->access.names = request->names;
    options->pattern = request->pattern;
    options->out = request->out;
    options->name = request->station;
    options->history = history_default();
    options->profile = profile[request->profile];
    options->limits = request->limits;
    options->rig = request->rig;
    options->node = request->node;
    options->program = program && *program ? program : NULL;
    options->stop = runner_stop_flag();
    options->say = say;
    exit_code = validate_check(scenario, request->rig, request->node, request->limits);
    return exit_code == CLI_PASS ? take_token(request, options) : exit_code;
}

static int run(struct request *request, const char *scenario)
{
    struct station_options options = {.scenario = scenario};
    struct pb_diag diag;
    int exit_code = take(request, scenario, &options);
    if (exit_code == CLI_PASS)
        exit_code = output_begin(options.out); /* another station would take the unit under test as ended */
    if (exit_code != CLI_PASS)
        return exit_code;
    runner_catch_signals();
    const int code = station_run(&options, &diag);
    return code ? cli_outcome(code, &diag) : cli_flush();
}

static const struct cli_option options[] = {
    {"listen", "ADDRESS:PORT", CLI_TEXT, CLI_AT(request, listen), .initial = "127.0.0.1:8080",
     .help = "where the page is served; any address but a loopback one needs --token"},
    {"token", "FILE", CLI_FILE, CLI_AT(request, token), .use = CLI_READS, .words = "generated",
     .help = "each request needs the token in the first line of this file, or a random one: generated"},
    {"name", "NAMES", CLI_TEXT, CLI_AT(request, names),
     .help = "further names of this computer in the address of the page, separated by commas, as "
             "bench-3,bench-3.lan:80"},
    {"station", "NAME", CLI_TEXT, CLI_AT(request, station), .otherwise = "name of this computer",
     .help = "name of the station, on the page and in reports and history"},
    {"serial-pattern", "REGEX", CLI_TEXT, CLI_AT(request, pattern),
     .help = "POSIX extended regular expression that each whole serial number must match"},
    {"out", "DIR", CLI_FOLDER, CLI_AT(request, out), .use = CLI_WRITES,
     .initial = "phasebench-station", .gap = true,
     .help = "folder for the reports, one folder for each validation: SERIAL-UTC"},
    {"history", "PLACE", CLI_FILE, CLI_AT(request, history), .use = CLI_KEEPS,
     .environment = HISTORY_ENVIRONMENT, .otherwise = HISTORY_ENVIRONMENT,
     .help =
         "append each validation to this history, a path, sqlite:PATH or postgresql://USER@HOST/DATABASE, "
         "which is made when missing; the yield of the day is computed of it"},
    {"profile", "PROFILE", CLI_CHOICE, CLI_AT(request, profile), .words = PROFILES, .initial = "quick",
     .gap = true, .help = "of each validation"},
    {"limits", "FILE", CLI_FILE, CLI_AT(request, limits), .use = CLI_READS,
     .help = "limits of each validation"},
    {"node", "KIND", CLI_TEXT, CLI_AT(request, node), .help = "node kind of each validation"},
    CLI_ROW_RIG(request, rig),
    {.name = NULL},
};

const struct cli_verb verb_station = {
    .name = "station",
    .summary = "a page for operators: scan a unit, see go or no-go",
    .usage = "[SCENARIO] [options]",
    .about = "Serves a page on which an operator scans or types a serial number and starts the validation of "
             "a unit, sees its steps live, and at the end go or no-go, what to look at, and the report. It "
             "works without a network, on a tablet, with a keyboard alone, and with a bar-code reader that "
             "types. Several pages show the same. Ctrl-C ends it; a running validation is then stopped.",
    .options = options,
    .more = "Each validation is a process of its own, `phasebench validate`, so a crash fails one unit. "
            "The environment variable " VALIDATE_ENVIRONMENT " names another program to run with the same "
            "arguments, for example a wrapper that powers the unit. "
            "A serial number has 1 to 64 of letters, digits and . _ : / + - and begins with neither . nor -.",
    .exits = "0 ended by a signal, 2 wrong usage, 3 bad scenario, limits, token file or history, 4 the "
             "address or the folder of --out is in use, or files cannot be written",
    .examples = "  phasebench station board.yaml --rig ftdi: --limits my_limits.yaml --out reports\n"
                "  phasebench station board.yaml --serial-pattern 'TM-[0-9]{4}' --history line.db\n"
                "  phasebench station board.yaml --listen 192.168.7.2:8080 --token generated\n",
    .most = 1,
    .operand = CLI_OPERAND_SCENARIO,
    .run = cmd_station,
};

int cmd_station(int argc, char **argv)
{
    struct request request = {.listen = NULL};
    int exit_code;
    char **const scenario = cli_parse(&verb_station, &request, argc, argv, &exit_code);
    return scenario ? run(&request, scenario[0]) : exit_code;
}
