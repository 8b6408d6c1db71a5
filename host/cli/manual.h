/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Links in the pages that the command writes: to the documents, and to files of the same run.
 */
#ifndef PHASEBENCH_CLI_MANUAL_H
#define PHASEBENCH_CLI_MANUAL_H

#include <stdbool.h>

#define MANUAL_LINK_SIZE 512

/* The URL of docs/reference/measurements.md, relative to a page in this folder, which exists. False, and "":
 * the document is neither installed with this program nor in its tree, or its path is too long for a link. */
bool manual_link(char link[MANUAL_LINK_SIZE], const char *folder);
/* The same for a page at this path. */
bool manual_link_of(char link[MANUAL_LINK_SIZE], const char *page);
/* The URL of a file, relative to a page at this path. False, and "": there is no such file. */
bool manual_link_to(char link[MANUAL_LINK_SIZE], const char *page, const char *file);

#endif
