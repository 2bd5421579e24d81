/** Cases of what an engine without a kernel does with images, as data, and what replays them. */
import { assertEquals, assertMatch } from "@std/assert";
import { sha256 } from "../../fixtures/images/image_builder.ts";

/** Sends a request to one of two deployments. */
export type SendBytes = (
  at: Deployment,
  method: string,
  path: string,
  body?: { bytes: Uint8Array<ArrayBuffer>; type: string },
) => Promise<Response>;

/** Two deployments that know nothing of each other. */
export type Deployment = "first" | "second";

/**
 * One request, and what its answer must be. Words in capitals stand for what {@linkcode Replay} is given, and for what earlier
 * cases took.
 */
export interface EdgeCase {
  /** The operation's name in the family's `api.ts`. */
  readonly operation: string;
  readonly request: string;
  /** `first` by default. */
  readonly at?: Deployment;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is: bytes of the setting, or kept by an earlier case. */
  readonly bytes?: string;
  /** The type of `bytes`; a tar's by default. */
  readonly type?: string;
  readonly status: number;
  /** The answer's text must match. */
  readonly text?: RegExp;
  /** Keeps the answer's bytes under this name. */
  readonly keep?: string;
  /** Takes the first group of a match in the answer for a word of later cases. */
  readonly take?: Readonly<Record<string, RegExp>>;
  /** The answer is the same everywhere, byte for byte but for `take` and times. */
  readonly same?: true;
  /** About what workerd has not. */
  readonly onlyIn?: "workerd";
}

/** Answers that are the same in every place, by the case's number. */
export type Answers = Map<number, string>;

/** Replays cases in order. */
export class Replay {
  readonly #send: SendBytes;
  readonly #words: Map<string, string>;
  readonly #bytes: Map<string, Uint8Array<ArrayBuffer>>;
  /** What stands for words that only this replay has. */
  readonly #own = new Set<string>(["TARGET"]);
  /** What has to be the same in every place. */
  readonly answers: Answers = new Map();

  constructor(send: SendBytes, words: Record<string, string>, bytes: Record<string, Uint8Array<ArrayBuffer>>) {
    this.#send = send;
    this.#words = new Map(Object.entries(words));
    this.#bytes = new Map(Object.entries(bytes));
  }

  /** What a word stands for. */
  word(name: string): string {
    return this.#words.get(name) ?? name;
  }

  /** Sends one case's request and checks the answer. */
  async run(one: EdgeCase, n: number): Promise<void> {
    const [method, path] = this.#fill(one.request).split(" ");
    const response = await this.#send(one.at ?? "first", method, path, this.#body(one));
    const whole = response.arrayBuffer().catch((cause) => {
      throw new Error(`${one.request}: the answer with ${response.status} breaks off`, { cause });
    });
    const bytes = new Uint8Array(await whole);
    const text = new TextDecoder().decode(bytes);
    assertEquals(response.status, one.status, `${one.request}: ${text.slice(0, 1000)}`);
    if (one.text) assertMatch(text, new RegExp(this.#fill(one.text.source), one.text.flags));
    for (const [name, pattern] of Object.entries(one.take ?? {})) {
      const [, found] = pattern.exec(text) ?? [];
      assertMatch(found ?? "", /./, `${one.request}: nothing like ${pattern} in ${text}`);
      this.#words.set(name, found);
      this.#own.add(name);
    }
    if (one.keep !== undefined) this.#bytes.set(one.keep, bytes);
    if (one.same) this.answers.set(n, one.keep === undefined ? this.#masked(text) : sha256(bytes));
  }

  #body({ json, bytes, type }: EdgeCase): { bytes: Uint8Array<ArrayBuffer>; type: string } | undefined {
    if (json !== undefined) {
      return { bytes: new TextEncoder().encode(this.#fill(JSON.stringify(json))), type: "application/json" };
    }
    if (bytes === undefined) return undefined;
    const found = this.#bytes.get(bytes);
    if (found === undefined) throw new Error(`Nothing is kept under "${bytes}"`);
    return { bytes: found, type: type ?? "application/x-tar" };
  }

  #fill(text: string): string {
    return text.replace(/\b[A-Z][A-Z0-9_]+\b/g, (word) => this.#words.get(word) ?? word);
  }

  /** The text with the words of this replay alone, and times, taken out. */
  #masked(text: string): string {
    let masked = text;
    for (const word of this.#own) masked = masked.replaceAll(this.word(word), word);
    return masked.replace(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, "TIME");
  }
}
