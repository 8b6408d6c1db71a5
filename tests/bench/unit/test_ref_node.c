/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The reference node at its pins: the sentences of docs/node.md, and the limits of its logic.
 *
 * evidence: reference node
 *   simulated in Icarus and Verilator
 *   also: make rtl-check
 */
#include "tests/bench/unit/node_sentences.h"

TEST(refuses_what_its_logic_cannot_be)
{
    static const struct {
        size_t offset;
        int64_t value;
    } bad[] = {
#define BAD(member, value) {offsetof(struct pb_node_config, member), value}
        BAD(rule, PB_NODE_OPPORTUNISTIC),
        BAD(codec, PB_NODE_CODEC_STARC),
        BAD(baud_hz, 2100000),
        BAD(baud_hz, 200),
        BAD(console_baud_hz, 1100000),
#undef BAD
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct pb_node_config config = config_of(5);
        const int32_t value = (int32_t)bad[i].value;
        memcpy((char *)&config + bad[i].offset, &value, sizeof value);
        assert_null(pb_node_ref_create(&config));
    }
    struct pb_node_config config = config_of(5);
    config.head_guard_ps = (INT64_C(1) << 24) * INT64_C(62500);
    assert_null(pb_node_ref_create(&config));
}

SENTENCES_OF(kind_ref)
