import type { PageElement } from "../dom.ts";
import type { FormReader } from "../requests.ts";
import type { ScreenView } from "./screen_view.ts";
import type { MakeElement } from "../view.ts";

/** The rows of a console to begin with. */
const ROWS = 24;
/** A side of a terminal is told in 16 bits, and no view is as large. */
const MOST = 1000;

/** The size of a console: two fields, where an operation takes it. */
export class SizeFields {
  readonly elements: readonly PageElement[];
  readonly #form: PageElement;
  readonly #reader: FormReader;
  /** The address of the size, as the form was when the console was opened: it may be changed for the next one. */
  readonly #address: string | undefined;
  readonly #columns: PageElement;
  readonly #rows: PageElement;
  readonly #note: PageElement;
  #isTelling = false;
  #isOld = false;

  constructor(form: PageElement, reader: FormReader, make: MakeElement) {
    this.#form = form;
    this.#reader = reader;
    const { sizePath } = form.dataset;
    this.#address = sizePath === undefined ? undefined : reader.beside(form, sizePath);
    const field = (label: string) => {
      const made = make("input", "cells");
      made.setAttribute("type", "number");
      made.setAttribute("min", "1");
      made.setAttribute("max", String(MOST));
      made.setAttribute("aria-label", label);
      return made;
    };
    this.#columns = field("Columns");
    this.#rows = field("Rows");
    this.#note = make("small", "");
    const shown = this.#address === undefined ? [] : [this.#columns, "×", this.#rows, this.#note];
    this.elements = shown.length === 0 ? [] : [make("span", "size", ...shown)];
  }

  /** Begins with the form's own size, else with what fits in the view. */
  fit(view: ScreenView): void {
    const { rows = "", columns = "" } = this.#form.dataset;
    const own = (name: string) => name === "" ? "" : this.#ownField(name)?.value ?? "";
    this.#columns.value = own(columns) || String(view.fittingColumns());
    this.#rows.value = own(rows) || String(ROWS);
    this.#apply(view);
  }

  /** Adds the size to the query that opens the console, where that has one. */
  addTo(query: URLSearchParams): void {
    for (const [name, value] of this.#named()) if (this.#ownField(name) !== null) query.set(name, value);
  }

  /** Tells the size whenever it changes; and now, where the console was opened without. */
  follow(view: ScreenView): void {
    const tell = () => {
      this.#apply(view);
      void this.#tell();
    };
    for (const field of [this.#columns, this.#rows]) field.addEventListener("change", tell);
    if (this.#named().some(([name]) => this.#ownField(name) === null)) void this.#tell();
  }

  /** The console has ended: its size can no longer be changed. */
  close(): void {
    this.#columns.disabled = true;
    this.#rows.disabled = true;
  }

  #apply(view: ScreenView): void {
    const side = (field: PageElement) => Math.max(1, Math.min(MOST, Math.round(Number(field.value)) || 1));
    view.screen.columns = side(this.#columns);
    view.screen.rows = side(this.#rows);
    this.#columns.value = String(view.screen.columns);
    this.#rows.value = String(view.screen.rows);
  }

  /** Tells the size; one that changes meanwhile is told next, so that the last one counts. */
  async #tell(): Promise<void> {
    this.#isOld = true;
    if (this.#isTelling) return;
    this.#isTelling = true;
    while (this.#isOld) {
      this.#isOld = false;
      await this.#send();
    }
    this.#isTelling = false;
  }

  async #send(): Promise<void> {
    if (this.#address === undefined || this.#columns.disabled) return;
    const { sizeMethod: method } = this.#form.dataset;
    const url = new URL(this.#address);
    for (const [name, value] of this.#named()) url.searchParams.set(name, value);
    try {
      const response = await fetch(url, { method, headers: this.#reader.common() });
      // Without a terminal there is no size, and before the start there is none yet.
      this.#note.textContent = response.ok ? "" : `size not set (${response.status})`;
      await response.body?.cancel();
    } catch {
      this.#note.textContent = "size not set";
    }
  }

  #named(): [name: string, value: string][] {
    const { rows, columns } = this.#form.dataset;
    if (rows === undefined || columns === undefined) return [];
    return [[rows, this.#rows.value], [columns, this.#columns.value]];
  }

  #ownField(name: string): PageElement | null {
    return this.#form.querySelector(`[data-in=query][name="${name}"]`);
  }
}
