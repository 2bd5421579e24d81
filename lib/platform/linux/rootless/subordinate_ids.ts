import { readFile } from "node:fs/promises";
import type { IDRange } from "../../../engine/ports/user_port.ts";

/** Reads the ranges of a user, by its name or number, subuid(5). */
export async function subordinateRanges(file: string, users: readonly string[]): Promise<IDRange[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").map((line) => line.trim().split(":")).flatMap(([user = "", first, count]) => {
    const range = { host: Number(first), size: Number(count) };
    return users.includes(user) && range.size > 0 ? [range] : [];
  });
}
