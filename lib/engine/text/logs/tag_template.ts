/**
 * The templates of a log's tag: text with fields of the container, as Docker's and Podman's clients write them. They are the part
 * of Go's `text/template` that a tag has a use for: `{{.Name}}`, and `{{upper .Name}}`, `lower` or `truncate` with a number.
 *
 * @module
 */

/** The fields of a container that a tag may name. */
const TAG_FIELDS = [
  ..."ID FullID Name ImageID ImageFullID ImageName Image Command DaemonName".split(" "),
] as const;

/** Makes a text of the fields' values. */
export type TagTemplate = (values: Readonly<Record<string, string>>) => string;

const ACTION = /^(?:(upper|lower|truncate)\s+)?\.([A-Za-z]+)(?:\s+(\d{1,4}))?$/;

/** Parses a tag. Throws `SyntaxError` for an action that is not closed, or unknown. */
export function parseTagTemplate(text: string): TagTemplate {
  const parts: TagTemplate[] = [];
  let at = 0;
  for (let start = text.indexOf("{{"); start >= 0; start = text.indexOf("{{", at)) {
    const end = text.indexOf("}}", start);
    if (end < 0) throw new SyntaxError(`template parsing error ${text}: unclosed action`);
    const literal = text.slice(at, start);
    parts.push(() => literal, parseAction(text, text.slice(start + 2, end)));
    at = end + 2;
  }
  const rest = text.slice(at);
  return (values) => parts.map((part) => part(values)).join("") + rest;
}

function parseAction(text: string, action: string): TagTemplate {
  const [, verb, field = "", count] = ACTION.exec(action.trim()) ?? [];
  const hasCount = (verb === "truncate") === (count !== undefined);
  if (!TAG_FIELDS.includes(field) || !hasCount) {
    throw new SyntaxError(`template parsing error ${text}: "{{${action}}}" is not a field of a tag`);
  }
  return (values) => {
    const value = values[field] ?? "";
    if (verb === "upper") return value.toUpperCase();
    if (verb === "lower") return value.toLowerCase();
    return count === undefined ? value : value.slice(0, Number(count));
  };
}
