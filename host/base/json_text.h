/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PB_BASE_JSON_TEXT_H
#define PB_BASE_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>

/* New JSON string; a text that is not UTF-8, as a file name may be, has '?' for its bytes beyond ASCII. NULL:
 * out of memory. */
json_t *pb_json_text(const char *text);

/* Of a text that could not be read: memory ran out, which jansson tells in two ways. */
bool pb_json_out_of_memory(const json_error_t *error);

/* As json_loadb, for texts that need not be of this program. Jansson's reader leaves out a character of a string
 * when there is no memory for it: then NULL, and pb_json_out_of_memory. Sets Jansson's allocation functions. */
json_t *pb_json_load(const char *text, size_t length, size_t flags, json_error_t *error);

#endif
