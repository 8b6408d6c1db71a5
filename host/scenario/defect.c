/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *pb_kinds_that(char text[PB_KINDS_TEXT],
                          bool (*does)(const struct pb_node_kind *kind, unsigned what), unsigned what)
{
    unsigned count, left = 0;
    size_t at = 0;
    bool own = false;
    const struct pb_node_kind *kind = pb_node_kinds(&count);
    text[0] = '\0';
    for (unsigned i = 0; i < count; i++)
        own |= kind[i].model && !kind[i].argument && does(&kind[i], what);
    for (unsigned i = 0; i < count; i++)
        left += kind[i].model && own == !kind[i].argument && does(&kind[i], what);
    for (unsigned i = 0; i < count && at < PB_KINDS_TEXT; i++)
        if (kind[i].model && own == !kind[i].argument && does(&kind[i], what)) {
            at += (size_t)snprintf(text + at, PB_KINDS_TEXT - at, "%s%s", kind[i].name,
                                   left > 2    ? ", "
                                   : left == 2 ? " or "
                                               : "");
            left--;
        }
    return text;
}

static unsigned index_of(const struct pb_node_kind *kind, const char *name)
{
    unsigned i = 0;
    while (i < kind->defects && strcmp(kind->defect[i].name, name))
        i++;
    return i;
}

/* What the settings of a scenario rule out, or NULL. */
static const char *obstacle_of(const struct pb_defect_info *info, const struct pb_scenario *scenario)
{
    if ((info->needs & PB_NEEDS_TWO_DIMS) && scenario->network.digits < 2)
        return "a network of 2 dimensions or more; give a larger one";
    if ((info->needs & PB_NEEDS_SPARE_LINK) && scenario->network.ports >= PB_WIRE_PORTS_MAX)
        return "a link that the network does not use; give a smaller one";
    if ((info->needs & PB_NEEDS_OPEN_DRAIN) && scenario->push_pull)
        return "lines with open drain; remove link.drive";
    if ((info->needs & PB_NEEDS_ECUBE) && scenario->rule != PB_RULE_ECUBE)
        return "rule ecube; change the rule of the network";
    return NULL;
}

/* A name that only other kinds have is no misspelt one. */
static int refuse_name(const struct pb_reader *reader, const char *place, const char *text,
                       const struct pb_node_kind *kind)
{
    unsigned count, owners = 0;
    char list[PB_KINDS_TEXT] = "";
    size_t at = 0, choice;
    const struct pb_node_kind *all = pb_node_kinds(&count);
    for (unsigned i = 0; i < count; i++)
        if (index_of(&all[i], text) < all[i].defects && at < sizeof list)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", owners++ ? " or " : "", all[i].name);
    if (owners)
        return pb_reject(reader, place, "kind '%s' has no defect '%s'; use kind %s", kind->name, text, list);
    const char **name = malloc((kind->defects + 1) * sizeof *name);
    if (!name)
        return pb_fail(reader->diag, PB_ERR_MEMORY, "%s: no memory for the scenario; close other programs",
                       reader->path);
    name[0] = "none";
    for (unsigned i = 0; i < kind->defects; i++)
        name[i + 1] = kind->defect[i].name;
    const int code = pb_read_choice(reader, place, text, name, kind->defects + 1, &choice);
    free(name);
    return code;
}

static int read_occasion(const struct pb_reader *reader, const struct pb_raw_nodes *raw, unsigned index,
                         const struct pb_defect_info *info, struct pb_scenario_node *node)
{
    struct pb_place place;
    uint64_t from = 0, every = 1;
    const char *given = raw->defect_from    ? "defect_from"
                        : raw->defect_every ? "defect_every"
                        : raw->defect_port  ? "defect_port"
                        : raw->defect_after ? "defect_after"
                                            : NULL;
    if (given)
        pb_place(&place, "nodes", index, given);
    if (given && !info)
        return pb_reject(reader, place.text, "the node has no defect; remove the key or give a defect");
    if (given && strcmp(given, "defect_after") && (info->needs & PB_NEEDS_BEFORE_CLOCK))
        return pb_reject(
            reader, place.text,
            "defect '%s' acts before the phase clock starts, not in a superframe; remove the key",
            info->name);
    int code = pb_read_key(reader, PB_KEY_nodes_defect_from, raw, index, &from);
    if (code == PB_OK && raw->defect_every && !strcmp(raw->defect_every, "once"))
        every = UINT32_MAX;
    else if (code == PB_OK)
        code = pb_read_number(reader, pb_place(&place, "nodes", index, "defect_every"), raw->defect_every, 1,
                              1000000, &every);
    node->defect_from = (uint32_t)from;
    node->defect_every = (uint32_t)every;
    return code;
}

static int read_where(const struct pb_reader *reader, const struct pb_raw_nodes *raw, unsigned index,
                      struct pb_scenario *scenario)
{
    struct pb_place place;
    struct pb_scenario_node *node = &scenario->node[index];
    uint64_t port = 0;
    size_t after = PB_AFTER_START;
    int code = pb_read_number(reader, pb_place(&place, "nodes", index, "defect_port"), raw->defect_port, 0,
                              scenario->network.ports - 1, &port);
    if (code == PB_OK)
        code = pb_read_key(reader, PB_KEY_nodes_defect_after, raw, index, &after);
    node->defect_port = raw->defect_port ? (uint32_t)port + 1 : 0;
    node->defect_after = (uint32_t)after;
    return code;
}

static int read_amount(const struct pb_reader *reader, const struct pb_raw_nodes *raw, unsigned index,
                       const struct pb_defect_info *info, struct pb_scenario *scenario)
{
    struct pb_place place;
    struct pb_scenario_node *node = &scenario->node[index];
    pb_place(&place, "nodes", index, "defect_amount");
    if (!info || (!info->default_amount_ps && !info->default_amount_bit))
        return pb_reject(reader, place.text, "defect '%s' has no amount; remove the key", node->defect);
    int64_t most_ps = info->most_ps;
    if (!(info->needs & PB_NEEDS_BEFORE_CLOCK) && most_ps > pb_phase_ps(scenario))
        most_ps = pb_phase_ps(scenario);
    return pb_read_quantity(reader, place.text, raw->defect_amount, PB_QUANTITY_TIME, 1, most_ps,
                            &node->defect_amount_ps);
}

int pb_read_defect(const struct pb_reader *reader, const struct pb_raw_nodes *raw, unsigned index,
                   const struct pb_node_kind *kind, struct pb_scenario *scenario)
{
    struct pb_place place;
    struct pb_scenario_node *node = &scenario->node[index];
    const char *name = raw->defect ? raw->defect : "none";
    const unsigned found = index_of(kind, name);
    pb_place(&place, "nodes", index, "defect");
    if (found == kind->defects && strcmp(name, "none"))
        return refuse_name(reader, place.text, name, kind);
    const struct pb_defect_info *info = found < kind->defects ? &kind->defect[found] : NULL;
    const char *obstacle = info ? obstacle_of(info, scenario) : NULL;
    if (obstacle)
        return pb_reject(reader, place.text, "defect '%s' needs %s", info->name, obstacle);
    node->defect = info ? info->name : "none";
    int code = read_occasion(reader, raw, index, info, node);
    if (code == PB_OK)
        code = read_where(reader, raw, index, scenario);
    if (code == PB_OK && raw->defect_amount)
        code = read_amount(reader, raw, index, info, scenario);
    return code;
}
