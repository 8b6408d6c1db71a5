/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PB_BASE_SECRET_H
#define PB_BASE_SECRET_H

/* Replaces, in place, each password of a PostgreSQL URL or connection string in a text by "...". It is the
 * text between ':' and '@' of such a URL, and the value of a parameter whose name ends in "password". A URL
 * that was cut before its '@' loses all from the ':' on, unless a port of digits follows. */
void pb_hide_passwords(char *text);

#endif
