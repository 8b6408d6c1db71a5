/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The output of the monitor. The session's thread only updates the model and appends lines. A second
 * thread writes them, or draws the picture ten times per second; only it may block on the terminal.
 */
#include "monitor.h"

#include "host/base/monotonic.h"

#include "cli.h"
#include "runner.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DRAW_NS 100000000
#define NS_PER_S INT64_C(1000000000)
/* Alternate screen, cursor hidden; and back. */
#define ENTER "\033[?1049h\033[?25l\033[2J"
#define LEAVE "\033[?25h\033[?1049l"

struct monitor {
    struct pb_monitor_model model;
    enum monitor_form form;
    const char *title;
    FILE *kept[MONITOR_FORMS]; /* borrowed; NULL: none */
    uint64_t speed_milli;
    int64_t begun_ns;   /* time of the first shown phase */
    uint64_t next_line; /* superframe of the next line */
    pthread_t thread;
    pthread_mutex_t lock; /* of all that both threads use */
    pthread_cond_t wake;
    char *queue; /* lines not yet written; owned */
    size_t queued, capacity;
    bool shown, done, out_of_memory; /* shown: the thread runs */
    int failure;                     /* errno of the output; 0: none */
    int no_thread;                   /* errno of its start; 0: none */
    char screen[PB_MONITOR_SCREEN_SIZE];
};

/* ---- the terminal */

static void write_all(struct monitor *monitor, const char *text, size_t length)
{
    while (length && !monitor->failure) {
        const ssize_t done = write(STDOUT_FILENO, text, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            monitor->failure = errno;
            runner_stop();
            return;
        }
        text += done;
        length -= (size_t)done;
    }
}

/* Async-signal-safe. */
static void say(const char *sequence)
{
    const ssize_t ignored = write(STDOUT_FILENO, sequence, strlen(sequence));
    (void)ignored;
}

/* Signals that stop the program at once. SA_RESETHAND has restored the default. */
static void on_stop(int number)
{
    const int kept = errno;
    say(LEAVE);
    raise(number);
    /* Only after SIGTSTP and SIGCONT. */
    sigaction(number, &(struct sigaction){.sa_handler = on_stop, .sa_flags = SA_RESETHAND | SA_NODEFER},
              NULL);
    say(ENTER);
    errno = kept;
}

static void catch_stops(bool on)
{
    static const int signals[] = {SIGTSTP, SIGQUIT, SIGABRT};
    const struct sigaction action = {.sa_handler = on ? on_stop : SIG_DFL,
                                     .sa_flags = on ? SA_RESETHAND | SA_NODEFER : 0};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &action, NULL);
}

static void draw(struct monitor *monitor, bool in_place)
{
    struct pb_monitor_style style = {.colour = cli_colour(), .in_place = in_place, .title = monitor->title};
    cli_window(&style.columns, &style.rows, UINT_MAX, UINT_MAX);
    if (!in_place)
        style.rows = PB_MONITOR_LINKS_MAX + 8;
    pthread_mutex_lock(&monitor->lock);
    const size_t length = pb_monitor_screen(&monitor->model, &style, monitor->screen);
    pthread_mutex_unlock(&monitor->lock);
    write_all(monitor, monitor->screen, length);
}

/* ---- the thread */

static void wait_a_frame(struct monitor *monitor)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += DRAW_NS;
    until.tv_sec += until.tv_nsec / NS_PER_S;
    until.tv_nsec %= NS_PER_S;
    pthread_mutex_lock(&monitor->lock);
    while (!monitor->done && pthread_cond_timedwait(&monitor->wake, &monitor->lock, &until) == 0)
        continue;
    pthread_mutex_unlock(&monitor->lock);
}

static void *draw_screens(void *context)
{
    struct monitor *monitor = context;
    write_all(monitor, ENTER, strlen(ENTER));
    for (bool done = false; !done;) {
        draw(monitor, true);
        wait_a_frame(monitor);
        pthread_mutex_lock(&monitor->lock);
        done = monitor->done;
        pthread_mutex_unlock(&monitor->lock);
    }
    write_all(monitor, LEAVE, strlen(LEAVE));
    draw(monitor, false);
    return NULL;
}

static void *write_lines(void *context)
{
    struct monitor *monitor = context;
    bool done;
    do {
        pthread_mutex_lock(&monitor->lock);
        while (!monitor->queued && !monitor->done)
            pthread_cond_wait(&monitor->wake, &monitor->lock);
        char *lines = monitor->queue;
        const size_t length = monitor->queued;
        done = monitor->done;
        monitor->queue = NULL;
        monitor->queued = monitor->capacity = 0;
        pthread_mutex_unlock(&monitor->lock);
        write_all(monitor, lines, length);
        free(lines);
    } while (!done);
    return NULL;
}

/* ---- the session's side */

/* Out of memory is an output error. */
static void append(struct monitor *monitor, const char *text, size_t length)
{
    if (monitor->capacity - monitor->queued < length) {
        const size_t capacity = 2 * monitor->capacity + length + 4096;
        char *grown = realloc(monitor->queue, capacity);
        if (!grown) {
            monitor->out_of_memory = true;
            return;
        }
        monitor->queue = grown;
        monitor->capacity = capacity;
    }
    memcpy(monitor->queue + monitor->queued, text, length);
    monitor->queued += length;
}

/* The line of a superframe in each form that is shown or kept. */
static void append_line(struct monitor *monitor, uint64_t superframe)
{
    char line[PB_MONITOR_LINE_SIZE];
    for (enum monitor_form form = MONITOR_TEXT; form < MONITOR_FORMS; form++) {
        if (form != monitor->form && !monitor->kept[form])
            continue;
        const size_t length = form == MONITOR_JSON ? pb_monitor_json_line(&monitor->model, superframe, line)
                                                   : pb_monitor_text_line(&monitor->model, superframe, line);
        if (form == monitor->form)
            append(monitor, line, length);
        if (monitor->kept[form])
            fwrite(line, 1, length, monitor->kept[form]);
    }
}

/* Appends the lines of the superframes before `end` that are still in the history. */
static void append_lines(struct monitor *monitor, uint64_t end)
{
    if (end > monitor->next_line + PB_MONITOR_WINDOW - 1)
        monitor->next_line = end - (PB_MONITOR_WINDOW - 1);
    for (; monitor->next_line < end; monitor->next_line++)
        append_line(monitor, monitor->next_line);
}

/* Waits until the phase is due. */
static void pace(struct monitor *monitor, const struct pb_device_info *info, const struct pb_event *event)
{
    if (!monitor->speed_milli || event->kind != PB_EVENT_PHASE)
        return;
    if (!monitor->model.running) {
        monitor->begun_ns = pb_monotonic_ns();
        return;
    }
    const uint64_t ticks = event->tick - monitor->model.start_tick;
    const int64_t due_ns = monitor->begun_ns + (int64_t)((unsigned __int128)ticks * NS_PER_S * 1000 /
                                                         info->clock_hz / monitor->speed_milli);
    for (int64_t left; (left = due_ns - pb_monotonic_ns()) > 0 && !runner_stopped();) {
        const struct timespec rest = {.tv_sec = left / NS_PER_S, .tv_nsec = left % NS_PER_S};
        nanosleep(&rest, NULL);
    }
}

/* Not before the rig is open: a rig that forks its board must not do so while another thread holds an
 * allocator lock, which would stay locked in the child. */
static void start_display(struct monitor *monitor)
{
    const bool screen = monitor->form == MONITOR_SCREEN;
    if (screen)
        catch_stops(true);
    monitor->no_thread = runner_thread(&monitor->thread, screen ? draw_screens : write_lines, monitor);
    monitor->shown = !monitor->no_thread;
    if (monitor->shown)
        return;
    if (screen)
        catch_stops(false);
    runner_stop();
}

void monitor_on_events(void *context, const struct pb_device_info *info, const struct pb_event *event,
                       size_t count)
{
    struct monitor *monitor = context;
    if (!monitor->shown && !monitor->done && !monitor->no_thread)
        start_display(monitor);
    for (size_t i = 0; i < count && !runner_stopped(); i++) {
        pace(monitor, info, &event[i]);
        pthread_mutex_lock(&monitor->lock);
        /* Events of a phase may arrive during the next phase, but not later. */
        if (pb_monitor_take(&monitor->model, info, &event[i]) && monitor->model.newest) {
            append_lines(monitor, (monitor->model.newest - 1) / monitor->model.phases);
            pthread_cond_signal(&monitor->wake);
        }
        pthread_mutex_unlock(&monitor->lock);
    }
}

struct monitor *monitor_open(const struct pb_scenario *scenario, enum monitor_form form, const char *title,
                             FILE *const kept[MONITOR_FORMS], uint64_t speed_milli)
{
    struct monitor *monitor = calloc(1, sizeof *monitor);
    pthread_condattr_t attributes;
    if (!monitor) {
        cli_fail(CLI_BENCH_FAILED, "no memory for the monitor; close other programs");
        return NULL;
    }
    pb_monitor_begin(&monitor->model, scenario);
    monitor->form = form;
    monitor->title = title;
    memcpy(monitor->kept, kept, sizeof monitor->kept);
    monitor->speed_milli = speed_milli;
    pthread_mutex_init(&monitor->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&monitor->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    return monitor;
}

void monitor_ended(void *context)
{
    struct monitor *monitor = context;
    if (!monitor->shown)
        return;
    pthread_mutex_lock(&monitor->lock);
    if (monitor->model.running)
        append_lines(monitor, monitor->model.newest / monitor->model.phases + 1);
    monitor->done = true;
    pthread_cond_signal(&monitor->wake);
    pthread_mutex_unlock(&monitor->lock);
    pthread_join(monitor->thread, NULL);
    monitor->shown = false;
    if (monitor->form == MONITOR_SCREEN)
        catch_stops(false);
}

int monitor_close(struct monitor *monitor)
{
    monitor_ended(monitor);
    const int failure = monitor->out_of_memory ? ENOMEM : monitor->failure, no_thread = monitor->no_thread;
    pthread_cond_destroy(&monitor->wake);
    pthread_mutex_destroy(&monitor->lock);
    free(monitor->queue);
    free(monitor);
    if (no_thread)
        return cli_fail(CLI_BENCH_FAILED, "cannot start a thread for the display: %s; close other programs",
                        strerror(no_thread));
    return failure && !cli_reader_gone()
               ? cli_fail(CLI_BENCH_FAILED, "cannot write to stdout: %s; check the disk", strerror(failure))
               : CLI_PASS;
}
