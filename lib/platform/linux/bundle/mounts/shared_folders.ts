import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { pathParts } from "../../helpers/safe_path.ts";

const LINK_LIMIT = 40;
/** More are forgotten, and looked up again. */
const MOST_REMEMBERED = 10_000;

/** A path that a container can change below a folder: from there on it has to be opened with care. */
export interface Below {
  folder: string;
  rest: string;
}

/** Folders of the host that containers write to, and what is found below them. */
export class SharedFolders {
  readonly #own: readonly string[];
  readonly #real = new Map<string, string>();

  /** @param own Folders of the server's own that hold what containers write */
  constructor(own: readonly string[]) {
    this.#own = own;
  }

  /**
   * The outermost shared folder on the way to a path, and the rest of the way; `undefined` where there is none. No link of a shared
   * folder is looked at. A container that may write to `/` is root on the host already, and is no reason for care.
   *
   * @param shared The sources of the mounts that containers may write to
   */
  above(path: string, shared: readonly string[]): Below | undefined {
    const folders = new Set([...this.#own, ...shared].map((source) => this.#realPath(source)));
    folders.delete("/");
    this.#real.delete(path);
    const rest = pathParts(path);
    let at = "/";
    for (let links = 0; rest.length > 0 && links <= LINK_LIMIT;) {
      if (folders.has(at)) return { folder: at, rest: rest.reverse().join("/") };
      const name = rest.pop()!;
      const next = join(at, name);
      const facts = lstatSync(next, { throwIfNoEntry: false });
      // The caller tells of what is missing.
      if (facts === undefined) return undefined;
      if (!facts.isSymbolicLink()) {
        at = next;
        continue;
      }
      links++;
      const target = readlinkSync(next);
      rest.push(...pathParts(target));
      if (target.startsWith("/")) at = "/";
    }
    return undefined;
  }

  /** Remembered: a container is not moved by a link that is changed after its start. Its next start forgets. */
  #realPath(source: string): string {
    const known = this.#real.get(source);
    if (known !== undefined) return known;
    let real = source;
    try {
      real = realpathSync(source);
    } catch {
      // Nothing is there: nothing can be below it either.
    }
    if (this.#real.size >= MOST_REMEMBERED) this.#real.clear();
    this.#real.set(source, real);
    return real;
  }
}
