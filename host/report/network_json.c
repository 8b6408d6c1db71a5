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
    pb_form_set(form, "family", json_string(network->family->name));
    pb_form_set(form, "radix", radix);
    pb_form_set(object, "network", form);
    pb_form_set(object, "nodes", json_integer(network->nodes));
}
