/* SPDX-FileCopyrightText: The phasebench authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tables of a history, PB_HISTORY_SCHEMA, in the SQL that SQLite and PostgreSQL share. docs/use/history.md
 * describes the columns. A dialect gives its words: ID for the number of a run, TEXT and INTEGER for columns,
 * ROWS and PARTS for the ends of a table with such a number and of one without.
 */
#ifndef PB_HISTORY_SCHEMA_H
#define PB_HISTORY_SCHEMA_H

/* Version 1. */
#define PB_HISTORY_TABLES(ID, TEXT, INTEGER, ROWS, PARTS)                                                    \
    "CREATE TABLE run (id " ID ", started_utc " TEXT " NOT NULL, scenario " TEXT " NOT NULL,"                \
    " seed " TEXT " NOT NULL, rig " TEXT " NOT NULL,"                                                        \
    " verdict " TEXT " NOT NULL CHECK (verdict IN ('pass', 'marginal', 'fail', 'inconclusive')),"            \
    " reason " TEXT " NOT NULL, incomplete " TEXT " NOT NULL, unit " TEXT " NOT NULL,"                       \
    " station " TEXT " NOT NULL, operator " TEXT " NOT NULL, program " TEXT " NOT NULL,"                     \
    " core " TEXT " NOT NULL, map_hash " TEXT " NOT NULL, findings " INTEGER " NOT NULL)" ROWS ";"           \
    "CREATE TABLE node (run " INTEGER " NOT NULL REFERENCES run, place " INTEGER " NOT NULL,"                \
    " address " INTEGER " NOT NULL, kind " TEXT " NOT NULL, identity " TEXT " NOT NULL,"                     \
    " image_bytes " INTEGER ", image_crc32 " INTEGER ", PRIMARY KEY (run, place))" PARTS ";"                 \
    "CREATE TABLE measurement (run " INTEGER " NOT NULL REFERENCES run, place " INTEGER " NOT NULL,"         \
    " id " TEXT " NOT NULL, unit " TEXT " NOT NULL, n " INTEGER " NOT NULL, min " INTEGER " NOT NULL,"       \
    " mean " INTEGER " NOT NULL, max " INTEGER " NOT NULL, sd " INTEGER " NOT NULL, lower " INTEGER ","      \
    " upper " INTEGER ", u95 " INTEGER " NOT NULL, margin " INTEGER ", judgement " TEXT " NOT NULL,"         \
    " PRIMARY KEY (run, place))" PARTS ";"                                                                   \
    "CREATE TABLE finding (run " INTEGER " NOT NULL REFERENCES run, kind " TEXT " NOT NULL,"                 \
    " count " INTEGER " NOT NULL, PRIMARY KEY (run, kind))" PARTS ";"                                        \
    "CREATE INDEX run_of_unit ON run (unit, scenario, started_utc, id);"                                     \
    "CREATE UNIQUE INDEX measurement_of_id ON measurement (id, run);"

/* From version 1 to 2: a run has a key of its own, so that a second delivery of it adds nothing. */
#define PB_HISTORY_TO_2(TEXT, INTEGER)                                                                       \
    "ALTER TABLE run ADD COLUMN key " TEXT ";"                                                               \
    "ALTER TABLE run ADD COLUMN environment " TEXT " NOT NULL DEFAULT '';"                                   \
    "ALTER TABLE run ADD COLUMN limits_version " TEXT " NOT NULL DEFAULT '';"                                \
    "ALTER TABLE run ADD COLUMN limits_crc32 " INTEGER ";"                                                   \
    "CREATE UNIQUE INDEX run_of_key ON run (key);"

/* Applies a macro of one argument to each table. */
#define PB_HISTORY_EACH(table) table("run") table("node") table("measurement") table("finding")
#define PB_HISTORY_REFUSAL "a history is append-only" /* of a row that would be altered or removed */

#endif
