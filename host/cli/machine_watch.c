/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Results on a terminal: numbers as bars, cells and pixels as blocks of half a character. */
#include "machine_program.h"

#include "cli.h"

#include "host/report/program_picture.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum {
    COLUMNS_MOST = 512,
    ROWS_MOST = 256,
    BAR_ROWS = 12,
    EIGHTHS = 8,
    SHADES = 5,
    GREY_FIRST = 232, /* of 24 colours of a terminal */
    GREYS = 24,
    PAUSE_NS = 120000000
};

#define GREEN "\033[32m"
#define CYAN "\033[36m"
#define PLAIN "\033[0m"
#define END_OF_LINE "\033[K\r\n"

struct machine_screen machine_screen_begin(bool wanted)
{
    struct machine_screen screen = {
        .shown = wanted && cli_terminal(stdout), .colour = cli_colour(), .columns = 80, .rows = 24};
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
        screen.columns = size.ws_col < COLUMNS_MOST ? size.ws_col : COLUMNS_MOST;
        screen.rows = size.ws_row < ROWS_MOST ? size.ws_row : ROWS_MOST;
    }
    return screen;
}

static void draw_bars(struct machine_screen *screen, const struct pb_program_job *job)
{
    static const char *const block[EIGHTHS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const unsigned width = job->network->nodes < screen->columns ? job->network->nodes : screen->columns;
    const unsigned rows = screen->rows > BAR_ROWS + 2 ? BAR_ROWS : 4;
    unsigned height[COLUMNS_MOST];
    pb_program_heights(job, job->play, width, rows * EIGHTHS, height);
    for (unsigned row = rows; row-- > 0;) {
        fputs(screen->colour ? CYAN : "", stdout);
        for (unsigned column = 0; column < width; column++) {
            const unsigned below = row * EIGHTHS, above = height[column] > below ? height[column] - below : 0;
            fputs(block[above < EIGHTHS ? above : EIGHTHS], stdout);
        }
        fputs(screen->colour ? PLAIN END_OF_LINE : END_OF_LINE, stdout);
    }
    screen->lines += rows;
}

/* The mean of a square of the picture; of cells 255 if one of them is alive. Beyond the picture 0. */
static unsigned square(const struct pb_program_job *job, unsigned shrink, unsigned x, unsigned y)
{
    const unsigned side = pb_program_side(job->network);
    const bool cells = job->kind->form == PB_PROGRAM_CELLS;
    unsigned sum = 0;
    for (unsigned i = 0; i < shrink * shrink && y * shrink < side; i++) {
        const unsigned cell = (y * shrink + i / shrink) * side + x * shrink + i % shrink;
        const uint8_t value = *pb_program_job_result(job, job->play, cell);
        sum = cells && value ? 255 * shrink * shrink : sum + (cells ? 0 : value);
        if (cells && value)
            break;
    }
    return sum / (shrink * shrink);
}

/* Both halves of a character. */
static void put_halves(bool cells, bool colour, unsigned upper, unsigned lower)
{
    static const char *const half[] = {" ", "▀", "▄", "█"};
    static const char *const shade[SHADES] = {" ", "░", "▒", "▓", "█"};
    if (cells)
        fputs(half[(upper > 0) + 2 * (lower > 0)], stdout);
    else if (colour)
        printf("\033[38;5;%u;48;5;%um▀", GREY_FIRST + upper * GREYS / 256, GREY_FIRST + lower * GREYS / 256);
    else
        fputs(shade[(upper + lower) / 2 * SHADES / 256], stdout);
}

static void draw_raster(struct machine_screen *screen, const struct pb_program_job *job)
{
    const unsigned side = pb_program_side(job->network);
    const bool cells = job->kind->form == PB_PROGRAM_CELLS;
    unsigned shrink = 1; /* a power of two, as the side is */
    while (shrink < side && (side / shrink > screen->columns || side / shrink / 2 + 2 > screen->rows))
        shrink *= 2;
    for (unsigned y = 0; y < side / shrink; y += 2) {
        fputs(screen->colour && cells ? GREEN : "", stdout);
        for (unsigned x = 0; x < side / shrink; x++)
            put_halves(cells, screen->colour, square(job, shrink, x, y), square(job, shrink, x, y + 1));
        fputs(screen->colour ? PLAIN END_OF_LINE : END_OF_LINE, stdout);
        screen->lines++;
    }
}

void machine_screen_draw(struct machine_screen *screen, const struct pb_program_job *job)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    const uint32_t superframe = pb_program_play_superframe(job->play);
    if (!screen->shown || !pb_program_has_picture(job))
        return;
    if (screen->lines)
        printf("\033[%uA", screen->lines);
    printf("%s: %" PRIu32 " of %" PRIu32 " superframes" END_OF_LINE, job->program->name, superframe,
           pb_program_play_superframes(job->play));
    screen->lines = 1;
    if (job->kind->form == PB_PROGRAM_CELLS || job->kind->form == PB_PROGRAM_PIXELS)
        draw_raster(screen, job);
    else
        draw_bars(screen, job);
    fflush(stdout);
    nanosleep(&pause, NULL);
}
