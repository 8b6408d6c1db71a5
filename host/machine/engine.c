/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engines by their names, and what each of them can do. */
#include "flight.h"

#include "firmware/port/message/message.h"
#include "host/base/room.h"
#include "phasebench/budget.h"
#include "pins/pins.h"

#include <inttypes.h>

#define PS_PER_S INT64_C(1000000000000)
enum { PAYLOAD_MAX = 80, RELEASES_AT_ONCE = 4096 };

_Static_assert(PB_MACHINE_FIRMWARE_ROOM == MESSAGE_ROOM, "the room of the firmware");

static const struct {
    const char *name;
    pb_engine_create_fn *create;
} engines[PB_ENGINES] = {
    [PB_ENGINE_SLOT] = {"slot", pb_engine_slot}, [PB_ENGINE_FIRMWARE] = {"firmware", pb_engine_firmware},
    [PB_ENGINE_WIRE] = {"wire", pb_engine_wire}, [PB_ENGINE_IMAGE] = {"image", pb_engine_image},
    [PB_ENGINE_ALL] = {"all", pb_engine_all},    [PB_ENGINE_BENCH] = {"bench", pb_engine_bench},
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
    if (engine == PB_ENGINE_BENCH && network->nodes > PB_FLIGHT_NODES_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: engine bench: %" PRIu32 " nodes; it has at most %" PRIu32
                       "; give a smaller network",
                       network->nodes, PB_FLIGHT_NODES_MAX);
    if (engine == PB_ENGINE_BENCH)
        return room_port
                   ? pb_fail(diag, PB_ERR_ARGUMENT,
                             "machine: real nodes have no room of %u messages for each port; give a room "
                             "for all of a node",
                             room_port)
                   : PB_OK;
    if (network->ports > MESSAGE_PORTS_MAX || network->nodes > MESSAGE_NODES_MAX)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: engine %s: %" PRIu32
                       " nodes of %u ports; the firmware has at most %d nodes of %d ports; give a smaller "
                       "network, or take the engine slot",
                       name, network->nodes, network->ports, MESSAGE_NODES_MAX, MESSAGE_PORTS_MAX);
    char text[PB_NETWORK_TEXT_SIZE];
    if (!pb_network_is_complete(network))
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "machine: engine %s: the firmware knows cubes and generalised hypercubes, and the network is "
            "%s; take the engine slot",
            name, pb_network_text(network, text));
    if (room && room != PB_MACHINE_FIRMWARE_ROOM && engine != PB_ENGINE_IMAGE)
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

int pb_machine_engine_check_kept(enum pb_machine_engine engine, struct pb_diag *diag)
{
    if (engine == PB_ENGINE_SLOT)
        return PB_OK;
    return pb_fail(
        diag, PB_ERR_ARGUMENT,
        "machine: engine %s: a run of it cannot be kept and go on later; only slot can; take that, or "
        "run it in one piece",
        engines[engine].name);
}

/* guards: that a frame has to leave; an image gets both, a native node the one before the frame. */
static int check_line(const char *name, const struct pb_machine_line *line, unsigned guards,
                      struct pb_diag *diag)
{
    const struct {
        const char *what;
        int64_t value, least, most;
    } limit[] = {{"phase rate in mHz", (int64_t)line->phase_rate_mhz, PB_PHASE_RATE_MIN_MHZ,
                  PB_PHASE_RATE_MAX_MHZ},
                 {"baud", line->baud_hz, PB_BAUD_MIN_HZ, PB_BAUD_MAX_HZ},
                 {"baud of the console", line->console_baud_hz, PB_BAUD_MIN_HZ, PB_BAUD_MAX_HZ},
                 {"head guard in ps", line->head_guard_ps, 0, PB_GUARD_MAX_PS},
                 {"error of the clocks in ppm", line->clock_ppm, 0, PB_CLOCK_MAX_PPM},
                 {"latency in ps", line->irq_latency_ps, 0, PB_GUARD_MAX_PS},
                 {"jitter in ps", line->irq_jitter_ps, 0, PB_GUARD_MAX_PS}};
    for (size_t i = 0; i < sizeof limit / sizeof limit[0]; i++)
        if (limit[i].value < limit[i].least || limit[i].value > limit[i].most)
            return pb_fail(diag, PB_ERR_ARGUMENT,
                           "machine: engine %s: %s is %" PRId64 "; it is %" PRId64 " to %" PRId64, name,
                           limit[i].what, limit[i].value, limit[i].least, limit[i].most);
    const int64_t frame_ps = pb_pins_frame_bytes(line) * 10 * PS_PER_S / line->baud_hz,
                  room_ps = PS_PER_S * 1000 / (int64_t)line->phase_rate_mhz - guards * line->head_guard_ps;
    if (frame_ps <= room_ps)
        return PB_OK;
    return pb_fail(
        diag, PB_ERR_ARGUMENT,
        "machine: engine %s: at %" PRIu32 " baud a frame of %u bytes takes %.3f us, and a phase has "
        "%.3f us for it; raise the baud or lower the phase rate",
        name, line->baud_hz, pb_pins_frame_bytes(line), (double)frame_ps / 1e6, (double)room_ps / 1e6);
}

int pb_engine_check(enum pb_machine_engine engine, const struct pb_machine_line *line, bool has_image,
                    struct pb_diag *diag)
{
    if (engine == PB_ENGINE_IMAGE && !has_image)
        return pb_fail(diag, PB_ERR_ARGUMENT,
                       "machine: engine image: no firmware image is given; name an ELF or UF2 "
                       "file by --image");
    const bool image = engine == PB_ENGINE_IMAGE || (engine == PB_ENGINE_ALL && has_image);
    return engine == PB_ENGINE_SLOT || engine == PB_ENGINE_FIRMWARE || engine == PB_ENGINE_BENCH
               ? PB_OK
               : check_line(engines[engine].name, line, image ? 2 : 1, diag);
}

int pb_engine_create(struct pb_engine **out, enum pb_machine_engine engine,
                     const struct pb_engine_options *options, struct pb_diag *diag)
{
    struct pb_engine_options of = *options;

    *out = NULL;
    const int code = pb_machine_engine_check(engine, of.network, of.room, of.room_port, diag);
    if (code)
        return code;
    if ((engine == PB_ENGINE_WIRE || engine == PB_ENGINE_IMAGE) &&
        (of.line->payload_bytes < PB_MACHINE_PAYLOAD_MIN || of.line->payload_bytes > PAYLOAD_MAX))
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "machine: engine %s: a payload of %u bytes; it is %u to %d, as it has the number of the "
            "message",
            engines[engine].name, of.line->payload_bytes, PB_MACHINE_PAYLOAD_MIN, PAYLOAD_MAX);
    const int wrong = engine == PB_ENGINE_ALL ? PB_OK : pb_engine_check(engine, of.line, of.images > 0, diag);
    if (wrong)
        return wrong;
    if (engine != PB_ENGINE_SLOT && engine != PB_ENGINE_BENCH && !(engine == PB_ENGINE_IMAGE && of.room))
        of.room = PB_MACHINE_FIRMWARE_ROOM;
    return engines[engine].create(out, &of, diag);
}

int pb_engine_fetch(struct pb_releases *source, uint32_t superframe, struct pb_birth **birth, size_t *births,
                    size_t *births_max)
{
    int code = PB_OK;

    *births = 0;
    for (size_t count = 1; count && code == PB_OK; *births += count) {
        if (pb_make_room(birth, births_max, *births + RELEASES_AT_ONCE, sizeof **birth))
            return PB_ERR_MEMORY;
        count = 0;
        code = source->take(source, superframe, *birth + *births, *births_max - *births, &count);
    }
    return code;
}
