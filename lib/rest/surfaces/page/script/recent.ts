import type { PageDocument } from "./dom.ts";

/** The values that are offered. */
const KEPT = 30;
/** Longer answers are not looked through. */
const LONGEST = 1 << 20;
const NAMES = ["Id", "ID", "id", "Name", "name"];

/** Remembers the names and IDs of answers in JSON, to offer them where a path needs one. */
export class RecentNames {
  readonly #document: PageDocument;
  #values: string[] = [];

  constructor(document: PageDocument) {
    this.#document = document;
  }

  /** Takes an answer. */
  add(text: string): void {
    const found = namesIn(text);
    if (found.length === 0) return;
    this.#values = [...new Set([...found, ...this.#values])].slice(0, KEPT);
    const options = this.#values.map((value) => {
      const option = this.#document.createElement("option");
      option.value = value;
      return option;
    });
    this.#document.getElementById("page-recent")?.replaceChildren(...options);
  }
}

/** Returns the names and IDs at the top of JSON: of an object, or of each one in a list. */
export function namesIn(text: string): string[] {
  if (text.length > LONGEST) return [];
  try {
    const value: unknown = JSON.parse(text);
    return [value].flat().slice(0, KEPT).flatMap((one) => {
      if (typeof one !== "object" || one === null) return [];
      const fields = one as Record<string, unknown>;
      const values = NAMES.map((name) => Object.hasOwn(fields, name) ? fields[name] : undefined);
      return values.filter((found) => typeof found === "string" && found !== "" && found.length < 200) as string[];
    });
  } catch {
    return [];
  }
}
