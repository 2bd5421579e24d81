/** A text that is HTML already. */
export class HTML {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

/** The values allowed in a template: texts are escaped, lists joined, absent values left out. */
export type Content = HTML | string | number | false | null | undefined | readonly Content[];

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Escapes a text for elements and quoted attributes. */
export function escapeHTML(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ESCAPES[char]);
}

/** Writes HTML: whatever is put in is escaped, unless it is HTML itself. Line breaks of the template are left out. */
export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): HTML {
  const last = strings.length - 1;
  return new HTML(strings.reduce((text, string, index) => {
    const start = index === 0 ? string.replace(/^\n\s*/, "") : string;
    const whole = (index === last ? start.replace(/\n\s*$/, "") : start).replaceAll(/\n\s*/g, " ");
    return text + (index === 0 ? "" : write(contents[index - 1])) + whole;
  }, ""));
}

function write(content: Content): string {
  if (content === undefined || content === null || content === false) return "";
  if (content instanceof HTML) return content.text;
  return Array.isArray(content) ? content.map(write).join("") : escapeHTML(String(content));
}

/** Writes a text of paragraphs, with `code` in backticks. */
export function prose(text: string | undefined): Content {
  if (text === undefined) return undefined;
  return text.split(/\n{2,}/).map((paragraph) => {
    const parts = paragraph.split("`");
    return html`<p>${parts.map((part, index) => index % 2 === 1 ? html`<code>${part}</code>` : part)}</p>`;
  });
}
