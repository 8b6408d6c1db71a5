/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tables of a history in SQLite: PB_HISTORY_SCHEMA. docs/history.md describes the columns.
 */
#ifndef PB_HISTORY_SCHEMA_H
#define PB_HISTORY_SCHEMA_H

#define PB_HISTORY_APPLICATION 0x70624869 /* application_id of the file: "pbHi" */

/* No row is ever altered or removed. */
#define PB_HISTORY_KEEP(table)                                                                               \
    "CREATE TRIGGER " table "_stays BEFORE DELETE ON " table                                                 \
    " BEGIN SELECT raise(ABORT, 'a history is append-only'); END;"                                           \
    "CREATE TRIGGER " table "_holds BEFORE UPDATE ON " table                                                 \
    " BEGIN SELECT raise(ABORT, 'a history is append-only'); END;"

#define PB_HISTORY_TABLES                                                                                    \
    "CREATE TABLE run (id INTEGER PRIMARY KEY, started_utc TEXT NOT NULL, scenario TEXT NOT NULL,"           \
    " seed TEXT NOT NULL, rig TEXT NOT NULL,"                                                                \
    " verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'marginal', 'fail', 'inconclusive')),"                \
    " reason TEXT NOT NULL, incomplete TEXT NOT NULL, unit TEXT NOT NULL, station TEXT NOT NULL,"            \
    " operator TEXT NOT NULL, program TEXT NOT NULL, core TEXT NOT NULL, map_hash TEXT NOT NULL,"            \
    " findings INTEGER NOT NULL) STRICT;"                                                                    \
    "CREATE TABLE node (run INTEGER NOT NULL REFERENCES run, place INTEGER NOT NULL,"                        \
    " address INTEGER NOT NULL, kind TEXT NOT NULL, identity TEXT NOT NULL, image_bytes INTEGER,"            \
    " image_crc32 INTEGER, PRIMARY KEY (run, place)) STRICT, WITHOUT ROWID;"                                 \
    "CREATE TABLE measurement (run INTEGER NOT NULL REFERENCES run, place INTEGER NOT NULL,"                 \
    " id TEXT NOT NULL, unit TEXT NOT NULL, n INTEGER NOT NULL, min INTEGER NOT NULL,"                       \
    " mean INTEGER NOT NULL, max INTEGER NOT NULL, sd INTEGER NOT NULL, lower INTEGER, upper INTEGER,"       \
    " u95 INTEGER NOT NULL, margin INTEGER, judgement TEXT NOT NULL, PRIMARY KEY (run, place)) STRICT,"      \
    " WITHOUT ROWID;"                                                                                        \
    "CREATE TABLE finding (run INTEGER NOT NULL REFERENCES run, kind TEXT NOT NULL,"                         \
    " count INTEGER NOT NULL, PRIMARY KEY (run, kind)) STRICT, WITHOUT ROWID;"                               \
    "CREATE INDEX run_of_unit ON run (unit, scenario, started_utc, id);"                                     \
    "CREATE UNIQUE INDEX measurement_of_id ON measurement (id, run);" PB_HISTORY_KEEP("run")                 \
        PB_HISTORY_KEEP("node") PB_HISTORY_KEEP("measurement") PB_HISTORY_KEEP("finding")

#endif
