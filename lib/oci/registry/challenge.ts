/**
 * `WWW-Authenticate`, RFC 9110 section 11.6.1.
 *
 * @module
 */

/** One way to authenticate that a server offers. */
export interface Challenge {
  /** In lower case: `bearer`, `basic`. */
  scheme: string;
  /** By name in lower case. */
  parameters: Record<string, string | undefined>;
}

const HEADER_LIMIT = 8192;
const SCHEME = /[,\s]*([!#$%&'*+.^`|~\w-]+)(?:\s+|(?=,)|$)/y;
const PARAMETER = /[,\s]*([!#$%&'*+.^`|~\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))\s*/y;

/** The challenges of a header, in order; what cannot be read ends them. Several headers come joined with commas. */
export function parseChallenges(header: string | null): Challenge[] {
  const text = (header ?? "").slice(0, HEADER_LIMIT);
  const challenges: Challenge[] = [];
  for (let at = 0; at < text.length;) {
    const parameter = matchAt(PARAMETER, text, at);
    const last = challenges.at(-1);
    if (parameter !== null) {
      if (last === undefined) break;
      const [whole, name, quoted, plain] = parameter;
      last.parameters[name.toLowerCase()] = quoted?.replace(/\\(.)/g, "$1") ?? plain;
      at += whole.length;
      continue;
    }
    const scheme = matchAt(SCHEME, text, at);
    if (scheme === null || scheme[0].length === 0) break;
    // No prototype: names are the server's to choose.
    challenges.push({ scheme: scheme[1].toLowerCase(), parameters: Object.create(null) });
    at += scheme[0].length;
  }
  return challenges;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = at;
  return sticky.exec(text);
}
