/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "serial.h"

#include "host/base/utf8.h"

#include <string.h>

int station_serial_check(const char *serial, const regex_t *form, struct pb_diag *diag)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:/+-";
    char clean[2 * STATION_SERIAL_SIZE];
    const size_t length = strlen(serial);
    pb_utf8_clean(clean, sizeof clean, serial);
    if (!length)
        return pb_fail(diag, PB_ERR_ARGUMENT, "The serial number is empty; scan the unit again");
    if (length >= STATION_SERIAL_SIZE)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "Serial number '%s' has %zu characters, at most %d are possible; scan the unit again",
                       clean, length, STATION_SERIAL_SIZE - 1);
    if (strspn(serial, allowed) != length || *serial == '.' || *serial == '-')
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "Serial number '%s' is not possible: letters, digits and . _ : / + - are, the first "
                       "neither . nor -; scan the unit again",
                       clean);
    if (form && regexec(form, serial, 0, NULL, 0))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "Serial number '%s' does not have the form of this station; scan the right label",
                       clean);
    return PB_OK;
}

int station_operator_check(const char *name, struct pb_diag *diag)
{
    char clean[3 * STATION_SERIAL_SIZE];
    pb_utf8_clean(clean, sizeof clean, name);
    if (!*name)
        return pb_fail(diag, PB_ERR_ARGUMENT, "The operator is missing; type your name");
    if (strlen(name) >= STATION_SERIAL_SIZE || strcmp(clean, name) || *name == ' ' || *name == '-')
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "Operator '%.100s' is not possible: 1 to %d printable characters are, the first neither "
            "blank nor -; type your name",
            clean, STATION_SERIAL_SIZE - 1);
    return PB_OK;
}

int station_form_compile(regex_t *form, const char *pattern, struct pb_diag *diag)
{
    enum { PATTERN_MOST = 256 };
    char whole[PATTERN_MOST + sizeof "^()$"], error[120];
    if (strlen(pattern) > PATTERN_MOST)
        return pb_fail(diag, PB_ERR_ARGUMENT, "--serial-pattern has %zu bytes; give at most %d",
                       strlen(pattern), PATTERN_MOST);
    snprintf(whole, sizeof whole, "^(%s)$", pattern);
    const int code = regcomp(form, whole, REG_EXTENDED | REG_NOSUB);
    if (!code)
        return PB_OK;
    regerror(code, form, error, sizeof error);
    return pb_fail(
        diag, PB_ERR_ARGUMENT,
        "--serial-pattern is '%.80s': %s; give a POSIX extended regular expression, as TM-[0-9]{4}", pattern,
        error);
}

const char *station_id(char id[STATION_ID_SIZE], const char *serial, const char *utc, unsigned number)
{
    char plain[STATION_SERIAL_SIZE], time[32];
    size_t length = 0;
    snprintf(plain, sizeof plain, "%s", serial);
    for (char *at = plain; *at; at++)
        *at = *at == '/' ? '_' : *at;
    for (const char *at = utc; *at && length + 1 < sizeof time; at++)
        if (!strchr("-:", *at))
            time[length++] = *at;
    time[length] = '\0';
    if (number < 2)
        snprintf(id, STATION_ID_SIZE, "%s-%s", plain, time);
    else
        snprintf(id, STATION_ID_SIZE, "%s-%s-%u", plain, time, number);
    return id;
}
