/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Recordings: the bytes between host and core, in a file that can be replayed.
 *
 * A recorder wraps a transport and records every write and every read. The rig `replay:FILE` answers the same
 * writes with the recorded reads, for the unchanged driver, session, check and report. A board's USB
 * transfers can be recorded as well or instead; that file can be replayed, too. docs/use/recording.md
 * describes both.
 *
 * Errors: PB_ERR_IO: the recording cannot be written. PB_ERR_CONFIG: the file cannot be used (no recording,
 * damaged, another version, register map or scenario). PB_ERR_ENDED: it ends too early.
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

/* Version of the bytes that a session sends to core and nodes: add 1 with every change of them or of their
 * order, as a replay accepts the recorded writes only. 1: asked the nodes nothing. */
#define PB_SESSION_VERSION 11

/* Data about the recorded run. The texts are borrowed when writing, owned by the recording when reading. */
struct pb_recording_about {
    const char *program;     /* "phasebench 0.2.0" */
    const char *verb;        /* "run", "demo", "selftest", "monitor" */
    const char *rig_url;     /* of the recorded rig */
    const char *started_utc; /* "2025-01-31T12:00:00Z" */
    bool simulated;          /* pb_rig_target_of(rig_url).simulates */
    uint32_t map_hash;
    uint32_t session; /* PB_SESSION_VERSION of the program that wrote it */
    uint64_t seed;    /* in use */
    uint32_t superframes;
    bool seed_given, superframes_given; /* in place of the scenario's */
    uint64_t hash;                      /* pb_recording_hash of the run */
    const struct pb_scenario_texts *texts;
};

/* FNV-1a, 64 bits, over length and bytes of every text, seed and superframes; paths are excluded. */
uint64_t pb_recording_hash(const struct pb_scenario_texts *texts, uint64_t seed, uint32_t superframes);

/* ---- writing */

struct pb_recorder;

/* Files to record to; one of them may be NULL. */
struct pb_record_paths {
    const char *stream;    /* the bytes of the calls */
    const char *transfers; /* the USB transfers beneath them, as a pcapng capture; rigs ftdi: only */
    bool force;            /* overwrites existing files */
};

/* Creates and locks the files and writes *about; program, map_hash, started_utc and hash are filled in here.
 * PB_ERR_IO: a file exists and `force` is false, another program writes to it, or it cannot be written. */
int pb_recorder_open(struct pb_recorder **out, const struct pb_record_paths *paths,
                     const struct pb_recording_about *about, struct pb_diag *diag);

/* Wraps *transport and owns it from here on; closing it does not close the recorder. time_ps returns the
 * rig's time, -1: unknown. At most one transport at a time. On failure *transport is closed. After a write
 * error of the recording, pb_recorder_check returns it and the bytes still pass, so that the lines can be
 * released. */
int pb_recorder_attach(struct pb_recorder *recorder, struct pb_transport **transport,
                       int64_t (*time_ps)(const struct pb_transport *), struct pb_diag *diag);

/* Returns PB_OK (also for NULL), or PB_ERR_IO after a failed write: the run must end. */
int pb_recorder_check(const struct pb_recorder *recorder, struct pb_diag *diag);

/* Writes the end of the run (exit code, a word, one sentence) and closes the file. A failure keeps the bytes
 * written before. NULL: no effect. */
int pb_recorder_close(struct pb_recorder *recorder, int exit_code, const char *outcome, const char *reason,
                      struct pb_diag *diag);

/* The transport inside a recorder; `transport` itself if it is no recorder. */
const struct pb_transport *pb_recorder_inner(const struct pb_transport *transport);

/* ---- reading */

struct pb_recording;

/* True if the file begins like a recording. Never blocks. */
bool pb_recording_detect(const char *path);

/* Opens a recording and checks each of its blocks. A truncated recording is no error here. */
int pb_recording_open(struct pb_recording **out, const char *path, struct pb_diag *diag);
void pb_recording_close(struct pb_recording *recording); /* NULL: no effect */

const struct pb_recording_about *pb_recording_about(const struct pb_recording *recording);

/* Returns why the recording ends too early; NULL: it is complete. */
const char *pb_recording_cut(const struct pb_recording *recording);

/* Refuses a recording of another register map or session version. */
int pb_recording_check_map(const struct pb_recording *recording, struct pb_diag *diag);

/* The scenario as it was played, from the recorded texts alone. */
int pb_recording_scenario(const struct pb_recording *recording, struct pb_scenario **out,
                          struct pb_diag *diag);

/* Opens the transport that replays a recording; takes ownership of it, also on failure. Reads return the
 * recorded bytes. A write that differs is PB_ERR_CONFIG; the diagnostic names the first differing byte. At
 * the end of a truncated recording or aborted session every call is PB_ERR_ENDED. */
int pb_replay_open(struct pb_transport **out, struct pb_recording *recording, struct pb_diag *diag);

/* Simulated time at the last replayed byte, ps; -1: the recorded rig was no simulation, or `transport` is no
 * replay. */
int64_t pb_replay_simulated_ps(const struct pb_transport *transport);

/* Whether the recorded rig simulates; false if the transport is no replay. */
bool pb_replay_simulates(const struct pb_transport *transport);

/* As pb_rig_overruns (rig.h), over the transfers up to the end of the session; -1: no transfers recorded, or
 * no replay. */
int64_t pb_replay_overruns(const struct pb_transport *transport);

/* ---- both */

/* The capture selected by the session, and the reason ("": none). A recorder notes it. A replay
 * overwrites it with the recorded choice: edges, if the recording is older than the choice. PB_ERR_CONFIG:
 * the recording is damaged; PB_ERR_ENDED: it ends here. */
struct pb_capture_choice {
    enum pb_capture capture; /* not AUTO */
    char why[256];
};
int pb_recording_capture(struct pb_transport *transport, struct pb_capture_choice *choice,
                         struct pb_diag *diag);

/* What the rig reports of the node with this index in addition to its pins; "": nothing. A recorder notes it.
 * A replay overwrites it with the recorded text. PB_ERR_CONFIG: the recording is damaged; PB_ERR_ENDED: it
 * ends here. */
enum { PB_RECORDING_NODE_TEXT = 4096 };
int pb_recording_node(struct pb_transport *transport, unsigned node_index, char text[PB_RECORDING_NODE_TEXT],
                      struct pb_diag *diag);

/* Marks the end of the session, with its code and diagnostic, before the lines are released. A recorder notes
 * it. A replay that is at another point of its recording, or whose recording is incomplete, turns success
 * into an error. Returns `code` in every other case, and for other transports. */
int pb_recording_session_end(struct pb_transport *transport, int code, struct pb_diag *diag);

PB_API_END

#endif
