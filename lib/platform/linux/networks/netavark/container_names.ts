import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../../../../engine/errors.ts";
import type { NetworkSetup } from "../../../../engine/ports/network_port.ts";
import type { NetworkRecord } from "../../../../engine/records/network_record.ts";
import { Locks } from "../../../../engine/store/locks.ts";
import type { HostContext } from "../../helpers/context.ts";
import type { Nursery } from "../../processes/nursery/nursery.ts";
import { bridgeNamespace } from "../bridge_command.ts";
import { keyOf, type Netavark } from "./netavark.ts";
import { hostTextSync } from "../../helpers/bounded_read.ts";

/** The domain that netavark gives to containers. */
export const SEARCH_DOMAIN = "dns.podman";

/** The port of DNS. */
const PORT = "53";
/** Milliseconds that aardvark-dns has to go to the background. */
const TIMEOUT = 10_000;
/** How often, and after how many milliseconds, is looked whether it has ended. */
const ENDING = { tries: 400, pause: 5 };
/** The place of the names among the fields of a container's line, behind its ID and its addresses of both families. */
const NAMES = 3;
/** The end of a file's name by which later versions know a network without a way out. */
const INTERNAL = "%int";

/** A container's names in a network. */
export interface NameEntry {
  network: NetworkRecord;
  attachment: NetworkSetup["attachments"][number]["attachment"];
}

/**
 * The names of containers, as aardvark-dns answers them: one file for each network, with the addresses that it listens at in the first line,
 * and a container's ID, addresses and names in each other one. It reads them when it is started or gets `SIGHUP`, and ends where there is none.
 */
export class ContainerNames {
  readonly #netavark: Netavark;
  readonly #folder: string;
  readonly #nursery: Nursery;
  readonly #log: HostContext["log"];
  readonly #locks = new Locks();
  /** A server that found no network any more is on its way out. */
  #ending?: Promise<void>;
  #knowsInternal?: boolean;

  constructor(netavark: Netavark, nursery: Nursery, log: HostContext["log"]) {
    this.#netavark = netavark;
    this.#folder = join(netavark.config, "aardvark-dns");
    this.#nursery = nursery;
    this.#log = log;
  }

  /** Whether names are answered on this host. */
  isInstalled(): boolean {
    return existsSync(this.#netavark.aardvark);
  }

  /** Adds a container's names, which are answered from then on. Throws `EngineError("invalid")` for one that is none. */
  async add(setup: NetworkSetup, entries: readonly NameEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const { containerID, containerName, dnsServers = [] } = setup;
    const lines = entries.map(({ network, attachment: { aliases, staticIPs } }) => {
      const names = [...new Set([containerName, ...aliases])];
      const wrong = names.find((name) => !/^[^\s,]+$/.test(name));
      if (wrong !== undefined) throw new EngineError("invalid", `Connect network: "${wrong}" is not a name`);
      const families = [false, true].map((isIPv6) => staticIPs.filter((ip) => ip.includes(":") === isIPv6).join(","));
      const fields = [
        containerID,
        ...families,
        names.join(","),
        ...dnsServers.length > 0 ? [dnsServers.join(",")] : [],
      ];
      return { network, line: `${fields.join(" ")}\n` };
    });
    await this.alone(async () => {
      await this.#ending;
      if (!existsSync(this.#folder)) await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      for (const { network, line } of lines) {
        const file = this.#findFile(network);
        if (file !== undefined) appendFileSync(file, line);
        else this.#write(join(this.#folder, this.#fileName(network)), [firstLine(network), line]);
      }
      if (!this.#reload()) await this.#start();
    });
  }

  /** Gives a container another name in every network that answers its names, in place of one that it had, if it is to lose any. */
  async rename(containerID: string, before: string | undefined, after: string): Promise<void> {
    await this.alone(() => {
      let isChanged = false;
      for (const name of existsSync(this.#folder) ? readdirSync(this.#folder) : []) {
        if (name === "aardvark.pid") continue;
        const file = join(this.#folder, name);
        const lines = readLines(file);
        const renamed = lines.map((line, i) => i > 0 && line.startsWith(`${containerID} `) ? renameIn(line) : line);
        if (renamed.join("") === lines.join("")) continue;
        this.#write(file, renamed);
        isChanged = true;
      }
      if (isChanged) this.#reload();
    });
    function renameIn(line: string): string {
      const fields = line.trimEnd().split(" ");
      const others = fields[NAMES]?.split(",").filter((name) => name !== before) ?? [];
      fields[NAMES] = [...new Set([after, ...others])].join(",");
      return `${fields.join(" ")}\n`;
    }
  }

  /** Drops the names that a container has in networks. */
  async forgetContainer(networks: readonly NetworkRecord[], containerID: string): Promise<void> {
    await this.alone(() => {
      const changed = networks.map((network) => {
        const file = this.#findFile(network);
        const lines = file === undefined ? [] : readLines(file);
        // The first line is the network's; each other begins with the ID of a container.
        const left = lines.filter((line, i) => i === 0 || !line.startsWith(`${containerID} `));
        if (file === undefined || left.length === lines.length) return false;
        if (left.length === 1) rmSync(file, { force: true });
        else this.#write(file, left);
        return true;
      });
      if (changed.some(Boolean)) this.#reload();
    });
  }

  /** Drops all names of a network, those of containers that ended without a teardown too. */
  async forgetNetwork(network: NetworkRecord): Promise<void> {
    await this.alone(() => {
      const file = this.#findFile(network);
      if (file === undefined) return;
      rmSync(file, { force: true });
      this.#reload();
    });
  }

  /** Lets aardvark-dns ask other servers for the names that it does not know, from now on. */
  async updateServers(network: NetworkRecord): Promise<void> {
    await this.alone(() => {
      const file = this.#findFile(network);
      // No container is in the network: the next one brings the servers along.
      if (file === undefined) return;
      this.#write(file, [firstLine(network), ...readLines(file).slice(1)]);
      this.#reload();
    });
  }

  /** Runs what changes names in another way, while nobody else changes any. */
  async alone<T>(run: () => T | Promise<T>): Promise<T> {
    return await this.#locks.with("names", async () => await run());
  }

  #findFile(network: NetworkRecord): string | undefined {
    const key = keyOf(network);
    return [key, `${key}${INTERNAL}`].map((name) => join(this.#folder, name)).find((file) => existsSync(file));
  }

  #fileName(network: NetworkRecord): string {
    // An earlier version would take the end for a part of the name, which does no harm, but netavark of that version has none.
    this.#knowsInternal ??= network.internal && readFileSync(this.#netavark.aardvark).includes(INTERNAL);
    return `${keyOf(network)}${network.internal && this.#knowsInternal ? INTERNAL : ""}`;
  }

  /** Whole or not at all. aardvark-dns takes every file of its folder for a network: the new text is written elsewhere. */
  #write(file: string, lines: readonly string[]): void {
    const temporary = join(this.#netavark.config, ".names");
    writeFileSync(temporary, lines.join(""));
    renameSync(temporary, file);
  }

  /** Lets aardvark-dns read its folder anew; false where it does not run. */
  #reload(): boolean {
    const pid = this.#findServer();
    if (pid === undefined) return false;
    process.kill(pid, "SIGHUP");
    // One that has begun to end would not hear of the next network.
    if (readdirSync(this.#folder).every((name) => name === "aardvark.pid")) this.#ending ??= this.#end(pid);
    return true;
  }

  async #end(pid: number): Promise<void> {
    for (let i = 0; i < ENDING.tries && this.#findServer() === pid; i++) await sleep(ENDING.pause);
    this.#ending = undefined;
  }

  #findServer(): number | undefined {
    const pid = Number(hostTextSync(join(this.#folder, "aardvark.pid")));
    // The file may be older than the process that has the number now.
    return pid > 0 && hostTextSync(`/proc/${pid}/cmdline`).split("\0").includes(this.#folder) ? pid : undefined;
  }

  async #start(): Promise<void> {
    const command = [this.#netavark.aardvark, "--config", this.#folder, "-p", PORT, "run"];
    const netns = bridgeNamespace();
    const [program, ...args] = netns === undefined ? command : ["nsenter", `--net=${netns}`, ...command];
    try {
      // It goes on when this server ends, as supervisors do.
      await this.#nursery.run(program!, args, TIMEOUT);
    } catch (error) {
      this.#log("error", `Start aardvark-dns: ${error}`);
      throw new EngineError("internal", `Set up network: start aardvark-dns: ${error}`, { cause: error });
    }
  }
}

function firstLine({ subnets, dnsServers = [] }: NetworkRecord): string {
  const listening = subnets.flatMap(({ gateway }) => gateway ?? []).join(",");
  return `${[listening, ...dnsServers.length > 0 ? [dnsServers.join(",")] : []].join(" ")}\n`;
}

/** The lines of a file, each with its end. */
function readLines(file: string): string[] {
  return hostTextSync(file).split("\n").filter((line) => line !== "").map((line) => `${line}\n`);
}
