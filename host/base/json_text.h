/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PB_BASE_JSON_TEXT_H
#define PB_BASE_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>

/* New JSON string. If the text is not UTF-8, as a file name may be, each byte above ASCII becomes '?'. NULL:
 * out of memory. */
json_t *pb_json_text(const char *text);

/* True if jansson failed for lack of memory, which it reports in two ways. */
bool pb_json_out_of_memory(const json_error_t *error);

#endif
