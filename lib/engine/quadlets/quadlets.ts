import { type Core, hostOf } from "../core.ts";
import { EngineError } from "../errors.ts";
import type { QuadletShelf, ShelfFile } from "../ports/quadlet_port.ts";
import { compileFilter } from "../text/list_filters.ts";
import { convertQuadlets } from "./convert/convert_quadlets.ts";
import { unitInfo } from "./convert/unit_info.ts";
import { QuadletError } from "./quadlet_error.ts";
import { extensionOf, kindOf, readQuadlet } from "./quadlet_kinds.ts";
import { StoreShelf } from "./store_shelf.ts";
import { UNIT_LIMIT } from "./unit_file.ts";

/** Bytes of all files of one installation. */
export const QUADLET_LIMIT = 4 << 20;

const NONE = "no such quadlet";
/** A path that is there where systemd runs this machine. */
const SYSTEMD = "/run/systemd/system";

/** A quadlet in a list. */
export interface QuadletEntry {
  name: string;
  /** Its unit: `web.service`; empty for a file that is none. */
  unitName: string;
  /** Its file; its name alone where the engine's own store has it. */
  path: string;
  /** Why nothing is known of its unit, or what is wrong with the file. */
  status: string;
  /** The `.pod` of a container. */
  pod: string;
}

/** The outcome of a removal. */
export interface QuadletRemoval {
  removed: string[];
  errors: Map<string, EngineError>;
}

/**
 * The quadlets that are installed: on a host in the folder where Podman and systemd's generator look, elsewhere in the engine's
 * own store. The engine runs no units: where systemd runs the machine they are its own, once it has reloaded.
 */
export class Quadlets {
  readonly #core: Core;
  readonly #shelf: QuadletShelf;

  constructor(core: Core) {
    this.#core = core;
    // The table is known also to an engine with a host, whose shelf is a folder.
    const store = new StoreShelf(core.state);
    this.#shelf = hostOf(core)?.quadlets ?? store;
  }

  /** Whether there is one of this name. Throws `invalid` for a name that is no quadlet's. */
  async exists(name: string): Promise<boolean> {
    requireKind(name);
    return (await this.#shelf.list()).includes(name);
  }

  /** The text of a quadlet. Throws `no_such_quadlet`. */
  async text(name: string): Promise<string> {
    const isNamed = kindOf(name) !== undefined && isPlain(name);
    const content = isNamed ? await this.#shelf.read(name, QUADLET_LIMIT) : undefined;
    if (content === undefined) throw noSuchQuadlet(name);
    return new TextDecoder().decode(content);
  }

  /**
   * Installs one quadlet with the files that belong to it, all or nothing.
   *
   * @returns The path of each file by its name
   * @throws `EngineError("invalid")`: no quadlet, several, one that is there unless it may be replaced, or one that is wrong, by
   *   file, line and key
   */
  async install(files: readonly ShelfFile[], { replace = false } = {}): Promise<Map<string, string>> {
    if (files.length === 0) throw new EngineError("invalid", "no files found in request");
    const [quadlet, ...more] = files.filter(({ name }) => kindOf(name) !== undefined);
    if (quadlet === undefined) throw new EngineError("invalid", "no quadlet files found in request");
    if (more.length > 0) throw new EngineError("invalid", "only a single quadlet file is allowed per request");
    const names = new Set<string>();
    for (const { name } of files) {
      if (!isPlain(name)) throw new EngineError("invalid", `"${name}" is not the plain name of a file`);
      if (names.has(name)) throw new EngineError("invalid", `"${name}" is given twice`);
      names.add(name);
    }
    checkQuadlet(quadlet);
    return await this.#core.locks.with("quadlets", async () => {
      const known = new Set(await this.#shelf.list());
      const taken = [quadlet, ...files].find(({ name }) => known.has(name));
      if (taken !== undefined && !replace) {
        const why = `a Quadlet with name ${taken.name} already exists, refusing to overwrite`;
        throw new EngineError("invalid", `errors occurred installing some Quadlets: ${taken.name}: ${why}`, {
          sentinel: why,
        });
      }
      const assets = files.filter((file) => file !== quadlet);
      const list = `${assets.map(({ name }) => name).join("\n")}\n`;
      const note = { name: assetList(quadlet.name), content: new TextEncoder().encode(list) };
      // An older list names files that may not belong to the quadlet any more.
      const gone = (await this.#assets(quadlet.name)).filter((name) => !names.has(name));
      await this.#shelf.write([...files, ...assets.length > 0 ? [note] : []]);
      await this.#shelf.remove([...gone, ...assets.length > 0 ? [] : [note.name]]);
      return new Map(files.map(({ name }) => [name, this.#path(name)]));
    });
  }

  /** Lists the quadlets that any value of every filter fits (`name`, `status`, `pod`), by their names. Throws `invalid`. */
  async list(filters: Readonly<Record<string, readonly string[]>> = {}): Promise<QuadletEntry[]> {
    const tests = Object.entries(filters).map(([key, values]) => {
      if (key !== "name" && key !== "status" && key !== "pod") {
        throw new EngineError("invalid", `${key} is not a valid filter`);
      }
      const patterns = values.map((text) => compileFilter(text) ?? ((value: string) => value === text));
      return (entry: QuadletEntry) => patterns.some((fits) => fits(entry[key]));
    });
    const names = (await this.#shelf.list()).filter((name) => kindOf(name) !== undefined);
    const status = await this.#status();
    const entries = await Promise.all(names.map((name) => this.#entry(name, status)));
    return entries.filter((entry) => tests.every((fits) => fits(entry)));
  }

  /** Removes quadlets with the files that came with them; every error is told by name. */
  async remove(names: readonly string[], { ignore = false } = {}): Promise<QuadletRemoval> {
    return await this.#core.locks.with("quadlets", async () => {
      const known = new Set(await this.#shelf.list());
      const removal: QuadletRemoval = { removed: [], errors: new Map() };
      for (const name of new Set(names)) {
        try {
          if (!ignore) requireKind(name);
          if (known.has(name) && kindOf(name) !== undefined) {
            await this.#shelf.remove([...await this.#assets(name), assetList(name), name]);
          } else if (!ignore) {
            throw noSuchQuadlet(name);
          }
          removal.removed.push(name);
        } catch (error) {
          if (!(error instanceof EngineError)) throw error;
          removal.errors.set(name, error);
        }
      }
      return removal;
    });
  }

  /** Removes all of them. */
  async removeAll(): Promise<QuadletRemoval> {
    const names = await this.#shelf.list();
    return await this.remove(names.filter((name) => kindOf(name) !== undefined), { ignore: true });
  }

  async #entry(name: string, status: string): Promise<QuadletEntry> {
    const entry = { name, unitName: "", path: this.#path(name), status, pod: "" };
    try {
      const { unit, kind } = readQuadlet({ name, text: await this.text(name) });
      return { ...entry, unitName: unitInfo(unit, kind).service, pod: unit.value("Container", "Pod") ?? "" };
    } catch (error) {
      // A file that somebody else put into the folder is listed with what is wrong with it.
      if (error instanceof EngineError) return { ...entry, status: error.message };
      throw error;
    }
  }

  /** The files that came with a quadlet, in the form in which Podman notes them. */
  async #assets(name: string): Promise<string[]> {
    const list = await this.#shelf.read(assetList(name), UNIT_LIMIT);
    if (list === undefined) return [];
    const names = new TextDecoder().decode(list).split("\n").map((line) => line.trim());
    return names.filter((asset) => isPlain(asset) && kindOf(asset) === undefined);
  }

  #path(name: string): string {
    return this.#shelf.folder === "" ? name : `${this.#shelf.folder}/${name}`;
  }

  async #status(): Promise<string> {
    const isRun = await hostOf(this.#core)?.files.exists(SYSTEMD) ?? false;
    return isRun ? "Unknown (the engine does not ask systemd)" : "Not loaded (there is no systemd to run it)";
  }
}

/** Refuses a quadlet that is wrong in itself; what another file may mend is left to the conversion. */
function checkQuadlet({ name, content }: ShelfFile): void {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new QuadletError({ file: name }, "not UTF-8");
  }
  try {
    convertQuadlets([{ name, text }]);
  } catch (error) {
    if (!(error instanceof QuadletError && error.isMendable)) throw error;
  }
}

function requireKind(name: string): void {
  if (kindOf(name) !== undefined && isPlain(name)) return;
  const end = extensionOf(name);
  throw new EngineError("invalid", `"${end === "" ? "" : `.${end}`}" is not a supported quadlet file type`);
}

function assetList(name: string): string {
  return `.${name}.asset`;
}

/** Whether a name is that of a file in the folder itself, and not one that is hidden there. */
function isPlain(name: string): boolean {
  return /^[^./\0\n][^/\0\n]{0,254}$/.test(name);
}

function noSuchQuadlet(name: string): EngineError {
  return new EngineError("no_such_quadlet", `no such quadlet: ${name}: ${NONE}`, { sentinel: NONE });
}
