/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "phasebench/cube.h"

#include <string.h>

static const char *const rule_name[] = {
    [PB_RULE_ECUBE] = "ecube",
    [PB_RULE_OPPORTUNISTIC] = "opportunistic",
};

static unsigned lowest_bit(uint32_t set)
{
    return (unsigned)__builtin_ctz(set);
}

/* The dimension the message crosses next when it stands at `at` at the start of phase `now`. */
static unsigned next_dimension(unsigned dims, enum pb_rule rule, uint32_t at, uint32_t differing,
                               unsigned now)
{
    if (rule == PB_RULE_ECUBE)
        return lowest_bit(differing);

    unsigned phases = pb_cube_phases(dims), best = 0, best_wait = phases;
    for (; differing; differing &= differing - 1) {
        unsigned dimension = lowest_bit(differing);
        unsigned wait = (pb_send_phase(at, dimension) + phases - now % phases) % phases;
        if (wait < best_wait) {
            best = dimension;
            best_wait = wait;
        }
    }
    return best;
}

void pb_route_lone(struct pb_route *route, unsigned dims, enum pb_rule rule, uint32_t source,
                   uint32_t destination, unsigned birth_phase)
{
    unsigned phases = pb_cube_phases(dims);
    unsigned now = birth_phase; /* phases since the start of the superframe of birth */
    uint32_t at = source;

    memset(route, 0, sizeof *route);
    while (at != destination) {
        unsigned dimension = next_dimension(dims, rule, at, at ^ destination, now);
        now += (pb_send_phase(at, dimension) + phases - now % phases) % phases;

        struct pb_hop *hop = &route->hop[route->hops++];
        hop->superframe = now / phases;
        hop->phase = now % phases;
        hop->dimension = dimension;
        hop->from = at;
        hop->to = at = pb_neighbour(at, dimension);
        now++;
    }
    route->latency_phases = now - birth_phase;
}

unsigned pb_bound_lone_phases(unsigned dims, enum pb_rule rule, bool any_birth)
{
    /* The extra superframe of dimension order needs a second dimension: born just after its first own phase,
     * the message must still cross the last dimension late. With one dimension there is no such message. */
    if (rule == PB_RULE_ECUBE && any_birth && dims > 1)
        return 4 * dims - 1;
    return 2 * dims;
}

const char *pb_rule_name(enum pb_rule rule)
{
    return rule_name[rule];
}

bool pb_rule_parse(const char *name, enum pb_rule *rule)
{
    for (size_t i = 0; i < sizeof rule_name / sizeof rule_name[0]; i++) {
        if (strcmp(name, rule_name[i]) == 0) {
            *rule = (enum pb_rule)i;
            return true;
        }
    }
    return false;
}
