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
        "> S A 0102\n< +S 0\n> S 4 0304\n< +S 1\n> S D 05\n< +S 2\ne1 d0 +5.0 0A 00 01 02 87\n"
        "e6 d3 +5.0 0D 20 05 00 FC\ne9 d0 +5.0 04 10 03 04 D9\nT edges=18\nT superframes=3\n"
        "T own_messages=3\nT tx_frames=3\nT max_queue=2\nT max_stored=3\nT console_lines=4\n",
    [FORWARD] =
        "e2 d1 +5.0 07 10 11 22 6C\ne5 d2 +5.0 01 30 11 22 5B\ne9 d0 +5.0 04 20 11 22 B7\n"
        "e14 d3 +5.0 0D F0 11 22 3E\ne17 d0 +5.0 06 00 06 07 1F\nuart +S 0\nT edges=20\nT superframes=4\n"
        "T rx_frames=5\nT delivered=1\nT forwarded=4\nT own_messages=1\nT tx_frames=5\nT max_queue=2\n"
        "T max_stored=2\nT console_lines=2\n",
    [BAD] =
        "e9 d0 +5.0 04 40 11 22 72\nT edges=18\nT superframes=3\nT rx_frames=3\nT rx_crc_errors=3\n"
        "T rx_length_errors=1\nT rx_framing_errors=2\nT rx_cut=2\nT rx_bad_destinations=2\nT forwarded=1\n"
        "T tx_frames=1\nT max_queue=1\nT max_stored=1\nT console_lines=1\n",
    [SYNC] =
        "e1 d0 +5.0 04 00 00 00 58\ne25 d0 +5.0 04 10 00 01 FD\ne33 d0 +5.0 04 20 00 02 15\n"
        "e36 d0 +5.0 04 30 00 03 B0\ne44 d0 +5.0 04 40 00 04 C2\nT edges=30\nT superframes=5\n"
        "T alignment_errors=2\nT own_messages=9\nT tx_frames=5\nT max_queue=9\nT max_stored=9\n"
        "T console_lines=A\n",
    [CLOCK] =
        "e1 d0 +5.0 04 00 00 00 58\ne5 d2 +5.0 01 10 00 10 C4\ne9 d0 +5.0 04 20 00 01 1C\n"
        "e13 d2 +5.0 01 30 00 11 80\ne16 d0 +5.0 04 40 00 02 D0\ne20 d2 +5.0 01 50 00 12 4C\n"
        "e25 d0 +5.0 04 60 00 03 94\nT edges=1C\nT superframes=4\nT alignment_errors=2\nT missed_edges=1\n"
        "T extra_edges=1\nT own_messages=7\nT tx_frames=7\nT max_queue=4\nT max_stored=7\n"
        "T console_lines=8\n",
    [CUT] =
        "> S A 0102\n< +S 0\n> S 4 0304\n< +S 1\ne1 d0 +5.0 0A 00 E1\ne2 d0 low 1.0\n"
        "e10 d0 +5.0 04 10 03 04 D9\nT edges=21\nT superframes=4\nT alignment_errors=1\nT extra_edges=1\n"
        "T own_messages=2\nT tx_frames=2\nT tx_cut=1\nT max_queue=2\nT max_stored=2\nT console_lines=3\n",
    [FULL] =
        "> S 4 0027\n< +S 7\n> S 4 0028\n< -full\ne1 d0 +5.0 04 00 00 00 58\ne9 d0 +5.0 04 10 00 01 FD\n"
        "T edges=10\nT superframes=2\nT own_messages=28\nT tx_frames=2\nT queue_drops=1\nT max_queue=28\n"
        "T max_stored=28\nT console_lines=2A\nT console_errors=1\n",
    [RESET] =
        "> S 4 0102\n< +S 0\n> S 4 0304\n< +S 1\ne1 d0 +5.0 04 00 01 02 43\n> S 4 0506\n< +S 0\nT edges=8\n"
        "T superframes=1\nT own_messages=1\nT max_queue=1\nT max_stored=1\nT console_lines=2\n",
    [CONSOLE] =
        "> I\n< +I node=contract addr=5 dims=4 fw=1\n> S 10 00\n< -range\n> S 4 010203\n< -length\n> S 4 01\n"
        "< +S 0\n> S 5 0102\n< +S 1\n> Q\n< -unknown\n> A 6\n< -busy\n> M 1\n< +M 1\n"
        "e1 d0 +5.0 04 00 01 00 4D\ne10 d1 +5.0 05 70 11 22 85\nT edges=10\nT superframes=2\nT rx_frames=1\n"
        "T delivered=1\nT forwarded=1\nT own_messages=2\nT tx_frames=2\nT max_queue=1\nT max_stored=1\n"
        "T console_lines=9\nT console_errors=4\n> A 6\n< +A 6\n> I\n< +I node=contract addr=6 dims=4 fw=1\n"
        "> Z\n< +Z\nT console_lines=1\n",
    [MODES] =
        "> M 1\n< +M 1\n> M 0\n< +M 0\nT edges=10\nT superframes=2\nT rx_frames=1\nT delivered=1\n"
        "T console_lines=3\n",
};

static const struct defect_case {
    enum pb_contract_defect defect;
    enum script script;
    uint32_t every;
    int64_t amount_ps;
    const char *goes, *comes;
} defect_cases[] = {
    {PB_CONTRACT_BOOT_PULL, OWN, 0, 0, "", "boot d0 low 3000.0\n"},
    {PB_CONTRACT_BOOT_BLIP, OWN, 0, 0, "", "boot d3 pulse +500.0 2.0\n"},
    {PB_CONTRACT_RESET_LINK, RESET, 0, 0, "", "reset d3 low 1000.0\ne7 d3 pulse +100.0 1000.0\n"},
    {PB_CONTRACT_RESET_PULL, RESET, 0, 0, "",
     "reset d0 low 1000.0\nreset d1 low 1000.0\nreset d2 low 1000.0\nreset d3 low 1000.0\n"
     "e7 d0 pulse +100.0 1000.0\ne7 d1 pulse +100.0 1000.0\ne7 d2 pulse +100.0 1000.0\n"
     "e7 d3 pulse +100.0 1000.0\n"},
    {PB_CONTRACT_RESET_UART, RESET, 0, 0, "", "reset uart low\nuart <00>\n"},
    {PB_CONTRACT_IGNORES_RESET, RESET, 0, 0,
     "< +S 0\nT edges=8\nT superframes=1\nT own_messages=1\nT max_queue=1\nT max_stored=1\n"
     "T console_lines=2\n",
     "e9 d0 +5.0 04 10 03 04 D9\n< +S 2\nT edges=10\nT superframes=2\nT missed_edges=14\nT own_messages=3\n"
     "T tx_frames=2\nT max_queue=2\nT max_stored=2\nT console_lines=4\n"},
    {PB_CONTRACT_KEEPS_SEQUENCE, RESET, 0, 0, "< +S 0\n", "< +S 2\n"},
    {PB_CONTRACT_PULLS_UNUSED, OWN, PB_DEFECT_ONCE, 0, "", "e0 d4 pulse +9.0 1.0\n"},
    {PB_CONTRACT_FRAME_UNUSED, OWN, PB_DEFECT_ONCE, 0, "", "e1 d4 +5.0 0A 00 01 02 87\n"},
    {PB_CONTRACT_DRIVES_IDLE, OWN, PB_DEFECT_ONCE, 0, "", "e0 high F\ne1 high F\n"},
    {PB_CONTRACT_DRIVES_FRAME, OWN, PB_DEFECT_ONCE, 0, "", "e1 high 1\n"},
    {PB_CONTRACT_MISSES_EDGE, OWN, PB_DEFECT_ONCE, 0,
     "e1 d0 +5.0 0A 00 01 02 87\ne6 d3 +5.0 0D 20 05 00 FC\ne9 d0 +5.0 04 10 03 04 D9\nT edges=18\n"
     "T superframes=3\n",
     "e9 d0 +5.0 0A 00 01 02 87\ne14 d3 +5.0 0D 20 05 00 FC\ne17 d0 +5.0 04 10 03 04 D9\nT edges=17\n"
     "T superframes=2\n"},
    {PB_CONTRACT_FALLING_EDGE, OWN, 0, 0,
     "e1 d0 +5.0 0A 00 01 02 87\ne6 d3 +5.0 0D 20 05 00 FC\ne9 d0 +5.0 04 10 03 04 D9\n",
     "e1 d0 +15.0 0A 00 01 02 87\ne6 d3 +15.0 0D 20 05 00 FC\ne9 d0 +15.0 04 10 03 04 D9\n"},
    {PB_CONTRACT_PHASE_OFF, OWN, 0, 0,
     "e1 d0 +5.0 0A 00 01 02 87\ne6 d3 +5.0 0D 20 05 00 FC\ne9 d0 +5.0 04 10 03 04 D9\n",
     "e2 d0 +5.0 0A 00 01 02 87\ne7 d3 +5.0 0D 20 05 00 FC\ne10 d0 +5.0 04 10 03 04 D9\n"},
    {PB_CONTRACT_STEP_IGNORED, SYNC, 0, 0,
     "e36 d0 +5.0 04 30 00 03 B0\ne44 d0 +5.0 04 40 00 04 C2\nT superframes=5\nT alignment_errors=2\n"
     "T tx_frames=5\n", "e44 d0 +5.0 04 30 00 03 B0\nT superframes=4\nT alignment_errors=3\nT tx_frames=4\n"},
    {PB_CONTRACT_STEP_LATE, SYNC, 0, 0,
     "e36 d0 +5.0 04 30 00 03 B0\ne44 d0 +5.0 04 40 00 04 C2\nT alignment_errors=2\n",
     "e37 d0 +5.0 04 30 00 03 B0\ne45 d0 +5.0 04 40 00 04 C2\nT alignment_errors=3\n"},
    {PB_CONTRACT_JOINS_LATE, SYNC, 0, 0,
     "e1 d0 +5.0 04 00 00 00 58\ne25 d0 +5.0 04 10 00 01 FD\ne33 d0 +5.0 04 20 00 02 15\n"
     "e36 d0 +5.0 04 30 00 03 B0\ne44 d0 +5.0 04 40 00 04 C2\nT superframes=5\nT alignment_errors=2\n"
     "T tx_frames=5\n", "e25 d0 +5.0 04 00 00 00 58\ne33 d0 +5.0 04 10 00 01 FD\ne36 d0 +5.0 04 20 00 02 15\n"
     "e44 d0 +5.0 04 30 00 03 B0\nT superframes=4\nT alignment_errors=1\nT tx_frames=4\n"},
    {PB_CONTRACT_COUNTS_ON, SYNC, 0, 0,
     "e25 d0 +5.0 04 10 00 01 FD\ne33 d0 +5.0 04 20 00 02 15\ne36 d0 +5.0 04 30 00 03 B0\n"
     "e44 d0 +5.0 04 40 00 04 C2\nT superframes=5\nT alignment_errors=2\nT tx_frames=5\n",
     "e9 d0 +5.0 04 10 00 01 FD\ne17 d0 +5.0 04 20 00 02 15\ne25 d0 +5.0 04 30 00 03 B0\n"
     "e33 d0 +5.0 04 40 00 04 C2\ne36 d0 +5.0 04 50 00 05 67\ne44 d0 +5.0 04 60 00 06 8F\nT superframes=7\n"
     "T alignment_errors=3\nT tx_frames=7\n"},
    {PB_CONTRACT_SKIPS_PHASE, OWN, PB_DEFECT_ONCE, 0,
     "e1 d0 +5.0 0A 00 01 02 87\ne6 d3 +5.0 0D 20 05 00 FC\ne9 d0 +5.0 04 10 03 04 D9\n",
     "e5 d3 +5.0 0D 20 05 00 FC\ne9 d0 +5.0 0A 00 01 02 87\ne17 d0 +5.0 04 10 03 04 D9\n"
     "T alignment_errors=1\n"},
    {PB_CONTRACT_STARTS_KNOWN, SYNC, 0, 0, "T alignment_errors=2\n", "T alignment_errors=3\n"},
    {PB_CONTRACT_SILENT_LATE, SYNC, 0, 0,
     "e25 d0 +5.0 04 10 00 01 FD\ne33 d0 +5.0 04 20 00 02 15\ne36 d0 +5.0 04 30 00 03 B0\n"
     "e44 d0 +5.0 04 40 00 04 C2\nT superframes=5\nT alignment_errors=2\nT tx_frames=5\n",
     "e9 d0 +5.0 04 10 00 01 FD\ne25 d0 +5.0 04 20 00 02 15\ne33 d0 +5.0 04 30 00 03 B0\n"
     "e36 d0 +5.0 04 40 00 04 C2\ne44 d0 +5.0 04 50 00 05 67\nT superframes=6\nT alignment_errors=3\n"
     "T tx_frames=6\n"},
    {PB_CONTRACT_PULLS_UNKNOWN, SYNC, PB_DEFECT_ONCE, 0, "", "e8 d0 pulse +1.0 2.0\n"},
    {PB_CONTRACT_ALIGNMENT_UNCOUNTED, SYNC, 0, 0, "T alignment_errors=2\n", ""},
    {PB_CONTRACT_ALIGNMENT_MISSING, SYNC, 0, 0, "T alignment_errors=2\n", "T alignment_errors=1\n"},
    {PB_CONTRACT_ALIGNMENT_TWICE, SYNC, 0, 0, "T alignment_errors=2\n", "T alignment_errors=4\n"},
    {PB_CONTRACT_NEIGHBOURS_PHASE, OWN, 0, 0,
     "e1 d0 +5.0 0A 00 01 02 87\ne6 d3 +5.0 0D 20 05 00 FC\ne9 d0 +5.0 04 10 03 04 D9\n",
     "e0 d0 +5.0 0A 00 01 02 87\ne7 d3 +5.0 0D 20 05 00 FC\ne8 d0 +5.0 04 10 03 04 D9\n"},
    {PB_CONTRACT_LISTENS_WRONG, FORWARD, PB_DEFECT_ONCE, 0,
     "e2 d1 +5.0 07 10 11 22 6C\nT rx_frames=5\nT forwarded=4\nT tx_frames=5\n",
     "T rx_frames=4\nT forwarded=3\nT tx_frames=4\n"},
    {PB_CONTRACT_DEAF, FORWARD, PB_DEFECT_ONCE, 0,
     "e2 d1 +5.0 07 10 11 22 6C\nT rx_frames=5\nT forwarded=4\nT tx_frames=5\n",
     "T rx_frames=4\nT forwarded=3\nT tx_frames=4\n"},
    {PB_CONTRACT_SECOND_LINK, OWN, PB_DEFECT_ONCE, 0, "", "e1 d1 +5.0 0A 00 01 02 87\n"},
    {PB_CONTRACT_SWAPPED_LINKS, OWN, 0, 0, "e1 d0 +5.0 0A 00 01 02 87\ne9 d0 +5.0 04 10 03 04 D9\n",
     "e1 d1 +5.0 0A 00 01 02 87\ne9 d1 +5.0 04 10 03 04 D9\n"},
    {PB_CONTRACT_TIMER_PHASE, CLOCK, 0, 0,
     "e9 d0 +5.0 04 20 00 01 1C\ne13 d2 +5.0 01 30 00 11 80\nT alignment_errors=2\n",
     "e8 d0 +155.0 04 20 00 01 FC\ne12 d2 +5.0 01 30 00 11 80\nT alignment_errors=1\nT tx_cut=1\n"},
    {PB_CONTRACT_DEBOUNCES, CLOCK, 0, 0,
     "e20 d2 +5.0 01 50 00 12 4C\nT edges=1C\nT alignment_errors=2\nT extra_edges=1\n",
     "e21 d2 +5.0 01 50 00 12 4C\nT edges=1B\nT alignment_errors=1\n"},
    {PB_CONTRACT_EARLY_START, OWN, 0, 0,
     "e1 d0 +5.0 0A 00 01 02 87\ne6 d3 +5.0 0D 20 05 00 FC\ne9 d0 +5.0 04 10 03 04 D9\n",
     "e1 d0 +3.0 0A 00 01 02 87\ne6 d3 +3.0 0D 20 05 00 FC\ne9 d0 +3.0 04 10 03 04 D9\n"},
    {PB_CONTRACT_LATE_START, OWN, PB_DEFECT_ONCE, 0, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +9.0 0A 00 01 02 87\n"},
    {PB_CONTRACT_BYTE_PAUSE, OWN, PB_DEFECT_ONCE, 2500000, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 14 at 12.5\n"},
    {PB_CONTRACT_SHORT_FRAME, OWN, PB_DEFECT_ONCE, 0, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02\n"},
    {PB_CONTRACT_LONG_FRAME, OWN, PB_DEFECT_ONCE, 0, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 55\n"},
    {PB_CONTRACT_FLIPPED_BIT, OWN, PB_DEFECT_ONCE, 0, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 01 01 02 87\n"},
    {PB_CONTRACT_WRONG_CRC, OWN, PB_DEFECT_ONCE, 0, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 07\n"},
    {PB_CONTRACT_SENDS_IDLE, OWN, PB_DEFECT_ONCE, 0, "T tx_frames=3\n",
     "e2 d1 +5.0 07 00 00 00 62\nT tx_frames=4\n"},
    {PB_CONTRACT_IDLE_GLITCH, OWN, PB_DEFECT_ONCE, 0, "", "e2 d1 pulse +13.0 0.3\n"},
    {PB_CONTRACT_BABBLE, OWN, PB_DEFECT_ONCE, 0, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 FF odd 1 at 51.8\n"},
    {PB_CONTRACT_TAIL_PULSE, OWN, PB_DEFECT_ONCE, 0, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 FF odd 1 at 90.2\n"},
    {PB_CONTRACT_BAUD_OFF, OWN, PB_DEFECT_ONCE, 0, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 17 at 3.1\n"},
    {PB_CONTRACT_SHORT_STOP, OWN, PB_DEFECT_ONCE, 220000, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 14 at 9.8\n"},
    {PB_CONTRACT_LATE_DATA, OWN, PB_DEFECT_ONCE, 0, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 15 at 2.5\n"},
    {PB_CONTRACT_LATE_EDGE, OWN, PB_DEFECT_ONCE, 400000, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 1 at 22.4\n"},
    {PB_CONTRACT_LATE_RISE, OWN, PB_DEFECT_ONCE, 400000, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 10 at 2.4\n"},
    {PB_CONTRACT_LATE_FALL, OWN, PB_DEFECT_ONCE, 400000, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 5 at 3.4\n"},
    {PB_CONTRACT_FAST_BITS, OWN, PB_DEFECT_ONCE, 40000, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 10 at 2.9\n"},
    {PB_CONTRACT_FAST_LATER, OWN, PB_DEFECT_ONCE, 40000, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 6 at 18.6\n"},
    {PB_CONTRACT_FASTER_BITS, OWN, PB_DEFECT_ONCE, 40000, "e1 d0 +5.0 0A 00 01 02 87\n",
     "e1 d0 +5.0 0A 00 01 02 87 odd 4 at 28.8\n"},
    {PB_CONTRACT_ONE_LINK_EDGE, OWN, PB_DEFECT_ONCE, 400000, "e6 d3 +5.0 0D 20 05 00 FC\n",
     "e6 d3 +5.0 0D 20 05 00 FC odd 1 at 20.4\n"},
    {PB_CONTRACT_NO_RELEASE, CUT, 0, 0, "e1 d0 +5.0 0A 00 E1\ne2 d0 low 1.0\nT tx_cut=1\n",
     "e1 d0 +5.0 0A 00 01\ne2 d0 low 4.0\ne2 d0 +5.0 02 87\n"},
    {PB_CONTRACT_LATE_RELEASE, CUT, 0, 0, "e1 d0 +5.0 0A 00 E1\ne2 d0 low 1.0\n",
     "e1 d0 +5.0 0A 00 01 stop\ne2 d0 low 13.0\n"},
    {PB_CONTRACT_RESENDS_TWICE, CUT, 0, 0, "e10 d0 +5.0 04 10 03 04 D9\nT tx_frames=2\n",
     "e10 d0 +5.0 0A 00 01 02 87\ne18 d0 +5.0 0A 00 01 02 87\ne26 d0 +5.0 04 10 03 04 D9\nT tx_frames=4\n"},
    {PB_CONTRACT_RESENDS_ELSEWHERE, CUT, 0, 0, "T tx_frames=2\n",
     "e2 d1 +5.0 0A 00 01 02 87\nT tx_frames=3\n"},
    {PB_CONTRACT_RESENDS_ALTERED, CUT, 0, 0, "e10 d0 +5.0 04 10 03 04 D9\nT tx_frames=2\n",
     "e10 d0 +5.0 0A 00 01 03 80\ne18 d0 +5.0 04 10 03 04 D9\nT tx_frames=3\n"},
    {PB_CONTRACT_DROPS_FRAME, FORWARD, PB_DEFECT_ONCE, 0,
     "e2 d1 +5.0 07 10 11 22 6C\nT forwarded=4\nT tx_frames=5\n", "T forwarded=3\nT tx_frames=4\n"},
    {PB_CONTRACT_SLOW_FORWARD, FORWARD, 0, 0, "e5 d2 +5.0 01 30 11 22 5B\nT max_stored=2\n",
     "e13 d2 +5.0 01 30 11 22 5B\nT max_stored=3\n"},
    {PB_CONTRACT_TAKES_BAD_CRC, BAD, 0, 0,
     "T rx_frames=3\nT rx_crc_errors=3\nT rx_bad_destinations=2\nT forwarded=1\nT tx_frames=1\n",
     "e2 d1 +5.0 07 10 11 22 6C\nT rx_frames=6\nT rx_bad_destinations=3\nT delivered=1\nT forwarded=2\n"
     "T tx_frames=2\n"},
    {PB_CONTRACT_CRC_UNCOUNTED, BAD, 0, 0, "T rx_crc_errors=3\n", ""},
    {PB_CONTRACT_CRC_LOWEST_BIT, BAD, 0, 0,
     "T rx_frames=3\nT rx_crc_errors=3\nT forwarded=1\nT tx_frames=1\n",
     "e2 d1 +5.0 07 10 11 22 6C\nT rx_frames=4\nT rx_crc_errors=2\nT forwarded=2\nT tx_frames=2\n"},
    {PB_CONTRACT_CRC_LOW_BITS, BAD, 0, 0,
     "T rx_frames=3\nT rx_crc_errors=3\nT forwarded=1\nT tx_frames=1\n",
     "e2 d1 +5.0 07 10 11 22 6C\nT rx_frames=4\nT rx_crc_errors=2\nT forwarded=2\nT tx_frames=2\n"},
    {PB_CONTRACT_CRC_BUT_HIGHEST, BAD, 0, 0,
     "T rx_frames=3\nT rx_crc_errors=3\nT forwarded=1\nT tx_frames=1\n",
     "e2 d1 +5.0 07 10 11 22 6C\nT rx_frames=4\nT rx_crc_errors=2\nT forwarded=2\nT tx_frames=2\n"},
    {PB_CONTRACT_CRC_BUT_LINK, BAD, 0, 0,
     "T rx_frames=3\nT rx_crc_errors=3\nT forwarded=1\nT tx_frames=1\n",
     "e2 d1 +5.0 07 10 11 22 6C\nT rx_frames=4\nT rx_crc_errors=2\nT forwarded=2\nT tx_frames=2\n"},
    {PB_CONTRACT_CRC_BUT_OWN, BAD, 0, 0, "T rx_frames=3\nT rx_crc_errors=3\n",
     "T rx_frames=4\nT rx_crc_errors=2\nT delivered=1\n"},
    {PB_CONTRACT_CRC_BUT_OUTSIDE, BAD, 0, 0,
     "T rx_frames=3\nT rx_crc_errors=3\nT forwarded=1\nT tx_frames=1\n",
     "e17 d0 +5.0 04 70 11 22 93\nT rx_frames=4\nT rx_crc_errors=2\nT forwarded=2\nT tx_frames=2\n"},
    {PB_CONTRACT_TAKES_SHORT, BAD, 0, 0, "T rx_frames=3\nT forwarded=1\nT tx_frames=1\n",
     "e5 d2 +5.0 01 30 11 22 5B\ne21 d2 +5.0 01 90 11 00 FD\nT rx_frames=5\nT forwarded=3\nT tx_frames=3\n"},
    {PB_CONTRACT_TAKES_BARE, BAD, 0, 0, "T rx_frames=3\nT forwarded=1\nT tx_frames=1\n",
     "e21 d2 +5.0 01 90 11 00 FD\nT rx_frames=4\nT forwarded=2\nT tx_frames=2\n"},
    {PB_CONTRACT_TAKES_BAD_STOP, BAD, 0, 0,
     "e9 d0 +5.0 04 40 11 22 72\nT rx_frames=3\nT rx_framing_errors=2\nT rx_cut=2\nT forwarded=1\n"
     "T tx_frames=1\nT max_queue=1\nT max_stored=1\n",
     "e9 d0 +5.0 04 20 11 22 B7\ne17 d0 +5.0 04 40 11 22 72\nT rx_frames=4\nT rx_cut=3\nT forwarded=2\n"
     "T tx_frames=2\nT max_queue=2\nT max_stored=2\n"},
    {PB_CONTRACT_STOP_LAST_ONLY, BAD, 0, 0, "T rx_framing_errors=2\nT rx_cut=2\n",
     "T rx_framing_errors=1\nT rx_cut=3\n"},
    {PB_CONTRACT_STOP_BUT_LAST, BAD, 0, 0,
     "e9 d0 +5.0 04 40 11 22 72\nT rx_frames=3\nT rx_framing_errors=2\nT forwarded=1\nT tx_frames=1\n"
     "T max_queue=1\nT max_stored=1\n",
     "e9 d0 +5.0 04 20 11 22 B7\ne17 d0 +5.0 04 40 11 22 72\nT rx_frames=4\nT rx_framing_errors=1\n"
     "T forwarded=2\nT tx_frames=2\nT max_queue=2\nT max_stored=2\n"},
    {PB_CONTRACT_STOP_UNCOUNTED, BAD, 0, 0, "T rx_framing_errors=2\n", ""},
    {PB_CONTRACT_LENGTH_UNCOUNTED, BAD, 0, 0, "T rx_length_errors=1\n", ""},
    {PB_CONTRACT_LENGTH_TWICE, BAD, 0, 0, "T rx_length_errors=1\n", "T rx_length_errors=2\n"},
    {PB_CONTRACT_TAKES_OUTSIDE, BAD, 0, 0,
     "T rx_bad_destinations=2\nT tx_frames=1\nT max_queue=1\nT max_stored=1\n",
     "e17 d0 +5.0 17 50 11 22 8D\nT tx_frames=2\nT max_queue=2\nT max_stored=2\n"},
    {PB_CONTRACT_OUTSIDE_HIGHEST, BAD, 0, 0, "T rx_bad_destinations=2\nT forwarded=1\nT tx_frames=1\n",
     "e17 d0 +5.0 04 80 11 22 FF\nT rx_bad_destinations=1\nT forwarded=2\nT tx_frames=2\n"},
    {PB_CONTRACT_KEEPS_RULE, FORWARD, 0, 0, "e17 d0 +5.0 06 00 06 07 1F\nT max_queue=2\n",
     "e10 d1 +5.0 06 00 06 07 1F\nT max_queue=1\n"},
    {PB_CONTRACT_FORWARDS_OWN, FORWARD, 0, 0, "T delivered=1\nT tx_frames=5\nT max_queue=2\nT max_stored=2\n",
     "e25 d0 +5.0 05 40 11 22 64\nT tx_frames=6\nT max_queue=3\nT max_stored=3\n"},
    {PB_CONTRACT_WRONG_ORDER, OWN, 0, 0,
     "e1 d0 +5.0 0A 00 01 02 87\ne6 d3 +5.0 0D 20 05 00 FC\ne9 d0 +5.0 04 10 03 04 D9\n",
     "e1 d0 +5.0 04 10 03 04 D9\ne6 d3 +5.0 0A 00 01 02 87\ne14 d3 +5.0 0D 20 05 00 FC\n"},
    {PB_CONTRACT_WRONG_DIMENSION, FORWARD, PB_DEFECT_ONCE, 0,
     "e2 d1 +5.0 07 10 11 22 6C\ne5 d2 +5.0 01 30 11 22 5B\nT max_stored=2\n",
     "e5 d2 +5.0 07 10 11 22 6C\ne13 d2 +5.0 01 30 11 22 5B\nT max_stored=3\n"},
    {PB_CONTRACT_LAST_FIRST, FORWARD, 0, 0, "e9 d0 +5.0 04 20 11 22 B7\ne17 d0 +5.0 06 00 06 07 1F\n",
     "e9 d0 +5.0 06 00 06 07 1F\ne17 d0 +5.0 04 20 11 22 B7\n"},
    {PB_CONTRACT_OWN_FIRST, FORWARD, 0, 0, "e9 d0 +5.0 04 20 11 22 B7\ne17 d0 +5.0 06 00 06 07 1F\n",
     "e9 d0 +5.0 06 00 06 07 1F\ne17 d0 +5.0 04 20 11 22 B7\n"},
    {PB_CONTRACT_SMALL_ROOM, OWN, PB_DEFECT_ONCE, 0,
     "< +S 1\n< +S 2\ne6 d3 +5.0 0D 20 05 00 FC\ne9 d0 +5.0 04 10 03 04 D9\nT own_messages=3\nT tx_frames=3\n"
     "T max_queue=2\nT max_stored=3\n",
     "< -full\n< +S 1\ne6 d3 +5.0 0D 10 05 00 1D\nT own_messages=2\nT tx_frames=2\nT queue_drops=1\n"
     "T max_queue=1\nT max_stored=2\nT console_errors=1\n"},
    {PB_CONTRACT_DROPS_OLDEST, FULL, 0, 0,
     "< -full\ne1 d0 +5.0 04 00 00 00 58\ne9 d0 +5.0 04 10 00 01 FD\nT own_messages=28\nT console_errors=1\n",
     "< +S 8\ne1 d0 +5.0 04 10 00 01 FD\ne9 d0 +5.0 04 20 00 02 15\nT own_messages=29\n"},
    {PB_CONTRACT_STUCK_FULL, FULL, 0, 0,
     "e1 d0 +5.0 04 00 00 00 58\ne9 d0 +5.0 04 10 00 01 FD\nT tx_frames=2\n", ""},
    {PB_CONTRACT_FULL_UNCOUNTED, FULL, 0, 0, "T queue_drops=1\n", ""},
    {PB_CONTRACT_ALTERS_PAYLOAD, FORWARD, PB_DEFECT_ONCE, 0, "e2 d1 +5.0 07 10 11 22 6C\n",
     "e2 d1 +5.0 07 10 11 A2 E5\n"},
    {PB_CONTRACT_ALTERS_SEQUENCE, FORWARD, PB_DEFECT_ONCE, 0, "e2 d1 +5.0 07 10 11 22 6C\n",
     "e2 d1 +5.0 07 20 11 22 8D\n"},
    {PB_CONTRACT_ALTERS_DESTINATION, FORWARD, PB_DEFECT_ONCE, 0, "e2 d1 +5.0 07 10 11 22 6C\n",
     "e2 d1 +5.0 0F 10 11 22 DC\n"},
    {PB_CONTRACT_DUPLICATES, FORWARD, PB_DEFECT_ONCE, 0, "T tx_frames=5\nT max_stored=2\n",
     "e10 d1 +5.0 07 10 11 22 6C\nT tx_frames=6\nT max_stored=3\n"},
    {PB_CONTRACT_WAITS, OWN, PB_DEFECT_ONCE, 0, "e1 d0 +5.0 0A 00 01 02 87\ne9 d0 +5.0 04 10 03 04 D9\n",
     "e9 d0 +5.0 0A 00 01 02 87\ne17 d0 +5.0 04 10 03 04 D9\n"},
    {PB_CONTRACT_FORGETS, SYNC, 0, 0,
     "e25 d0 +5.0 04 10 00 01 FD\ne33 d0 +5.0 04 20 00 02 15\ne36 d0 +5.0 04 30 00 03 B0\n"
     "e44 d0 +5.0 04 40 00 04 C2\nT tx_frames=5\n", "T tx_frames=1\n"},
    {PB_CONTRACT_STEP_FORGETS, SYNC, 0, 0,
     "e36 d0 +5.0 04 30 00 03 B0\ne44 d0 +5.0 04 40 00 04 C2\nT tx_frames=5\n", "T tx_frames=3\n"},
    {PB_CONTRACT_STEP_FORGETS_OWN, SYNC, 0, 0,
     "e36 d0 +5.0 04 30 00 03 B0\ne44 d0 +5.0 04 40 00 04 C2\nT tx_frames=5\n", "T tx_frames=3\n"},
    {PB_CONTRACT_GAP_FORGETS, CLOCK, 0, 0,
     "e9 d0 +5.0 04 20 00 01 1C\ne13 d2 +5.0 01 30 00 11 80\ne16 d0 +5.0 04 40 00 02 D0\n"
     "e20 d2 +5.0 01 50 00 12 4C\ne25 d0 +5.0 04 60 00 03 94\nT tx_frames=7\n", "T tx_frames=2\n"},
    {PB_CONTRACT_GAP_FORGETS_OWN, CLOCK, 0, 0,
     "e9 d0 +5.0 04 20 00 01 1C\ne13 d2 +5.0 01 30 00 11 80\ne16 d0 +5.0 04 40 00 02 D0\n"
     "e20 d2 +5.0 01 50 00 12 4C\ne25 d0 +5.0 04 60 00 03 94\nT tx_frames=7\n", "T tx_frames=2\n"},
    {PB_CONTRACT_EDGE_FORGETS, CLOCK, 0, 0,
     "e20 d2 +5.0 01 50 00 12 4C\ne25 d0 +5.0 04 60 00 03 94\nT tx_frames=7\n", "T tx_frames=5\n"},
    {PB_CONTRACT_EDGE_FORGETS_OWN, CLOCK, 0, 0,
     "e20 d2 +5.0 01 50 00 12 4C\ne25 d0 +5.0 04 60 00 03 94\nT tx_frames=7\n", "T tx_frames=5\n"},
    {PB_CONTRACT_SKIPS_SEQUENCE, OWN, PB_DEFECT_ONCE, 0,
     "< +S 1\n< +S 2\ne6 d3 +5.0 0D 20 05 00 FC\ne9 d0 +5.0 04 10 03 04 D9\n",
     "< +S 2\n< +S 3\ne6 d3 +5.0 0D 30 05 00 5E\ne9 d0 +5.0 04 20 03 04 38\n"},
    {PB_CONTRACT_REPEATS_SEQUENCE, OWN, PB_DEFECT_ONCE, 0,
     "< +S 1\n< +S 2\ne6 d3 +5.0 0D 20 05 00 FC\ne9 d0 +5.0 04 10 03 04 D9\n",
     "< +S 0\n< +S 1\ne6 d3 +5.0 0D 10 05 00 1D\ne9 d0 +5.0 04 00 03 04 7B\n"},
    {PB_CONTRACT_REFUSED_COUNTS, CONSOLE, PB_DEFECT_ONCE, 0, "< +S 0\n< +S 1\ne1 d0 +5.0 04 00 01 00 4D\n",
     "< +S 1\n< +S 2\ne1 d0 +5.0 04 10 01 00 EF\n"},
    {PB_CONTRACT_PADS_ONES, CONSOLE, 0, 0, "e1 d0 +5.0 04 00 01 00 4D\n", "e1 d0 +5.0 04 00 01 FF BE\n"},
    {PB_CONTRACT_REFUSED_TWICE, CONSOLE, 0, 0, "", "-busy\n"},
    {PB_CONTRACT_SENDS_TO_ITSELF, CONSOLE, 0, 0,
     "T delivered=1\nT tx_frames=2\nT max_queue=1\nT max_stored=1\n",
     "e9 d0 +5.0 05 10 01 02 F7\nT tx_frames=3\nT max_queue=2\nT max_stored=2\n"},
    {PB_CONTRACT_DROPS_OWN, FORWARD, 0, 0, "T delivered=1\n", ""},
    {PB_CONTRACT_CHATTERS, OWN, PB_DEFECT_ONCE, 0, "", "uart hello\n"},
    {PB_CONTRACT_WRONG_ADDRESS, CONSOLE, 0, 0,
     "< +I node=contract addr=5 dims=4 fw=1\n< +I node=contract addr=6 dims=4 fw=1\n",
     "< +I node=contract addr=4 dims=4 fw=1\n< +I node=contract addr=7 dims=4 fw=1\n"},
    {PB_CONTRACT_WRONG_ANSWER, OWN, PB_DEFECT_ONCE, 0, "< +S 0\n< +S 1\n", "< +S 1\n< +S 1\n"},
    {PB_CONTRACT_COUNTS_WRONG, FORWARD, 0, 0, "T delivered=1\n", "T delivered=2\n"},
    {PB_CONTRACT_COUNTER_OMITTED, FORWARD, 0, 0, "T delivered=1\n", ""},
    {PB_CONTRACT_COUNTER_GARBLED, FORWARD, 0, 0, "T delivered=1\n", "T delivered=ZZ\n"},
    {PB_CONTRACT_COUNTER_LONG, FORWARD, 0, 0, "T delivered=1\n", ""}, /* =000000001: zeros are left out */
    {PB_CONTRACT_COUNTER_TWICE, FORWARD, 0, 0, "", "T max_stored=2\n"},
    {PB_CONTRACT_LATE_COUNTED, FORWARD, 0, 0, "", "T late_starts=5\n"},
    {PB_CONTRACT_DEPTH_OFF, FORWARD, 0, 0, "T max_stored=2\n", "T max_stored=1\n"},
    {PB_CONTRACT_LINES_OFF, FORWARD, 0, 0, "T console_lines=2\n", "T console_lines=4\n"},
    {PB_CONTRACT_IDENTITY_SHORT, CONSOLE, 0, 0,
     "< +I node=contract addr=5 dims=4 fw=1\n< +I node=contract addr=6 dims=4 fw=1\n",
     "< +I node=contract dims=4 fw=1\n< +I node=contract dims=4 fw=1\n"},
    {PB_CONTRACT_IDENTITY_TWICE, CONSOLE, 0, 0,
     "< +I node=contract addr=5 dims=4 fw=1\n< +I node=contract addr=6 dims=4 fw=1\n",
     "< +I node=contract addr=5 addr=5 dims=4 fw=1\n< +I node=contract addr=6 addr=6 dims=4 fw=1\n"},
    {PB_CONTRACT_IDENTITY_DIMS, CONSOLE, 0, 0,
     "< +I node=contract addr=5 dims=4 fw=1\n< +I node=contract addr=6 dims=4 fw=1\n",
     "< +I node=contract addr=5 dims=5 fw=1\n< +I node=contract addr=6 dims=5 fw=1\n"},
    {PB_CONTRACT_KEEPS_COUNTERS, CONSOLE, 0, 0, "T console_lines=1\n",
     "T edges=10\nT superframes=2\nT rx_frames=1\nT delivered=1\nT forwarded=1\nT own_messages=2\n"
     "T tx_frames=2\nT max_queue=1\nT max_stored=1\nT console_lines=D\nT console_errors=4\n"},
    {PB_CONTRACT_KEEPS_MODE, CONSOLE, 0, 0,
     "e10 d1 +5.0 05 70 11 22 85\nT delivered=1\nT forwarded=1\nT tx_frames=2\n",
     "T delivered=2\nT tx_frames=1\n"},
    {PB_CONTRACT_ECHO_ELSEWHERE, CONSOLE, 0, 0,
     "e10 d1 +5.0 05 70 11 22 85\n", "e5 d2 +5.0 05 70 11 22 85\n"},
    {PB_CONTRACT_ECHO_ALTERED, CONSOLE, 0, 0, "e10 d1 +5.0 05 70 11 22 85\n", "e10 d1 +5.0 07 70 11 22 A9\n"},
    {PB_CONTRACT_ECHO_ROUTES, CONSOLE, 0, 0,
     "e10 d1 +5.0 05 70 11 22 85\nT delivered=1\nT forwarded=1\nT tx_frames=2\n",
     "T delivered=2\nT tx_frames=1\n"},
    {PB_CONTRACT_ECHO_STAYS, MODES, 0, 0, "T delivered=1\n",
     "e10 d1 +5.0 05 70 11 22 85\nT forwarded=1\nT tx_frames=1\nT max_queue=1\nT max_stored=1\n"},
    {PB_CONTRACT_KEEPS_ADDRESS, CONSOLE, 0, 0, "< +I node=contract addr=6 dims=4 fw=1\n",
     "< +I node=contract addr=5 dims=4 fw=1\n"},
    {PB_CONTRACT_NO_REASON, CONSOLE, PB_DEFECT_ONCE, 0, "< -range\n", "< -\n"},
    {PB_CONTRACT_UART_NOISE, OWN, PB_DEFECT_ONCE, 0, "", "uart <FF>\n"},
};
/* clang-format on */

#endif
