/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The default of a key of a scenario, for those that do not read one.
 */
#ifndef PB_KEY_DEFAULT_H
#define PB_KEY_DEFAULT_H

/* As it would be written, of a place such as "link.baud", "nodes[0].clock_error" or "seed"; NULL: the place
 * has no such key, or its reader makes the value. */
const char *pb_key_default(const char *place);

#endif
