/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stamps from the files of other instruments: tables, VCD, sessions of sigrok, which are made here.
 */
#include "phasebench/jitter.h"
#include "phasebench/stamps.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

static void let_go(void *stamps)
{
    pb_stamps_free(stamps);
    free(stamps);
}

struct bytes {
    char *data;
    size_t length;
};

static struct bytes text_of(const char *text)
{
    return (struct bytes){(char *)text, strlen(text)};
}

static struct pb_stamps *take(struct bytes file, struct pb_stamps_choice choice)
{
    struct pb_stamps *const stamps = hand_over(calloc(1, sizeof *stamps), let_go);
    struct pb_diag diag = {""};
    if (pb_stamps_read(stamps, "f", file.data, file.length, &choice, &diag))
        fail_msg("%.60s: %s", file.data, diag.text);
    return stamps;
}

static void refuse(struct bytes file, struct pb_stamps_choice choice, const char *why)
{
    struct pb_stamps stamps;
    struct pb_diag diag = {""};
    if (pb_stamps_read(&stamps, "f", file.data, file.length, &choice, &diag) != PB_ERR_CONFIG)
        fail_msg("%.60s is taken", file.data);
    if (!strstr(diag.text, why))
        fail_msg("'%s' without '%s'", diag.text, why);
}

static void has(const struct pb_stamps *stamps, size_t count, const int64_t *time_ps)
{
    assert_int_equal(stamps->count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(stamps->time_ps[i], time_ps[i]);
}
#define HAS(stamps, ...)                                                                                     \
    has(stamps, COUNT(((int64_t[]){__VA_ARGS__})), (int64_t[]) {__VA_ARGS__})

#define ANY ((struct pb_stamps_choice){.channel = NULL})
#define ONE(name) ((struct pb_stamps_choice){.channel = (name)})
#define IN_S ((struct pb_stamps_choice){.unit_ps = 1e12})

/* ---- tables */

TEST(test_units_of_a_table)
{
    static const struct {
        const char *name;
        int64_t ps; /* of 0.5 */
    } row[] = {
        {"time_s", 500000000000}, {"Time [sec]", 500000000000}, {"t (ms)", 500000000}, {"time_us", 500000},
        {"t [µs]", 500000},       {"t [\xB5s]", 500000},        {"stamp ns", 500},
    };
    for (size_t i = 0; i < COUNT(row); i++)
        HAS(take(text_of(formatted("%s\n0\n0.5\n1.5", row[i].name)), ANY), 0, row[i].ps, 3 * row[i].ps);
    HAS(take(text_of("time_ps\n3\n7\n"), ANY), 3, 7);
}

/* A number of two cells at a comma is never a channel and a stamp without a word. */
TEST(test_decimal_commas)
{
    const struct pb_stamps *stamps = take(text_of("1;0,001\n1;0,002\n"), IN_S);
    HAS(stamps, 1000000000, 2000000000);
    assert_string_equal(stamps->channel, "1");
    refuse(text_of("0,0000\n0,0001\n0,0002\n"), IN_S,
           "f:1: '0,0000' may be one stamp or channel and stamp; write decimal points, or name the columns");
    refuse(text_of("\n-1,5e-3\n0,0001\n"), IN_S, "f:2: '-1,5e-3' may be one stamp");
    refuse(text_of("\"0,0000\"\n\"0,0001\"\n"), IN_S, "f:1: a decimal comma in column 'time'");
    refuse(text_of("1\t0,001\n"), IN_S, "f:1: a decimal comma in column 'time'");
    refuse(text_of("time_s\n0,1\n"), ANY, "with decimal commas, separate the cells by semicolons, or wri");
    HAS(take(text_of("0,1000\n0,1001\n"), (struct pb_stamps_choice){.channel = "0", .unit_ps = 1}), 1000,
        1001);
    HAS(take(text_of("0,0.5\n0,1.5\n"), IN_S), 500000000000, 1500000000000);
    HAS(take(text_of("a,5\na,7\n"), IN_S), 5000000000000, 7000000000000);
    HAS(take(text_of("0,-5\n0,-3\n"), IN_S), -5000000000000, -3000000000000);
    HAS(take(text_of("0;0\n0;100\n"), IN_S), 0, 100000000000000); /* two columns are not called '0' */
}

TEST(test_lines_of_a_table)
{
    refuse(text_of("\ntime_ns\n10\n20\n20\n"), ANY,
           "f:5: stamp 3 at 20000 ps is not after the one before it at 20000 ps; give the stamps of one ch");
    refuse(text_of("5\n4\n"), IN_S, "f:2: stamp 2 at 4000000000000 ps is not after");
    refuse(text_of("\n\ntime\n1\n"), ANY, "f:3: column 'time' has no unit");
    refuse(text_of("\na;b\n1;2\n"), ANY, "f:2: no column of stamps");
    refuse(text_of("time_s\n4000001\n"), ANY, "f:2: a stamp beyond 46 days");
    HAS(take(text_of("time_s\n3999999\n"), ANY), 3999999000000000000);
}

TEST(test_levels_of_a_table)
{
    static const char levels[] = "time_ns,clk\n0,0\n5,1\n10,0\n15,1\n";
    HAS(take(text_of(levels), ANY), 5000, 15000);
    HAS(take(text_of(levels), (struct pb_stamps_choice){.falls = true}), 10000);
    refuse(text_of(levels), ONE("TIME_NS"),
           "f:1: column 'TIME_NS' has the instants of all levels; choose one of 'clk' by --channel");
    HAS(take(text_of("time_ns\n0\n5\n"), ONE("time_ns")), 0, 5000);
    /* A signal called S, or NS, is no column of seconds. */
    HAS(take(text_of("S,Time [ns]\n0,0\n1,5\n"), ANY), 5000);
    HAS(take(text_of("Time,S\n0,0\n5,1\n"), IN_S), 5000000000000);
    HAS(take(text_of("NS,t_ns\n0,0\n1,5\n"), ANY), 5000);
    refuse(text_of("Time,S\n0,0\n5,1\n"), ANY, "f:1: column 'Time' has no unit");
}

/* By the places of the digits, with "%.6g", "%.6f" and "%.5e" in mind. */
TEST(test_steps_of_a_table)
{
    static const struct {
        const char *text;
        double step_ps;
        int64_t last_ps;
    } row[] = {
        {"0.0001\n0.0002\n0.0004\n", 1e8, 400000000}, /* all are multiples */
        {"0.000123457\n1.00012\n12.3457\n", 1e8, 12345700000000},
        {"1.23457e-4\n1.00012\n12.3457\n", 1e8, 12345700000000},
        {"-12.3457\n-1.00012\n0\n0.000123457\n", 1e8, 100000000},
        {"0.123457\n1.5\n12\n", 1e8, 12000000000000}, /* zeros are dropped: 12 may be 12.0000 */
        {"0.123457\n1.0\n12.0\n", 1e8, 12000000000000},
        {"0.000001\n0.500000\n12.000001\n", 1e6, 12000001000000},
        {"0.500000\n1.000000\n12.345679\n", 1e6, 12345679000000},
        {"0\n0.500000\n12.345679\n", 1e6, 12345679000000},
        {"1.23400e-01\n1.23450e+00\n1.23456e+01\n", 1e8, 12345600000000},
        {"1.00\n1.23450\n1.254567\n", 1e10, 1250000000000}, /* two files in one */
        {"1e0\n2e0\n30e0\n", 1e12, 30000000000000},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        const struct pb_stamps *stamps = take(text_of(row[i].text), IN_S);
        if (stamps->step_ps != row[i].step_ps || stamps->time_ps[stamps->count - 1] != row[i].last_ps)
            fail_msg("%s: step %g, last %lld", row[i].text, stamps->step_ps,
                     (long long)stamps->time_ps[stamps->count - 1]);
    }
    refuse(text_of("0.0012\n0.0013\n1.2\n"), IN_S,
           "f: stamps 1 and 2 are one at the step of the largest stamp, 100000000.000 ns; write more digits");
    /* The user knows better. */
    HAS(take(text_of("0.0012\n0.0013\n1.2\n"), (struct pb_stamps_choice){.unit_ps = 1e12, .step_ps = 1e6}),
        1200000000, 1300000000, 1200000000000);
}

/* Whether what is computed of a clock of 1 ms and a part, whose edges have a normal jitter, is true: mean
 * period, rate, deviation of period and TIE. */
enum { CLAIM_PERIOD, CLAIM_RATE, CLAIM_SD_PERIOD, CLAIM_SD_TIE, CLAIMS };
static void hold_clock(const char *form, double scale, double sd_s, unsigned missed[CLAIMS])
{
    enum { EDGES = 1150 }; /* so most are below 1 s, and the others have a digit less */
    static char text[EDGES * 32];
    const double period_s = 1e-3 * (1 + 1e-3 * uniform()), first_s = 3e-3 * uniform();
    struct pb_jitter *jitter;
    struct pb_diag diag = {""};
    size_t used = 0;
    for (int k = 0; k < EDGES; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, form,
                                 (first_s + k * period_s + sd_s * gaussian()) * scale);
    const struct pb_stamps *stamps =
        take((struct bytes){text, used}, (struct pb_stamps_choice){.unit_ps = 1e12 / scale});
    if (pb_jitter_of_stamps(&jitter, stamps, "f", 0, 1e9, PB_JITTER_FIT, &diag))
        fail_msg("%s", diag.text);
    missed[CLAIM_RATE] += fabs(jitter->rate_ppm - (1e-3 / period_s - 1) * 1e6) > jitter->rate_u95_ppm;
    for (unsigned i = 0; i < jitter->rows; i++) {
        const struct pb_jitter_row *row = &jitter->row[i];
        const double sd_ps = sd_s * 1e12 * (row->quantity == PB_JITTER_PERIOD ? sqrt(2) : 1);
        const bool out = sd_ps < row->sd95.lower || sd_ps > row->sd95.upper;
        if (row->quantity == PB_JITTER_PERIOD) {
            missed[CLAIM_PERIOD] += fabs(row->mean_ps - period_s * 1e12) > row->expanded.u95;
            missed[CLAIM_SD_PERIOD] += out;
        } else if (row->quantity == PB_JITTER_TIE)
            missed[CLAIM_SD_TIE] += out;
    }
    pb_jitter_free(jitter);
}

/* U95 and sd95 hold in 95 % of the files, whatever the format leaves of the digits. Of 50 files at 5 %, more
 * than 7 are missed with a chance of 0.3 %. */
TEST(test_few_digits_of_a_table_hold_their_u95)
{
    static const char *const form[] = {"%.6g\n", "%.5e\n", "%.7g\n", "%.6f\n"};
    static const double sd_s[] = {0, 0.3e-6, 3e-6};
    enum { FILES = 50, MISSED_MOST = 7 };
    for (size_t i = 0; i < COUNT(form); i++)
        for (size_t k = 0; k < COUNT(sd_s); k++)
            for (int us = 0; us < 2; us++) {
                unsigned missed[CLAIMS] = {0};
                const size_t before = handed_over();
                for (unsigned file = 0; file < FILES; file++) {
                    hold_clock(form[i], us ? 1e6 : 1, sd_s[k], missed);
                    release_back_to(before);
                }
                for (unsigned claim = 0; claim < CLAIMS; claim++)
                    if (missed[claim] > MISSED_MOST)
                        fail_msg("%.4s in %s, jitter %g s: claim %u missed %u of %u", form[i],
                                 us ? "us" : "s", sd_s[k], claim, missed[claim], (unsigned)FILES);
            }
}

/* ---- VCD */

#define VCD(scale, variables, changes)                                                                       \
    text_of("$timescale " scale " $end\n" variables "$enddefinitions $end\n" changes)
#define CLK "$var wire 1 ! clk $end\n"

TEST(test_samples_are_no_edges)
{
    static const char *const table[] = {"Time(s),CH1(V)\n0,0.01\n1,3.31\n2,3.29\n3,0.02\n",
                                        "time_ns,clk\n0,High\n1000,Low\n2000,High\n",
                                        "time_ns,clk\n0,x\n1000,1\n2000,0\n3000,1\n",
                                        "time_ns,clk\n0,1.0\n1000,0.0\n2000,1.0\n"};
    for (size_t i = 0; i < COUNT(table); i++)
        refuse(text_of(table[i]), ANY, "has no levels 0 and 1, so a row may be a sample and no edge; give");
    HAS(take(text_of("time_ns,note\n0,a\n1000,b\n2000,c\n"), ONE("time_ns")), 0, 1000000, 2000000);
}

TEST(test_times_of_a_vcd)
{
    static const struct {
        const char *scale;
        int64_t ps; /* of #3000 */
        double step_ps;
    } row[] = {
        {"1s", 3000000000000000, 1e12},
        {"1 ms", 3000000000000, 1e9},
        {"10us", 30000000000, 1e7},
        {"100 ns", 300000000, 1e5},
        {"1ps", 3000, 1},
        /* Rounded to 1 ps, and that is what is said. */
        {"100 fs", 300, 1},
        {"1 fs", 3, 1},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        const struct pb_stamps *stamps = take(
            text_of(formatted("$timescale %s $end " CLK "$enddefinitions $end #0 0! #3000 1!", row[i].scale)),
            ANY);
        HAS(stamps, row[i].ps);
        assert_true(stamps->step_ps == row[i].step_ps);
    }
    refuse(VCD("2 ns", CLK, "#0 0!"), ANY, "f: time scale '2ns'");
    refuse(VCD("1 ns", "$timescale 1 ps $end " CLK, "#0 0!"), ANY,
           "f:2: a second time scale, '1ps', and not that of the first $timescale; give one VCD");
    HAS(take(VCD("1 ps", "$timescale 1ps $end " CLK, "#0 0! #3 1!"), ANY), 3);
    HAS(take(text_of("\xEF\xBB\xBF$timescale 1 ps $end " CLK "$enddefinitions $end #0 0! #3 1!"), ANY), 3);
    static const char *const bad[] = {"#0x10", "#3e1", "#", "#1.5", "#-1", "#nan", "#4000000000000001"};
    for (size_t i = 0; i < COUNT(bad); i++)
        refuse(text_of(formatted("$timescale 1ns $end " CLK "$enddefinitions $end\n#0\n0!\n%s\n1!\n",
                                 bad[i])),
               ANY, formatted("f:5: time '%s'; times are whole decimal numbers", bad[i]));
    refuse(VCD("1 ns", CLK, "#0\n0!\n#10\n1!\n#5\n0!\n"), ANY,
           "f:8: time '#5' is before the one before it, '#10'");
    refuse(VCD("1 ns", CLK, "#0 0! #10 1!\n0! 1!\n"), ANY, "f:5: stamp 2 at 10000 ps is not after");
}

TEST(test_scalars_of_a_vcd)
{
    static const char two[] =
        "$timescale 1ps $end $scope module a $end " CLK "$upscope $end\n$scope module b $end "
        "$var wire 1 # clk $end $upscope $end $enddefinitions $end #0 0! 0# #3 1! #5 1#";
    refuse(text_of(two), ANY, "f: several scalars; choose one of 'a.clk', 'b.clk' by --channel");
    refuse(text_of(two), ONE("clk"), "f: several scalars; choose one of 'a.clk', 'b.clk' by --channel");
    refuse(text_of(two), ONE("c.clk"), "f: no such scalar; choose one of 'a.clk', 'b.clk'");
    HAS(take(text_of(two), ONE("a.clk")), 3);
    HAS(take(text_of(two), ONE("b.clk")), 5);
    /* One of no scope is meant by its name alone. Two names of one identifier are one scalar. */
    static const char top[] = "$timescale 1ps $end $var wire 1 # clk $end $scope module a $end " CLK
                              "$upscope $end $enddefinitions $end #0 0! 0# #3 1! #5 1#";
    HAS(take(text_of(top), ONE("clk")), 5);
    HAS(take(VCD("1ps", CLK "$scope module a $end " CLK "$upscope $end ", "#0 0! #3 1!"), ANY), 3);
    /* Bits of a vector, each a scalar. */
#define BITS "$var wire 1 ! bus [0] $end $var wire 1 # bus [1] $end "
    refuse(VCD("1ps", BITS, "#0 0! #3 1!"), ONE("bus"), "choose one of 'bus[0]', 'bus[1]'");
    HAS(take(VCD("1ps", BITS, "#0 0! 0# #3 1! #4 1#"), ONE("bus[1]")), 4);
    HAS(take(VCD("1ps", "$var wire 1 ! clk [0] $end ", "#0 0! #3 1!"), ONE("clk")), 3);
    /* The value of a real is none of the scalar whose identifier looks like one. */
    HAS(take(VCD("1ps", "$var wire 1 1! clk $end $var real 64 01! v $end ", "#0 01! #1 11! #3 r1 01! #4 11!"),
             ANY),
        1);
    refuse(VCD("1ps", CLK, "#0 0!\nr1 !\n"), ANY, "f:5: scalar 'clk' has the value of a vector");
}

/* ---- sessions of sigrok */

struct part {
    const char *name;
    struct bytes bytes;
};

/* An archive of these files, which is handed over. */
static struct bytes archive(const struct part *part, size_t parts)
{
    zip_error_t error;
    zip_source_t *const made = zip_source_buffer_create(NULL, 0, 0, &error);
    zip_t *const zip = zip_open_from_source(made, ZIP_CREATE, &error);
    zip_stat_t stat;
    zip_source_keep(made);
    for (size_t i = 0; i < parts; i++)
        assert_true(
            zip_file_add(zip, part[i].name,
                         zip_source_buffer(zip, part[i].bytes.data, part[i].bytes.length, 0), 0) >= 0);
    assert_int_equal(zip_close(zip), 0);
    assert_int_equal(zip_source_stat(made, &stat), 0);
    const struct bytes file = {hand_over(malloc(stat.size), free), stat.size};
    assert_int_equal(zip_source_open(made), 0);
    assert_int_equal(zip_source_read(made, file.data, file.length), (zip_int64_t)file.length);
    zip_source_close(made);
    zip_source_free(made);
    return file;
}

#define METADATA(unit) "[device 1]\ncapturefile=logic-1\nsamplerate=1 MHz\nprobe1=clk\nunitsize=" unit "\n"
#define SESSION(unit, ...)                                                                                   \
    archive((const struct part[]){{"metadata", text_of(METADATA(unit))}, __VA_ARGS__},                       \
            COUNT(((const struct part[]){{"metadata", {NULL, 0}}, __VA_ARGS__})))
#define PART(name, bytes)                                                                                    \
    {                                                                                                        \
        name,                                                                                                \
        {                                                                                                    \
            bytes, sizeof(bytes) - 1                                                                         \
        }                                                                                                    \
    }

TEST(test_parts_of_a_session)
{
    HAS(take(SESSION("1", PART("logic-1", "\0\1\0\1")), ANY), 1000000, 3000000);
    HAS(take(SESSION("1", PART("logic-1-2", "\0\1"), PART("logic-1-1", "\0\1\0")), ANY), 1000000, 4000000);
    refuse(SESSION("1", PART("logic-1-1", "\0\1"), PART("logic-1-3", "\0\1"), PART("logic-1-4", "\0\1")), ANY,
           "f: the part 'logic-1-2' of 4 is missing; give a session that sigrok wrote");
    refuse(SESSION("1", PART("logic-1-2", "\0\1")), ANY, "f: the part 'logic-1-1' of 2 is missing");
    refuse(SESSION("1", PART("logic-2-1", "\0\1")), ANY, "f: no file of samples");
    HAS(take(SESSION("2", PART("logic-1-1", "\0\0\1\0")), ANY), 1000000);
    refuse(SESSION("2", PART("logic-1-1", "\0\0\1\0\1")), ANY, "f: samples that are damaged or cut");
    refuse(SESSION("2", PART("logic-1-1", "\0\0\1"), PART("logic-1-2", "\0\0\0\1\0")), ANY, "damaged or cut");
}

/* Settings of two devices would be mixed: the rate of one, the samples of the other. */
TEST(test_devices_of_a_session)
{
    static const char both[] = METADATA("1") "[device 2]\ncapturefile=logic-2\nsamplerate=2 MHz\n"
                                             "probe1=data\nunitsize=1\n";
    const struct part part[] = {
        {"metadata", text_of(both)}, PART("logic-1", "\0\1\0\1"), PART("logic-2", "\0\0\1\1")};
    refuse(archive(part, COUNT(part)), ANY,
           "f: a session of 2 devices, which may have begun at other times; s");
    refuse(archive(part, COUNT(part)), ONE("clk"), "f: a session of 2 devices");
    const struct part one[] = {{"metadata", text_of("[global]\nsigrok version=0.5.2\n\n" METADATA("1"))},
                               PART("logic-1", "\0\1\0\1")};
    HAS(take(archive(one, COUNT(one)), ANY), 1000000, 3000000);
}

/* Without `unitsize` a sample was one of 1 byte. Another digit of the rate is seen by the checksum. */
TEST(test_metadata_of_a_session)
{
    static const char none[] = "[device 1]\ncapturefile=logic-1\nsamplerate=1 MHz\nprobe1=clk\n";
    const struct part part[] = {{"metadata", text_of(none)}, PART("logic-1", "\0\1\0\1")};
    refuse(archive(part, COUNT(part)), ANY, "f: no logic samples with a rate and 1 to 8 bytes each");
    struct bytes file = SESSION("1", PART("logic-1", "\0\1\0\1"));
    size_t at = 0;
    while (memcmp(file.data + at, "=1 MHz", 6) != 0)
        assert_true(++at + 6 < file.length);
    file.data[at + 1] = '2';
    refuse(file, ANY, "f: a zip archive without a readable file 'metadata'");
}

/* A file with more stamps than are kept says how many more it has. */
TEST(test_stamps_that_are_left_out)
{
    const size_t length = 2 * (PB_STAMPS_MAX + 3);
    const struct bytes samples = {hand_over(malloc(length), free), length};
    for (size_t i = 0; i < length; i++)
        samples.data[i] = (char)(i & 1);
    const struct pb_stamps *stamps = take(SESSION("1", {"logic-1", samples}), ANY);
    assert_int_equal(stamps->count, PB_STAMPS_MAX);
    assert_int_equal(stamps->left_out, 3);
}
