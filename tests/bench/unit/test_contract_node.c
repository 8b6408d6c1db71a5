/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sound contract node beyond the scripts of test_contract_defects.c: the sentences of docs/node.md, side
 * by side with the firmware, which was written from the same page, too; and the limits of the models.
 *
 * evidence: contract node
 *   a third node, written from the numbered sentences of docs/node.md: the same frames, answers and
 *   counters as the firmware on random traffic; each sentence has a defect visible at the pins
 *   also: test_contract_defects, test_contract_table
 */
#include "phasebench/error.h"
#include "tests/bench/unit/contract_log.h"
#include "tests/bench/unit/node_sentences.h"

/* The check value of docs/node.md. */
TEST(crc_of_the_tests_is_right)
{
    uint8_t text[] = "123456789";
    seal_frame(text, 9);
    assert_int_equal(text[9], 0xF4);
}

TEST(configuration_limits)
{
#define REFUSED(change, key)                                                                                 \
    do {                                                                                                     \
        struct pb_node_config config = log_config();                                                         \
        struct pb_diag diag = {""};                                                                          \
        change;                                                                                              \
        assert_null(pb_node_contract_create(&config, NULL));                                                 \
        assert_int_equal(pb_node_contract_check(&config, NULL, &diag), PB_ERR_CONFIG);                       \
        assert_non_null(strstr(diag.text, key));                                                             \
        assert_non_null(strstr(diag.text, "give "));                                                         \
    } while (0)
    REFUSED(config.digits = 0, "links of the network: 0");
    REFUSED(config.digits = 13, "links of the network: 0");
    REFUSED(config.address = 16, "address: 16");
    REFUSED(config.payload_bytes = 81, "link.payload in bytes: 81");
    REFUSED((config.codec = PB_NODE_CODEC_STARC, config.payload_bytes = 79), "give 0 to 78");
    REFUSED(config.phase_rate_mhz = 999, "link.phase_rate");
    REFUSED(config.baud_hz = 299, "link.baud: 299");
    REFUSED(config.console_baud_hz = 12000001, "link.console_baud: 12000001");
    REFUSED(config.head_guard_ps = -1, "link.head_guard");
    REFUSED(config.clock_ppm = 100001, "clock_error");
    REFUSED(config.irq_latency_ps = -1, "irq_latency");
    REFUSED(config.irq_jitter_ps = -1, "irq_jitter");
#undef REFUSED
}

TEST(defect_limits)
{
    static const struct {
        struct pb_contract_setting setting;
        const char *says;
    } one[] = {
        {{.defect = PB_CONTRACT_FLIPPED_BIT, .amount_ps = US}, "'flipped_bit' has no amount"},
        {{.defect = PB_CONTRACT_BOOT_PULL, .from = 1}, "'boot_pull' acts before"},
        {{.defect = PB_CONTRACT_RESET_PULL, .every = PB_DEFECT_ONCE}, "'reset_pull' acts before"},
        {{.defect = PB_CONTRACT_RESET_PULL, .port = 1}, "'reset_pull' acts before"},
        {{.defect = PB_CONTRACT_LATE_START, .amount_ps = -1}, "defect_amount"},
        {{.defect = PB_CONTRACT_LATE_START, .amount_ps = 1000001 * US}, "defect_amount"},
        {{.defect = PB_CONTRACT_LATE_START, .port = PB_NODE_LINKS_MAX + 1}, "defect_port"},
        {{.defect = PB_CONTRACT_LATE_START, .after = PB_DEFECT_AFTERS}, "defect_after"},
    };
    const struct pb_node_config config = log_config();
    for (size_t i = 0; i < COUNT(one); i++) {
        struct pb_diag diag = {""};
        assert_null(pb_node_contract_create(&config, &one[i].setting));
        assert_int_equal(pb_node_contract_check(&config, &one[i].setting, &diag), PB_ERR_CONFIG);
        assert_non_null(strstr(diag.text, one[i].says));
    }
}

/* What the other kinds cannot do has a cause, too, at the very limits of docs/node.md and
 * rtl/node/ref_node.v: a bit of 8 clocks of 16 MHz on a link, of 16 on the console, to the nearest sixteenth
 * of a clock. */
TEST(other_kinds_name_their_limits)
{
    struct pb_node_config config = log_config();
    struct pb_diag diag = {""};
    config.baud_hz = 2007844;
    assert_int_equal(pb_node_ref_check(&config, &diag), PB_ERR_CONFIG);
    assert_string_equal(diag.text, "link.baud: 2007844 is out of range for kind 'ref'; give 245 to 2007843");
    config.baud_hz = 2007843;
    assert_int_equal(pb_node_ref_check(&config, &diag), PB_OK);
    config.console_baud_hz = 1001957;
    assert_int_equal(pb_node_ref_check(&config, &diag), PB_ERR_CONFIG);
    assert_string_equal(diag.text,
                        "link.console_baud: 1001957 is out of range for kind 'ref'; give 245 to 1001956");
    config.console_baud_hz = 245;
    assert_int_equal(pb_node_ref_check(&config, &diag), PB_OK);
    config.rule = PB_NODE_OPPORTUNISTIC;
    assert_int_equal(pb_node_ref_check(&config, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "cube.rule"));
    config.rule = PB_NODE_ECUBE;
    config.codec = PB_NODE_CODEC_STARC;
    assert_int_equal(pb_node_ref_check(&config, &diag), PB_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "link.codec"));
    config.payload_bytes = 79;
    assert_int_equal(pb_node_native_check(&config, &diag), PB_ERR_CONFIG);
    assert_string_equal(diag.text,
                        "link.payload in bytes: 79 is out of range for kind 'native'; give 0 to 78");
}

SENTENCES_OF(kind_contract)
