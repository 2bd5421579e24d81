import { makeButton, type MakeElement } from "../view.ts";
import type { PageElement, PageEvent } from "../dom.ts";

/** The lines that the arrow keys bring back. */
const REMEMBERED = 100;

/** A line to type, and buttons for the keys that a line does not have. */
export class TypedLine {
  readonly element: PageElement;
  readonly tools: PageElement;
  readonly #field: PageElement;
  readonly #controls: readonly PageElement[];
  readonly #send: (bytes: Uint8Array<ArrayBuffer>) => boolean;
  readonly #lines: string[] = [];
  /** The line that is shown: past the last one it is the one being typed. */
  #place = 0;
  #draft = "";

  /** `send` tells whether it took the bytes: a line that it did not take stays in the field. */
  constructor(make: MakeElement, send: (bytes: Uint8Array<ArrayBuffer>) => boolean) {
    this.#send = send;
    this.#field = make("input", "typed");
    this.#field.setAttribute("aria-label", "Line to send");
    this.#field.setAttribute("placeholder", "a line, sent by Enter");
    this.#field.setAttribute("autocomplete", "off");
    this.#field.setAttribute("spellcheck", "false");
    this.#field.addEventListener("keydown", (event) => this.#press(event));
    this.#field.addEventListener("paste", (event) => this.#paste(event));
    const key = (text: string, title: string, bytes: string, after = () => this.focus()) => {
      const button = makeButton(make, text, () => {
        if (send(new TextEncoder().encode(bytes))) after();
      });
      button.setAttribute("title", title);
      return button;
    };
    const keys = [
      key("Ctrl+C", "Interrupt the program of a terminal", "\x03"),
      key("Ctrl+D", "End the input of a terminal's program", "\x04"),
      key("End input", "End standard input: nothing more can be sent", "", () => this.close()),
    ];
    const button = makeButton(make, "Send", () => this.#sendLine());
    this.tools = make("span", "tools", ...keys);
    this.element = make("div", "typing", this.#field, button);
    this.#controls = [this.#field, button, ...keys];
  }

  focus(): void {
    this.#field.focus();
  }

  /** Takes nothing more. */
  close(): void {
    for (const control of this.#controls) control.disabled = true;
  }

  remove(): void {
    this.element.remove();
    this.tools.remove();
  }

  /** Returns whether the line was taken. */
  #sendLine(): boolean {
    const { value } = this.#field;
    if (!this.#send(new TextEncoder().encode(`${value}\n`))) return false;
    if (value !== "" && this.#lines.at(-1) !== value) this.#lines.push(value);
    if (this.#lines.length > REMEMBERED) this.#lines.shift();
    this.#place = this.#lines.length;
    this.#field.value = this.#draft = "";
    return true;
  }

  #press(event: PageEvent): void {
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    // The Enter that ends the writing of a character is not that of the line.
    if (event.isComposing || event.key !== "Enter" && step === 0) return;
    // The form around it would be sent.
    event.preventDefault();
    if (step === 0) return void this.#sendLine();
    if (this.#place === this.#lines.length) this.#draft = this.#field.value;
    this.#place = Math.max(0, Math.min(this.#lines.length, this.#place + step));
    this.#field.value = this.#lines[this.#place] ?? this.#draft;
  }

  /** Sends the whole lines of what is pasted, as a terminal does: a field would make one line of them. */
  #paste(event: PageEvent): void {
    const text = event.clipboardData?.getData("text") ?? "";
    if (!/[\r\n]/.test(text)) return;
    event.preventDefault();
    const { value, selectionStart, selectionEnd } = this.#field;
    const whole = value.slice(0, selectionStart ?? value.length) + text + value.slice(selectionEnd ?? value.length);
    const lines = whole.split(/\r\n|\r|\n/);
    while (lines.length > 1) {
      this.#field.value = lines[0];
      // A line that is not taken stays.
      if (!this.#sendLine()) break;
      lines.shift();
    }
    this.#field.value = lines.join(" ");
  }
}
