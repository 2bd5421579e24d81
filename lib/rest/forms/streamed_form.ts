import type { PartHead, Parts } from "../codecs/multipart_parts.ts";
import { HTTPError } from "../error.ts";
import { isStream, type Kind } from "../plan/kind.ts";
import { type Deferred, makeDeferred } from "../run/deferred.ts";
import { namePart } from "./part_info.ts";

/** The names of the fields of a form that are streams, in order. */
export function streamedNames(kind: Kind | undefined): string[] {
  if (kind?.type !== "struct") return [];
  return [...kind.fields].filter(([, field]) => isStream(field.kind)).map(([name]) => name);
}

/** Whether a field of a form is a stream that may be left out. */
export function isOptionalPart(kind: Kind, name: string): boolean {
  return kind.type === "struct" && kind.fields.get(name)?.kind.type === "stream?";
}

const forms = /* @__PURE__ */ new WeakMap<object, StreamedForm>();

/** The form that one of these values is a streamed part of. */
export function formOf(values: readonly unknown[]): StreamedForm | undefined {
  return values.map((value) => forms.get(Object(value))).find((form) => form !== undefined);
}

/**
 * The streamed parts of a form, of which the fields have been read: one stream for each, read from the same body one after the other.
 *
 * A part is read no faster than its stream. One whose stream is cancelled is passed over, and the body is cancelled with the last.
 */
export class StreamedForm {
  readonly streams: readonly ReadableStream<Uint8Array>[];
  readonly #parts: Parts;
  readonly #names: readonly string[];
  /** Settled when the head of each part has been read, or will not be. */
  readonly #begun: readonly Deferred<void>[];
  readonly #cancelled = new Set<number>();
  /** The part that the body has reached. */
  #current = 0;
  /** The last pull of each part. */
  readonly #pulls: Promise<void>[] = [];
  #left: { readonly reason: unknown } | undefined;
  /** Bytes of the first part that have been read before it was known to be one. */
  #ahead: Uint8Array | undefined;

  /**
   * @param first The head of the first streamed part, which has just been read
   * @param ahead The first bytes of that part, if these have been read too
   */
  constructor(parts: Parts, names: readonly string[], first: PartHead, ahead?: Uint8Array) {
    this.#parts = parts;
    this.#ahead = ahead;
    this.#names = names;
    this.#begun = names.map(() => makeDeferred<void>());
    // One that nobody reads may fail unheard.
    for (const { promise } of this.#begun) promise.catch(() => {});
    this.streams = names.map((_, index) =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => this.#pulls[index] = this.#pull(index, controller),
        cancel: () => this.#cancel(index),
      }, { highWaterMark: 0 })
    );
    for (const stream of this.streams) forms.set(stream, this);
    this.#begin(0, first);
  }

  /** Reads nothing more: the sender is told, and who still reads gets an error. */
  leave(reason: unknown = new Error("Read a form: the call is over")): void {
    if (this.#left) return;
    this.#left = { reason };
    for (const { reject } of this.#begun) reject(reason);
    void this.#parts.close(reason);
  }

  async #pull(index: number, controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    await this.#turn(index);
    // Cancelled meanwhile, it is passed over.
    if (!this.#cancelled.has(index)) await this.#read(index, controller);
  }

  /** Waits until the body has reached a part. */
  async #turn(index: number): Promise<void> {
    const isIdle = () => index > this.#current && !this.#left && !this.streams[this.#current].locked;
    // A function that reads all of them at once has begun with the first one by the next turn of the event loop.
    if (isIdle()) await new Promise((resolve) => setTimeout(resolve));
    if (isIdle()) {
      const [before, name] = [this.#names[this.#current], this.#names[index]];
      throw new TypeError(`Read "${name}": "${before}" comes before it in the form: read or cancel that first`);
    }
    await this.#begun[index].promise;
  }

  async #read(index: number, controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const bytes = this.#ahead ?? await this.#parts.piece();
      this.#ahead = undefined;
      if (bytes === undefined) await this.#advance(index);
      if (this.#cancelled.has(index)) return;
      if (bytes === undefined) controller.close();
      else controller.enqueue(bytes);
    } catch (cause) {
      const error = this.#left ? this.#left.reason : formError(cause);
      this.leave(error);
      throw error;
    }
  }

  /** Goes on to the part behind one that has ended. A fault behind the last is its error, else that of the next. */
  async #advance(index: number): Promise<void> {
    const [next, name] = [index + 1, this.#names[index + 1]];
    try {
      const head = await this.#parts.next();
      if (head?.name !== name) {
        throw new SyntaxError(head ? misplacedPart(head, this.#names, index) : missingPart(name));
      }
      if (head) this.#begin(next, head);
    } catch (cause) {
      if (name === undefined) throw cause;
      this.#current = next;
      this.leave(this.#left ? this.#left.reason : formError(cause));
    }
  }

  #begin(index: number, { filename, type }: PartHead): void {
    this.#current = index;
    namePart(this.streams[index], { filename, type });
    this.#begun[index].resolve();
    if (this.#cancelled.has(index)) this.#cancel(index);
  }

  #cancel(index: number): void {
    this.#cancelled.add(index);
    // One that has not been reached is passed over then.
    if (index !== this.#current) return;
    if (index === this.#names.length - 1) return this.leave();
    const pass = async () => {
      await this.#pulls[index];
      while (this.#current === index && await this.#parts.piece());
      if (this.#current === index) await this.#advance(index);
    };
    pass().catch((cause) => this.leave(formError(cause)));
  }
}

/** Says that a streamed part is not there. */
export function missingPart(name: string): string {
  return `the streamed part "${name}" is missing`;
}

/** Says what stands in the wrong place, and what would be right. */
export function misplacedPart({ name }: PartHead, names: readonly string[], behind?: number): string {
  const place = behind === undefined ? "too early" : `behind the streamed part "${names[behind]}"`;
  return `"${name}" comes ${place}: fields come first, then ${names.map((name) => `"${name}"`).join(", then ")}`;
}

/** The error of a form that cannot be read on: the sender's fault. */
export function formError(cause: unknown): HTTPError {
  if (cause instanceof HTTPError) return cause;
  const detail = cause instanceof SyntaxError ? cause.message : "it was cut short";
  return new HTTPError(400, `Read the body as multipart/form-data: ${detail}`, { kind: "body", cause });
}
