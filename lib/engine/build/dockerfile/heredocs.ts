import { scanWords } from "./words.ts";

/** A text that follows an instruction, up to a line of its own. */
export interface Heredoc {
  /** The word that ends it, and the file's name in `COPY <<name /folder/`. */
  name: string;
  content: string;
  /** Whether variables are put in: the word was not quoted. */
  expands: boolean;
}

/** The beginning of a heredoc: its end is not read yet. */
export interface HeredocMark extends Omit<Heredoc, "content"> {
  /** `<<-`: tabs at the beginning of lines go. */
  cutsTabs: boolean;
}

/** Finds `<<NAME` among the words of an instruction; quoted text holds none. */
export function findHeredocs(text: string, escape: string): HeredocMark[] {
  return scanWords(text, escape).flatMap((word) => {
    const mark = markOf(word);
    return mark === undefined ? [] : [mark];
  });
}

/** Whether a word begins a heredoc. */
export function isHeredoc(word: string): boolean {
  return markOf(word) !== undefined;
}

/** The content up to the line that ends it, and the number of the line after; `undefined` where no line does. */
export function readHeredoc(
  { cutsTabs, ...mark }: HeredocMark,
  lines: readonly string[],
  from: number,
): { heredoc: Heredoc; next: number } | undefined {
  let content = "";
  for (let at = from; at < lines.length; at++) {
    const line = cutsTabs ? lines[at].replace(/^\t+/, "") : lines[at];
    if (line === mark.name) return { heredoc: { ...mark, content }, next: at + 1 };
    content += `${line}\n`;
  }
}

function markOf(word: string): HeredocMark | undefined {
  const [, dash, rest] = /^\d*<<(-?)([^<]+)$/.exec(word) ?? [];
  if (rest === undefined) return undefined;
  const name = rest.replaceAll(/["']/g, "");
  // A shell takes a redirection or another command that follows without a blank as the end of the word.
  const [plain] = /^[^\s|&;()<>]*/.exec(name) ?? [""];
  return plain === "" ? undefined : { name: plain, expands: rest === name, cutsTabs: dash === "-" };
}
