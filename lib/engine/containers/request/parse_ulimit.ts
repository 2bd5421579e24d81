import type { RLimit } from "../../records/container_record.ts";

const UNLIMITED = 2n ** 64n - 1n;

/** Reads a limit as the command line has it: `nofile=1024:2048`, or one number for both; -1 is no limit. Throws `SyntaxError`. */
export function parseUlimit(words: string): RLimit {
  const [, name, soft, hard = soft] = /^(\w+)=(-1|\d+)(?::(-1|\d+))?$/.exec(words) ?? [];
  if (name === undefined) throw new SyntaxError(`"${words}" is not NAME=SOFT:HARD`);
  const [least, most] = [soft, hard].map((digits) => digits === "-1" ? UNLIMITED : BigInt(digits));
  if (least > most) throw new SyntaxError(`"${words}": soft limit must be less than or equal to hard limit`);
  return { type: `RLIMIT_${name.toUpperCase().replace(/^RLIMIT_/, "")}`, soft: least, hard: most };
}
