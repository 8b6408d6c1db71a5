/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engines by their names, and what each of them can do. */
#include "engine.h"

#include "firmware/port/message/message.h"

#include <inttypes.h>

_Static_assert(PB_MACHINE_FIRMWARE_ROOM == MESSAGE_ROOM, "the room of the firmware");

static const struct {
    const char *name;
    pb_engine_create_fn *create;
} engines[PB_ENGINES] = {
    [PB_ENGINE_SLOT] = {"slot", pb_engine_slot},
    [PB_ENGINE_FIRMWARE] = {"firmware", pb_engine_firmware},
    [PB_ENGINE_ALL] = {"all", pb_engine_all},
};

const char *pb_machine_engine_name(enum pb_machine_engine engine)
{
    return engines[engine].name;
}

int pb_machine_engine_check(enum pb_machine_engine engine, const struct pb_network *network, unsigned room,
                            unsigned room_port, struct pb_diag *diag)
{
    const char *name = engines[engine].name;

    if (engine == PB_ENGINE_SLOT)
        return PB_OK;
    if (network->ports > MESSAGE_PORTS_MAX || network->nodes > MESSAGE_NODES_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: engine %s: %" PRIu32
                       " nodes of %u ports; the firmware has at most %d nodes of %d ports; give a smaller "
                       "network, or take the engine slot",
                       name, network->nodes, network->ports, MESSAGE_NODES_MAX, MESSAGE_PORTS_MAX);
    if (room && room != PB_MACHINE_FIRMWARE_ROOM)
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "machine: engine %s: room for %u messages; a node of the firmware has room for %u; leave "
            "the room out, or take the engine slot",
            name, room, PB_MACHINE_FIRMWARE_ROOM);
    if (room_port)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: engine %s: room for %u messages in the queue of a port; the queues of the "
                       "firmware share one room of %u; leave it out, or take the engine slot",
                       name, room_port, PB_MACHINE_FIRMWARE_ROOM);
    return PB_OK;
}

int pb_engine_create(struct pb_engine **out, enum pb_machine_engine engine,
                     const struct pb_engine_options *options, struct pb_diag *diag)
{
    struct pb_engine_options of = *options;

    *out = NULL;
    const int code = pb_machine_engine_check(engine, of.network, of.room, of.room_port, diag);
    if (code)
        return code;
    of.room = engine == PB_ENGINE_SLOT ? of.room : PB_MACHINE_FIRMWARE_ROOM;
    return engines[engine].create(out, &of, diag);
}
