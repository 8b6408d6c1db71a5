/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The tables of docs/node.md against bench/nodes/defects.h and the list of findings: no sentence without a
 * defect, no defect without its sentence, no finding, case or step that the bench does not have. A sentence
 * of programs has defects of programs alone, and no case or step. And docs/reference/scenario.md against the
 * same defects.
 */
#include "bench/nodes/defects.h"
#include "phasebench/result.h"
#include "tests/bench/unit/node_sentences.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENTENCES_MAX = 100, NAMES_MAX = 12, CELLS = 6 };

struct sentence {
    char id[8];
    char finding[NAMES_MAX][32], regress_case[NAMES_MAX][32], step[NAMES_MAX][32], defect[NAMES_MAX][32];
    unsigned findings, regress_cases, steps, defects;
    bool in_each_case; /* before, in or after every run */
    bool of_programs;  /* a node may refuse them: no case or step has one */
};

static struct sentence sentence[SENTENCES_MAX];
static unsigned sentences;

/* The words between backquotes. */
static unsigned quoted(const char *cell, char name[NAMES_MAX][32])
{
    unsigned count = 0;
    for (const char *at = strchr(cell, '`'); at; at = strchr(at, '`')) {
        const char *end = strchr(++at, '`');
        assert_non_null(end);
        assert_true(count < NAMES_MAX && end - at < 32);
        memcpy(name[count], at, (size_t)(end - at));
        name[count++][end - at] = '\0';
        at = end + 1;
    }
    return count;
}

/* Takes a table row apart at its bars; false for any other line, or with another number of cells. */
static bool row_cells(char *line, char *cell[], unsigned cells)
{
    if (strncmp(line, "| ", 2) != 0)
        return false;
    unsigned count = 0;
    for (char *at = line + 1; at; count++) {
        char *bar = strchr(at, '|');
        if (!bar)
            break;
        *bar = '\0';
        if (count < cells)
            cell[count] = at + strspn(at, " ");
        at = bar + 1;
    }
    return count == cells;
}

static bool is_id(const char *text)
{
    return text[0] >= 'A' && text[0] <= 'Z' && text[1] >= '1' && text[1] <= '9';
}

static void read_page(void)
{
    FILE *page = fopen("docs/node.md", "r");
    assert_non_null(page);
    char line[2000], *cell[CELLS];
    sentences = 0;
    while (fgets(line, sizeof line, page)) {
        if (!row_cells(line, cell, CELLS) || !is_id(cell[0]))
            continue;
        assert_true(sentences < SENTENCES_MAX);
        struct sentence *new = &sentence[sentences++];
        *new = (struct sentence){0};
        snprintf(new->id, sizeof new->id, "%.*s", (int)strcspn(cell[0], " "), cell[0]);
        new->findings = quoted(cell[2], new->finding);
        assert_true(new->findings > 0 || !strncmp(cell[2], "none", 4));
        new->regress_cases = quoted(cell[3], new->regress_case);
        new->in_each_case = strstr(cell[3], "each case") || strstr(cell[3], "after each run");
        new->of_programs = !strncmp(cell[3], "a scenario with a program", 25);
        assert_int_equal(new->of_programs, !strncmp(cell[4], "none", 4));
        new->steps = quoted(cell[4], new->step);
        new->defects = quoted(cell[5], new->defect);
    }
    fclose(page);
}

static const struct sentence *sentence_of(const char *id)
{
    for (unsigned i = 0; i < sentences; i++)
        if (!strcmp(sentence[i].id, id))
            return &sentence[i];
    return NULL;
}

/* A run without a program cannot show a defect of one, and has no reason to name it. */
TEST(sentences_of_programs_have_defects_of_programs)
{
    unsigned of_programs = 0;
    for (unsigned i = 0; i < sentences; i++) {
        const struct sentence *its = &sentence[i];
        of_programs += its->of_programs;
        for (unsigned d = 0; d < its->defects; d++) {
            const int defect = pb_defect_of_name(its->defect[d]);
            assert_true(defect > 0);
            const bool needs = pb_defect_infos(NULL)[defect - 1].needs & PB_NEEDS_PROGRAM;
            if (needs != its->of_programs)
                fail_msg("'%s' %s a program, and stands at %s", its->defect[d], needs ? "needs" : "needs not",
                         its->id);
        }
    }
    assert_true(of_programs >= 8);
}

TEST(every_sentence_has_a_defect)
{
    assert_true(sentences >= 40);
    for (unsigned i = 0; i < sentences; i++) {
        if (sentence[i].defects == 0)
            fail_msg("%s has no defect", sentence[i].id);
        for (unsigned d = 0; d < sentence[i].defects; d++) {
            const int defect = pb_defect_of_name(sentence[i].defect[d]);
            if (defect <= 0)
                fail_msg("%s names '%s', which is no defect", sentence[i].id, sentence[i].defect[d]);
            if (strcmp(pb_defect_infos(NULL)[defect - 1].sentence, sentence[i].id) != 0)
                fail_msg("'%s' stands at %s, the table in C says %s", sentence[i].defect[d], sentence[i].id,
                         pb_defect_infos(NULL)[defect - 1].sentence);
        }
        for (unsigned before = 0; before < i; before++)
            if (!strcmp(sentence[before].id, sentence[i].id))
                fail_msg("two sentences are called %s", sentence[i].id);
    }
}

/* Every sentence is tested at the pins of each kind of node, or there is a reason. */
TEST(every_sentence_is_tested_at_the_pins)
{
    for (unsigned i = 0; i < sentences; i++) {
        const char *const id = formatted(" %s ", sentence[i].id);
        bool found = false;
        for (size_t row = 0; row < node_sentence_count; row++)
            found = found || strstr(formatted(" %s ", node_sentences[row].ids), id);
        if (!found)
            fail_msg("no row of node_sentences.c tests %s", sentence[i].id);
    }
    for (size_t row = 0; row < node_sentence_count; row++) {
        char *const ids = formatted("%s", node_sentences[row].ids);
        for (const char *id = strtok(ids, " "); id; id = strtok(NULL, " "))
            if (!sentence_of(id))
                fail_msg("%s: %s is no sentence", node_sentences[row].name, id);
        assert_int_equal(node_sentences[row].except != 0, node_sentences[row].because != NULL);
    }
}

TEST(every_defect_has_a_sentence)
{
    unsigned count;
    const struct pb_defect_info *infos = pb_defect_infos(&count);
    assert_true(count >= 50);
    for (unsigned i = 0; i < count; i++) {
        const struct sentence *its = sentence_of(infos[i].sentence);
        if (!its)
            fail_msg("'%s' violates %s, which the page does not have", infos[i].name, infos[i].sentence);
        unsigned found = 0;
        for (unsigned d = 0; d < its->defects; d++)
            found += !strcmp(its->defect[d], infos[i].name);
        if (found != 1)
            fail_msg("'%s' stands %u times at %s", infos[i].name, found, infos[i].sentence);
        assert_int_equal(pb_defect_of_name(infos[i].name), i + 1);
        assert_true(infos[i].default_amount_ps == 0 || infos[i].default_amount_bit == 0);
        assert_in_range(strlen(infos[i].text), 10, 120);
    }
    assert_int_equal(pb_defect_of_name("none"), PB_CONTRACT_SOUND);
    assert_int_equal(pb_defect_of_name("nonsense"), -1);
}

TEST(every_finding_is_one)
{
    static const char *const known[] = {
#define FINDING_ID(name, id, text) id,
        PB_FINDING_LIST(FINDING_ID)
#undef FINDING_ID
    };
    for (unsigned i = 0; i < sentences; i++)
        for (unsigned f = 0; f < sentence[i].findings; f++) {
            bool found = false;
            for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
                found = found || !strcmp(known[k], sentence[i].finding[f]);
            if (!found)
                fail_msg("%s: '%s' is no finding", sentence[i].id, sentence[i].finding[f]);
        }
}

/* Each name is that of a row in this table; begin: `{` or `{{`, before the name. */
static void are_rows(const char *path, const char *begin, const char *id, char name[NAMES_MAX][32],
                     unsigned count)
{
    const char *const text = file_read(path, NULL);
    for (unsigned i = 0; i < count; i++) {
        char row[48];
        snprintf(row, sizeof row, "\n    %s\"%s\",", begin, name[i]);
        if (!strstr(text, row))
            fail_msg("%s names '%s', which %s does not have", id, name[i], path);
    }
}

TEST(every_case_and_step_is_one)
{
    for (unsigned i = 0; i < sentences; i++) {
        struct sentence *its = &sentence[i];
        if ((its->regress_cases == 0 && !its->in_each_case) != its->of_programs)
            fail_msg("%s names no case of regress, or is of programs and names one", its->id);
        if ((its->steps == 0) != its->of_programs)
            fail_msg("%s names no step of validate, or is of programs and names one", its->id);
        are_rows("host/procedure/regress_cases.c", "{", its->id, its->regress_case, its->regress_cases);
        are_rows("host/procedure/validate.c", "{{", its->id, its->step, its->steps);
    }
}

/* The page of scenario files lists each defect with its sentence and its text. */
TEST(scenario_page_lists_the_defects)
{
    unsigned count;
    const struct pb_defect_info *infos = pb_defect_infos(&count);
    const char *const text = file_read("docs/reference/scenario.md", NULL);
    for (unsigned i = 0; i < count; i++) {
        char row[400], amount[32] = "";
        if (infos[i].default_amount_ps)
            snprintf(amount, sizeof amount, "%g us", (double)infos[i].default_amount_ps / 1e6);
        else if (infos[i].default_amount_bit)
            snprintf(amount, sizeof amount, "%g bit", infos[i].default_amount_bit / 1e3);
        snprintf(row, sizeof row, "\n| `%s` | %s | %s | %s |\n", infos[i].name, infos[i].sentence,
                 infos[i].text, amount);
        if (!strstr(text, row))
            fail_msg("docs/reference/scenario.md does not have the row%s", row);
    }
}

/* The words of `defect_after` are the numbers of the node models: one order in both. */
TEST(events_have_one_order)
{
    static const char words[] =
#define EVENT_WORD(id, name, text) " " name
        PB_DEFECT_AFTER_LIST(EVENT_WORD);
#undef EVENT_WORD
    const char *const text = file_read("host/scenario/keys.def", NULL);
    char row[200];
    snprintf(row, sizeof row, "KEY(nodes, defect_after, CHOICE(\"%s\")", words + 1);
    assert_non_null(strstr(text, row));
}

AROUND_ALL(read_page, NULL)
