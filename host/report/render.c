/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "render.h"

#include "host/base/utf8.h"

#include <inttypes.h>
#include <string.h>

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value;
}

/* Writes value / 1000 with three decimals; trim: without trailing zeros. */
static struct pb_number thousandths(bool negative, uint64_t value, bool trim, const char *unit)
{
    struct pb_number number;
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64 ".%03" PRIu64, value / 1000, value % 1000);
    while (trim && (digits[length - 1] == '0' || digits[length - 1] == '.')) {
        bool point = digits[--length] == '.';
        digits[length] = '\0';
        if (point)
            break;
    }
    snprintf(number.text, sizeof number.text, "%s%s%s", negative && value ? "-" : "", digits, unit);
    return number;
}

static uint64_t rounded_quotient(uint64_t value, uint64_t divisor)
{
    return value / divisor + (value % divisor >= divisor - divisor / 2);
}

struct pb_number pb_us(int64_t ps)
{
    return thousandths(ps < 0, rounded_quotient(magnitude(ps), 1000), false, "");
}

struct pb_number pb_duration(int64_t ps)
{
    static const struct {
        uint64_t from_ps, milli_ps;
        const char *unit;
    } scale[] = {
        {UINT64_C(1000000000000), UINT64_C(1000000000), " s"},
        {UINT64_C(1000000000), UINT64_C(1000000), " ms"},
        {UINT64_C(1000000), UINT64_C(1000), " us"},
        {0, 1, " ns"},
    };
    uint64_t value = magnitude(ps);
    size_t i = 0;
    while (value < scale[i].from_ps)
        i++;
    return thousandths(ps < 0, rounded_quotient(value, scale[i].milli_ps), true, scale[i].unit);
}

struct pb_number pb_frequency(uint64_t mhz)
{
    uint64_t unit = mhz >= UINT64_C(1000000000) ? UINT64_C(1000000000) : mhz >= 1000000 ? 1000000 : 1000;
    struct pb_number number;
    int length = snprintf(number.text, sizeof number.text, "%" PRIu64, mhz / unit);
    uint64_t rest = mhz % unit;
    if (rest)
        number.text[length++] = '.';
    for (uint64_t place = unit / 10; rest; rest %= place, place /= 10)
        number.text[length++] = (char)('0' + rest / place);
    snprintf(number.text + length, sizeof number.text - (size_t)length, " %s",
             unit > 1000000 ? "M"
             : unit > 1000  ? "k"
                            : "");
    return number;
}

struct pb_number pb_ppm(int64_t value, int64_t nominal)
{
    struct pb_number number = {"0.0"};
    if (nominal <= 0)
        return number;
    /* A double represents meaningful deviations in tenths of ppm exactly. */
    double tenths = ((double)value - (double)nominal) / (double)nominal * 1e7;
    snprintf(number.text, sizeof number.text, "%+.1f", tenths / 10);
    return number;
}

struct pb_unit_shown pb_unit_shown(enum pb_unit unit)
{
    switch (unit) {
    case PB_UNIT_PS:
        return (struct pb_unit_shown){"us", 1e6, 4};
    case PB_UNIT_PPB:
        return (struct pb_unit_shown){"ppm", 1e3, 3};
    case PB_UNIT_PPM:
        return (struct pb_unit_shown){"%", 1e4, 2};
    case PB_UNIT_PHASES:
    case PB_UNIT_BYTES:
    case PB_UNIT_INSTRUCTIONS:
    case PB_UNIT_MESSAGES:
        break;
    case PB_UNIT_COUNT:
        return (struct pb_unit_shown){"", 1, 0};
    case PB_UNIT_MHZ:
        return (struct pb_unit_shown){"kHz", 1e6, 3};
    }
    return (struct pb_unit_shown){pb_unit_name(unit), 1, 0};
}

struct pb_number pb_measured(enum pb_unit unit, int64_t value)
{
    const struct pb_unit_shown shown = pb_unit_shown(unit);
    struct pb_number number = {"-"};
    if (value != PB_ABSENT)
        snprintf(number.text, sizeof number.text, "%.*f%s%s", shown.decimals, (double)value / shown.scale,
                 *shown.name ? " " : "", shown.name);
    return number;
}

struct pb_number pb_address(uint32_t address, const struct pb_network *network)
{
    struct pb_number number;
    snprintf(number.text, sizeof number.text, "0x%0*" PRIX32, (int)pb_network_address_digits(network),
             address);
    return number;
}

const char *pb_port_word(const struct pb_network *network)
{
    return network->dims ? "dimension" : "port";
}

struct pb_number pb_bit_place(int bit)
{
    struct pb_number number;
    int place = bit % 10;
    if (place == 0 || place == 9)
        snprintf(number.text, sizeof number.text, "%d (byte %d, %s bit)", bit, bit / 10,
                 place ? "stop" : "start");
    else
        snprintf(number.text, sizeof number.text, "%d (byte %d, data bit %d)", bit, bit / 10, place - 1);
    return number;
}

void pb_hex(char *out, size_t size, const struct pb_hop_row *hop)
{
    size_t count = hop->byte_count < sizeof hop->bytes ? hop->byte_count : sizeof hop->bytes;
    out[0] = '\0';
    for (size_t i = 0; i < count && 3 * i + 3 <= size; i++)
        snprintf(out + (i ? 3 * i - 1 : 0), size - (i ? 3 * i - 1 : 0), "%s%02X", i ? " " : "",
                 hop->bytes[i]);
}

int pb_finding_rank(const struct pb_finding *finding)
{
    return finding->fault >= 0 ? 0 : finding->marginal ? 1 : 2;
}

const struct pb_finding *pb_first_divergence(const struct pb_result *result)
{
    const struct pb_finding *first = NULL;
    for (size_t i = 0; i < result->findings; i++) {
        const struct pb_finding *finding = &result->finding[i];
        if (finding->fault >= 0)
            continue;
        if (!finding->marginal)
            return finding;
        first = first ? first : finding;
    }
    return first;
}

uint32_t pb_superframe_to_show(const struct pb_result *result)
{
    const struct pb_finding *first = pb_first_divergence(result);
    if (first && !pb_finding_is_after(result, first))
        return first->superframe;
    if (result->faults)
        return result->fault[0].superframe;
    uint32_t busiest = 0;
    size_t most = 0;
    for (size_t i = 0; i < result->hops;) {
        uint32_t superframe = result->hop[i].superframe;
        size_t seen = 0;
        for (; i < result->hops && result->hop[i].superframe == superframe; i++)
            seen += result->hop[i].seen;
        if (seen > most) {
            most = seen;
            busiest = superframe;
        }
    }
    return busiest;
}

size_t pb_link_rows(struct pb_link_row row[PB_LINK_ROWS_MAX], const struct pb_result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->hops; i++) {
        const struct pb_hop_row *hop = &result->hop[i];
        uint32_t low = hop->from < hop->to ? hop->from : hop->to;
        size_t at = 0;
        while (at < count && (row[at].link < hop->link || (row[at].link == hop->link && row[at].low < low)))
            at++;
        if ((at < count && row[at].link == hop->link && row[at].low == low) || count == PB_LINK_ROWS_MAX)
            continue;
        memmove(&row[at + 1], &row[at], (count - at) * sizeof row[0]);
        count++;
        row[at] = (struct pb_link_row){hop->link, hop->dimension, low, hop->from ^ hop->to ^ low};
    }
    return count;
}

enum pb_hop_state pb_hop_state(const struct pb_hop_row *hop)
{
    return !hop->seen ? PB_HOP_MISSING : hop->correct ? PB_HOP_CORRECT : PB_HOP_WRONG;
}

void pb_markup(FILE *stream, const char *text)
{
    uint32_t code;
    while ((code = pb_utf8_next_printable(&text)) != 0) {
        switch (code) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        case '"':
            fputs("&quot;", stream);
            break;
        case '\'':
            fputs("&#39;", stream);
            break;
        default: {
            char bytes[4];
            fwrite(bytes, 1, pb_utf8_put(bytes, code), stream);
        }
        }
    }
}

struct pb_clause pb_node_counters_text(const struct pb_node_row *node)
{
    static const struct {
        enum pb_counter counter;
        const char *word;
    } shown[] = {{PB_COUNTER_TX_FRAMES, "sent"},
                 {PB_COUNTER_RX_FRAMES, "received"},
                 {PB_COUNTER_DELIVERED, "delivered"},
                 {PB_COUNTER_QUEUE_DROPS, "dropped"}};
    struct pb_clause clause = {"its counters were not read"};
    size_t at = 0;
    if (!node->counted)
        return clause;
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        if (node->counter[shown[i].counter] >= 0) /* counters are optional */
            at += (size_t)snprintf(clause.text + at, sizeof clause.text - at, "%s %" PRId64 " %s",
                                   at ? "," : "it counted", node->counter[shown[i].counter], shown[i].word);
    return clause;
}

int pb_stream_status(FILE *stream)
{
    return fflush(stream) || ferror(stream) ? PB_ERR_IO : PB_OK;
}
