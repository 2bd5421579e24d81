/** The umask of a container's process where nothing else is asked for. */
export const DEFAULT_UMASK = "0022";

/** Reads an octal umask of up to four digits, with a further zero before them. Returns `undefined` for another text. */
export function parseUmask(text: string): number | undefined {
  return /^0?[0-7]{1,4}$/.test(text) ? parseInt(text, 8) : undefined;
}
