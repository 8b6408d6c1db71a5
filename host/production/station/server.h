/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The HTTP side of the station: the page, the state, start and stop, reports. It runs in the caller's thread
 * and never blocks. docs/use/station.md lists requests, answers and limits. */
#ifndef PB_STATION_SERVER_H
#define PB_STATION_SERVER_H

#include "access.h"
#include "state_json.h"

#include "phasebench/validation.h"

#define STATION_CONNECTIONS_MAX 64u
#define STATION_BODY_MAX 4096u             /* of a POST, bytes */
#define STATION_HEAD_MAX 16384u            /* of a request line with its headers, bytes, about */
#define STATION_ASK_NS INT64_C(10000000000)    /* a request has come as a whole within this, or is cut off */
#define STATION_ANSWER_NS INT64_C(60000000000) /* and its answer been taken within this */
#define STATION_WAIT_NS INT64_C(10000000000)   /* a page waits for news, then gets the state as it is */
#define STATION_NEWS_NS INT64_C(100000000)     /* least time between two pieces of news */

struct station_server_options {
    int socket; /* listens; the server closes it */
    struct station_access access;
    const struct station_state *state;
    struct station_info info;
    /* Starts a validation: an HTTP status (202: started) and a sentence for the operator in *diag. */
    unsigned (*start)(void *context, const char *serial, const char *operator_name, struct pb_diag *diag);
    unsigned (*stop)(void *context, struct pb_diag *diag);
    /* Opens the report of a validation, or a file of a run of it (folder; NULL: not); -1: none. */
    int (*report)(void *context, const char *id, const char *folder, enum pb_run_file file);
    void *context;
};

struct station_server;

/* Returns 0, PB_ERR_IO or PB_ERR_MEMORY; closes the socket also then. */
int station_server_open(struct station_server **out, const struct station_server_options *options,
                        struct pb_diag *diag);
void station_server_close(struct station_server *server); /* NULL: no effect */
/* Descriptor to wait for with poll(2), and the time in ms, at most most_ms. */
int station_server_fd(const struct station_server *server);
int station_server_timeout_ms(struct station_server *server, int most_ms);
/* Serves the pending requests, notifies waiting pages of changes, disconnects slow clients. */
void station_server_run(struct station_server *server, int64_t now_ns);

#endif
