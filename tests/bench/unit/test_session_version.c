/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The version of the script that a session plays, which each recording has. The program is in the first ring
 * of tests, as every change of the script needs it.
 */
#include "host/plan/epilogue.h"
#include "phasebench/record.h"
#include "tests/bench/unit/run_fixture.h"

#include <string.h>
#include <zlib.h>

/* Only a program whose sessions say the same can replay a recording. Compared: what the tests after the run
 * type and send in one scenario. */
TEST(test_another_script_is_another_session)
{
    static const struct {
        unsigned version;
        uint32_t sum;
    } script = {11, 0xBCF0D411};
    struct pb_scenario *scenario = parse_scenario(
        "cube: {dims: 4}\nlink: {payload: 2 bytes}\nnodes: [{address: 0x5}]\n"
        "traffic: [{from: 0x5, to: 0x6}]\n");
    const struct pb_device_info info = {.faults = 1};
    struct pb_epilogue_places places = {.scenario = scenario, .lanes = 2};
    struct pb_epilogue_step step;
    struct pb_epilogue_frame frame;
    char text[PB_EPILOGUE_TEXT];
    uint32_t sum = 0;
    for (unsigned at = 0; pb_epilogue_next(scenario, &info, &at, &step);) {
        const uint8_t part[] = {(uint8_t)step.act,
                                step.act == PB_EPILOGUE_RUNS ? (uint8_t)step.superframes : 0};
        sum = (uint32_t)crc32(sum, part, sizeof part);
        if (step.act == PB_EPILOGUE_RESETS)
            places.moved = 0;
        if (step.act == PB_EPILOGUE_TYPES) {
            pb_epilogue_text(text, scenario, 0, step.line);
            pb_epilogue_move(&places, 0, step.line);
            sum = (uint32_t)crc32(sum, (const uint8_t *)text, (unsigned)strlen(text) + 1);
        }
        for (unsigned i = 0; step.act == PB_EPILOGUE_RUNS && i < 4 * step.superframes; i++)
            if (pb_epilogue_played(&frame, &places, 0, i % 4, step.frames, i / 4))
                sum = (uint32_t)crc32(sum, frame.byte, frame.count);
    }
    if (script.version != PB_SESSION_VERSION || sum != script.sum)
        fail_msg("the script has CRC-32 0x%08X, session version %d; that of version %u has 0x%08X: add 1 to "
                 "PB_SESSION_VERSION for another script, then put both here",
                 sum, PB_SESSION_VERSION, script.version, script.sum);
}
