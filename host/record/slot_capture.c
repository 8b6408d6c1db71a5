/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/slot_capture.h"
#include "host/base/utf8.h"
#include "host/record/format.h"
#include "host/record/pcapng.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum {
    LINK_TYPE = 147, /* LINKTYPE_USER0 */
    HEAD_VERSION = 1,
    HEAD_BYTES = 64,
    NANOSECONDS = 9,
    TEXT_MAX = 512, /* of an option */
    BLOCK_MAX = 8192
};

/* Bits of the flags in the head. */
enum {
    FLAG_EXPECTED = 1 << 0,
    FLAG_CORRECT = 1 << 1,
    FLAG_FRAMING = 1 << 2,
    FLAG_CUT = 1 << 3,
    FLAG_BENCH = 1 << 4,
    FLAG_NAMED = 1 << 5,
    FLAG_COLLISION = 1 << 6,
    FLAG_BY_BYTES = 1 << 7,
    FLAG_OPPORTUNISTIC = 1 << 8
};

struct pb_slot_capture {
    FILE *stream;
    const struct pb_scenario *scenario;
    unsigned links;
    uint64_t last_ns; /* time of the last packet */
    int failure;      /* errno of the first failed write; 0: none */
    uint64_t packets[PB_NETWORK_PORTS_MAX * PB_SCENARIO_NODES_MAX];
    uint8_t block[BLOCK_MAX];
};

static void put_block(struct pb_slot_capture *capture, uint32_t type, size_t used)
{
    const size_t total = pb_pcapng_end(capture->block, type, used);
    if (capture->failure)
        return;
    errno = 0;
    if (fwrite(capture->block, 1, total, capture->stream) != total)
        capture->failure = errno ? errno : EIO;
}

__attribute__((format(printf, 3, 4))) static size_t put_text(uint8_t *at, unsigned code, const char *format,
                                                             ...)
{
    char text[2 * TEXT_MAX], clean[TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pb_utf8_clean(clean, sizeof clean, text);
    return pb_pcapng_option(at, code, clean, strlen(clean));
}

static uint32_t address_of(const struct pb_scenario *scenario, unsigned link)
{
    return scenario->node[link / scenario->network.ports].address;
}

static void begin_section(struct pb_slot_capture *capture, const char *rig_url)
{
    const struct pb_scenario *scenario = capture->scenario;
    struct utsname host = {0};
    uint8_t *block = capture->block;
    uname(&host);
    size_t used = pb_pcapng_section(block);
    used += put_text(block + used, PB_PCAPNG_HARDWARE, "rig %s, host %s", rig_url, host.machine);
    used += put_text(block + used, PB_PCAPNG_OS, "%s %s", host.sysname, host.release);
    used += put_text(block + used, PB_PCAPNG_APPLICATION, "phasebench %s", PB_VERSION);
    used += put_text(block + used, PB_PCAPNG_COMMENT,
                     "scenario %s (%s), seed %" PRIu64 ", %" PRIu32
                     " superframes. Time 0 is the first phase edge; times are rounded to 1 ns",
                     scenario->name, scenario->path, scenario->seed, scenario->superframes);
    put_block(capture, PB_PCAPNG_SECTION, used);
}

static void begin_interface(struct pb_slot_capture *capture, unsigned link)
{
    const struct pb_scenario *scenario = capture->scenario;
    const uint8_t resolution = NANOSECONDS;
    uint8_t *block = capture->block, speed[8];
    size_t used = pb_pcapng_interface(block, LINK_TYPE);
    pb_put64(speed, scenario->baud_hz);
    used += put_text(block + used, PB_PCAPNG_NAME, "link %u, node 0x%" PRIX32 " dimension %u", link,
                     address_of(scenario, link), link % scenario->network.ports);
    used += pb_pcapng_option(block + used, PB_PCAPNG_SPEED, speed, sizeof speed);
    used += pb_pcapng_option(block + used, PB_PCAPNG_RESOLUTION, &resolution, 1);
    put_block(capture, PB_PCAPNG_INTERFACE, used);
}

int pb_slot_capture_open(struct pb_slot_capture **out, FILE *stream, const struct pb_scenario *scenario,
                         const char *rig_url)
{
    struct pb_slot_capture *capture = *out = calloc(1, sizeof *capture);
    if (!capture)
        return PB_ERR_MEMORY;
    capture->stream = stream;
    capture->scenario = scenario;
    capture->links = scenario->node_count * scenario->network.ports;
    begin_section(capture, rig_url ? rig_url : "sim:");
    for (unsigned link = 0; link < capture->links; link++)
        begin_interface(capture, link);
    return PB_OK;
}

static unsigned flags_of(const struct pb_scenario *scenario, const struct pb_transmission *transmission)
{
    return (transmission->expected ? FLAG_EXPECTED : 0u) | (transmission->hop.correct ? FLAG_CORRECT : 0u) |
           (transmission->bad_stop >= 0 ? FLAG_FRAMING : 0u) | (transmission->cut ? FLAG_CUT : 0u) |
           (transmission->hop.sender == PB_SENDER_BENCH ? FLAG_BENCH : 0u) |
           (transmission->named ? FLAG_NAMED : 0u) | (transmission->collision ? FLAG_COLLISION : 0u) |
           (transmission->by_bytes ? FLAG_BY_BYTES : 0u) |
           (scenario->rule == PB_RULE_OPPORTUNISTIC ? FLAG_OPPORTUNISTIC : 0u);
}

static void put_head(uint8_t *head, const struct pb_scenario *scenario,
                     const struct pb_transmission *transmission)
{
    const struct pb_hop_row *hop = &transmission->hop;
    const bool known = hop->message != SIZE_MAX;
    head[0] = HEAD_VERSION;
    head[1] = HEAD_BYTES;
    head[2] = (uint8_t)scenario->codec; /* docs/use/pcap.md */
    head[3] = (uint8_t)scenario->network.dims;
    pb_put16(head + 4, flags_of(scenario, transmission));
    pb_put16(head + 6, hop->link);
    pb_put16(head + 8, hop->dimension);
    pb_put16(head + 10, hop->phase);
    pb_put32(head + 12, hop->superframe);
    pb_put16(head + 16, scenario->network.phases);
    pb_put16(head + 18, scenario->frame_bytes);
    pb_put32(head + 20, hop->from);
    pb_put32(head + 24, hop->to);
    pb_put32(head + 28, known ? hop->source : UINT32_MAX);
    pb_put64(head + 32, known ? hop->message : UINT64_MAX);
    pb_put64(head + 40, (uint64_t)hop->start_ps);
    pb_put64(head + 48, (uint64_t)hop->end_ps);
    pb_put32(head + 56, transmission->bytes_seen);
    pb_put16(head + 60, transmission->bad_stop < 0 ? UINT16_MAX : (unsigned)transmission->bad_stop);
    pb_put16(head + 62, 0);
}

static size_t put_findings(uint8_t *at, const struct pb_transmission *transmission)
{
    size_t used = 0;
    for (unsigned i = 0; i < transmission->findings; i++) {
        const struct pb_finding *finding = transmission->finding[i];
        char fault[48] = "";
        if (finding->fault >= 0)
            snprintf(fault, sizeof fault, " (explained by injected fault %d)", finding->fault);
        used += put_text(at + used, PB_PCAPNG_COMMENT, "%s%s%s: expected %s; seen %s",
                         pb_finding_id(finding->kind), finding->marginal ? " (marginal)" : "", fault,
                         finding->expected, finding->seen);
    }
    if (transmission->named && !transmission->findings)
        used += put_text(at, PB_PCAPNG_COMMENT,
                         "a finding names this transmission; the result has no place for its text");
    return used;
}

static void take(void *context, const struct pb_transmission *transmission)
{
    struct pb_slot_capture *capture = context;
    const struct pb_hop_row *hop = &transmission->hop;
    const uint32_t captured = HEAD_BYTES + hop->byte_count;
    uint8_t *block = capture->block;
    capture->last_ns = ((uint64_t)transmission->time_ps + 500) / 1000;
    capture->packets[hop->link]++;
    size_t used = pb_pcapng_packet_head(block, hop->link, capture->last_ns, captured,
                                        HEAD_BYTES + transmission->bytes_seen);
    memset(block + used, 0, pb_pcapng_padded(captured));
    put_head(block + used, capture->scenario, transmission);
    memcpy(block + used + HEAD_BYTES, hop->bytes, hop->byte_count);
    used += pb_pcapng_padded(captured);
    used += put_findings(block + used, transmission);
    put_block(capture, PB_PCAPNG_PACKET, used);
}

struct pb_transmission_sink pb_slot_capture_sink(struct pb_slot_capture *capture)
{
    return (struct pb_transmission_sink){take, capture};
}

static void put_statistics(struct pb_slot_capture *capture, unsigned link, const struct pb_result *result)
{
    uint8_t *block = capture->block, received[8];
    size_t used = pb_pcapng_statistics(block, link, capture->last_ns);
    pb_put64(received, capture->packets[link]);
    used += pb_pcapng_option(block + used, PB_PCAPNG_RECEIVED, received, sizeof received);
    if (!link && result && *result->incomplete)
        used += put_text(block + used, PB_PCAPNG_COMMENT, "incomplete: %s", result->incomplete);
    if (!link && result)
        used += put_text(block + used, PB_PCAPNG_COMMENT, "%s: %s", pb_verdict_name(result->verdict),
                         result->reason);
    put_block(capture, PB_PCAPNG_STATISTICS, used);
}

int pb_slot_capture_close(struct pb_slot_capture *capture, const struct pb_result *result)
{
    for (unsigned link = 0; link < capture->links; link++)
        put_statistics(capture, link, result);
    if (!capture->failure && fflush(capture->stream))
        capture->failure = errno;
    const int failure = capture->failure;
    free(capture);
    errno = failure;
    return failure ? PB_ERR_IO : PB_OK;
}
