import type { IDRange } from "../../../engine/ports/user_port.ts";
import { hostText } from "../helpers/bounded_read.ts";

/** The first IDs that are given out to users by custom: `SUB_UID_MIN` of login.defs(5). */
const FIRST = 100_000;

/** The first of the IDs behind every range of these files, which no user has, subuid(5). */
export async function firstFreeID(files: readonly string[]): Promise<number> {
  const texts = await Promise.all(files.map((file) => hostText(file)));
  const ends = texts.flatMap((text) => readRanges(text).map(({ range }) => range.host + range.size));
  return Math.max(FIRST, ...ends.filter((end) => Number.isSafeInteger(end)));
}

/** Reads the ranges of a user, by its name or number, subuid(5). */
export async function subordinateRanges(file: string, users: readonly string[]): Promise<IDRange[]> {
  const text = await hostText(file);
  return readRanges(text).flatMap(({ user, range }) => users.includes(user) ? [range] : []);
}

function readRanges(text: string): { user: string; range: IDRange }[] {
  return text.split("\n").map((line) => line.trim().split(":")).flatMap(([user = "", first, count]) => {
    const range = { host: Number(first), size: Number(count) };
    return range.size > 0 ? [{ user, range }] : [];
  });
}
