import { fromBase64, toBase64 } from "../../oci/bytes/base64.ts";
import { EngineError } from "../errors.ts";
import type { QuadletShelf, ShelfFile } from "../ports/quadlet_port.ts";
import type { State } from "../store/state.ts";
import type { Table } from "../store/table.ts";

/** A file as stored. */
interface Shelved {
  /** Base64. */
  data: string;
}

/** The quadlets in the engine's own store, where there is no host: a database, or the memory. */
export class StoreShelf implements QuadletShelf {
  /** There is none: files have their plain names as paths. */
  readonly folder = "";
  readonly #state: State;
  readonly #files: Table<Shelved>;

  constructor(state: State) {
    this.#state = state;
    this.#files = state.table("quadlets");
  }

  list(): Promise<string[]> {
    return Promise.resolve([...this.#files.keys()].sort());
  }

  read(name: string, limit: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const file = this.#files.get(name);
    if (file === undefined) return Promise.resolve(undefined);
    const content = fromBase64(file.data);
    if (content.length > limit) throw new EngineError("limit", `Read ${name}: larger than ${limit} bytes`);
    return Promise.resolve(content);
  }

  /** There are none: only plain names can be installed. */
  dropIns(): Promise<ShelfFile[]> {
    return Promise.resolve([]);
  }

  async write(files: readonly ShelfFile[]): Promise<void> {
    await this.#state.commit(files.map(({ name, content }) => this.#files.put(name, { data: toBase64(content) })));
  }

  async remove(names: readonly string[]): Promise<void> {
    await this.#state.commit(names.filter((name) => this.#files.has(name)).map((name) => this.#files.drop(name)));
  }
}
