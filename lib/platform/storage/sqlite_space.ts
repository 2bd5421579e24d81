/**
 * How much room a database takes on the disk: pages that are free are used again, and what is too much of them is given
 * back in pieces.
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite";

/** Bytes of free pages that stay, for what comes next. */
const SPARE = 8 << 20;
/** Bytes of free pages that are given back at once. */
const PIECE = 2 << 20;
/** Bytes of the log that stay after it has been taken over. */
const LOG = 8 << 20;
/** Bytes in use up to which a whole database is written anew: a fraction of a second. */
const SMALL = 64 << 20;
/** `auto_vacuum` of a database that can give its pages back. */
const INCREMENTAL = 2;

/** Bounds the room of a database. A new one can give pages back; an old one can once {@linkcode compactDatabase} has written it anew. */
export function limitSpace(db: DatabaseSync): void {
  db.exec(`PRAGMA auto_vacuum = ${INCREMENTAL}`);
  db.exec(`PRAGMA journal_size_limit = ${LOG}`);
}

/** Gives a piece of the free pages back where there are too many. Returns whether it has. */
export function shrinkDatabase(db: DatabaseSync): boolean {
  if (pragmaOf(db, "auto_vacuum") !== INCREMENTAL) return false;
  const pageSize = pragmaOf(db, "page_size");
  if (pragmaOf(db, "freelist_count") * pageSize < SPARE + PIECE) return false;
  // Each step of it frees a page, and only `all` takes every step.
  db.prepare(`PRAGMA incremental_vacuum(${Math.floor(PIECE / pageSize)})`).all();
  return true;
}

/** Writes a database of an earlier version anew, without its free pages, where little is in use. */
export function compactDatabase(db: DatabaseSync): void {
  if (pragmaOf(db, "auto_vacuum") === INCREMENTAL) return;
  const used = pragmaOf(db, "page_count") - pragmaOf(db, "freelist_count");
  if (used * pragmaOf(db, "page_size") > SMALL) return;
  try {
    db.exec(`PRAGMA auto_vacuum = ${INCREMENTAL}`);
    db.exec("VACUUM");
    adoptDatabase(db);
  } catch {
    // It takes room to make room. Writes come first; the next start tries again.
  }
}

/** Takes the log over into the file, which only then becomes smaller. */
export function adoptDatabase(db: DatabaseSync): void {
  db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
}

/** The number that a pragma of SQLite has. */
export function pragmaOf(db: DatabaseSync, pragma: string): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}
