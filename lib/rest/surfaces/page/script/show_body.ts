import { DUMPED, hexDump, previewOf, sizeText } from "./bytes.ts";
import type { PageElement } from "./dom.ts";
import { indentJSON } from "./indent_json.ts";
import type { MakeElement } from "./view.ts";

/** The characters of a text that stay in sight. */
const LONGEST = 200_000;
/** The characters of JSON that are kept, to indent it. */
const LONGEST_JSON = 4_000_000;
/** The types of bodies that are text. Others, as those of office documents, may have such words within. */
const TEXT = /^text\/|^application\/x-www-form-urlencoded$|[/+](x-)?(nd)?(json|xml|yaml|javascript)(l|-seq)?$/;
/** The bytes of a body that is no text which the page keeps, to show and to save them. */
const KEPT = 64 << 20;

/** The addresses of the files that an answer holds: what they name is kept until they are given back. */
const files = new WeakMap<PageElement, string[]>();

/** Gives back the files of an answer that is to be shown no more. */
export function forgetFiles(answer: PageElement): void {
  for (const url of files.get(answer) ?? []) URL.revokeObjectURL(url);
  files.delete(answer);
}

/**
 * Shows the body of a response as it comes: a text, an image, or how its bytes begin.
 *
 * @param whole Called with a body of JSON that was shown whole
 */
export async function showBody(
  response: Response,
  answer: PageElement,
  make: MakeElement,
  whole: (text: string) => void = () => {},
): Promise<void> {
  const type = response.headers.get("content-type") ?? "";
  if (response.body === null || response.status === 204) return answer.append(make("p", "note", "No body"));
  const essence = type.split(";")[0].trim().toLowerCase();
  if (TEXT.test(essence) && !/^image\//.test(essence)) await showText(response.body, type);
  else await showBytes(response.body, type);

  async function showText(body: ReadableStream<Uint8Array<ArrayBuffer>>, type: string): Promise<void> {
    const shown = textElement();
    answer.append(shown);
    const isJSON = /json/.test(type);
    let text = "";
    let size = 0;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.length;
      if (isJSON) {
        // Read from its top: what does not fit is at its end.
        if (text.length < LONGEST_JSON) text = (text + part.value).slice(0, LONGEST_JSON);
        if (shown.textContent === "" || size < LONGEST) shown.textContent = beginningOf(text);
        continue;
      }
      // A character of two units is not cut between them.
      text = (text + part.value).slice(-LONGEST).replace(/^[\udc00-\udfff]/, "");
      shown.textContent = text;
      shown.scrollTop = shown.scrollHeight;
    }
    if (text === "") answer.append(make("p", "note", "An empty body"));
    if (!isJSON) {
      if (size > text.length) answer.append(make("p", "note", `The last ${text.length} characters of ${size}`));
      return;
    }
    const indented = size > text.length ? text : indentJSON(text);
    shown.textContent = beginningOf(indented);
    shown.scrollTop = 0;
    if (indented.length > LONGEST) {
      answer.append(make("p", "note", `The first ${LONGEST} characters of ${Math.max(size, indented.length)}`));
    }
    if (size === text.length) whole(text);
  }

  async function showBytes(body: ReadableStream<Uint8Array<ArrayBuffer>>, type: string): Promise<void> {
    const note = make("p", "note", "…");
    const place = make("div", "preview");
    answer.append(note, place);
    const kept: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    const about = () => `${sizeText(size)} of ${type || "unknown type"}`;
    const reader = body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (size < KEPT) kept.push(part.value);
      const isStart = size < DUMPED;
      size += part.value.length;
      note.textContent = about();
      // The beginning of a body that does not end is in sight all the same.
      if (isStart) await showStart(new Blob(kept), place);
    }
    if (size > KEPT) {
      note.textContent = `${about()}, too many to keep`;
      return;
    }
    const file = new Blob(kept, { type });
    const preview = previewOf(type, await startOf(file));
    if (preview.as === "image") showImage(new Blob(kept, { type: preview.type }), place);
    if (preview.as === "text") {
      const text = await file.text();
      place.replaceChildren(textElement(beginningOf(text)));
      if (text.length > LONGEST) place.append(make("p", "note", `The first ${LONGEST} characters of ${text.length}`));
    }
    const link = make("a", "", "Save");
    link.setAttribute("href", addressOf(file));
    link.setAttribute("download", "answer");
    note.append(" · ", link);
  }

  async function showStart(start: Blob, place: PageElement): Promise<void> {
    const bytes = await startOf(start);
    const { as } = previewOf(type, bytes);
    const dump = textElement(as === "text" ? new TextDecoder().decode(bytes) : hexDump(bytes));
    if (as === "bytes") dump.className += " dump";
    if (as !== "image") place.replaceChildren(dump);
  }

  function showImage(file: Blob, place: PageElement): void {
    const image = make("img", "");
    image.setAttribute("alt", "The image that was answered");
    image.addEventListener("error", async () => {
      place.replaceChildren(
        make("p", "failed", "No image that this browser shows"),
        textElement(hexDump(await startOf(file))),
      );
    });
    image.setAttribute("src", addressOf(file));
    place.replaceChildren(image);
  }

  function addressOf(file: Blob): string {
    const url = URL.createObjectURL(file);
    files.set(answer, [...files.get(answer) ?? [], url]);
    return url;
  }

  /** A text that is scrolled by the keyboard too. */
  function textElement(text = ""): PageElement {
    const shown = make("pre", "body", text);
    shown.setAttribute("tabindex", "0");
    return shown;
  }
}

/** The characters of a text that stay in sight, from its beginning. */
function beginningOf(text: string): string {
  return text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, "");
}

async function startOf(file: Blob): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(0, DUMPED).arrayBuffer());
}
