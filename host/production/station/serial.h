/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Serial numbers and names of operators: what is accepted, and the name of the folder of a validation. Pure.
 */
#ifndef PB_STATION_SERIAL_H
#define PB_STATION_SERIAL_H

#include "state.h"

#include <regex.h>

/* A serial number has 1 to 64 of A-Z a-z 0-9 . _ : / + - and begins with neither . nor -; it also matches
 * `form` as a whole (NULL: any). Returns 0, or PB_ERR_ARGUMENT with a sentence for the operator. */
int station_serial_check(const char *serial, const regex_t *form, struct pb_diag *diag);
/* 1 to 64 bytes of printable UTF-8 that do not begin with a blank or -. */
int station_operator_check(const char *name, struct pb_diag *diag);
/* Compiles a POSIX extended regular expression that the whole serial number must match. Returns 0 or
 * PB_ERR_ARGUMENT; the caller frees *form with regfree. */
int station_form_compile(regex_t *form, const char *pattern, struct pb_diag *diag);

/* SERIAL-UTC of a validation: '/' becomes '_'; number from 2 on is added for more of them within a second.
 * utc: "2026-11-24T03:21:18Z". Returns id. */
const char *station_id(char id[STATION_ID_SIZE], const char *serial, const char *utc, unsigned number);

#endif
