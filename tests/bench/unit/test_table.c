/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tables as RFC 4180 has them, and as spreadsheets write them. Drawn tables are written here, and read.
 */
#include "host/base/table.h"
#include "tests/bench/unit/noise.h"
#include "tests/bench/unit/tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void let_go(void *table)
{
    pb_table_free(table);
}

static struct pb_table *take(const char *text)
{
    struct pb_table *table;
    struct pb_diag diag = {""};
    if (pb_table_read(&table, "t.csv", text, strlen(text), &diag))
        fail_msg("%s: %s", text, diag.text);
    return hand_over(table, let_go);
}

static void refuse(const char *text, size_t length, const char *why)
{
    struct pb_table *table;
    struct pb_diag diag = {""};
    assert_int_equal(pb_table_read(&table, "t.csv", text, length, &diag), PB_ERR_CONFIG);
    assert_null(table);
    if (!strstr(diag.text, why))
        fail_msg("'%s' without '%s'", diag.text, why);
}
#define REFUSE(text, why) refuse(text, sizeof(text) - 1, why)

static void holds(const struct pb_table *table, size_t row, const char *const *cell)
{
    for (int i = 0; i < pb_table_columns(table); i++)
        assert_string_equal(pb_table_cell(table, row, i), cell[i]);
}

/* The rules of section 2, with the examples that it gives. */
TEST(test_rules_of_the_standard)
{
    static const char *const text[] = {
        "field_name,field_2,field_3\r\naaa,bbb,ccc\r\nzzz,yyy,xxx\r\n",
        "field_name,field_2,field_3\r\naaa,bbb,ccc\r\nzzz,yyy,xxx",
        "field_name,field_2,field_3\naaa,bbb,ccc\n\nzzz,yyy,xxx\n,,\n",
        "\xEF\xBB\xBF\"field_name\",\"field_2\",\"field_3\"\r\n\"aaa\",\"bbb\",\"ccc\"\r\nzzz,yyy,xxx",
        "field_name;field_2;field_3\r\n aaa ;bbb;ccc\r\nzzz;yyy;xxx\r\n",
        "field_name\tfield_2\tfield_3\naaa\tbbb\tccc\nzzz\tyyy\txxx\n",
    };
    for (size_t i = 0; i < COUNT(text); i++) {
        const struct pb_table *table = take(text[i]);
        assert_int_equal(pb_table_columns(table), 3);
        assert_int_equal(pb_table_rows(table), 2);
        holds(table, 0, (const char *const[]){"aaa", "bbb", "ccc"});
        holds(table, 1, (const char *const[]){"zzz", "yyy", "xxx"});
        assert_int_equal(pb_table_column(table, "FIELD_2"), 1);
        assert_int_equal(pb_table_column(table, "field"), -1);
    }
    const struct pb_table *table =
        take("a,b,c\r\n\"aaa\",\"b\r\nbb\",\"ccc\"\r\n\"a,a\",\"b\"\"bb\",\" c \"\r\n,,1");
    holds(table, 0, (const char *const[]){"aaa", "b\r\nbb", "ccc"});
    holds(table, 1, (const char *const[]){"a,a", "b\"bb", " c "});
    holds(table, 2, (const char *const[]){"", "", "1"});
    assert_int_equal(pb_table_line(table, 0), 2);
    assert_int_equal(pb_table_line(table, 1), 4); /* a cell of the row before has a line break */
    assert_int_equal(pb_table_line(table, 2), 5);
}

/* A table that lies on its side: its one line was compared cell by cell for minutes. */
TEST(a_line_of_too_many_cells_is_refused)
{
    enum { CELLS = 200000 };
    char *const text = hand_over(malloc(2 * CELLS + 1), free);
    struct pb_table *table;
    struct pb_diag diag;
    for (size_t i = 0; i < CELLS; i++)
        memcpy(text + 2 * i, "7,", 2);
    text[2 * CELLS - 1] = '\n';
    assert_int_equal(pb_table_read(&table, "t.csv", text, 2 * CELLS, &diag), PB_ERR_CONFIG);
    assert_string_equal(diag.text,
                        "t.csv:1: 200000 cells in a line; a table has at most 10000 columns, so give "
                        "each row a line of its own");
}

TEST(test_what_is_no_table)
{
    REFUSE("", "no line in it");
    REFUSE(";;;\n", "no line in it");
    REFUSE("\n\n", "no line in it");
    REFUSE("a,b\n1,2\n3\n", "t.csv:3: 1 cells between commas, the first line has 2; give each row");
    REFUSE("a,b\n1,2\n\n3,4,5\n",
           "t.csv:4: 3 cells between commas, the first line has 2; with decimal commas");
    REFUSE("a;b\n1,2\n", "t.csv:2: 1 cells between semicolons");
    REFUSE("a,A\n1,2\n", "t.csv:1: two columns are called 'A'");
    REFUSE("a,b\n1,\"2\n3,4\n", "t.csv:2: a quoted cell does not end");
    REFUSE("a,b\n1,2\n3,4\n\"5,6\n7,8\n", "t.csv:4: a quoted cell does not end");
    REFUSE("a,b\n1,2\"3\n", "t.csv:2: a quote within a cell");
    REFUSE("a,b\n1,\"2\"3\n", "t.csv:2: a quote within a cell");
    REFUSE("a,b\n1,\0\n", "a byte 0");
    REFUSE("\xFF\xFE"
           "a\0,\0b\0",
           "UTF-16");
}

/* By the rule of docs/use/other-tools.md. */
TEST(test_what_separates)
{
    static const struct {
        const char *text;
        char separator;
        int columns;
    } row[] = {
        {"1;0,001\n1;0,002\n", ';', 2},
        {"1;0,001\n1;0,002\n2;3\n", ';', 2},
        {"a\t0,001\n", '\t', 2},
        {"1,5;2,5;3,5\n", ';', 3},
        {"a;b,c,d\n1,2,3\n4,5,6\n", ',', 3},
        {"a\tb;c;d\n1;2;3\n", ';', 3},
        {"\"a;x\",b\n\"c;y\",1\n", ',', 2},
        {"\npart;appraiser;value\nA;x;1\n", ';', 3},
        {";;;\r\n \"\" ;;;\r\nt;a;b;c\r\n1;2;3;4\r\n", ';', 4},
        {"a\n1\n", ',', 1},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        const struct pb_table *table = take(row[i].text);
        assert_int_equal(pb_table_separator(table), row[i].separator);
        assert_int_equal(pb_table_columns(table), row[i].columns);
    }
}

TEST(test_lines_are_those_of_the_file)
{
    const struct pb_table *table = take("\n;;\npart;b;c\n\"1\n2\";x;y\n\n3;4;5");
    assert_int_equal(pb_table_names_line(table), 3);
    assert_int_equal(pb_table_line(table, 0), 4); /* where the row begins */
    assert_int_equal(pb_table_line(table, 1), 7);
    struct pb_table *bare;
    assert_succeeds(pb_table_read(&bare, "t.csv", "\n7,7\n8,9\n", 9, &diag));
    hand_over(bare, let_go);
    assert_succeeds(pb_table_name_columns(bare, (const char *const[]){"x", "y"}, &diag));
    assert_int_equal(pb_table_rows(bare), 2);
    assert_int_equal(pb_table_column(bare, "y"), 1);
    holds(bare, 0, (const char *const[]){"7", "7"});
    holds(bare, 1, (const char *const[]){"8", "9"});
    assert_int_equal(pb_table_line(bare, 0), 2);
    assert_int_equal(pb_table_line(bare, 1), 3);
}

/* "1.234" together with "999,5" may be 1234. The same text alone in a table is a number. */
TEST(test_points_beside_decimal_commas)
{
    static const struct {
        const char *text, *why; /* of the second column; NULL: it is a number */
    } row[] = {
        {"a;b\n1;999,5\n1;1.234\n",
         "t.csv:3: a decimal point after the decimal comma of line 2 in column 'b': '1.234'; write all "
         "decimals alike, and no points between thousands"},
        {"a;b\n\n1;1.5\n1;0,5\n", "t.csv:3: a decimal point after the decimal comma of line 4"},
        {"7;0,5\n7;1.5\n", "t.csv:2: a decimal point after the decimal comma of line 1"},
        {"a;b\n0,5;1.234\n", "t.csv:2: a decimal point after the decimal comma of line 2"},
        {"a;b\n0,5;-12.345.678\n", "t.csv:2: a decimal point after the decimal comma of line 2"},
        {"a;b\n0,5;1.2345\n", NULL},
        {"a;b\n0,5;0.234\n", NULL},
        {"a;b\n1;999\n1;1.234\n", NULL},
        {"a;b\nx,5;1.234\n", NULL},
        {"a;b\n\"1,2,3\";1.234\n", NULL},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        const struct pb_table *table = take(row[i].text);
        struct pb_diag diag = {""};
        long double number;
        int code = PB_OK;
        for (size_t k = 0; k < pb_table_rows(table) && !code; k++)
            code = pb_table_number(table, k, 1, &number, &diag);
        if (code != (row[i].why ? PB_ERR_CONFIG : PB_OK) || (code && !strstr(diag.text, row[i].why)))
            fail_msg("%s: '%s'", row[i].text, diag.text);
    }
}

TEST(test_lines_before_the_names)
{
    static const char *const text[] = {
        "# scope 7, channel 2\n# \"1;2;3\n\nb;a\n2;1\n",
        "sep=;\r\nb;a\r\n2;1\r\n",
        "\xEF\xBB\xBFSEP=\t\nb\ta\n2\t1\n",
        "#\nsep=,\n  # a;b;c;d\nb,a\n2,1\n",
        "\"# of, two\",\nb,a\n2,1\n",
        "# \xB5s\n;;\n\"b\";a\n2;1\n",
    };
    for (size_t i = 0; i < COUNT(text); i++) {
        const struct pb_table *table = take(text[i]);
        if (pb_table_columns(table) != 2 || pb_table_column(table, "a") != 1 || pb_table_rows(table) != 1)
            fail_msg("%s", text[i]);
        holds(table, 0, (const char *const[]){"2", "1"});
        unsigned line = 1;
        for (const char *at = text[i]; *at != '2' || at[-1] != '\n'; at++)
            line += *at == '\n';
        assert_int_equal(pb_table_line(table, 0), line);
    }
    /* The separator that is named is the one, whatever the cells look like. */
    assert_int_equal(pb_table_columns(take("sep=,\na;b,c;d\n1,2\n")), 2);
    assert_int_equal(pb_table_columns(take("sep=;\na,b\n1,2\n")), 1);
    assert_int_equal(pb_table_column(take("#;part\n1;2\n"), "#"), 0);
    assert_int_equal(pb_table_column(take("\"#\",part\n1,2\n"), "#"), 0);
    assert_string_equal(pb_table_cell(take("a;b\n# 1;2\n"), 0, 0), "# 1");
    REFUSE("# x\nsep=|\na|b\n",
           "t.csv:2: '|' separates the cells; separate them by semicolons, tabs or commas");
    REFUSE("# x\n# y\n", "no line in it");
    REFUSE("# x\na;a\n", "t.csv:2: two columns are called 'a'");
}

/* A name in Latin-1 is that name; a cell that is UTF-8 stays, also with a replacement character in it. */
TEST(test_latin_1)
{
    const struct pb_table *table = take("Gr\xF6\xDFte,t [\xB5s]\nd\xE9j\xE0,1\n\xEF\xBF\xBD\xC3\xA9,\xE9s\n");
    struct pb_diag diag;
    long double number;
    assert_int_equal(pb_table_column(table, "Größte"), 0);
    assert_int_equal(pb_table_column(table, "t [µs]"), 1);
    holds(table, 0, (const char *const[]){"déjà", "1"});
    holds(table, 1, (const char *const[]){"\xEF\xBF\xBDé", "és"});
    assert_int_equal(pb_table_number(table, 1, 1, &number, &diag), PB_ERR_CONFIG);
    assert_string_equal(diag.text,
                        "t.csv:3: no decimal number in column 't [µs]': 'és'; give one, as 2.5 or 2.5e-3");
}

TEST(test_a_column_that_is_not_there)
{
    struct pb_diag diag;
    int column;
    const struct pb_table *table = take("Part;b\n1;2\n");
    assert_int_equal(pb_table_need(table, "part", &column, &diag), PB_OK);
    assert_int_equal(column, 0);
    assert_int_equal(pb_table_need(table, "value", &column, &diag), PB_ERR_CONFIG);
    assert_string_equal(diag.text,
                        "t.csv:1: no column 'value' among 'Part', 'b'; name the columns in the first line");
}

TEST(test_numbers)
{
    static const struct {
        const char *cell;
        double comma, semicolon; /* NAN: none, where that separates */
    } row[] = {
        {"1", 1, 1},
        {"-0.5", -0.5, -0.5},
        {"+2.5e-3", 2.5e-3, 2.5e-3},
        {".5", .5, .5},
        {"5.", 5, 5},
        {"1E3", 1000, 1000},
        {"\"0,013\"", NAN, .013},
        {"\"-7,25e2\"", NAN, -725},
        {"0x10", NAN, NAN},
        {"inf", NAN, NAN},
        {"nan", NAN, NAN},
        {"1e999", NAN, NAN},
        {"1e-999", NAN, NAN},
        {"", NAN, NAN},
        {"1 2", NAN, NAN},
        {"\" 1\"", NAN, NAN},
        {"1.2.3", NAN, NAN},
        {"\"1.234,5\"", NAN, NAN},
        {"1e", NAN, NAN},
        {"-", NAN, NAN},
        {"\"1,2,3\"", NAN, NAN},
        {"12V", NAN, NAN},
    };
    for (size_t i = 0; i < COUNT(row); i++)
        for (int semicolon = 0; semicolon < 2; semicolon++) {
            const struct pb_table *table =
                take(formatted("a%cb\n%s%cx\n", ",;"[semicolon], row[i].cell, ",;"[semicolon]));
            const double due = semicolon ? row[i].semicolon : row[i].comma;
            struct pb_diag diag;
            long double number;
            const int code = pb_table_number(table, 0, 0, &number, &diag);
            if (isnan(due)) {
                assert_int_equal(code, PB_ERR_CONFIG);
                assert_non_null(strstr(diag.text, "t.csv:2: "));
                assert_non_null(strstr(diag.text, "in column 'a'"));
            } else {
                assert_int_equal(code, PB_OK);
                assert_true((double)number == due);
            }
        }
}

/* ---- drawn tables */

enum { ROWS = 20, COLUMNS = 5, CELL_SIZE = 12 };

static void draw_cell(char *cell)
{
    static const char of[] = "ab 1.-\",;\t\r\n'";
    const unsigned length = below(CELL_SIZE - 1);
    for (unsigned i = 0; i < length; i++)
        cell[i] = of[below(sizeof of - 1)];
    cell[length] = '\0';
    if (cell[0] == '\'')
        cell[0] = 'x'; /* the character before a formula is taken off */
}

static void write_quoted(FILE *stream, const char *cell)
{
    fputc('"', stream);
    for (; *cell; cell++)
        fprintf(stream, *cell == '"' ? "\"\"" : "%c", *cell);
    fputc('"', stream);
}

TEST(test_drawn_tables)
{
    static char cell[ROWS][COLUMNS][CELL_SIZE];
    for (unsigned round = 0; round < 300; round++) {
        const size_t before = handed_over();
        const char separator = ",;\t"[below(3)];
        const unsigned rows = 1 + below(ROWS), columns = 2 + below(COLUMNS - 1);
        FILE *stream = open_text();
        for (unsigned i = 0; i < columns; i++)
            fprintf(stream, "%s%u", i ? (char[]){separator, 0} : "", i);
        for (unsigned r = 0; r < rows; r++) {
            fputs(below(2) ? "\r\n" : "\n", stream);
            for (unsigned i = 0; i < columns; i++) {
                draw_cell(cell[r][i]);
                if (!i)
                    cell[r][i][0] = 'r'; /* else the row may have no text */
                if (i)
                    fputc(separator, stream);
                write_quoted(stream, cell[r][i]);
            }
        }
        const struct pb_table *table = take(close_text(stream));
        assert_int_equal(pb_table_rows(table), rows);
        assert_int_equal(pb_table_columns(table), columns);
        for (unsigned r = 0; r < rows; r++)
            for (unsigned i = 0; i < columns; i++)
                assert_string_equal(pb_table_cell(table, r, (int)i), cell[r][i]);
        release_back_to(before);
    }
}

/* ---- writing */

TEST(test_no_cell_is_a_formula)
{
    static const struct {
        const char *text, *cell;
    } row[] = {
        {"board", "board"},
        {"", ""},
        {"a,b", "\"a,b\""},
        {"say \"x\"", "\"say \"\"x\"\"\""},
        {"=1+1", "'=1+1"},
        {"+1", "'+1"},
        {"-1", "'-1"},
        {"@SUM(A1)", "'@SUM(A1)"},
        {"=A1,\"B\"", "\"'=A1,\"\"B\"\"\""},
        {"\t=1", "\"' =1\""},
        {"a\nb", "\"a b\""},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        FILE *stream = open_text();
        pb_table_put(stream, row[i].text);
        assert_string_equal(close_text(stream), row[i].cell);
    }
    holds(take("a,b,c\n'=1+1,'-1,'x\n"), 0, (const char *const[]){"=1+1", "-1", "'x"});
}
