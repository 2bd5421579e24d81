import type { EngineEvent } from "./events.ts";

/** Letters of an ID that are kept: four digits of a random one tell it from tens of thousands of others. */
const HEAD = 4;
/** If more than one in so many events may fit, reading them all is as fast as reading them one by one. */
const SPARSE = 16;
/** Events for which there is room at first. */
const FIRST_ROOM = 1024;

/** The parts of an event by which it is found. */
type Subject = Pick<EngineEvent, "id" | "name">;

/**
 * Finds events of the store by what they are about, without reading them: by a name as a whole, or by the beginning of an ID. It has eight bytes
 * of each, so that it tells of some which do not fit, and never passes one over that does.
 */
export class EventIndex {
  /** The number of the event that the first entry is of. */
  #first = 1;
  #size = 0;
  #names = new Uint32Array(0);
  #heads = new Uint32Array(0);

  /** The number of the newest event in the index; events are added in their order. */
  get last(): number {
    return this.#first + this.#size - 1;
  }

  /** Adds an event that is newer than all others. Numbers that are passed over belong to no event. */
  add(seq: number, subject: Subject): void {
    if (this.#size === 0) this.#first = seq;
    const place = seq - this.#first;
    this.#makeRoom(place + 1);
    // One without a name is found by its ID alone, whose hash is as good as any.
    this.#names[place] = hashName(subject.name ?? subject.id);
    this.#heads[place] = packHead(subject.id);
    this.#size = place + 1;
  }

  /** Forgets the events before a number: the store has dropped them. */
  forget(first: number): void {
    const gone = Math.min(first - this.#first, this.#size);
    // In large pieces: what stays is moved.
    if (gone < this.#size / 2 || gone < FIRST_ROOM) return;
    this.#names = this.#names.slice(gone, this.#size);
    this.#heads = this.#heads.slice(gone, this.#size);
    this.#first += gone;
    this.#size -= gone;
  }

  /**
   * The numbers, in order, of the events after one whose name may be one of the texts, or whose ID may begin with one; `undefined` where
   * that may be too many for reading them one by one.
   */
  find(after: number, texts: readonly string[]): number[] | undefined {
    const from = Math.max(0, after + 1 - this.#first);
    const most = Math.max(0, this.#size - from) / SPARSE;
    const wanted = texts.map((text) => ({ name: hashName(text), head: packHead(text), mask: maskOf(text) }));
    const found: number[] = [];
    for (let place = from; place < this.#size; place++) {
      const [name, head] = [this.#names[place], this.#heads[place]];
      for (const one of wanted) {
        if (name !== one.name && ((head ^ one.head) & one.mask) !== 0) continue;
        if (found.length >= most) return undefined;
        found.push(this.#first + place);
        break;
      }
    }
    return found;
  }

  #makeRoom(size: number): void {
    if (size <= this.#names.length) return;
    const room = Math.max(FIRST_ROOM, 2 ** Math.ceil(Math.log2(size)));
    const [names, heads] = [new Uint32Array(room), new Uint32Array(room)];
    names.set(this.#names);
    heads.set(this.#heads);
    [this.#names, this.#heads] = [names, heads];
  }
}

/** FNV-1a, of 32 bits. */
function hashName(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** The first letters, a byte of each. */
function packHead(text: string): number {
  let head = 0;
  for (let i = 0; i < HEAD; i++) head = head << 8 | (i < text.length ? text.charCodeAt(i) & 0xff : 0);
  return head >>> 0;
}

/** The bits of a head that a text decides. */
function maskOf({ length }: string): number {
  return length >= HEAD ? -1 : length === 0 ? 0 : -1 << 8 * (HEAD - length);
}
