/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "host/rig/rig_sim.h"

#include <string.h>

static int parse(const char *url, bool *uart, struct pb_diag *diag)
{
    *uart = false;
    if (strncmp(url, "sim:", 4))
        return pb_fail(diag, PB_ERR_ARGUMENT, "unknown rig '%.60s'; known are sim: and sim:?port=uart", url);
    if (!strcmp(url + 4, "?port=uart"))
        *uart = true;
    else if (url[4] && strcmp(url + 4, "?port=stream"))
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "unknown option '%.60s' of rig sim:; known are ?port=stream and ?port=uart", url + 4);
    return PB_OK;
}

int pb_rig_check_url(const char *url, struct pb_diag *diag)
{
    bool uart;
    return parse(url, &uart, diag);
}

int pb_rig_open(struct pb_transport **out, const struct pb_rig_options *options,
                const struct pb_scenario *scenario, struct pb_diag *diag)
{
    bool uart;
    *out = NULL;
    const int code = parse(options->url ? options->url : "sim:", &uart, diag);
    return code ? code : pb_rig_sim_open(out, uart, options, scenario, diag);
}
