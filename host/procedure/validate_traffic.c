/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "validate_steps.h"

#include "phasebench/network.h"

#include <inttypes.h>
#include <stdlib.h>

struct list {
    const struct pb_scenario *scenario;
    FILE *stream;
    bool any;
};

static uint32_t node_of(const struct list *list)
{
    return list->scenario->node[0].address;
}

static uint32_t neighbour(const struct list *list, unsigned port)
{
    return pb_network_neighbour(&list->scenario->network, node_of(list), port);
}

static unsigned digit_of(const struct pb_network *network, unsigned port)
{
    unsigned digit = network->digits - 1;
    while (network->first_port[digit] > port)
        digit--;
    return digit;
}

static unsigned ports_of(const struct pb_network *network, unsigned digit)
{
    return (digit + 1 < network->digits ? network->first_port[digit + 1] : network->ports) -
           network->first_port[digit];
}

/* repeat 0: for ever. */
static void message(struct list *list, uint32_t from, uint32_t to, uint32_t superframe, uint32_t every,
                    uint32_t repeat)
{
    /* The bench follows a clock of another controller from some phase of superframe 0 on. */
    fprintf(list->stream, "%s{from: 0x%" PRIX32 ", to: 0x%" PRIX32 ", superframe: %" PRIu32,
            list->any ? ", " : "[", from, to, superframe + list->scenario->follow);
    if (every > 1)
        fprintf(list->stream, ", every: %" PRIu32, every);
    if (repeat)
        fprintf(list->stream, ", repeat: %" PRIu32 "}", repeat);
    else
        fputs(", repeat: forever}", list->stream);
    list->any = true;
}

/* `text` gets the list; it is that of open_memstream. */
static char *close_list(struct list *list, char **text)
{
    fputs(list->any ? "]" : "[]", list->stream);
    const int failed = ferror(list->stream);
    if (!fclose(list->stream) && !failed)
        return *text;
    free(*text);
    return NULL;
}

uint32_t validate_own_every(const struct pb_scenario *scenario)
{
    return procedure_own_every(scenario->network.phases);
}

/* Messages of other nodes leave on this port: one comes in on each port of the digit before. */
static bool is_fed(const struct pb_network *network, unsigned port)
{
    const unsigned digit = digit_of(network, port);
    return digit && port - network->first_port[digit] < ports_of(network, digit - 1);
}

unsigned validate_own_ports(const struct pb_scenario *scenario)
{
    unsigned count = 0;
    for (unsigned port = 0; port < scenario->network.ports; port++)
        count += !is_fed(&scenario->network, port);
    return count;
}

char *validate_full_load(const struct pb_scenario *scenario, uint32_t repeat)
{
    const struct pb_network *network = &scenario->network;
    char *text = NULL;
    size_t length;
    struct list list = {scenario, open_memstream(&text, &length), false};
    if (!list.stream)
        return NULL;
    const uint32_t every = validate_own_every(scenario), stride = validate_own_ports(scenario) * every;
    uint32_t first = 0;
    /* A message comes in on a port of a digit and leaves on one of the next digit. What a digit has more of
     * than the next one is for the node; what the next one has more leaves as own message. */
    for (unsigned port = 0; port < network->ports; port++) {
        const unsigned digit = digit_of(network, port), within = port - network->first_port[digit];
        const bool leaves = digit + 1 < network->digits && within < ports_of(network, digit + 1);
        message(&list, neighbour(&list, port),
                leaves ? neighbour(&list, network->first_port[digit + 1] + within) : node_of(&list), 0, 1,
                repeat);
        if (is_fed(network, port))
            continue;
        if (!repeat || first < repeat)
            message(&list, node_of(&list), neighbour(&list, port), first, stride,
                    repeat ? (repeat - first + stride - 1) / stride : 0);
        first += every;
    }
    return close_list(&list, &text);
}

char *validate_reception(const struct pb_scenario *scenario, int port, uint32_t repeat)
{
    char *text = NULL;
    size_t length;
    struct list list = {scenario, open_memstream(&text, &length), false};
    if (!list.stream)
        return NULL;
    for (unsigned p = 0; p < scenario->network.ports; p++)
        if (port < 0 || p == (unsigned)port)
            message(&list, neighbour(&list, p), node_of(&list), port < 0 ? p * repeat : 0, 1, repeat);
    return close_list(&list, &text);
}

char *validate_pairs(const struct pb_scenario *scenario, unsigned *pairs)
{
    const struct pb_network *network = &scenario->network;
    char *text = NULL;
    size_t length;
    struct list list = {scenario, open_memstream(&text, &length), false};
    if (!list.stream)
        return NULL;
    *pairs = 0;
    /* With this distance every link is used at most once in a superframe. */
    for (unsigned distance = 1; distance < network->ports; distance++)
        for (unsigned in = 0; in + distance < network->ports; in++)
            if (digit_of(network, in) != digit_of(network, in + distance)) {
                message(&list, neighbour(&list, in), neighbour(&list, in + distance), distance - 1, 1, 1);
                ++*pairs;
            }
    return close_list(&list, &text);
}

char *validate_trips(const struct pb_scenario *scenario, uint32_t repeat)
{
    char *text = NULL;
    size_t length;
    struct list list = {scenario, open_memstream(&text, &length), false};
    if (!list.stream)
        return NULL;
    const uint32_t every = validate_own_every(scenario);
    message(&list, neighbour(&list, 0), node_of(&list), 0, every, repeat);
    message(&list, node_of(&list), neighbour(&list, 0), 0, every, repeat);
    return close_list(&list, &text);
}

bool validate_way(const struct pb_scenario *scenario, unsigned *in, unsigned *out)
{
    const struct pb_network *network = &scenario->network;
    *in = 0;
    *out = network->digits > 1 ? network->first_port[1] : 0;
    return network->digits > 1;
}
