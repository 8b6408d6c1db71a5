/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program as one job: its input as people write it, and a wrong result of any node, which its check has to
 * see.
 *
 * evidence: inputs and results of programs
 *   simulated: one board in four forms of pictures, numbers in all their forms; a result that is wrong in one
 *   node is seen, for each program and each node
 */
#include "tests/machine/unit/program_fixture.h"

#include "host/machine/program/job.h"

static struct pb_diag diag;

/* Of the program on a cube, or another network; inputs are drawn by the seed. */
static struct pb_program_job job_of(const char *name, const struct pb_network *network, uint32_t argument)
{
    struct pb_program_job job = {
        .network = network, .argument = argument, .engine = PB_ENGINE_SLOT, .line = PB_MACHINE_LINE_DEFAULT};
    assert_succeeds(pb_program_job_find(&job, name, &diag));
    assert_succeeds(pb_program_job_choose(&job, PB_ENGINE_SLOT, &diag));
    return job;
}

static void play_all(struct pb_program_job *job)
{
    assert_succeeds(pb_program_job_begin(job, &diag));
    for (bool played = true; played;)
        assert_succeeds(pb_program_job_step(job, &played, &diag));
}

/* ---- results */

/* Its result is right, and no longer when one bit of one node is another one. bit: of a byte that the check
 * compares exactly, or that is far above the error which is allowed. */
static void assert_sees_each_node(const char *name, unsigned dims, uint32_t argument, unsigned byte)
{
    const struct pb_network network = pb_network_cube(dims);
    struct pb_program_job job = job_of(name, &network, argument);

    assert_succeeds(pb_program_job_draw(&job, 11, &diag));
    play_all(&job);
    assert_succeeds(pb_program_job_end(&job, &diag));
    assert_true(job.right);
    const uint32_t digest = job.digest;
    const size_t bytes = pb_program_result_bytes(job.program, &network);
    for (uint32_t node = 0; node < network.nodes; node++)
        for (size_t at = byte; at < bytes; at += 4) {
            uint8_t *const result = (uint8_t *)pb_program_play_result(job.play, node) + at;
            *result ^= 1;
            assert_succeeds(pb_program_job_end(&job, &diag));
            if (job.right)
                fail_msg("%s: byte %zu of node %u is wrong, unseen", name, at, (unsigned)node);
            assert_int_not_equal(job.digest, digest);
            *result ^= 1;
        }
    assert_succeeds(pb_program_job_end(&job, &diag));
    assert_true(job.right && job.digest == digest);
    pb_program_job_free(&job);
}

TEST(a_wrong_result_of_any_node_is_seen)
{
    assert_sees_each_node("broadcast", 3, 5, 0);
    assert_sees_each_node("allreduce", 3, 0, 0);
    assert_sees_each_node("allreduce", 3, 1, 0);
    assert_sees_each_node("allreduce", 3, 2, 0);
    assert_sees_each_node("scan", 4, 0, 0);
    assert_sees_each_node("barrier", 3, 6, 0);
    assert_sees_each_node("sort", 4, 0, 0);
    assert_sees_each_node("fft", 4, 0, 3); /* the highest byte of a part */
    assert_sees_each_node("life", 4, 3, 0);
    for (uint32_t filter = 0; filter < 4; filter++)
        assert_sees_each_node("filter", 4, filter, 0);
    assert_sees_each_node("transpose", 4, 0, 0);
    assert_sees_each_node("transpose", 4, 1, 0);
    assert_sees_each_node("exchange", 3, 0, 0);
    assert_sees_each_node("exchange", 3, 1, 0);
}

/* ---- inputs */

static int read_text(struct pb_program_job *job, const char *text)
{
    return pb_program_job_read(job, "t", text, strlen(text), &diag);
}

static void assert_refuses(const char *name, unsigned dims, const char *text, const char *why)
{
    const struct pb_network network = pb_network_cube(dims);
    struct pb_program_job job = job_of(name, &network, 1);
    assert_int_equal(read_text(&job, text), PB_ERR_CONFIG);
    if (!strstr(diag.text, why))
        fail_msg("'%s' does not say '%s'", diag.text, why);
    pb_program_job_free(&job);
}

TEST(numbers_are_read_in_all_their_forms)
{
    const struct pb_network network = pb_network_cube(2);
    struct pb_program_job job = job_of("sort", &network, 0);

    assert_succeeds(read_text(&job, "# four keys\n7, 0x10\n\n4294967295 # the largest\n,3"));
    static const uint32_t key[] = {7, 16, UINT32_MAX, 3};
    for (uint32_t index = 0; index < 4; index++)
        assert_int_equal(word_at(pb_program_job_input(&job, index)), key[index]);
    pb_program_job_free(&job);

    job = job_of("fft", CUBE(1), 0);
    assert_succeeds(read_text(&job, "-1 32767\n-32768 0"));
    static const uint8_t sample[][4] = {{0xFF, 0xFF, 0xFF, 0x7F}, {0x00, 0x80, 0, 0}};
    for (uint32_t index = 0; index < 2; index++)
        assert_memory_equal(pb_program_job_input(&job, index), sample[index], 4);
    pb_program_job_free(&job);

    assert_refuses("scan", 1, "1\n# a line\n\n2x 3", "t:4: '2x' is no number of 0..4294967295");
    assert_refuses("scan", 1, "1 -2", "t:1: '-2' is no number");
    assert_refuses("scan", 1, "1 4294967296", "t:1: '4294967296' is no number");
    assert_refuses("scan", 1, "1 2 3",
                   "holds 3 numbers; program 'scan' takes 1 for each of 2 nodes, 2 in all");
    assert_refuses("fft", 1, "1 2 3 32768", "'32768' is no number of -32768..32767");
    assert_refuses("fft", 1, "1 2 3 -32769", "'-32769' is no number");
    assert_refuses("fft", 1, "1 2 3 -", "'-' is no number");
}

/* A glider on 4 x 4 cells, row by row. Dark cells are alive. */
TEST(a_board_is_the_same_in_each_form_of_a_picture)
{
    static const uint8_t alive[16] = {0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0};
    static const struct {
        const char *bytes;
        size_t length;
    } form[] = {
#define FORM(text) {text, sizeof text - 1}
        FORM("P1\n# glider\n4 4\n0100 0010\n1 1 1 0 0000"),
        FORM("P2 4 4 255\n255 0 255 128  200 201 127 255  0 0 0 255  255 255 255 255"),
        FORM("P4\n4 4\n\x40\x2F\xE0\x0F"), /* the bits after the end of a row have no meaning */
        FORM("P5\n4 4 255\n\xFF\x00\xFF\x80\xFF\xFF\x7F\xFF\x00\x00\x00\xFF\xFF\xFF\xFF\xFF"),
#undef FORM
    };
    const struct pb_network network = pb_network_cube(4);

    for (size_t i = 0; i < COUNT(form); i++) {
        struct pb_program_job job = job_of("life", &network, 1);
        assert_succeeds(pb_program_job_read(&job, "t", form[i].bytes, form[i].length, &diag));
        for (uint32_t cell = 0; cell < 16; cell++)
            if (*pb_program_job_input(&job, cell) != alive[cell])
                fail_msg("form %zu: cell %u", i, (unsigned)cell);
        pb_program_job_free(&job);
    }
    assert_refuses("life", 4, "P3 4 4", "is no picture of cells");
    assert_refuses("filter", 4, "P1 4 4", "is no picture of grey pixels");
    assert_refuses("life", 4, "P2 4 4 15\n", "255 as the value of white");
    assert_refuses("life", 4, "P1 4 3\n", "has 4 x 3 pixels");
    assert_refuses("life", 4, "P1 4 4\n0000 0000 000", "in row 2, column 3");
    assert_refuses("life", 4, "P2 4 4 255\n1 2 256", "in row 0, column 2");
    assert_refuses("life", 4, "P1 4\n", "no width and height");
}
