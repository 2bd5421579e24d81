/** A nesting that is deeper stays as it is: its lines would be many times its size. */
const DEEPEST = 100;

/** Indents JSON; another text stays as it is. */
export function indentJSON(text: string): string {
  // Parsed only to see whether it is JSON: printed from its own text, so that numbers of any size stay what they are.
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let deepest = 0;
  for (const token of tokens) {
    if (/^[[{]$/.test(token)) deepest = Math.max(deepest, ++depth);
    else if (/^[\]}]$/.test(token)) depth--;
  }
  if (deepest > DEEPEST) return text;
  const line = () => "\n" + "  ".repeat(depth);
  return tokens.map((token, index) => {
    const empty = /^[\]}]$/.test(tokens[index + 1] ?? "") && /^[[{]$/.test(token);
    if (/^[[{]$/.test(token)) return (depth++, empty ? token : token + line());
    if (/^[\]}]$/.test(token)) return (depth--, /^[[{]$/.test(tokens[index - 1] ?? "") ? token : line() + token);
    return token === "," ? token + line() : token === ":" ? ": " : token;
  }).join("");
}
