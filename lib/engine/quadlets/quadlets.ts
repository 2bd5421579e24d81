import { type Core, hostOf } from "../core.ts";
import { EngineError } from "../errors.ts";
import type { QuadletShelf, ShelfFile } from "../ports/quadlet_port.ts";
import type { UnitManager } from "../ports/unit_port.ts";
import { fitsPattern } from "../text/list_filters.ts";
import { dropInsOf } from "./convert/convert_quadlets.ts";
import { unitInfo } from "./convert/unit_info.ts";
import { type FetchOptions, fetchQuadlet } from "./fetch_quadlet.ts";
import { kindOf, readQuadlet } from "./quadlet_kinds.ts";
import {
  assetList,
  checkQuadlet,
  isInstance,
  isPlain,
  noSuchQuadlet,
  QUADLET_LIMIT,
  requireKind,
} from "./quadlet_names.ts";
import { type LoadedUnits, loadUnits, readDropIns } from "./run/load_units.ts";
import type { UnitParts } from "./run/unit_parts.ts";
import { describeState } from "./run/unit_record.ts";
import { UnitRunner } from "./run/unit_runner.ts";
import type { InstallOptions, QuadletEntry, QuadletRemoval, QuadletRemovalOptions } from "./quadlet_options.ts";
import { StoreShelf } from "./store_shelf.ts";
import { type QuadletFile, UNIT_LIMIT } from "./unit_file.ts";

const RUNNING = "quadlet is running";
/** Bytes of a quadlet, or of a drop-in: a character takes four at most. */
const TEXT_LIMIT = UNIT_LIMIT * 4;

/**
 * The quadlets that are installed: on a host in the folder where Podman and systemd's generator look, elsewhere in the engine's
 * own store. Where systemd runs the machine their units are its own; elsewhere the engine runs them itself.
 */
export class Quadlets {
  readonly #core: Core;
  readonly #shelf: QuadletShelf;
  readonly #runner: UnitRunner;
  readonly #artifacts: UnitParts["artifacts"];

  constructor(core: Core, parts: UnitParts) {
    this.#core = core;
    this.#artifacts = parts.artifacts;
    // The table is known also to an engine with a host, whose shelf is a folder.
    const store = new StoreShelf(core.state);
    this.#shelf = hostOf(core)?.quadlets ?? store;
    this.#runner = new UnitRunner(core, parts, () => this.#load());
  }

  /**
   * Starts the unit of a quadlet, by the name of either, with all that it requires; also an instance of a template
   * (`web@blue.service`). Resolves when it is ready. Throws `EngineError`: `no_such_quadlet`, `unsupported` where there is no host,
   * `invalid`, or why it failed.
   */
  async start(name: string): Promise<void> {
    const manager = this.#manager();
    if (manager === undefined) return await this.#runner.start(name);
    await manager.start(await this.#unitOf(name));
  }

  /** Stops the unit of a quadlet, and before it those that need it. */
  async stop(name: string): Promise<void> {
    const manager = this.#manager();
    if (manager === undefined) return await this.#runner.stop(name);
    await manager.stop(await this.#unitOf(name));
  }

  /** Stops the unit of a quadlet if it runs, and starts it again, with those that had to stop with it. */
  async restart(name: string): Promise<void> {
    const manager = this.#manager();
    if (manager === undefined) return await this.#runner.restart(name);
    await manager.restart(await this.#unitOf(name));
  }

  /** Takes up the units of the last server, and starts those that `default.target` wants; the engine calls it once. */
  async recover(): Promise<void> {
    if (this.#manager() === undefined) await this.#runner.recover();
  }

  /** Resolves when no unit starts or stops behind an answer. */
  settled(): Promise<void> {
    return this.#runner.settled();
  }

  /** Watches units no longer. They go on. */
  close(): Promise<void> {
    return this.#runner.close();
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
   * Installs one quadlet with the files that belong to it, all or nothing. systemd reads its units anew; where there is none, the
   * engine starts the unit in the background if a target wants it. With `reload: false` neither happens.
   *
   * @returns The path of each file by its name
   * @throws `EngineError("invalid")`: no quadlet, several, one that is there unless it may be replaced, or one that is wrong, by
   *   file, line and key
   */
  async install(
    files: readonly ShelfFile[],
    { replace = false, reload = true }: InstallOptions = {},
  ): Promise<Map<string, string>> {
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
    const installed = await this.#core.locks.with("quadlets", async () => {
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
    if (reload) await (this.#manager()?.reload() ?? this.#runner.startWanted(new Set([quadlet.name])));
    return installed;
  }

  /**
   * Installs a quadlet from an address (`https://…/web.container`) or from an OCI artifact (`docker://quay.io/team/web:1`), whose
   * files are the quadlet and those that belong to it. Throws as {@linkcode fetchQuadlet} and {@linkcode Quadlets.install} do.
   */
  async installFrom(source: string, options: InstallOptions & FetchOptions = {}): Promise<Map<string, string>> {
    const files = await fetchQuadlet({ net: this.#core.ports.net, artifacts: this.#artifacts }, source, options);
    return await this.install(files, options);
  }

  /** Lists the quadlets that any value of every filter fits (`name`, `status`, `pod`), by their names. Throws `invalid`. */
  async list(filters: Readonly<Record<string, readonly string[]>> = {}): Promise<QuadletEntry[]> {
    const tests = Object.entries(filters).map(([key, values]) => {
      if (key !== "name" && key !== "status" && key !== "pod") {
        throw new EngineError("invalid", `${key} is not a valid filter`);
      }
      const fits = fitsPattern(values, { literal: true });
      return (entry: QuadletEntry) => fits(entry[key]);
    });
    const names = (await this.#shelf.list()).filter((name) => kindOf(name) !== undefined);
    const dropIns = await readDropIns(this.#shelf, TEXT_LIMIT);
    const read = await Promise.all(names.map((name) => this.#entry(name, dropIns)));
    const entries = await this.#addStates(read);
    return entries.filter((entry) => tests.every((fits) => fits(entry)));
  }

  /** Removes quadlets with the files that came with them; every error is told by name. */
  async remove(
    names: readonly string[],
    { ignore = false, force = false, reload = true }: QuadletRemovalOptions = {},
  ): Promise<QuadletRemoval> {
    const removal = await this.#core.locks.with("quadlets", async () => {
      const known = new Set(await this.#shelf.list());
      const removal: QuadletRemoval = { removed: [], errors: new Map() };
      const keepError = async (name: string, work: () => Promise<void>) => {
        try {
          if (!removal.errors.has(name)) await work();
        } catch (error) {
          if (!(error instanceof EngineError)) throw error;
          removal.errors.set(name, error);
        }
      };
      const isThere = (name: string) => known.has(name) && kindOf(name) !== undefined;
      // All of them end before the first is gone: a unit cannot be read any more without those that it refers to.
      for (const name of new Set(names)) {
        await keepError(name, async () => {
          if (!ignore) requireKind(name);
          if (isThere(name)) await this.#stopUnits(name, force);
          else if (!ignore) throw noSuchQuadlet(name);
        });
      }
      for (const name of new Set(names)) {
        await keepError(name, async () => {
          if (isThere(name)) await this.#shelf.remove([...await this.#assets(name), assetList(name), name]);
          removal.removed.push(name);
        });
      }
      return removal;
    });
    if (reload && removal.removed.length > 0) await this.#manager()?.reload();
    return removal;
  }

  /** Removes all of them. */
  async removeAll(options: QuadletRemovalOptions = {}): Promise<QuadletRemoval> {
    const names = await this.#shelf.list();
    return await this.remove(names.filter((name) => kindOf(name) !== undefined), { ...options, ignore: true });
  }

  /** Stops the units of a quadlet, the instances of a template among them. Throws `state` for one that runs, without `force`. */
  async #stopUnits(name: string, force: boolean): Promise<void> {
    const { unitName } = await this.#entry(name);
    if (unitName === "") return;
    const units = (await this.#runningUnits(unitName)).filter((unit) =>
      unitName === unit || isInstance(unit, unitName)
    );
    if (units.length > 0 && !force) {
      const text = `quadlet ${name} is running and force is not set, refusing to remove: ${RUNNING}`;
      throw new EngineError("state", text, { sentinel: RUNNING });
    }
    for (const unit of units) await this.stop(unit);
    await this.#runner.states.forget(
      this.#runner.states.list().map(({ unit }) => unit).filter((unit) => {
        return unit === unitName || isInstance(unit, unitName);
      }),
    );
  }

  async #runningUnits(unit: string): Promise<string[]> {
    const manager = this.#manager();
    if (manager === undefined) {
      const isIdle = (status: string) => status === "inactive" || status === "failed";
      return this.#runner.states.list().filter(({ status }) => !isIdle(status)).map(({ unit }) => unit);
    }
    const states = await manager.states([unit]);
    return [...states].filter(([, state]) => state.startsWith("active/")).map(([name]) => name);
  }

  #manager(): UnitManager | undefined {
    return hostOf(this.#core)?.units;
  }

  #load(): Promise<LoadedUnits> {
    const { folder } = this.#shelf;
    return loadUnits(this.#shelf, TEXT_LIMIT, folder === "" ? {} : { folder });
  }

  async #unitOf(name: string): Promise<string> {
    if (kindOf(name) === undefined) return name;
    const { unitName } = await this.#entry(name);
    if (unitName === "") await this.text(name);
    return unitName;
  }

  async #entry(name: string, dropIns?: readonly QuadletFile[]): Promise<QuadletEntry> {
    const entry = { name, unitName: "", path: this.#path(name), status: "", pod: "" };
    try {
      const more = dropInsOf(name, dropIns ?? await readDropIns(this.#shelf, TEXT_LIMIT));
      const { unit, kind } = readQuadlet({ name, text: await this.text(name) }, more);
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

  /** Adds the states of units to what has none yet. */
  async #addStates(entries: readonly QuadletEntry[]): Promise<QuadletEntry[]> {
    const manager = this.#manager();
    const units = entries.flatMap(({ unitName }) => unitName === "" ? [] : [unitName]);
    const states = await manager?.states(units);
    const usual = hostOf(this.#core) === undefined ? "Not loaded (there is no host to run it)" : "inactive/dead";
    return entries.map((entry) => {
      const record = this.#runner.states.get(entry.unitName);
      const own = record === undefined ? usual : describeState(record);
      return entry.status === "" ? { ...entry, status: states?.get(entry.unitName) ?? own } : entry;
    });
  }
}
