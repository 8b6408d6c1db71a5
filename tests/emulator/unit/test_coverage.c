/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Counts of lines and functions: of a small image whose lines are those that objdump --dwarf=decodedline
 * prints and whose functions nm does, and tracefiles by hand (geninfo(1)). tests/emulator/cli/debug.sh has
 * lcov.
 */
#include "bench/emulator/watch/coverage.h"
#include "bench/emulator/image/image_lines.h"
#include "tests/bench/unit/tests.h"

#include <string.h>

#define RISCV "tests/emulator/fuzz/corpus/image/riscv"

static struct pb_image *read_good(void)
{
    struct pb_image *image;
    assert_succeeds(pb_image_read(&image, RISCV, &diag));
    return image;
}

static char *text_of(const struct pb_lcov *lcov)
{
    FILE *stream = open_text();
    assert_int_equal(pb_lcov_write(lcov, stream), PB_OK);
    return close_text(stream);
}

TEST(test_lines_as_objdump)
{
    static const struct {
        uint32_t address, line; /* line 0: the end of the sequence */
        bool statement;
    } want[] = {
        {0x80000000, 3, true},  {0x80000000, 5, true},  {0x80000000, 5, false},  {0x80000008, 6, false},
        {0x8000000c, 8, true},  {0x80000010, 10, false}, {0x80000014, 8, false}, {0x80000016, 10, false},
    };
    struct pb_image *image = read_good();
    struct pb_image_lines *lines;
    assert_int_equal(pb_image_lines_read(&lines, image, NULL), PB_OK);
    assert_int_equal(lines->lines, 16);
    for (unsigned i = 0; i < COUNT(want); i++) {
        assert_int_equal(lines->line[i].address, want[i].address);
        assert_int_equal(lines->line[i].line, want[i].line);
        assert_int_equal(lines->line[i].statement, want[i].statement);
    }
    assert_int_equal(lines->line[15].address, 0x8000002a);
    assert_int_equal(lines->line[15].line, 0);
    assert_int_equal(pb_image_line_at(lines, 0x80000002)->line, 5);
    assert_int_equal(pb_image_line_at(lines, 0x80000014)->line, 8);
    assert_int_equal(pb_image_line_at(lines, 0x80000028)->line, 9);
    assert_null(pb_image_line_at(lines, 0x8000002a));
    assert_null(pb_image_line_at(lines, 0x7fffffff));
    assert_string_equal(pb_image_function_at(lines, 0x80000008)->name, "twice.constprop.0");
    assert_string_equal(pb_image_function_at(lines, 0x8000000c)->name, "_start");
    assert_null(pb_image_function_at(lines, 0x7ffffffe));
    pb_image_lines_free(lines);
    pb_image_destroy(image);
}

/* Lines 3 and 5 begin at 0x80000000, 8 at 0x8000000c, 9 at 0x8000001a and 0x80000028, 10 at 0x8000001a. */
TEST(test_counts)
{
    struct pb_diag diag = {""};
    struct pb_image *image = read_good();
    struct pb_coverage *coverage = pb_coverage_create();
    struct pb_coverage_image *one = pb_coverage_of(coverage, image, &diag);
    struct pb_lcov *lcov = pb_lcov_create();
    assert_non_null(one);
    assert_ptr_equal(pb_coverage_of(coverage, image, &diag), one);
    for (unsigned i = 0; i < 3; i++)
        pb_coverage_count(one, 0x8000000c);
    pb_coverage_count(one, 0x8000001a);
    for (unsigned i = 0; i < 7; i++)
        pb_coverage_count(one, 0x80000028);
    pb_coverage_count(one, 0x8000002a); /* after the code */
    pb_coverage_count(one, 0x20000000);
    pb_image_destroy(image); /* the counts keep it */
    assert_int_equal(pb_coverage_lines(coverage, lcov, &diag), PB_OK);
    const char *text = text_of(lcov);
    assert_non_null(strstr(text, "/a.c\nFN:8,_start\nFN:3,twice\nFNDA:3,_start\nFNDA:0,twice\nFNF:2\nFNH:1\n"
                                 "DA:3,0\nDA:5,0\nDA:8,3\nDA:9,7\nDA:10,1\nLF:5\nLH:3\nend_of_record\n"));
    const struct pb_lcov_totals totals = pb_lcov_totals(lcov);
    assert_int_equal(totals.lines, 5);
    assert_int_equal(totals.lines_hit, 3);
    assert_int_equal(totals.functions, 2);
    assert_int_equal(totals.functions_hit, 1);
    pb_lcov_free(lcov);
    pb_coverage_free(coverage);
}

#define B_C "TN:\nSF:/b.c\nFN:7,g\nFNDA:5,g\nFNF:1\nFNH:1\nDA:7,5\nDA:9,0\nLF:2\nLH:1\nend_of_record\n"
#define A_C "TN:\nSF:/a.c\nFNF:0\nFNH:0\nDA:1,2\nLF:1\nLH:1\nend_of_record\n"

static int take_text(struct pb_lcov *lcov, const char *text, size_t size)
{
    FILE *stream = fmemopen((void *)text, size, "r");
    assert_non_null(stream);
    const int code = pb_lcov_read(lcov, stream);
    fclose(stream);
    return code;
}

TEST(test_files_are_added)
{
    struct pb_lcov *lcov = pb_lcov_create();
    assert_int_equal(take_text(lcov, B_C, sizeof B_C - 1), PB_OK);
    assert_string_equal(text_of(lcov), B_C);
    assert_int_equal(take_text(lcov, A_C B_C, sizeof A_C B_C - 1), PB_OK);
    assert_string_equal(text_of(lcov),
                        A_C "TN:\nSF:/b.c\nFN:7,g\nFNDA:10,g\nFNF:1\nFNH:1\nDA:7,10\nDA:9,0\nLF:2\nLH:1\n"
                            "end_of_record\n");
    /* Within one of them the largest count holds. */
    assert_int_equal(pb_lcov_line(lcov, "/a.c", 1, 1), PB_OK);
    assert_int_equal(pb_lcov_line(lcov, "/a.c", 3, 4), PB_OK);
    assert_non_null(strstr(text_of(lcov), "DA:1,2\nDA:3,4\nLF:2\nLH:2\n"));
    pb_lcov_free(lcov);
}

/* Cut at each byte: nothing of it is added, unless only the last line break or a whole file is missing. */
TEST(test_damaged_files)
{
    static const char *const bad[] = {"DA:1,1\n",
                                      "end_of_record\n",
                                      "SF:/a.c\nSF:/b.c\nend_of_record\n",
                                      "SF:/a.c\nDA:1\nLF:1\nend_of_record\n",
                                      "SF:/a.c\nDA:x,1\nLF:1\nend_of_record\n",
                                      "SF:/a.c\nDA:1,1,1\nLF:1\nend_of_record\n",
                                      "SF:/a.c\nDA:4294967296,1\nLF:1\nend_of_record\n",
                                      "SF:/a.c\nDA:1,1\nLF:2\nend_of_record\n",
                                      "SF:/a.c\nFN:1,\nFNF:1\nend_of_record\n",
                                      "hello\n"};
    const char whole[] = B_C A_C;
    for (size_t length = 1; length < sizeof whole - 1; length++) {
        struct pb_lcov *lcov = pb_lcov_create();
        const bool record = length == sizeof B_C - 1 || length == sizeof B_C + 3; /* "TN:\n" may follow */
        assert_int_equal(take_text(lcov, whole, length), record ? PB_OK : PB_ERR_CONFIG);
        assert_string_equal(text_of(lcov), record ? B_C : "");
        pb_lcov_free(lcov);
    }
    for (unsigned i = 0; i < COUNT(bad); i++) {
        struct pb_lcov *lcov = pb_lcov_create();
        assert_int_equal(take_text(lcov, bad[i], strlen(bad[i])), PB_ERR_CONFIG);
        assert_string_equal(text_of(lcov), "");
        pb_lcov_free(lcov);
    }
}
