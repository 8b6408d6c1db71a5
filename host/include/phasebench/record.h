/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Recordings: what passed between the host and a core, byte for byte, in a file that can be replayed.
 *
 * A recorder sits around a transport and writes down every write and every read. `replay:FILE` is a rig that
 * gives the recorded reads in answer to the same writes, so that driver, session, check and report are the
 * very same. A board's USB transfers can be recorded as well or instead: that file replays likewise. Both
 * are described in docs/recording.md.
 *
 * Errors: PB_ERR_IO when a recording cannot be written; PB_ERR_CONFIG when one cannot be used (no recording,
 * damaged, another version, another register map, another scenario); PB_ERR_ENDED when it ends too early.
 */
#ifndef PHASEBENCH_RECORD_H
#define PHASEBENCH_RECORD_H

#include "phasebench/api.h"
#include "phasebench/device.h"
#include "phasebench/scenario.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

PB_API_BEGIN

#define PB_RECORDING_VERSION 1

/* What a session says to core and nodes, and in which order: one more with every change of that, as a
 * recording replays only what it was made of. 1: asked the nodes nothing. */
#define PB_SESSION_VERSION 5

/* What a recording says about its run. Texts are borrowed when writing, and owned by the recording when
 * reading. */
struct pb_recording_about {
    const char *program;     /* "phasebench 0.1.0" */
    const char *verb;        /* "run", "demo", "selftest", "monitor" */
    const char *rig_url;     /* of the rig that was recorded */
    const char *started_utc; /* "2025-01-31T12:00:00Z" */
    bool simulated;          /* that rig made its nodes (pb_rig_simulates) */
    uint32_t map_hash;
    uint32_t session; /* PB_SESSION_VERSION of the program that wrote it */
    uint64_t seed;    /* in force */
    uint32_t superframes;
    bool seed_given, superframes_given; /* in place of the scenario's */
    uint64_t hash;                      /* pb_recording_hash of all that was played */
    const struct pb_scenario_texts *texts;
};

/* FNV-1a, 64 bits, over length and bytes of every text, seed and superframes; not over any path. */
uint64_t pb_recording_hash(const struct pb_scenario_texts *texts, uint64_t seed, uint32_t superframes);

/* ---- writing */

struct pb_recorder;

/* Where to record; one of them may be NULL. */
struct pb_record_paths {
    const char *stream;    /* the bytes of the calls */
    const char *transfers; /* the USB transfers beneath them, as a pcapng capture; rigs ftdi: only */
    bool force;            /* replaces files that are there */
};

/* Makes the files, locks them and writes what is known of the run (program, simulated, map_hash, started_utc
 * and hash are filled in here). PB_ERR_IO: one exists already and `force` is not set, another program writes
 * it, or it cannot be written. */
int pb_recorder_open(struct pb_recorder **out, const struct pb_record_paths *paths,
                     const struct pb_recording_about *about, struct pb_diag *diag);

/* Puts the recorder around *transport, which it then owns; closing it does not close the recorder. time_ps
 * gives the rig's time, -1 where unknown. At most one transport at a time. On failure *transport is closed. A
 * recorder that cannot write any more says so in pb_recorder_check and lets the bytes pass, so that the lines
 * can still be released. */
int pb_recorder_attach(struct pb_recorder *recorder, struct pb_transport **transport,
                       int64_t (*time_ps)(const struct pb_transport *), struct pb_diag *diag);

/* PB_OK, or PB_ERR_IO and the sentence after a write has failed: the run must end. NULL is fine. */
int pb_recorder_check(const struct pb_recorder *recorder, struct pb_diag *diag);

/* Writes how the run ended (exit code, a word, one sentence), and closes the file. What was written before a
 * failure stays. NULL is fine. */
int pb_recorder_close(struct pb_recorder *recorder, int exit_code, const char *outcome, const char *reason,
                      struct pb_diag *diag);

/* The transport inside a recorder, or the same when it is none. */
const struct pb_transport *pb_recorder_inner(const struct pb_transport *transport);

/* ---- reading */

struct pb_recording;

/* True when the file begins like a recording. Never blocks. */
bool pb_recording_detect(const char *path);

/* Opens a recording and checks every block of it once. One that stops before its end is no error here. */
int pb_recording_open(struct pb_recording **out, const char *path, struct pb_diag *diag);
void pb_recording_close(struct pb_recording *recording); /* NULL is fine */

const struct pb_recording_about *pb_recording_about(const struct pb_recording *recording);

/* Why it ends too early; NULL when it is whole. */
const char *pb_recording_cut(const struct pb_recording *recording);

/* Refuses a recording of another register map, or of sessions that said something else. */
int pb_recording_check_map(const struct pb_recording *recording, struct pb_diag *diag);

/* The scenario as it was played, from the recorded texts alone. */
int pb_recording_scenario(const struct pb_recording *recording, struct pb_scenario **out,
                          struct pb_diag *diag);

/* The transport that replays it; takes ownership of the recording, also on failure. A read gives what was
 * read then. A write that differs is PB_ERR_CONFIG: the sentence names the first byte that does. At the end
 * of a recording that was cut off, or of a session that was broken off, everything is PB_ERR_ENDED. */
int pb_replay_open(struct pb_transport **out, struct pb_recording *recording, struct pb_diag *diag);

/* Picoseconds of simulated time at the last byte replayed; -1 when the recorded rig was no simulation, or the
 * transport is no replay. */
int64_t pb_replay_simulated_ps(const struct pb_transport *transport);

/* The recorded rig made its nodes; false when the transport is no replay. */
bool pb_replay_simulates(const struct pb_transport *transport);

/* As pb_rig_overruns (rig.h), of the transfers recorded up to the end of the session; -1 when none were, or
 * the transport is no replay. */
int64_t pb_replay_overruns(const struct pb_transport *transport);

/* ---- both */

/* The session on this transport records this of the lines, for this reason ("": none). A recorder notes it; a
 * replay puts back what it was then: edges, when the recording is older than the choice. PB_ERR_CONFIG,
 * PB_ERR_ENDED: the recording is damaged, or ends here. */
struct pb_capture_choice {
    enum pb_capture capture; /* not AUTO */
    char why[256];
};
int pb_recording_capture(struct pb_transport *transport, struct pb_capture_choice *choice,
                         struct pb_diag *diag);

/* The session on this transport is over, with this code and sentence, and the lines will be released next. A
 * recorder notes it; a replay that is not at the same point of its recording, or whose recording is not
 * whole, turns success into an error. Returns `code` in every other case, and for other transports. */
int pb_recording_session_end(struct pb_transport *transport, int code, struct pb_diag *diag);

PB_API_END

#endif
