/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The command line: the input's lines are the arguments. Verbs that would run a bench get an operand that
 * stops them before they do; all work is done in an empty folder of its own.
 */
#include "tests/bench/fuzz/fuzz.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS = 16 };

int phasebench_main(int argc, char **argv); /* main of the command, renamed */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char folder[] = "/tmp/phasebench-fuzz-XXXXXX";
    (void)argc;
    (void)argv;
    MUST(mkdtemp(folder) && chdir(folder) == 0 &&
         rmdir(folder) == 0); /* nothing can be made in a folder that is gone */
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Some take a default scenario, one waits for input. */
    static const char *const benches[] = {"demo",     "selftest", "devices", "doctor", "station",
                                          "validate", "jitter",   "tdc",     "cal",    "describe"};
    char line[512], *argv[ARGUMENTS + 4] = {"phasebench"};
    int argc = 1;
    const size_t length = size < sizeof line - 1 ? size : sizeof line - 1;
    memcpy(line, data, length);
    line[length] = 0;
    for (char *at = line; *at && argc < ARGUMENTS; argc++) {
        char *end = at + strcspn(at, "\n");
        argv[argc] = at;
        at = *end ? end + 1 : end;
        *end = 0;
        if (strchr(argv[argc], '/') ||
            !strcmp(argv[argc], "..")) /* devices and files of the computer are none of its business */
            argv[argc] = "missing";
    }
    for (size_t i = 0; argc > 1 && i < sizeof benches / sizeof benches[0]; i++)
        if (!strcmp(argv[1], benches[i]))
            argv[argc++] = "--=";
    if (argc > 1 && !strcmp(argv[1], "bound")) { /* large cubes take seconds */
        argv[argc++] = "--dims";
        argv[argc++] = "4";
    }
    if (argc > 1 && !strcmp(argv[1], "machine")) { /* so do many superframes */
        bool program = false;
        for (int i = 2; i < argc; i++)
            program |= !strncmp(argv[i], "--program", 9);
        argv[argc++] = "--dims=4";
        argv[argc++] = program ? "--argument=1" : "--superframes=5";
    }
    argv[argc] = NULL;
    const int code = phasebench_main(argc, argv);
    MUST(code >= 0 && code <= 5);
    return 0;
}
