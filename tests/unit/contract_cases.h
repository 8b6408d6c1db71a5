/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a contract node does in each script of test_contract_defects.c, and what changes with a defect: lines
 * that go and lines that come. From docs/node.md by hand; check values by long division.
 */
#ifndef CONTRACT_CASES_H
#define CONTRACT_CASES_H

/* clang-format off */
static const char *const sound[SCRIPTS] = {
    [OWN] =
        "> S A 0102\n"
        "< +S 0\n"
        "> S 4 0304\n"
        "< +S 1\n"
        "> S D 05\n"
        "< +S 2\n"
        "e1 d0 +5.0 0A 00 01 02 87\n"
        "e6 d3 +5.0 0D 20 05 00 FC\n"
        "e9 d0 +5.0 04 10 03 04 D9\n"
        "T edges=18\n"
        "T superframes=3\n"
        "T own_messages=3\n"
        "T tx_frames=3\n"
        "T max_queue=2\n"
        "T max_stored=3\n"
        "T console_lines=4\n",
    [FORWARD] =
        "e2 d1 +5.0 07 10 11 22 6C\n"
        "e5 d2 +5.0 01 30 11 22 5B\n"
        "e9 d0 +5.0 04 20 11 22 B7\n"
        "e14 d3 +5.0 0D F0 11 22 3E\n"
        "e17 d0 +5.0 06 00 06 07 1F\n"
        "uart +S 0\n"
        "T edges=20\n"
        "T superframes=4\n"
        "T rx_frames=5\n"
        "T delivered=1\n"
        "T forwarded=4\n"
        "T own_messages=1\n"
        "T tx_frames=5\n"
        "T max_queue=2\n"
        "T max_stored=2\n"
        "T console_lines=2\n",
    [BAD] =
        "e9 d0 +5.0 04 40 11 22 72\n"
        "T edges=18\n"
        "T superframes=3\n"
        "T rx_frames=2\n"
        "T rx_crc_errors=1\n"
        "T rx_length_errors=1\n"
        "T rx_framing_errors=1\n"
        "T rx_cut=1\n"
        "T rx_bad_destinations=1\n"
        "T forwarded=1\n"
        "T tx_frames=1\n"
        "T max_queue=1\n"
        "T max_stored=1\n"
        "T console_lines=1\n",
    [SYNC] =
        "e1 d0 +5.0 04 00 00 00 58\n"
        "e25 d0 +5.0 04 10 00 01 FD\n"
        "e33 d0 +5.0 04 20 00 02 15\n"
        "e36 d0 +5.0 04 30 00 03 B0\n"
        "e44 d0 +5.0 04 40 00 04 C2\n"
        "T edges=30\n"
        "T superframes=5\n"
        "T alignment_errors=2\n"
        "T own_messages=9\n"
        "T tx_frames=5\n"
        "T max_queue=9\n"
        "T max_stored=9\n"
        "T console_lines=A\n",
    [CLOCK] =
        "e1 d0 +5.0 04 00 00 00 58\n"
        "e5 d2 +5.0 01 10 00 10 C4\n"
        "e9 d0 +5.0 04 20 00 01 1C\n"
        "e13 d2 +5.0 01 30 00 11 80\n"
        "e16 d0 +5.0 04 40 00 02 D0\n"
        "e20 d2 +5.0 01 50 00 12 4C\n"
        "e25 d0 +5.0 04 60 00 03 94\n"
        "T edges=1C\n"
        "T superframes=4\n"
        "T alignment_errors=2\n"
        "T missed_edges=1\n"
        "T extra_edges=1\n"
        "T own_messages=7\n"
        "T tx_frames=7\n"
        "T max_queue=4\n"
        "T max_stored=7\n"
        "T console_lines=8\n",
    [CUT] =
        "> S A 0102\n"
        "< +S 0\n"
        "> S 4 0304\n"
        "< +S 1\n"
        "e1 d0 +5.0 0A 00 E1\n"
        "e2 d0 low 1.0\n"
        "e10 d0 +5.0 04 10 03 04 D9\n"
        "T edges=21\n"
        "T superframes=4\n"
        "T alignment_errors=1\n"
        "T extra_edges=1\n"
        "T own_messages=2\n"
        "T tx_frames=2\n"
        "T tx_cut=1\n"
        "T max_queue=2\n"
        "T max_stored=2\n"
        "T console_lines=3\n",
    [FULL] =
        "> S 4 0027\n"
        "< +S 7\n"
        "> S 4 0028\n"
        "< -full\n"
        "e1 d0 +5.0 04 00 00 00 58\n"
        "e9 d0 +5.0 04 10 00 01 FD\n"
        "T edges=10\n"
        "T superframes=2\n"
        "T own_messages=28\n"
        "T tx_frames=2\n"
        "T queue_drops=1\n"
        "T max_queue=28\n"
        "T max_stored=28\n"
        "T console_lines=2A\n"
        "T console_errors=1\n",
    [RESET] =
        "> S 4 0102\n"
        "< +S 0\n"
        "> S 4 0304\n"
        "< +S 1\n"
        "e1 d0 +5.0 04 00 01 02 43\n"
        "> S 4 0506\n"
        "< +S 0\n"
        "T edges=8\n"
        "T superframes=1\n"
        "T own_messages=1\n"
        "T max_queue=1\n"
        "T max_stored=1\n"
        "T console_lines=2\n",
    [CONSOLE] =
        "> I\n"
        "< +I node=contract addr=5 dims=4 fw=1\n"
        "> S 10 00\n"
        "< -range\n"
        "> S 4 010203\n"
        "< -length\n"
        "> S 4 01\n"
        "< +S 0\n"
        "> S 5 0102\n"
        "< +S 1\n"
        "> Q\n"
        "< -unknown\n"
        "> A 6\n"
        "< -busy\n"
        "> M 1\n"
        "< +M 1\n"
        "e1 d0 +5.0 04 00 01 00 4D\n"
        "e10 d1 +5.0 05 70 11 22 85\n"
        "T edges=10\n"
        "T superframes=2\n"
        "T rx_frames=1\n"
        "T delivered=1\n"
        "T forwarded=1\n"
        "T own_messages=2\n"
        "T tx_frames=2\n"
        "T max_queue=1\n"
        "T max_stored=1\n"
        "T console_lines=9\n"
        "T console_errors=4\n"
        "> A 6\n"
        "< +A 6\n"
        "> I\n"
        "< +I node=contract addr=6 dims=4 fw=1\n"
        "> Z\n"
        "< +Z\n"
        "T console_lines=1\n",
};

static const struct defect_case {
    enum pb_contract_defect defect;
    enum script script;
    uint32_t every;
    int64_t amount_ps;
    const char *goes, *comes;
} defect_cases[] = {
    {PB_CONTRACT_BOOT_PULL, OWN, 0, 0,
     "",
     "boot d0 low 3000.0\n"},
    {PB_CONTRACT_RESET_PULL, RESET, 0, 0,
     "",
     "reset d0 low 1000.0\n"
     "reset d1 low 1000.0\n"
     "reset d2 low 1000.0\n"
     "reset d3 low 1000.0\n"
     "e7 d0 pulse +100.0 1000.0\n"
     "e7 d1 pulse +100.0 1000.0\n"
     "e7 d2 pulse +100.0 1000.0\n"
     "e7 d3 pulse +100.0 1000.0\n"},
    {PB_CONTRACT_RESET_UART, RESET, 0, 0,
     "",
     "reset uart low\n"
     "uart <00>\n"},
    {PB_CONTRACT_IGNORES_RESET, RESET, 0, 0,
     "< +S 0\n"
     "T edges=8\n"
     "T superframes=1\n"
     "T own_messages=1\n"
     "T max_queue=1\n"
     "T max_stored=1\n"
     "T console_lines=2\n",
     "e9 d0 +5.0 04 10 03 04 D9\n"
     "< +S 2\n"
     "T edges=10\n"
     "T superframes=2\n"
     "T missed_edges=14\n"
     "T own_messages=3\n"
     "T tx_frames=2\n"
     "T max_queue=2\n"
     "T max_stored=2\n"
     "T console_lines=4\n"},
    {PB_CONTRACT_KEEPS_SEQUENCE, RESET, 0, 0,
     "< +S 0\n",
     "< +S 2\n"},
    {PB_CONTRACT_PULLS_UNUSED, OWN, PB_DEFECT_ONCE, 0,
     "",
     "e0 d4 pulse +9.0 1.0\n"},
    {PB_CONTRACT_DRIVES_IDLE, OWN, PB_DEFECT_ONCE, 0,
     "",
     "e0 high F\n"
     "e1 high F\n"},
    {PB_CONTRACT_DRIVES_FRAME, OWN, PB_DEFECT_ONCE, 0,
     "",
     "e1 high 1\n"},
    {PB_CONTRACT_MISSES_EDGE, OWN, PB_DEFECT_ONCE, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n"
     "e6 d3 +5.0 0D 20 05 00 FC\n"
     "e9 d0 +5.0 04 10 03 04 D9\n"
     "T edges=18\n"
     "T superframes=3\n",
     "e9 d0 +5.0 0A 00 01 02 87\n"
     "e14 d3 +5.0 0D 20 05 00 FC\n"
     "e17 d0 +5.0 04 10 03 04 D9\n"
     "T edges=17\n"
     "T superframes=2\n"},
    {PB_CONTRACT_FALLING_EDGE, OWN, 0, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n"
     "e6 d3 +5.0 0D 20 05 00 FC\n"
     "e9 d0 +5.0 04 10 03 04 D9\n",
     "e1 d0 +15.0 0A 00 01 02 87\n"
     "e6 d3 +15.0 0D 20 05 00 FC\n"
     "e9 d0 +15.0 04 10 03 04 D9\n"},
    {PB_CONTRACT_PHASE_OFF, OWN, 0, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n"
     "e6 d3 +5.0 0D 20 05 00 FC\n"
     "e9 d0 +5.0 04 10 03 04 D9\n",
     "e2 d0 +5.0 0A 00 01 02 87\n"
     "e7 d3 +5.0 0D 20 05 00 FC\n"
     "e10 d0 +5.0 04 10 03 04 D9\n"},
    {PB_CONTRACT_STEP_IGNORED, SYNC, 0, 0,
     "e36 d0 +5.0 04 30 00 03 B0\n"
     "e44 d0 +5.0 04 40 00 04 C2\n"
     "T superframes=5\n"
     "T alignment_errors=2\n"
     "T tx_frames=5\n",
     "e44 d0 +5.0 04 30 00 03 B0\n"
     "T superframes=4\n"
     "T alignment_errors=3\n"
     "T tx_frames=4\n"},
    {PB_CONTRACT_STEP_LATE, SYNC, 0, 0,
     "e36 d0 +5.0 04 30 00 03 B0\n"
     "e44 d0 +5.0 04 40 00 04 C2\n"
     "T alignment_errors=2\n",
     "e37 d0 +5.0 04 30 00 03 B0\n"
     "e45 d0 +5.0 04 40 00 04 C2\n"
     "T alignment_errors=3\n"},
    {PB_CONTRACT_JOINS_LATE, SYNC, 0, 0,
     "e1 d0 +5.0 04 00 00 00 58\n"
     "e25 d0 +5.0 04 10 00 01 FD\n"
     "e33 d0 +5.0 04 20 00 02 15\n"
     "e36 d0 +5.0 04 30 00 03 B0\n"
     "e44 d0 +5.0 04 40 00 04 C2\n"
     "T superframes=5\n"
     "T alignment_errors=2\n"
     "T tx_frames=5\n",
     "e25 d0 +5.0 04 00 00 00 58\n"
     "e33 d0 +5.0 04 10 00 01 FD\n"
     "e36 d0 +5.0 04 20 00 02 15\n"
     "e44 d0 +5.0 04 30 00 03 B0\n"
     "T superframes=4\n"
     "T alignment_errors=1\n"
     "T tx_frames=4\n"},
    {PB_CONTRACT_COUNTS_ON, SYNC, 0, 0,
     "e25 d0 +5.0 04 10 00 01 FD\n"
     "e33 d0 +5.0 04 20 00 02 15\n"
     "e36 d0 +5.0 04 30 00 03 B0\n"
     "e44 d0 +5.0 04 40 00 04 C2\n"
     "T superframes=5\n"
     "T alignment_errors=2\n"
     "T tx_frames=5\n",
     "e9 d0 +5.0 04 10 00 01 FD\n"
     "e17 d0 +5.0 04 20 00 02 15\n"
     "e25 d0 +5.0 04 30 00 03 B0\n"
     "e33 d0 +5.0 04 40 00 04 C2\n"
     "e36 d0 +5.0 04 50 00 05 67\n"
     "e44 d0 +5.0 04 60 00 06 8F\n"
     "T superframes=7\n"
     "T alignment_errors=3\n"
     "T tx_frames=7\n"},
    {PB_CONTRACT_SKIPS_PHASE, OWN, PB_DEFECT_ONCE, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n"
     "e6 d3 +5.0 0D 20 05 00 FC\n"
     "e9 d0 +5.0 04 10 03 04 D9\n",
     "e5 d3 +5.0 0D 20 05 00 FC\n"
     "e9 d0 +5.0 0A 00 01 02 87\n"
     "e17 d0 +5.0 04 10 03 04 D9\n"
     "T alignment_errors=1\n"},
    {PB_CONTRACT_SILENT_LATE, SYNC, 0, 0,
     "e25 d0 +5.0 04 10 00 01 FD\n"
     "e33 d0 +5.0 04 20 00 02 15\n"
     "e36 d0 +5.0 04 30 00 03 B0\n"
     "e44 d0 +5.0 04 40 00 04 C2\n"
     "T superframes=5\n"
     "T alignment_errors=2\n"
     "T tx_frames=5\n",
     "e9 d0 +5.0 04 10 00 01 FD\n"
     "e25 d0 +5.0 04 20 00 02 15\n"
     "e33 d0 +5.0 04 30 00 03 B0\n"
     "e36 d0 +5.0 04 40 00 04 C2\n"
     "e44 d0 +5.0 04 50 00 05 67\n"
     "T superframes=6\n"
     "T alignment_errors=3\n"
     "T tx_frames=6\n"},
    {PB_CONTRACT_PULLS_UNKNOWN, SYNC, PB_DEFECT_ONCE, 0,
     "",
     "e8 d0 pulse +1.0 2.0\n"},
    {PB_CONTRACT_ALIGNMENT_UNCOUNTED, SYNC, 0, 0,
     "T alignment_errors=2\n",
     ""},
    {PB_CONTRACT_NEIGHBOURS_PHASE, OWN, 0, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n"
     "e6 d3 +5.0 0D 20 05 00 FC\n"
     "e9 d0 +5.0 04 10 03 04 D9\n",
     "e0 d0 +5.0 0A 00 01 02 87\n"
     "e7 d3 +5.0 0D 20 05 00 FC\n"
     "e8 d0 +5.0 04 10 03 04 D9\n"},
    {PB_CONTRACT_LISTENS_WRONG, FORWARD, PB_DEFECT_ONCE, 0,
     "e2 d1 +5.0 07 10 11 22 6C\n"
     "T rx_frames=5\n"
     "T forwarded=4\n"
     "T tx_frames=5\n",
     "T rx_frames=4\n"
     "T forwarded=3\n"
     "T tx_frames=4\n"},
    {PB_CONTRACT_DEAF, FORWARD, PB_DEFECT_ONCE, 0,
     "e2 d1 +5.0 07 10 11 22 6C\n"
     "T rx_frames=5\n"
     "T forwarded=4\n"
     "T tx_frames=5\n",
     "T rx_frames=4\n"
     "T forwarded=3\n"
     "T tx_frames=4\n"},
    {PB_CONTRACT_SECOND_LINK, OWN, PB_DEFECT_ONCE, 0,
     "",
     "e1 d1 +5.0 0A 00 01 02 87\n"},
    {PB_CONTRACT_SWAPPED_LINKS, OWN, 0, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n"
     "e9 d0 +5.0 04 10 03 04 D9\n",
     "e1 d1 +5.0 0A 00 01 02 87\n"
     "e9 d1 +5.0 04 10 03 04 D9\n"},
    {PB_CONTRACT_TIMER_PHASE, CLOCK, 0, 0,
     "e9 d0 +5.0 04 20 00 01 1C\n"
     "e13 d2 +5.0 01 30 00 11 80\n"
     "T alignment_errors=2\n",
     "e8 d0 +155.0 04 20 00 01 FC\n"
     "e12 d2 +5.0 01 30 00 11 80\n"
     "T alignment_errors=1\n"
     "T tx_cut=1\n"},
    {PB_CONTRACT_DEBOUNCES, CLOCK, 0, 0,
     "e20 d2 +5.0 01 50 00 12 4C\n"
     "T edges=1C\n"
     "T alignment_errors=2\n"
     "T extra_edges=1\n",
     "e21 d2 +5.0 01 50 00 12 4C\n"
     "T edges=1B\n"
     "T alignment_errors=1\n"},
    {PB_CONTRACT_EARLY_START, OWN, 0, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n"
     "e6 d3 +5.0 0D 20 05 00 FC\n"
     "e9 d0 +5.0 04 10 03 04 D9\n",
     "e1 d0 +3.0 0A 00 01 02 87\n"
     "e6 d3 +3.0 0D 20 05 00 FC\n"
     "e9 d0 +3.0 04 10 03 04 D9\n"},
    {PB_CONTRACT_LATE_START, OWN, PB_DEFECT_ONCE, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +9.0 0A 00 01 02 87\n"},
    {PB_CONTRACT_BYTE_PAUSE, OWN, PB_DEFECT_ONCE, 2500000,
     "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 14 at 12.5\n"},
    {PB_CONTRACT_SHORT_FRAME, OWN, PB_DEFECT_ONCE, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02\n"},
    {PB_CONTRACT_LONG_FRAME, OWN, PB_DEFECT_ONCE, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 55\n"},
    {PB_CONTRACT_FLIPPED_BIT, OWN, PB_DEFECT_ONCE, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 01 01 02 87\n"},
    {PB_CONTRACT_WRONG_CRC, OWN, PB_DEFECT_ONCE, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 07\n"},
    {PB_CONTRACT_SENDS_IDLE, OWN, PB_DEFECT_ONCE, 0,
     "T tx_frames=3\n",
     "e2 d1 +5.0 07 00 00 00 62\n"
     "T tx_frames=4\n"},
    {PB_CONTRACT_IDLE_GLITCH, OWN, PB_DEFECT_ONCE, 0,
     "",
     "e2 d1 pulse +13.0 0.3\n"},
    {PB_CONTRACT_BABBLE, OWN, PB_DEFECT_ONCE, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 FF odd 1 at 51.8\n"},
    {PB_CONTRACT_TAIL_PULSE, OWN, PB_DEFECT_ONCE, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 FF odd 1 at 90.2\n"},
    {PB_CONTRACT_BAUD_OFF, OWN, PB_DEFECT_ONCE, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 17 at 3.1\n"},
    {PB_CONTRACT_SHORT_STOP, OWN, PB_DEFECT_ONCE, 220000,
     "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 14 at 9.8\n"},
    {PB_CONTRACT_LATE_DATA, OWN, PB_DEFECT_ONCE, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 15 at 2.5\n"},
    {PB_CONTRACT_LATE_EDGE, OWN, PB_DEFECT_ONCE, 400000,
     "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 1 at 22.4\n"},
    {PB_CONTRACT_LATE_RISE, OWN, PB_DEFECT_ONCE, 400000,
     "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 10 at 2.4\n"},
    {PB_CONTRACT_NO_RELEASE, CUT, 0, 0,
     "e1 d0 +5.0 0A 00 E1\n"
     "e2 d0 low 1.0\n"
     "T tx_cut=1\n",
     "e1 d0 +5.0 0A 00 01\n"
     "e2 d0 low 4.0\n"
     "e2 d0 +5.0 02 87\n"},
    {PB_CONTRACT_LATE_RELEASE, CUT, 0, 0,
     "e1 d0 +5.0 0A 00 E1\n"
     "e2 d0 low 1.0\n",
     "e1 d0 +5.0 0A 00 01 stop\n"
     "e2 d0 low 13.0\n"},
    {PB_CONTRACT_RESENDS_TWICE, CUT, 0, 0,
     "e10 d0 +5.0 04 10 03 04 D9\n"
     "T tx_frames=2\n",
     "e10 d0 +5.0 0A 00 01 02 87\n"
     "e18 d0 +5.0 0A 00 01 02 87\n"
     "e26 d0 +5.0 04 10 03 04 D9\n"
     "T tx_frames=4\n"},
    {PB_CONTRACT_DROPS_FRAME, FORWARD, PB_DEFECT_ONCE, 0,
     "e2 d1 +5.0 07 10 11 22 6C\n"
     "T forwarded=4\n"
     "T tx_frames=5\n",
     "T forwarded=3\n"
     "T tx_frames=4\n"},
    {PB_CONTRACT_SLOW_FORWARD, FORWARD, 0, 0,
     "e5 d2 +5.0 01 30 11 22 5B\n"
     "T max_stored=2\n",
     "e13 d2 +5.0 01 30 11 22 5B\n"
     "T max_stored=3\n"},
    {PB_CONTRACT_TAKES_BAD_CRC, BAD, 0, 0,
     "T rx_frames=2\n"
     "T rx_crc_errors=1\n"
     "T forwarded=1\n"
     "T tx_frames=1\n",
     "e2 d1 +5.0 07 10 11 22 6C\n"
     "T rx_frames=3\n"
     "T forwarded=2\n"
     "T tx_frames=2\n"},
    {PB_CONTRACT_CRC_UNCOUNTED, BAD, 0, 0,
     "T rx_crc_errors=1\n",
     ""},
    {PB_CONTRACT_TAKES_SHORT, BAD, 0, 0,
     "T rx_frames=2\n"
     "T forwarded=1\n"
     "T tx_frames=1\n",
     "e5 d2 +5.0 01 30 11 22 5B\n"
     "T rx_frames=3\n"
     "T forwarded=2\n"
     "T tx_frames=2\n"},
    {PB_CONTRACT_TAKES_BAD_STOP, BAD, 0, 0,
     "e9 d0 +5.0 04 40 11 22 72\n"
     "T rx_frames=2\n"
     "T rx_framing_errors=1\n"
     "T forwarded=1\n"
     "T tx_frames=1\n"
     "T max_queue=1\n"
     "T max_stored=1\n",
     "e9 d0 +5.0 04 20 11 22 B7\n"
     "e17 d0 +5.0 04 40 11 22 72\n"
     "T rx_frames=3\n"
     "T forwarded=2\n"
     "T tx_frames=2\n"
     "T max_queue=2\n"
     "T max_stored=2\n"},
    {PB_CONTRACT_STOP_UNCOUNTED, BAD, 0, 0,
     "T rx_framing_errors=1\n",
     ""},
    {PB_CONTRACT_LENGTH_UNCOUNTED, BAD, 0, 0,
     "T rx_length_errors=1\n",
     ""},
    {PB_CONTRACT_TAKES_OUTSIDE, BAD, 0, 0,
     "T rx_bad_destinations=1\n"
     "T tx_frames=1\n"
     "T max_queue=1\n"
     "T max_stored=1\n",
     "e17 d0 +5.0 17 50 11 22 8D\n"
     "T tx_frames=2\n"
     "T max_queue=2\n"
     "T max_stored=2\n"},
    {PB_CONTRACT_FORWARDS_OWN, FORWARD, 0, 0,
     "T delivered=1\n"
     "T tx_frames=5\n"
     "T max_queue=2\n"
     "T max_stored=2\n",
     "e25 d0 +5.0 05 40 11 22 64\n"
     "T tx_frames=6\n"
     "T max_queue=3\n"
     "T max_stored=3\n"},
    {PB_CONTRACT_WRONG_ORDER, OWN, 0, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n"
     "e6 d3 +5.0 0D 20 05 00 FC\n"
     "e9 d0 +5.0 04 10 03 04 D9\n",
     "e1 d0 +5.0 04 10 03 04 D9\n"
     "e6 d3 +5.0 0A 00 01 02 87\n"
     "e14 d3 +5.0 0D 20 05 00 FC\n"},
    {PB_CONTRACT_WRONG_DIMENSION, FORWARD, PB_DEFECT_ONCE, 0,
     "e2 d1 +5.0 07 10 11 22 6C\n"
     "e5 d2 +5.0 01 30 11 22 5B\n"
     "T max_stored=2\n",
     "e5 d2 +5.0 07 10 11 22 6C\n"
     "e13 d2 +5.0 01 30 11 22 5B\n"
     "T max_stored=3\n"},
    {PB_CONTRACT_LAST_FIRST, FORWARD, 0, 0,
     "e9 d0 +5.0 04 20 11 22 B7\n"
     "e17 d0 +5.0 06 00 06 07 1F\n",
     "e9 d0 +5.0 06 00 06 07 1F\n"
     "e17 d0 +5.0 04 20 11 22 B7\n"},
    {PB_CONTRACT_OWN_FIRST, FORWARD, 0, 0,
     "e9 d0 +5.0 04 20 11 22 B7\n"
     "e17 d0 +5.0 06 00 06 07 1F\n",
     "e9 d0 +5.0 06 00 06 07 1F\n"
     "e17 d0 +5.0 04 20 11 22 B7\n"},
    {PB_CONTRACT_SMALL_ROOM, OWN, PB_DEFECT_ONCE, 0,
     "< +S 1\n"
     "< +S 2\n"
     "e6 d3 +5.0 0D 20 05 00 FC\n"
     "e9 d0 +5.0 04 10 03 04 D9\n"
     "T own_messages=3\n"
     "T tx_frames=3\n"
     "T max_queue=2\n"
     "T max_stored=3\n",
     "< -full\n"
     "< +S 1\n"
     "e6 d3 +5.0 0D 10 05 00 1D\n"
     "T own_messages=2\n"
     "T tx_frames=2\n"
     "T queue_drops=1\n"
     "T max_queue=1\n"
     "T max_stored=2\n"
     "T console_errors=1\n"},
    {PB_CONTRACT_DROPS_OLDEST, FULL, 0, 0,
     "< -full\n"
     "e1 d0 +5.0 04 00 00 00 58\n"
     "e9 d0 +5.0 04 10 00 01 FD\n"
     "T own_messages=28\n"
     "T console_errors=1\n",
     "< +S 8\n"
     "e1 d0 +5.0 04 10 00 01 FD\n"
     "e9 d0 +5.0 04 20 00 02 15\n"
     "T own_messages=29\n"},
    {PB_CONTRACT_STUCK_FULL, FULL, 0, 0,
     "e1 d0 +5.0 04 00 00 00 58\n"
     "e9 d0 +5.0 04 10 00 01 FD\n"
     "T tx_frames=2\n",
     ""},
    {PB_CONTRACT_FULL_UNCOUNTED, FULL, 0, 0,
     "T queue_drops=1\n",
     ""},
    {PB_CONTRACT_ALTERS_PAYLOAD, FORWARD, PB_DEFECT_ONCE, 0,
     "e2 d1 +5.0 07 10 11 22 6C\n",
     "e2 d1 +5.0 07 10 11 A2 E5\n"},
    {PB_CONTRACT_ALTERS_SEQUENCE, FORWARD, PB_DEFECT_ONCE, 0,
     "e2 d1 +5.0 07 10 11 22 6C\n",
     "e2 d1 +5.0 07 20 11 22 8D\n"},
    {PB_CONTRACT_ALTERS_DESTINATION, FORWARD, PB_DEFECT_ONCE, 0,
     "e2 d1 +5.0 07 10 11 22 6C\n",
     "e2 d1 +5.0 0F 10 11 22 DC\n"},
    {PB_CONTRACT_DUPLICATES, FORWARD, PB_DEFECT_ONCE, 0,
     "T tx_frames=5\n"
     "T max_stored=2\n",
     "e10 d1 +5.0 07 10 11 22 6C\n"
     "T tx_frames=6\n"
     "T max_stored=3\n"},
    {PB_CONTRACT_WAITS, OWN, PB_DEFECT_ONCE, 0,
     "e1 d0 +5.0 0A 00 01 02 87\n"
     "e9 d0 +5.0 04 10 03 04 D9\n",
     "e9 d0 +5.0 0A 00 01 02 87\n"
     "e17 d0 +5.0 04 10 03 04 D9\n"},
    {PB_CONTRACT_FORGETS, SYNC, 0, 0,
     "e25 d0 +5.0 04 10 00 01 FD\n"
     "e33 d0 +5.0 04 20 00 02 15\n"
     "e36 d0 +5.0 04 30 00 03 B0\n"
     "e44 d0 +5.0 04 40 00 04 C2\n"
     "T tx_frames=5\n",
     "T tx_frames=1\n"},
    {PB_CONTRACT_SKIPS_SEQUENCE, OWN, PB_DEFECT_ONCE, 0,
     "< +S 1\n"
     "< +S 2\n"
     "e6 d3 +5.0 0D 20 05 00 FC\n"
     "e9 d0 +5.0 04 10 03 04 D9\n",
     "< +S 2\n"
     "< +S 3\n"
     "e6 d3 +5.0 0D 30 05 00 5E\n"
     "e9 d0 +5.0 04 20 03 04 38\n"},
    {PB_CONTRACT_REPEATS_SEQUENCE, OWN, PB_DEFECT_ONCE, 0,
     "< +S 1\n"
     "< +S 2\n"
     "e6 d3 +5.0 0D 20 05 00 FC\n"
     "e9 d0 +5.0 04 10 03 04 D9\n",
     "< +S 0\n"
     "< +S 1\n"
     "e6 d3 +5.0 0D 10 05 00 1D\n"
     "e9 d0 +5.0 04 00 03 04 7B\n"},
    {PB_CONTRACT_REFUSED_COUNTS, CONSOLE, PB_DEFECT_ONCE, 0,
     "< +S 0\n"
     "< +S 1\n"
     "e1 d0 +5.0 04 00 01 00 4D\n",
     "< +S 1\n"
     "< +S 2\n"
     "e1 d0 +5.0 04 10 01 00 EF\n"},
    {PB_CONTRACT_PADS_ONES, CONSOLE, 0, 0,
     "e1 d0 +5.0 04 00 01 00 4D\n",
     "e1 d0 +5.0 04 00 01 FF BE\n"},
    {PB_CONTRACT_SENDS_TO_ITSELF, CONSOLE, 0, 0,
     "T delivered=1\n"
     "T tx_frames=2\n"
     "T max_queue=1\n"
     "T max_stored=1\n",
     "e9 d0 +5.0 05 10 01 02 F7\n"
     "T tx_frames=3\n"
     "T max_queue=2\n"
     "T max_stored=2\n"},
    {PB_CONTRACT_DROPS_OWN, FORWARD, 0, 0,
     "T delivered=1\n",
     ""},
    {PB_CONTRACT_CHATTERS, OWN, PB_DEFECT_ONCE, 0,
     "",
     "uart hello\n"},
    {PB_CONTRACT_WRONG_ADDRESS, CONSOLE, 0, 0,
     "< +I node=contract addr=5 dims=4 fw=1\n"
     "< +I node=contract addr=6 dims=4 fw=1\n",
     "< +I node=contract addr=4 dims=4 fw=1\n"
     "< +I node=contract addr=7 dims=4 fw=1\n"},
    {PB_CONTRACT_WRONG_ANSWER, OWN, PB_DEFECT_ONCE, 0,
     "< +S 0\n"
     "< +S 1\n",
     "< +S 1\n"
     "< +S 1\n"},
    {PB_CONTRACT_COUNTS_WRONG, FORWARD, 0, 0,
     "T delivered=1\n",
     "T delivered=2\n"},
    {PB_CONTRACT_KEEPS_COUNTERS, CONSOLE, 0, 0,
     "T console_lines=1\n",
     "T edges=10\n"
     "T superframes=2\n"
     "T rx_frames=1\n"
     "T delivered=1\n"
     "T forwarded=1\n"
     "T own_messages=2\n"
     "T tx_frames=2\n"
     "T max_queue=1\n"
     "T max_stored=1\n"
     "T console_lines=D\n"
     "T console_errors=4\n"},
    {PB_CONTRACT_KEEPS_MODE, CONSOLE, 0, 0,
     "e10 d1 +5.0 05 70 11 22 85\n"
     "T delivered=1\n"
     "T forwarded=1\n"
     "T tx_frames=2\n",
     "T delivered=2\n"
     "T tx_frames=1\n"},
    {PB_CONTRACT_KEEPS_ADDRESS, CONSOLE, 0, 0,
     "< +I node=contract addr=6 dims=4 fw=1\n",
     "< +I node=contract addr=5 dims=4 fw=1\n"},
    {PB_CONTRACT_NO_REASON, CONSOLE, PB_DEFECT_ONCE, 0,
     "< -range\n",
     "< -\n"},
    {PB_CONTRACT_UART_NOISE, OWN, PB_DEFECT_ONCE, 0,
     "",
     "uart <FF>\n"},
};
/* clang-format on */

#endif
