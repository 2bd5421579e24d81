/** `!404`, `!409(Conflict)`. */
const WORD = /^!(\d{3})(?:\(([^\s()]+)\))?$/;

/** Takes a word of a tag's errors apart; undefined where it is none. */
export function readErrorWord(word: string): { status: number; name: string | undefined } | undefined {
  const match = WORD.exec(word);
  return match ? { status: Number(match[1]), name: match[2] } : undefined;
}
