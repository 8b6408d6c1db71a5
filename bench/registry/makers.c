/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/registry/makers.h"
#include "bench/nodes/limits.h"
#include "bench/nodes/process.h"

#include <string.h>

typedef int maker(struct pb_node **out, const struct pb_node_config *config,
                  const struct pb_node_setting *setting, struct pb_diag *diag);

static int made(struct pb_node **out, struct pb_node *node, struct pb_diag *diag)
{
    *out = node;
    return node ? PB_OK : pb_fail(diag, PB_ERR_MEMORY, "no memory for the node models");
}

static enum pb_node_defect at_the_pins(const char *name)
{
    for (unsigned i = 0; i < PB_PIN_DEFECTS; i++)
        if (!strcmp(pb_pin_defects[i].name, name))
            return (enum pb_node_defect)(i + 1);
    return PB_DEFECT_NONE;
}

static int pb_node_make_native(struct pb_node **out, const struct pb_node_config *config,
                               const struct pb_node_setting *setting, struct pb_diag *diag)
{
    const enum pb_node_defect defect = at_the_pins(setting->defect);
    const int code = pb_node_native_check(config, diag);
    if (code)
        return code;
    if (defect == PB_DEFECT_WRONG_ORDER)
        return made(out, pb_node_native_create_wrong_order(config), diag);
    return made(out, pb_node_add_defect(pb_node_native_create(config), config, defect, setting->amount_ps),
                diag);
}

static int pb_node_make_ref(struct pb_node **out, const struct pb_node_config *config,
                            const struct pb_node_setting *setting, struct pb_diag *diag)
{
    const int code = pb_node_ref_check(config, diag);
    if (code)
        return code;
    return made(out,
                pb_node_add_defect(pb_node_ref_create(config), config, at_the_pins(setting->defect),
                                   setting->amount_ps),
                diag);
}

static int pb_node_make_contract(struct pb_node **out, const struct pb_node_config *config,
                                 const struct pb_node_setting *setting, struct pb_diag *diag)
{
    const int defect = pb_defect_of_name(setting->defect);
    const struct pb_contract_setting broken = {
        .defect = defect > 0 ? (enum pb_contract_defect)defect : PB_CONTRACT_SOUND,
        .amount_ps = setting->amount_ps,
        .from = setting->from,
        .every = setting->every,
        .port = setting->port,
        .after = (enum pb_defect_after)setting->after,
        .freedoms = setting->freedoms,
        .start_early_ps = setting->start_early_ps,
        .start_late_ps = setting->start_late_ps,
    };
    const int code = pb_node_contract_check(config, &broken, diag);
    return code ? code : made(out, pb_node_contract_create(config, &broken), diag);
}

typedef int process_creator(struct pb_node **out, const struct pb_node_config *config, const char *argument,
                            const struct pb_process_setting *setting, struct pb_diag *diag);

static int make_process(struct pb_node **out, const struct pb_node_config *config,
                        const struct pb_node_setting *setting, const char *kind, process_creator *create,
                        struct pb_diag *diag)
{
    const struct pb_node_limit limit[] = {
        {"links of the network", pb_node_links(config), 1, PB_NODE_LINKS_MAX},
        {"address", config->address, 0, (int64_t)pb_node_addresses(config) - 1},
        {"link.baud", config->baud_hz, 300, 12000000},
        {"link.console_baud", config->console_baud_hz, 300, 12000000},
    };
    const struct pb_process_setting process = {
        .folder = setting->folder, .limit_ps = setting->answer_limit_ps, .halt = setting->halt};
    const int code = pb_node_check_limits(kind, limit, sizeof limit / sizeof limit[0], diag);
    return code ? code : create(out, config, setting->argument, &process, diag);
}

static int pb_node_make_exec(struct pb_node **out, const struct pb_node_config *config,
                             const struct pb_node_setting *setting, struct pb_diag *diag)
{
    return make_process(out, config, setting, "exec", pb_node_process_create, diag);
}

static int pb_node_make_so(struct pb_node **out, const struct pb_node_config *config,
                           const struct pb_node_setting *setting, struct pb_diag *diag)
{
    return make_process(out, config, setting, "so", pb_node_library_create, diag);
}

static int pb_node_make_elf(struct pb_node **out, const struct pb_node_config *config,
                            const struct pb_node_setting *setting, struct pb_diag *diag)
{
    return pb_node_image_create(out, config, setting->argument, setting->folder, diag);
}

int pb_node_make(struct pb_node **out, const struct pb_node_kind *kind, const struct pb_node_config *config,
                 const struct pb_node_setting *setting, struct pb_diag *diag)
{
    static maker *const makers[] = {
#define MODEL(name, text, make, ...) make,
#define NO_MODEL(name, text, ...) NULL,
#include "bench/registry/kinds.def"
#undef MODEL
#undef NO_MODEL
    };
    return makers[kind - pb_node_kinds(NULL)](out, config, setting, diag);
}
