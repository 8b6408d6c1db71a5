-- SPDX-FileCopyrightText: The phasebench authors
-- SPDX-License-Identifier: Apache-2.0
--
-- A history of schema version 1, as programs made it before version 2, with two runs.
PRAGMA application_id = 0x70624869;
PRAGMA user_version = 1;
CREATE TABLE run (id INTEGER PRIMARY KEY, started_utc TEXT NOT NULL, scenario TEXT NOT NULL, seed TEXT NOT NULL, rig TEXT NOT NULL, verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'marginal', 'fail', 'inconclusive')), reason TEXT NOT NULL, incomplete TEXT NOT NULL, unit TEXT NOT NULL, station TEXT NOT NULL, operator TEXT NOT NULL, program TEXT NOT NULL, core TEXT NOT NULL, map_hash TEXT NOT NULL, findings INTEGER NOT NULL) STRICT;
CREATE TABLE node (run INTEGER NOT NULL REFERENCES run, place INTEGER NOT NULL, address INTEGER NOT NULL, kind TEXT NOT NULL, identity TEXT NOT NULL, image_bytes INTEGER, image_crc32 INTEGER, PRIMARY KEY (run, place)) STRICT, WITHOUT ROWID;
CREATE TABLE measurement (run INTEGER NOT NULL REFERENCES run, place INTEGER NOT NULL, id TEXT NOT NULL, unit TEXT NOT NULL, n INTEGER NOT NULL, min INTEGER NOT NULL, mean INTEGER NOT NULL, max INTEGER NOT NULL, sd INTEGER NOT NULL, lower INTEGER, upper INTEGER, u95 INTEGER NOT NULL, margin INTEGER, judgement TEXT NOT NULL, PRIMARY KEY (run, place)) STRICT, WITHOUT ROWID;
CREATE TABLE finding (run INTEGER NOT NULL REFERENCES run, kind TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (run, kind)) STRICT, WITHOUT ROWID;
CREATE INDEX run_of_unit ON run (unit, scenario, started_utc, id);
CREATE UNIQUE INDEX measurement_of_id ON measurement (id, run);
CREATE TRIGGER run_stays BEFORE DELETE ON run BEGIN SELECT raise(ABORT, 'a history is append-only'); END;
CREATE TRIGGER run_holds BEFORE UPDATE ON run BEGIN SELECT raise(ABORT, 'a history is append-only'); END;
CREATE TRIGGER node_stays BEFORE DELETE ON node BEGIN SELECT raise(ABORT, 'a history is append-only'); END;
CREATE TRIGGER node_holds BEFORE UPDATE ON node BEGIN SELECT raise(ABORT, 'a history is append-only'); END;
CREATE TRIGGER measurement_stays BEFORE DELETE ON measurement BEGIN SELECT raise(ABORT, 'a history is append-only'); END;
CREATE TRIGGER measurement_holds BEFORE UPDATE ON measurement BEGIN SELECT raise(ABORT, 'a history is append-only'); END;
CREATE TRIGGER finding_stays BEFORE DELETE ON finding BEGIN SELECT raise(ABORT, 'a history is append-only'); END;
CREATE TRIGGER finding_holds BEFORE UPDATE ON finding BEGIN SELECT raise(ABORT, 'a history is append-only'); END;
INSERT INTO run VALUES (1, '2026-11-01T08:00:00Z', 'board', '18446744073709551615', 'sim:', 'fail', 'late', '', '0042', 'bench-1', 'ann', '1.0', '12 links', '0x1234abcd', 2);
INSERT INTO run VALUES (2, '2026-11-02T08:00:00Z', 'board', '7', 'sim:', 'pass', 'right', '', '0042', 'bench-2', '', '1.0', '12 links', '0x1234abcd', 0);
INSERT INTO node VALUES (1, 0, 1, 'elf', '+I node=native', 4096, 3735928559);
INSERT INTO node VALUES (2, 0, 1, 'native', '+I node=native', NULL, NULL);
INSERT INTO measurement VALUES (1, 0, 'node_start/link0', 'ps', 4, 10, 12, 14, 1, 5, 13, 2, -1, 'fail');
INSERT INTO measurement VALUES (2, 0, 'node_start/link0', 'ps', 4, 10, 11, 12, 1, 5, 13, 2, 1, 'pass');
INSERT INTO finding VALUES (1, 'late_start', 2);
