/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A client that sends or takes slowly is cut off at its deadline by shutdown(2) on its socket: the timeout of
 * libmicrohttpd restarts with every byte. */
#include "server.h"

#include "phasebench/report.h"

#include "page.h"

#include <jansson.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define COOKIE "phasebench_station"
#define COOKIE_AGE_S "2592000"
#define REPORT_MAX_BYTES (64 << 20)

/* A connection. */
struct peer {
    struct MHD_Connection *connection;
    int fd;
    int64_t deadline_ns; /* then it is cut off */
    bool waiting;        /* for another version of the state than `since`, until wait_ns */
    uint64_t since;
    int64_t wait_ns;
    struct peer *next, **before;
};

struct station_server {
    struct station_server_options options;
    struct MHD_Daemon *daemon;
    struct peer *peer;
    int64_t now_ns, news_ns; /* news_ns: of the last news to a page */
};

struct request {
    bool too_long, waited;
    size_t length;
    char body[STATION_BODY_MAX + 1];
};

/* ---- connections */

static void on_connection(void *context, struct MHD_Connection *connection, void **own,
                          enum MHD_ConnectionNotificationCode what)
{
    struct station_server *server = context;
    struct peer *peer = *own;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (!peer)
            return;
        *peer->before = peer->next;
        if (peer->next)
            peer->next->before = peer->before;
        free(peer);
        *own = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    peer = malloc(sizeof *peer);
    if (!peer || !info) {
        free(peer);
        return; /* answer() refuses its requests */
    }
    *peer = (struct peer){.connection = connection,
                          .fd = info->connect_fd,
                          .deadline_ns = server->now_ns + STATION_ASK_NS,
                          .next = server->peer,
                          .before = &server->peer};
    if (peer->next)
        peer->next->before = &peer->next;
    server->peer = peer;
    *own = peer;
}

static struct peer *peer_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static void on_completed(void *context, struct MHD_Connection *connection, void **own,
                         enum MHD_RequestTerminationCode code)
{
    const struct station_server *server = context;
    struct peer *peer = peer_of(connection);
    (void)code;
    free(*own);
    *own = NULL;
    if (peer)
        peer->deadline_ns = server->now_ns + STATION_ASK_NS;
}

/* ---- answers */

static const char policy_page[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/* A report has its style within, and no script but the one of its timeline. */
static const char policy_report[] =
    "default-src 'none'; style-src 'unsafe-inline'; script-src %s; img-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned status, const char *type,
                                     const char *policy, struct MHD_Response *response)
{
    const struct {
        const char *name, *value;
    } header[] = {
        {"Content-Type", type},
        {"Content-Security-Policy", policy},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cache-Control", "no-store"},
    };
    if (!response)
        return MHD_NO;
    for (size_t i = 0; i < sizeof header / sizeof header[0]; i++)
        MHD_add_response_header(response, header[i].name, header[i].value);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, "Allow", "GET, POST");
    const enum MHD_Result queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

static enum MHD_Result send_file(struct MHD_Connection *connection, unsigned status,
                                 const struct station_file *file)
{
    return send_response(
        connection, status, file->type, policy_page,
        MHD_create_response_from_buffer(file->length, (void *)file->text, MHD_RESPMEM_PERSISTENT));
}

/* Takes the text. */
static enum MHD_Result send_json(struct MHD_Connection *connection, unsigned status, char *text)
{
    return send_response(connection, status, "application/json", policy_page,
                         text ? MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE)
                              : NULL);
}

static enum MHD_Result send_error(struct MHD_Connection *connection, unsigned status, const char *sentence)
{
    json_t *object = json_pack("{s:s}", "error", sentence);
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    return send_json(connection, status, text);
}

/* ---- who asks */

static const char *header_of(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result count_host(void *context, enum MHD_ValueKind kind, const char *key, const char *value)
{
    (void)kind;
    (void)value;
    *(unsigned *)context += !strcasecmp(key, "Host");
    return MHD_YES;
}

static bool host_allowed(const struct station_server *server, struct MHD_Connection *connection)
{
    struct sockaddr_storage local;
    socklen_t length = sizeof local;
    char text[STATION_HOST_SIZE];
    unsigned hosts = 0;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_host, &hosts);
    return hosts == 1 && !getsockname(peer_of(connection)->fd, (struct sockaddr *)&local, &length) &&
           station_host_allowed(&server->options.access, header_of(connection, "Host"),
                                station_address_text(text, (struct sockaddr *)&local));
}

/* Cookies know no port: its name has it, so that two stations on one computer do not share one. */
static const char *cookie_name(struct MHD_Connection *connection, char name[64])
{
    struct sockaddr_storage local;
    socklen_t length = sizeof local;
    char text[STATION_HOST_SIZE] = ":";
    if (!getsockname(peer_of(connection)->fd, (struct sockaddr *)&local, &length))
        station_address_text(text, (struct sockaddr *)&local);
    snprintf(name, 64, COOKIE "_%s", strrchr(text, ':') + 1);
    return name;
}

static bool knows_token(const struct station_server *server, struct MHD_Connection *connection)
{
    char name[64];
    return station_token_allowed(
        &server->options.access,
        MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, cookie_name(connection, name)));
}

static void give_cookie(const struct station_server *server, struct MHD_Connection *connection,
                        struct MHD_Response *response)
{
    char cookie[STATION_TOKEN_MOST + 160], name[64];
    if (!server->options.access.token || !response)
        return;
    snprintf(cookie, sizeof cookie, "%s=%s; Path=/; Max-Age=" COOKIE_AGE_S "; HttpOnly; SameSite=Strict",
             cookie_name(connection, name), server->options.access.token);
    MHD_add_response_header(response, "Set-Cookie", cookie);
}

/* ---- GET */

/* The address with the token was opened. The page is then fetched anew by a link of this site: after one from
 * elsewhere the browser would keep the cookie back, and the token stay in the history of addresses. */
static enum MHD_Result welcome(const struct station_server *server, struct MHD_Connection *connection)
{
    static const char page[] = "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\">"
                               "<meta http-equiv=\"refresh\" content=\"0;url=/\"><title>phasebench "
                               "station</title><p><a href=\"/\">Open the station</a></p></html>\n";
    struct MHD_Response *response =
        MHD_create_response_from_buffer(sizeof page - 1, (void *)page, MHD_RESPMEM_PERSISTENT);
    give_cookie(server, connection, response);
    return send_response(connection, MHD_HTTP_OK, "text/html; charset=utf-8", policy_page, response);
}

static enum MHD_Result get_state(struct station_server *server, struct MHD_Connection *connection,
                                 struct request *request)
{
    const char *since = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "since");
    struct peer *peer = peer_of(connection);
    if (since && !request->waited) {
        request->waited = peer->waiting = true;
        peer->since = strtoull(since, NULL, 10);
        peer->wait_ns = server->now_ns + STATION_WAIT_NS;
        MHD_suspend_connection(connection);
        return MHD_YES;
    }
    return send_json(connection, MHD_HTTP_OK,
                     station_state_json(server->options.state, &server->options.info, server->now_ns));
}

/* Which file of a run has this name; PB_RUN_FILES: none. */
static enum pb_run_file run_file(const char *name)
{
    int file = 0;
    while (file < PB_RUN_FILES && strcmp(name, pb_run_file_name(file)))
        file++;
    return (enum pb_run_file)file;
}

static enum MHD_Result get_report(const struct station_server *server, struct MHD_Connection *connection,
                                  const char *rest)
{
    const char *slash = strchr(rest, '/'), *file = slash ? strchr(slash + 1, '/') : NULL;
    const enum pb_run_file kind = file ? run_file(file + 1) : PB_RUN_FILES;
    const bool is_page = !file || kind == PB_RUN_FILE_REPORT;
    char id[STATION_ID_SIZE], folder[STATION_ID_SIZE], policy[sizeof policy_report + 80];
    struct stat status;
    int fd = -1;
    if (slash && (size_t)(slash - rest) < sizeof id) {
        snprintf(id, sizeof id, "%.*s", (int)(slash - rest), rest);
        if (!strcmp(slash, "/validation.html")) {
            fd = server->options.report(server->options.context, id, NULL, PB_RUN_FILE_REPORT);
        } else if (file && (size_t)(file - slash) <= sizeof folder && kind != PB_RUN_FILES) {
            snprintf(folder, sizeof folder, "%.*s", (int)(file - slash - 1), slash + 1);
            fd = server->options.report(server->options.context, id, folder, kind);
        }
    }
    if (fd >= 0 && (fstat(fd, &status) || status.st_size > REPORT_MAX_BYTES)) {
        close(fd);
        fd = -1;
    }
    if (fd < 0)
        return send_error(connection, MHD_HTTP_NOT_FOUND, "No such report");
    snprintf(policy, sizeof policy, policy_report, pb_report_script_source());
    return send_response(connection, MHD_HTTP_OK,
                         is_page ? "text/html; charset=utf-8" : "application/octet-stream", policy,
                         MHD_create_response_from_fd((size_t)status.st_size, fd));
}

static enum MHD_Result get(struct station_server *server, struct MHD_Connection *connection, const char *path,
                           struct request *request)
{
    static const char report[] = "/report/";
    const char *token = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token");
    const struct station_file *file = station_file(path);
    if (token && server->options.access.token && !strcmp(path, "/") &&
        station_token_allowed(&server->options.access, token))
        return welcome(server, connection);
    if (!knows_token(server, connection) && !(file && file->open)) {
        if (!strcmp(path, "/"))
            return send_file(connection, MHD_HTTP_UNAUTHORIZED, station_file("/login"));
        return send_error(connection, MHD_HTTP_UNAUTHORIZED,
                          "The token is missing; open the page / and log in");
    }
    if (file)
        return send_file(connection, MHD_HTTP_OK, file);
    if (!strcmp(path, "/api/state"))
        return get_state(server, connection, request);
    if (!strncmp(path, report, sizeof report - 1))
        return get_report(server, connection, path + sizeof report - 1);
    return send_error(connection, MHD_HTTP_NOT_FOUND, "No such page");
}

/* ---- POST */

static enum MHD_Result post_login(const struct station_server *server, struct MHD_Connection *connection,
                                  const json_t *body)
{
    if (!station_token_allowed(&server->options.access, json_string_value(json_object_get(body, "token"))))
        return send_error(connection, MHD_HTTP_UNAUTHORIZED, "The token is wrong; type it again");
    struct MHD_Response *response =
        MHD_create_response_from_buffer(2, (void *)"{}", MHD_RESPMEM_PERSISTENT);
    give_cookie(server, connection, response);
    return send_response(connection, MHD_HTTP_OK, "application/json", policy_page, response);
}

static enum MHD_Result post_order(const struct station_server *server, struct MHD_Connection *connection,
                                  const char *path, const json_t *body)
{
    const struct station_server_options *options = &server->options;
    const char *serial = json_string_value(json_object_get(body, "serial")),
               *person = json_string_value(json_object_get(body, "operator"));
    struct pb_diag diag = {.text = ""};
    unsigned status;
    if (!strcmp(path, "/api/stop"))
        status = options->stop(options->context, &diag);
    else if (!serial || !person)
        return send_error(connection, MHD_HTTP_BAD_REQUEST, "The members serial and operator are missing");
    else
        status = options->start(options->context, serial, person, &diag);
    return status == MHD_HTTP_ACCEPTED ? send_json(connection, status, strdup("{}"))
                                       : send_error(connection, status, diag.text);
}

static enum MHD_Result post(const struct station_server *server, struct MHD_Connection *connection,
                            const char *path, const struct request *request)
{
    const bool login = !strcmp(path, "/api/login");
    const char *type = header_of(connection, "Content-Type");
    if (!station_origin_allowed(header_of(connection, "Origin"), header_of(connection, "Host")))
        return send_error(connection, MHD_HTTP_FORBIDDEN,
                          "The request is from another page; a POST needs the Origin of this one");
    if (!login && !knows_token(server, connection))
        return send_error(connection, MHD_HTTP_UNAUTHORIZED,
                          "The token is missing; open the page / and log in");
    if (!login && strcmp(path, "/api/start") && strcmp(path, "/api/stop"))
        return send_error(connection, MHD_HTTP_NOT_FOUND, "No such page");
    if (!station_type_allowed(type))
        return send_error(connection, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "The body is not application/json");
    json_t *body = json_loadb(request->body, request->length, JSON_REJECT_DUPLICATES, NULL);
    const enum MHD_Result result =
        !json_is_object(body) ? send_error(connection, MHD_HTTP_BAD_REQUEST, "The body is no JSON object")
        : login               ? post_login(server, connection, body)
                              : post_order(server, connection, path, body);
    json_decref(body);
    return result;
}

/* ---- requests */

/* Headers of which two would let a request be read in two ways. */
struct single {
    unsigned origins;
    const char *length; /* NULL: none yet */
    bool lengths_differ;
};

static enum MHD_Result take_header(void *context, enum MHD_ValueKind kind, const char *key, const char *value)
{
    struct single *single = context;
    (void)kind;
    single->origins += !strcasecmp(key, "Origin");
    if (strcasecmp(key, "Content-Length"))
        return MHD_YES;
    single->lengths_differ |= !value || (single->length && strcmp(single->length, value));
    single->length = value;
    return MHD_YES;
}

static bool is_ambiguous(struct MHD_Connection *connection)
{
    struct single single = {.length = NULL};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, take_header, &single);
    return single.origins > 1 || single.lengths_differ;
}

static bool body_too_long(struct MHD_Connection *connection)
{
    const char *length = header_of(connection, "Content-Length");
    return length && strtoull(length, NULL, 10) > STATION_BODY_MAX;
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_bytes, void **own)
{
    struct station_server *server = context;
    struct request *request = *own;
    struct peer *peer = peer_of(connection);
    (void)version;
    if (!peer)
        return MHD_NO;
    if (!request) { /* the head has come */
        *own = request = calloc(1, sizeof *request);
        if (!request)
            return MHD_NO;
        if (is_ambiguous(connection))
            return send_error(connection, MHD_HTTP_BAD_REQUEST,
                              "The request has two Origin or two different Content-Length headers");
        if (body_too_long(connection))
            return send_error(connection, MHD_HTTP_CONTENT_TOO_LARGE, "The body is too long");
        return MHD_YES;
    }
    if (*upload_bytes) {
        request->too_long |= *upload_bytes > STATION_BODY_MAX - request->length;
        if (!request->too_long) {
            memcpy(request->body + request->length, upload, *upload_bytes);
            request->length += *upload_bytes;
        }
        *upload_bytes = 0;
        return MHD_YES;
    }
    peer->deadline_ns = server->now_ns + STATION_ANSWER_NS;
    if (!host_allowed(server, connection))
        return send_error(
            connection, MHD_HTTP_MISDIRECTED_REQUEST,
            "This station has another name; open it by the address that it printed, or give --name");
    if (request->too_long)
        return send_error(connection, MHD_HTTP_CONTENT_TOO_LARGE, "The body is too long");
    if (!strcmp(method, MHD_HTTP_METHOD_GET))
        return get(server, connection, path, request);
    if (!strcmp(method, MHD_HTTP_METHOD_POST))
        return post(server, connection, path, request);
    return send_error(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and POST are possible");
}

/* ---- the server */

static void drop_log(void *context, const char *format, va_list arguments)
{
    (void)context;
    (void)format;
    (void)arguments;
}

int station_server_open(struct station_server **out, const struct station_server_options *options,
                        struct pb_diag *diag)
{
    struct station_server *server = calloc(1, sizeof *server);
    *out = server;
    if (server) {
        server->options = *options;
        server->daemon = MHD_start_daemon(
            MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL, answer, server,
            MHD_OPTION_EXTERNAL_LOGGER, drop_log, NULL, MHD_OPTION_LISTEN_SOCKET, options->socket,
            MHD_OPTION_CONNECTION_LIMIT, STATION_CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
            (size_t)STATION_HEAD_MAX, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION,
            on_connection, server, MHD_OPTION_NOTIFY_COMPLETED, on_completed, server, MHD_OPTION_END);
    }
    if (server && server->daemon)
        return PB_OK;
    close(options->socket);
    free(server);
    *out = NULL;
    return pb_fail(diag, server ? PB_ERR_IO : PB_ERR_MEMORY,
                   "station: the web server does not start; end other programs, then try again");
}

void station_server_close(struct station_server *server)
{
    if (!server)
        return;
    for (struct peer *peer = server->peer; peer; peer = peer->next)
        if (peer->waiting)
            MHD_resume_connection(peer->connection);
    MHD_run(server->daemon);
    MHD_stop_daemon(server->daemon);
    free(server);
}

int station_server_fd(const struct station_server *server)
{
    return MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int station_server_timeout_ms(struct station_server *server, int most_ms)
{
    MHD_UNSIGNED_LONG_LONG timeout_ms;
    if (MHD_get_timeout(server->daemon, &timeout_ms) == MHD_YES && timeout_ms < (unsigned)most_ms)
        return (int)timeout_ms;
    return most_ms;
}

void station_server_run(struct station_server *server, int64_t now_ns)
{
    const uint64_t version = server->options.state->version;
    const bool due = now_ns - server->news_ns >= STATION_NEWS_NS;
    server->now_ns = now_ns;
    for (struct peer *peer = server->peer; peer; peer = peer->next) {
        const bool news = peer->waiting && due && peer->since != version;
        server->news_ns = news ? now_ns : server->news_ns;
        if (news || (peer->waiting && now_ns >= peer->wait_ns)) {
            peer->waiting = false;
            MHD_resume_connection(peer->connection);
        } else if (!peer->waiting && now_ns >= peer->deadline_ns) {
            shutdown(peer->fd, SHUT_RDWR);
        }
    }
    MHD_run(server->daemon);
}
