/**
 * As much of the DOM as the page's script uses. The library's own types would be those of every module that is checked together
 * with this one, servers' modules too.
 *
 * @module
 */

/** An element; those that are controls have a name and a value. */
export interface PageElement {
  id: string;
  hidden: boolean;
  textContent: string | null;
  className: string;
  readonly dataset: Record<string, string | undefined>;
  readonly children: ArrayLike<PageElement>;
  readonly lastElementChild: PageElement | null;
  scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
  readonly clientWidth: number;
  readonly offsetWidth: number;
  readonly offsetTop: number;
  readonly offsetParent: PageElement | null;
  name: string;
  value: string;
  disabled: boolean;
  checked: boolean;
  /** Of a checkbox: neither checked nor not. */
  indeterminate: boolean;
  /** Of a text field: where its selection begins and ends. */
  readonly selectionStart: number | null;
  readonly selectionEnd: number | null;
  readonly type: string;
  readonly files?: ArrayLike<File> | null;
  append(...nodes: (PageElement | string)[]): void;
  replaceChildren(...nodes: (PageElement | string)[]): void;
  remove(): void;
  focus(): void;
  click(): void;
  select(): void;
  scrollIntoView(): void;
  closest(selector: string): PageElement | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  getAttribute(name: string): string | null;
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
  onclick: (() => void) | null;
  dispatchEvent(event: Event): boolean;
}

/** An event, of the mouse, the keyboard or a form. */
export interface PageEvent {
  readonly target: PageElement;
  readonly key: string;
  /** Whether a key belongs to a character that is being written with several. */
  readonly isComposing?: boolean;
  /** Of a paste: what is pasted. */
  readonly clipboardData?: { getData(type: string): string } | null;
  preventDefault(): void;
}

/** The document of the page. */
export interface PageDocument {
  readonly documentElement: PageElement;
  readonly body: PageElement;
  readonly activeElement: PageElement | null;
  getElementById(id: string): PageElement | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  createElement(name: string): PageElement;
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
}

/** The other members of a window. */
export interface PageWindow {
  readonly location: { readonly origin: string; readonly href: string; readonly hash: string };
  addEventListener(type: string, listener: () => void): void;
  readonly localStorage: { getItem(key: string): string | null; setItem(key: string, value: string): void };
  readonly navigator: { readonly clipboard?: { writeText(text: string): Promise<void> } };
  matchMedia(query: string): { readonly matches: boolean };
  IntersectionObserver: new (
    changed: (entries: readonly { target: PageElement; isIntersecting: boolean }[]) => void,
    options: { rootMargin: string },
  ) => { observe(element: PageElement): void };
}
