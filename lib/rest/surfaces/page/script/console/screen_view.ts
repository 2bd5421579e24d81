import type { PageElement } from "../dom.ts";
import { FrameReader } from "./frames.ts";
import { Screen } from "./screen.ts";
import type { MakeElement } from "../view.ts";

/** The view follows its screen at this pace, in milliseconds, however fast that is. */
const PACE = 50;

/** A program's output as an element that grows, and stays at its end while it is there. */
export class ScreenView {
  readonly element: PageElement;
  readonly screen = new Screen();
  readonly #frames: FrameReader;
  readonly #decoders = [new TextDecoder(), new TextDecoder()];
  readonly #make: MakeElement;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How many bytes have come. */
  size = 0;

  constructor(make: MakeElement, mayBeFramed: boolean) {
    this.#make = make;
    this.#frames = new FrameReader(mayBeFramed);
    this.element = make("div", "screen");
    this.element.setAttribute("tabindex", "0");
    this.element.setAttribute("role", "log");
    this.element.setAttribute("aria-label", "Output");
  }

  /** Takes bytes that have come. */
  write(bytes: Uint8Array): void {
    this.size += bytes.length;
    const pieces = this.#frames.read(bytes);
    // Frames are of no terminal: lines are as long as they are.
    if (this.#frames.isFramed) this.screen.rows = this.screen.columns = Infinity;
    this.element.className = this.screen.columns === Infinity ? "screen" : "screen fixed";
    for (const { isError, bytes: part } of pieces) {
      const text = this.#decoders[Number(isError)].decode(part, { stream: true });
      this.screen.write(text, isError ? "error" : "");
    }
    this.#timer ??= setTimeout(() => this.flush(), PACE);
  }

  /** Shows what waits. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { element } = this;
    const near = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
    const { gone, count, lines } = this.screen.take();
    for (let i = 0; i < gone && element.children.length > 0; i++) element.children[0].remove();
    while (element.children.length < count) element.append(this.#make("div", ""));
    for (const [place, runs] of lines) {
      const parts = runs.map(({ text, style }) => style === "" ? text : this.#make("span", style, text));
      element.children[place].replaceChildren(...parts);
    }
    if (near) element.scrollTop = element.scrollHeight;
  }

  /** Returns how many columns fit in the element, which has to be on the page. */
  fittingColumns(): number {
    const probe = this.#make("span", "", "0".repeat(10));
    this.element.append(probe);
    const width = probe.offsetWidth / 10;
    probe.remove();
    // The padding at both sides, and room for the bar that scrolls.
    return width > 0 ? Math.max(20, Math.min(200, Math.floor((this.element.clientWidth - 32) / width))) : 80;
  }
}
