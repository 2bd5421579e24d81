/**
 * The file of a {@linkcode SQLiteStore}: how it is laid out, and what it takes to be one of ours.
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import { EngineError } from "../../engine/errors.ts";
import { limitSpace, pragmaOf } from "./sqlite_space.ts";

/**
 * The layout below; a file with a higher number was written by a later Gantry. Version 2 has the tables of version 1, and keeps
 * Gantries away that do not know that records have a version.
 */
const SCHEMA_VERSION = 2;
/** "GNTY", so that another program's database is not taken for ours. */
const APPLICATION_ID = 0x474e5459;
const SCHEMA = `
CREATE TABLE records (
  tab TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (tab, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE streams (
  stream TEXT NOT NULL, seq INTEGER NOT NULL, time REAL NOT NULL, value TEXT NOT NULL, PRIMARY KEY (stream, seq)
) STRICT, WITHOUT ROWID;
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** Makes the tables of a new file, and checks those of an old one. Throws `EngineError` as `SQLiteStore.open()` does. */
export function setUpFile(db: DatabaseSync, path: string): void {
  // Exclusive: two engines over one state would each overwrite what the other remembers.
  db.exec("PRAGMA locking_mode = EXCLUSIVE");
  const version = pragmaOf(db, "user_version");
  const application = pragmaOf(db, "application_id");
  const tables = Number(db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.n);
  const isNew = version === 0 && application === 0 && tables === 0;
  if (!isNew && application !== APPLICATION_ID) {
    throw new EngineError("corrupt", `Open "${path}": it is another program's database`);
  }
  if (version > SCHEMA_VERSION) {
    const detail = `its schema is version ${version}, this Gantry knows up to ${SCHEMA_VERSION}`;
    throw new EngineError("unsupported", `Open "${path}": ${detail}`);
  }
  limitSpace(db);
  db.exec("PRAGMA journal_mode = WAL");
  db.exec("PRAGMA synchronous = NORMAL");
  // Deleted content is zeroed: a removed secret is not to be found in the file.
  db.exec("PRAGMA secure_delete = ON");
  // Takes the file's lock now, not at the first commit.
  db.exec("BEGIN IMMEDIATE");
  if (isNew) db.exec(SCHEMA);
  else if (version < SCHEMA_VERSION) db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  db.exec("COMMIT");
  // A process that was killed may have left removed secrets there.
  emptyLog(db);
  const check = String(db.prepare("PRAGMA quick_check(1)").get()?.quick_check);
  if (check !== "ok") throw new EngineError("corrupt", `Open "${path}": the database is damaged: ${check}`);
}

/** Moves what the log has into the file, and empties it: until then it holds what was deleted meanwhile. Tells whether it could. */
export function emptyLog(db: DatabaseSync): boolean {
  try {
    return db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  } catch {
    return false;
  }
}

/** The engine's error for one of SQLite's where it has one. */
export function explainFailure(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof EngineError) return error;
  // Deno's node:sqlite gives SQLite's text and not always its number.
  if (/locked|busy/i.test(error.message)) {
    return new EngineError("in_use", `Open "${path}": another process has it open`, { cause: error });
  }
  if (/not a database|malformed|corrupt/i.test(error.message)) {
    return new EngineError("corrupt", `Open "${path}": ${error.message}`, { cause: error });
  }
  return error;
}
