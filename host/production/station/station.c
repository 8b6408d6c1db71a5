/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "station.h"

#include "host/base/monotonic.h"

#include "child.h"
#include "records.h"
#include "serial.h"
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TICK_MS = 100, BACKLOG = 32, WORDS_MAX = 32, ACCEPTED = 202, BAD = 400, CONFLICT = 409, FAILED = 500 };

struct station {
    const struct station_options *options;
    struct station_state state;
    struct station_child child;
    struct station_records records;
    struct station_server *server;
    regex_t form, *form_given; /* of serial numbers; form_given: NULL: any */
};

static void say(const struct station *station, const char *sentence)
{
    station->options->say(station->options->context, sentence);
}

static void show_records(struct station *station)
{
    struct pb_diag diag;
    if (station_records_show(&station->records, &station->state, &diag))
        say(station, diag.text);
}

/* ---- a validation */

static void on_event(void *context, const struct station_event *event)
{
    struct station *station = context;
    if (event->kind == STATION_EVENT_BEGIN && event->pid)
        station_child_named(&station->child, event->pid);
    station_state_event(&station->state, event, pb_monotonic_ns());
}

static void on_garbled(void *context)
{
    struct station *station = context;
    station_state_garbled(&station->state);
}

static int start_child(struct station *station, struct station_record *run, struct pb_diag *diag)
{
    const struct station_options *options = station->options;
    char out[PATH_MAX];
    const char *word[WORDS_MAX], **next = word;
    const struct {
        const char *option, *value;
    } pair[] = {
        {"--serial", run->serial}, {"--operator", run->operator_name}, {"--station", options->name},
        {"--profile", options->profile}, {"--limits", options->limits}, {"--rig", options->rig},
        {"--node", options->node}, {"--out", out}, {"--events", STATION_EVENTS_PATH},
    };
    if (snprintf(out, sizeof out, "%s/%s", options->out, run->id) >= (int)sizeof out)
        return pb_fail(diag, PB_ERR_IO, "The path of the report has more than %d bytes; give a shorter --out",
                       PATH_MAX - 1);
    *next++ = options->program ? options->program : "/proc/self/exe";
    *next++ = "validate";
    if (options->scenario)
        *next++ = options->scenario;
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++)
        if (pair[i].value) {
            *next++ = pair[i].option;
            *next++ = pair[i].value;
        }
    *next++ = "--quiet";
    *next = NULL;
    return station_child_start(&station->child, (char *const *)word, options->program != NULL, diag);
}

static unsigned start(void *context, const char *serial, const char *operator_name, struct pb_diag *diag)
{
    struct station *station = context;
    struct station_record run = {.go = PB_GO_INCOMPLETE};
    if (station->state.phase == STATION_RUNNING) {
        pb_fail(diag, PB_ERR_ARGUMENT, "Unit %s is being tested; wait for its end, or stop it",
                station->state.run.serial);
        return CONFLICT;
    }
    if (station_serial_check(serial, station->form_given, diag) ||
        station_operator_check(operator_name, diag))
        return BAD;
    snprintf(run.serial, sizeof run.serial, "%s", serial);
    snprintf(run.operator_name, sizeof run.operator_name, "%s", operator_name);
    if (station_records_begin(&station->records, &run, diag) || start_child(station, &run, diag))
        return FAILED;
    station_state_start(&station->state, &run, pb_monotonic_ns());
    return ACCEPTED;
}

static unsigned stop(void *context, struct pb_diag *diag)
{
    struct station *station = context;
    if (!station_state_stop(&station->state)) {
        pb_fail(diag, PB_ERR_ARGUMENT, "No unit is being tested");
        return CONFLICT;
    }
    station_child_stop(&station->child, pb_monotonic_ns());
    return ACCEPTED;
}

static int report(void *context, const char *id, const char *folder, enum pb_run_file file)
{
    const struct station *station = context;
    return station_records_open_report(&station->records, id, folder, file);
}

/* Takes the end of the validation, if it has ended. */
static void collect(struct station *station, const struct station_lines_sink *sink)
{
    struct station_end end;
    struct pb_diag diag;
    char line[STATION_SERIAL_SIZE + STATION_REASON_SIZE + 32];
    if (!station_child_ended(&station->child, sink, &end))
        return;
    const struct station_record *run = &station->state.run;
    end.report = station_records_report(&station->records, run->id);
    station_state_end(&station->state, &end);
    snprintf(line, sizeof line, "%s: %s%s%s", run->serial, pb_go_name(run->go), *run->look ? ": " : "",
             run->look);
    say(station, line);
    if (station_records_add(&station->records, run, &diag))
        say(station, diag.text);
    show_records(station);
}

/* ---- the loop */

/* One turn: waits for what comes, and handles it. */
static void turn(struct station *station, const struct station_lines_sink *sink)
{
    struct pollfd wait[3] = {{.fd = station_server_fd(station->server), .events = POLLIN}};
    station_child_poll(&station->child, wait + 1);
    poll(wait, sizeof wait / sizeof wait[0], station_server_timeout_ms(station->server, TICK_MS));
    station_child_read(&station->child, sink);
    collect(station, sink);
    const int64_t now = pb_monotonic_ns();
    station_child_tick(&station->child, now);
    station_state_tick(&station->state, now);
    if (station_records_stale(&station->records))
        show_records(station);
    station_server_run(station->server, now);
}

static void announce(const struct station *station, int socket)
{
    struct sockaddr_storage local;
    socklen_t length = sizeof local;
    char text[STATION_HOST_SIZE] = "", line[STATION_HOST_SIZE + 160];
    if (!getsockname(socket, (struct sockaddr *)&local, &length))
        station_address_text(text, (struct sockaddr *)&local);
    snprintf(line, sizeof line, "station %s: open http://%s/", station->options->name, text);
    say(station, line);
}

/* Listens; returns the socket, or a negative code. */
static int open_socket(const struct station_options *options, struct pb_diag *diag)
{
    const struct station_address *address = &options->address;
    const int on = 1, fd = socket(address->socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char text[STATION_HOST_SIZE];
    if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
        !bind(fd, (const struct sockaddr *)&address->socket, address->length) && !listen(fd, BACKLOG) &&
        !fcntl(fd, F_SETFL, O_NONBLOCK))
        return fd;
    const int error = errno;
    if (fd >= 0)
        close(fd);
    return pb_fail(diag, PB_ERR_IO, "cannot listen on %s: %s; give --listen another address or port",
                   station_address_text(text, (const struct sockaddr *)&address->socket), strerror(error));
}

static int serve(struct station *station, struct pb_diag *diag)
{
    const struct station_options *options = station->options;
    const struct station_lines_sink sink = {on_event, on_garbled, station};
    struct station_server_options server = {
        .access = options->access,
        .state = &station->state,
        .info = {.name = options->name,
                 .profile = options->profile,
                 .rig = options->rig ? options->rig : "sim:"},
        .start = start,
        .stop = stop,
        .report = report,
        .context = station,
    };
    server.socket = open_socket(options, diag);
    if (server.socket < 0)
        return server.socket;
    const int code = station_server_open(&station->server, &server, diag);
    if (code)
        return code;
    announce(station, server.socket);
    while (!*options->stop)
        turn(station, &sink);
    if (station_state_stop(&station->state))
        station_child_stop(&station->child, pb_monotonic_ns());
    while (station->child.pid)
        turn(station, &sink);
    station_server_close(station->server);
    return PB_OK;
}

static int check(struct station *station, struct pb_diag *diag)
{
    const struct station_options *options = station->options;
    station->records.folder = -1;
    if (station_operator_check(options->name, diag))
        return pb_fail(
            diag, PB_ERR_ARGUMENT,
            "--station is '%.80s'; give 1 to %d printable bytes that begin with neither blank nor -",
            options->name, STATION_SERIAL_SIZE - 1);
    if (!options->pattern)
        return PB_OK;
    const int code = station_form_compile(&station->form, options->pattern, diag);
    station->form_given = code ? NULL : &station->form;
    return code;
}

int station_run(const struct station_options *options, struct pb_diag *diag)
{
    struct station *station = calloc(1, sizeof *station);
    if (!station)
        return pb_fail(diag, PB_ERR_MEMORY, "station: no memory for %zu bytes; end other programs",
                       sizeof *station);
    station->options = options;
    station_state_clear(&station->state);
    int code = check(station, diag);
    if (!code)
        code = station_records_open(&station->records, options->out, options->history, options->name, diag);
    if (!code) {
        show_records(station);
        code = serve(station, diag);
    }
    station_records_close(&station->records);
    if (station->form_given)
        regfree(station->form_given);
    free(station);
    return code;
}
