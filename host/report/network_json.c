/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "network_json.h"

#include "host/base/form.h"

void pb_network_json(json_t *object, const struct pb_network *network)
{
    if (network->dims) {
        pb_form_set(object, "dims", json_integer(network->dims));
        return;
    }
    json_t *form = json_object(), *radix = json_array();
    for (unsigned digit = 0; digit < network->digits; digit++)
        pb_form_add(radix, json_integer(network->radix[digit]));
    char name[PB_NETWORK_TEXT_SIZE];
    pb_form_set(form, "family", json_string(network->family->name));
    pb_form_set(form, "radix", radix);
    if (!pb_network_is_complete(network))
        pb_form_set(form, "name", json_string(pb_network_name(network, name)));
    pb_form_set(object, "network", form);
    pb_form_set(object, "nodes", json_integer(network->nodes));
}
