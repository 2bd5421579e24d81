import { readErrorWord } from "./error_word.ts";

/** Tells of something wrong at an index of a tag. */
export type FailAt = (index: number, message: string) => void;

/** Reads the rules between two indexes of a tag, and looks at their names. */
export function checkRules(text: string, from: number, to: number, fail: FailAt): string[] {
  if (from >= to) return [];
  const names: string[] = [];
  let at = from;
  for (const raw of text.slice(from, to).split(",")) {
    const name = raw.trim();
    if (!/^[^\s(){}%=,!]+$/.test(name)) fail(at, `"${raw}" is not a name`);
    else if (names.includes(name)) fail(at, `the rule "${name}" stands twice`);
    names.push(name);
    at += raw.length + 1;
  }
  return names;
}

/** Looks at the errors behind the result rules of a tag, which begin at an index of it. */
export function checkErrorWords(text: string, from: number, fail: FailAt): void {
  const statuses = new Set<number>();
  let at = from;
  for (const word of text.split(" ")) {
    const { status } = readErrorWord(word) ?? {};
    if (status === undefined) fail(at, `"${word}" is not an error, as in !404 or !409(Conflict)`);
    else if (status < 400 || status > 599) fail(at, `${status} is not the status of an error, from 400 to 599`);
    else if (statuses.has(status)) fail(at, `the error ${status} stands twice`);
    else statuses.add(status);
    at += word.length + 1;
  }
}
