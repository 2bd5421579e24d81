/**
 * The interface names and subnets that this machine has, other programs' networks included: read when the kernel tells that something has changed.
 *
 * @module
 */
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FolderNews, RouteNews } from "./kernel_news.ts";
import { hostSubnets } from "./host_subnets.ts";

const PODMAN_NETWORKS = "/etc/containers/networks";

/** The names and subnets that are taken on a machine. */
export interface HostPlacesRead {
  interfaces: ReadonlySet<string>;
  /** As the kernel and Podman write them, each once. */
  subnets: ReadonlySet<string>;
}

/** The places of one machine. */
export class HostPlaces implements Disposable {
  /** Tells of the folders that notes and networks are in. */
  readonly folders: FolderNews = new FolderNews();
  readonly #routes = new RouteNews();
  readonly #podman: string;
  /** The state of the kernel when it last told of a change. */
  #kernel?: { interfaces: ReadonlySet<string>; subnets: readonly string[] };
  #podmans?: PodmanSubnets;
  #read?: HostPlacesRead;

  constructor(podman: string = PODMAN_NETWORKS) {
    this.#podman = podman;
  }

  /** Returns the places that are taken now. */
  async read(): Promise<HostPlacesRead> {
    if (this.#routes.take() || this.#kernel === undefined) {
      this.#kernel = this.#read = undefined;
      // Both after the question: what changes meanwhile is told of at the next one.
      const interfaces = new Set(readdirSync("/sys/class/net"));
      this.#kernel = { interfaces, subnets: await hostSubnets() };
    }
    this.#readPodman();
    const { interfaces, subnets } = this.#kernel;
    return this.#read ??= { interfaces, subnets: new Set([...subnets, ...this.#podmans?.subnets ?? []]) };
  }

  [Symbol.dispose](): void {
    this.folders[Symbol.dispose]();
    this.#routes[Symbol.dispose]();
    this.#kernel = this.#read = this.#podmans = undefined;
  }

  #readPodman(): void {
    const changed = this.folders.take(this.#podman);
    if (changed?.length === 0 && this.#podmans?.isWhole) return;
    // Most hosts have none, and an error costs more than the question.
    const isThere = changed !== undefined || existsSync(this.#podman);
    const found = isThere ? readPodmans(this.#podman) : { subnets: [], isWhole: true };
    if (found.subnets.length > 0 || this.#podmans?.subnets.length !== 0) this.#read = undefined;
    this.#podmans = found;
  }
}

/**
 * The subnets of Podman's networks, and whether the kernel tells of every change of theirs: a file may have gone meanwhile, this user may not
 * look, and some change elsewhere.
 */
interface PodmanSubnets {
  subnets: string[];
  isWhole: boolean;
}

/** Reads the networks Debian's Podman keeps for root, in use or not. */
function readPodmans(folder: string): PodmanSubnets {
  const found: PodmanSubnets = { subnets: [], isWhole: true };
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch {
      found.isWhole = false;
      return undefined;
    }
  };
  for (const name of attempt(() => readdirSync(folder)) ?? []) {
    if (!name.endsWith(".json")) continue;
    const path = join(folder, name);
    const text = attempt(() => readFileSync(path, "utf8"));
    if (attempt(() => isElsewhere(path))) found.isWhole = false;
    if (text !== undefined) found.subnets.push(...subnetsOfPodman(text));
  }
  return found;
}

/** Whether a file can change without its folder: by the file that it links to, or by another name of it. */
function isElsewhere(path: string): boolean {
  const status = lstatSync(path);
  return status.isSymbolicLink() || status.nlink > 1;
}

function subnetsOfPodman(text: string): string[] {
  try {
    // Podman's file; anything unexpected in it is skipped.
    const network = JSON.parse(text) as { subnets?: { subnet?: string }[] };
    return (network.subnets ?? []).map(({ subnet }) => subnet ?? "");
  } catch {
    return [];
  }
}
