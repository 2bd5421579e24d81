/**
 * Writes command lines in units of systemd.
 *
 * @module
 */

import { quoteWord } from "./words.ts";

/** The program that units call. */
export const PROGRAM = "/usr/bin/podman";

/** Joins words, each flag on a line of its own. */
export function wrapWords(words: readonly string[]): string {
  return words.map((word, i) => i === 0 ? word : word.startsWith("-") ? ` \\\n\t${word}` : ` ${word}`).join("");
}

/**
 * Escapes a word so that systemd reads it as it is (systemd.service(5), "Command lines"): `$` and `%` stand twice, and a word
 * with blanks or quotes is quoted.
 */
export function escapeWord(word: string): string {
  const text = word.replaceAll("$", "$$$$").replaceAll("%", "%%");
  return /[\s"]/.test(text) ? quoteWord(text) : text.replaceAll("\\", "\\\\");
}

/**
 * Takes flags out of a command, each with its value; the last `rest` words are the image and its command, and stay.
 *
 * @param names By flag: `value` where the next word is its value, `plain` where a value can only come after `=`
 */
export function dropFlags(
  words: readonly string[],
  rest: number,
  names: Readonly<Record<string, "value" | "plain">>,
): string[] {
  const end = words.length - rest;
  const kept: string[] = [];
  for (let i = 0; i < end; i++) {
    const [name] = words[i].split("=", 1);
    if (!Object.hasOwn(names, name)) kept.push(words[i]);
    else if (names[name] === "value" && name === words[i]) i++;
  }
  return [...kept, ...words.slice(end)];
}

/** Takes out words that are exactly one of these; the last `rest` words stay. */
export function dropWords(words: readonly string[], rest: number, dropped: readonly string[]): string[] {
  const end = words.length - rest;
  return words.filter((word, i) => i >= end || !dropped.includes(word));
}
