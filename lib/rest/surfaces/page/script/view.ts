import type { PageDocument, PageElement } from "./dom.ts";

/** Makes elements of the page. */
export type MakeElement = (name: string, className: string, ...content: (PageElement | string)[]) => PageElement;

/** Returns the maker of a document's elements. Their content is text, never HTML. */
export function elementMaker(document: PageDocument): MakeElement {
  return (name, className, ...content) => {
    const made = document.createElement(name);
    made.className = className;
    made.append(...content);
    return made;
  };
}

/** Makes a button that calls a function, with its own element. */
export function makeButton(make: MakeElement, text: string, press: (button: PageElement) => void): PageElement {
  const button = make("button", "small", text);
  button.setAttribute("type", "button");
  button.addEventListener("click", () => press(button));
  return button;
}

/** The state of a channel or a console, shown and told. */
export class StateView {
  readonly element: PageElement;
  readonly #tell: (text: string) => void;

  /** `tell` tells a reader who does not see the page. */
  constructor(make: MakeElement, tell: (text: string) => void) {
    this.#tell = tell;
    this.element = make("span", "status");
    this.set("Opening");
  }

  set(text: string, kind: "good" | "bad" | "" = ""): void {
    if (this.element.textContent === text) return;
    this.element.className = `status ${kind}`.trim();
    this.element.textContent = text;
    this.#tell(text);
  }
}
