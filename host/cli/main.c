/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The phasebench command: selects the verb. */
#include "cli.h"
#include "vusb.h"

#include "bench/nodes/library_host.h"
#include "bench/nodes/process.h"
#include "host/base/nearest_word.h"
#include "phasebench/node_process.h"
#include "rtl/proto/gen/pb_regs.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const struct cli_verb *const cli_verbs[] = {
#define VERB_ENTRY(verb) &verb_##verb,
    CLI_VERB_LIST(VERB_ENTRY)
#undef VERB_ENTRY
    NULL};
#define VERBS (sizeof cli_verbs / sizeof cli_verbs[0] - 1)

static void print_usage(FILE *stream)
{
    fputs("usage: phasebench VERB [options]\n"
          "\n"
          "Hardware-in-the-loop bench for TDMA-scheduled microcontroller networks.\n"
          "\n",
          stream);
    for (size_t i = 0; i < VERBS; i++)
        fprintf(stream, "  %-10s %s\n", cli_verbs[i]->name, cli_verbs[i]->summary);
    fputs("\n"
          "  phasebench help VERB    options, exit codes and examples of a verb\n"
          "  phasebench help scenario  keys of a scenario file\n"
          "  phasebench --version    version and register map\n"
          "\n"
          "exit codes: 0 pass (marginal too), 1 the node failed, 2 wrong usage, 3 bad scenario or\n"
          "configuration, 4 the bench failed, 5 inconclusive, 77 skipped, 124 timeout, 130 interrupted\n"
          "\n"
          "Start with 'phasebench demo'.\n",
          stream);
}

static int usage(void)
{
    print_usage(stdout);
    return cli_flush();
}

static int version(void)
{
    printf("phasebench %s, register map 0x%08x\n", PB_VERSION, PB_MAP_HASH);
    return cli_flush();
}

/* Returns the verb; NULL: unknown, reported. */
static const struct cli_verb *find_verb(const char *name)
{
    const char *names[VERBS];
    for (size_t i = 0; i < VERBS; i++) {
        names[i] = cli_verbs[i]->name;
        if (strcmp(name, names[i]) == 0)
            return cli_verbs[i];
    }
    char hint[PB_HINT_SIZE];
    cli_fail(CLI_USAGE, "unknown verb '%s'%s 'phasebench --help' lists all", name,
             pb_hint(hint, "", name, names, VERBS, "."));
    return NULL;
}

static int help(int argc, char **argv)
{
    if (argc < 2)
        return usage();
    if (argc > 2)
        return cli_fail(CLI_USAGE, "help: explains one verb, got %d; give one", argc - 1);
    if (strcmp(argv[1], "scenario") == 0)
        return cli_print_keys();
    const struct cli_verb *verb = find_verb(argv[1]);
    return verb ? cli_print_help(verb) : CLI_USAGE;
}

/* Without descriptors 0..2 a file opened later would become standard output. A read-only descriptor takes
 * their place, so that writing to a closed stdout still fails and is reported. */
static void keep_standard_streams(void)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fcntl(descriptor, F_GETFD) == -1 && open("/dev/null", O_RDONLY) != descriptor)
            return;
}

/* `phasebench node-host FILE`: the process of a node of kind so:FILE. No verb for users: the bench starts
 * it. */
static int node_host(int argc, char **argv)
{
    struct stat status;
    if (argc != 1 || fstat(PB_PROCESS_FD, &status) || !S_ISSOCK(status.st_mode))
        return cli_fail(CLI_USAGE,
                        "node-host: is started by a run; name the library in a scenario, as kind so:FILE");
    return pb_library_host_serve(argv[0]);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return CLI_USAGE;
    }
    const char *first = argv[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return usage();
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0)
        return version();
    if (strcmp(first, "help") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(first, "describe") == 0 && argc == 2)
        return cli_generate();
    if (strcmp(first, "node-host") == 0)
        return node_host(argc - 2, argv + 2);
    if (strcmp(first, "complete") == 0)
        return cli_complete(argc - 2, argv + 2);
    if (first[0] == '-')
        return cli_fail(CLI_USAGE, "unknown option '%s'; the verb comes first, try 'phasebench --help'",
                        first);

    const struct cli_verb *verb = find_verb(first);
    return verb ? verb->run(argc - 1, argv + 1) : CLI_USAGE;
}

int main(int argc, char **argv)
{
    keep_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is then a write error, after which all else is still written */
    signal(SIGXFSZ, SIG_IGN); /* a file at its size limit likewise, reported by cli_flush */

    pb_node_host_set("/proc/self/exe");

    const int code = vusb_preload(argc, argv);
    return code ? code : cli_end(dispatch(argc, argv));
}
