/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "procedure.h"

#include "phasebench/device.h"
#include "phasebench/rig.h"
#include "phasebench/run.h"

int procedure_begin(const struct pb_procedure *procedure, const char **url,
                    const struct pb_scenario *scenario, unsigned timeout_s, struct pb_diag *diag)
{
    *url = procedure->rig_url;
    return procedure->begin ? procedure->begin(procedure->context, url, scenario, timeout_s, diag) : PB_OK;
}

void procedure_end(const struct pb_procedure *procedure)
{
    if (procedure->end)
        procedure->end(procedure->context);
}

unsigned procedure_timeout_s(const struct pb_procedure *procedure, const struct pb_scenario *scenario)
{
    return procedure->timeout_s ? procedure->timeout_s : pb_run_timeout_s(scenario);
}

bool procedure_stopped(const struct pb_procedure *procedure)
{
    return procedure->stop && *procedure->stop;
}

int procedure_reach(const struct pb_procedure *procedure, const char *url, const struct pb_scenario *scenario,
                    uint32_t *map_hash, struct pb_diag *diag)
{
    struct pb_procedure of_board = *procedure;
    struct pb_rig_options options = {.stop = procedure->stop};
    struct pb_transport *transport;
    struct pb_device *device;
    of_board.rig_url = url;
    int code = procedure_begin(&of_board, &options.url, scenario, 0, diag);
    if (!code)
        code = pb_rig_open(&transport, &options, scenario, diag);
    if (!code && !(code = pb_device_open(&device, transport, diag))) {
        *map_hash = pb_device_info(device)->map_hash;
        pb_device_close(device);
    }
    procedure_end(&of_board);
    return code;
}
