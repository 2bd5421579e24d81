import process from "node:process";
import type { Engine } from "../../../engine/engine.ts";
import type { SystemInfo } from "../../../engine/info.ts";
import type { Log } from "../../../engine/ports/log.ts";
import { freeSpace } from "../../doctor/host_check.ts";
import { parseAddress } from "../../http/address.ts";

/** Less than this is soon full of images: bytes. */
const LITTLE_SPACE = 2 ** 30;

/** Logs what the server found on this machine, and a line to try. */
export async function tellStart(engine: Engine, addresses: readonly string[], log: Log): Promise<void> {
  const info = await engine.info();
  const { free } = await freeSpace(info.host?.graphRoot ?? "/") ?? {};
  for (const { level, text } of startLines({ ...info, free }, addresses, process.env.SUDO_USER !== undefined)) {
    log(level, text);
  }
}

/** The lines that a server of these facts begins with; `free` is the bytes for images and containers. */
export function startLines(
  { host, unavailable, free }: Pick<SystemInfo, "host" | "unavailable"> & { free?: number },
  addresses: readonly string[],
  bySudo: boolean,
): { level: "info" | "warn"; text: string }[] {
  if (host === undefined) {
    const why = unavailable === undefined ? "" : ` (${unavailable})`;
    return [{
      level: "info",
      text: `without containers${why}: images, volumes and the like work; "gantry doctor" says more`,
    }];
  }
  const { runtime, cgroupVersion, cgroupControllers, networkBackend, graphRoot } = host;
  const limits = cgroupControllers.length === 0 ? "no limits" : `limits by cgroups ${cgroupVersion}`;
  const found = [
    `containers by ${runtime.name} ${versionOf(runtime.version)}`,
    limits,
    `networks by ${networkBackend.name} ${versionOf(networkBackend.version)}`.trimEnd(),
    ...free === undefined ? [] : [`${(free / 2 ** 30).toFixed(1)} GiB free in ${graphRoot}`],
  ];
  const lines: { level: "info" | "warn"; text: string }[] = [{ level: "info", text: found.join(", ") }];
  if (free !== undefined && free < LITTLE_SPACE) {
    lines.push({
      level: "warn",
      text: `${graphRoot}: little space is left; "podman system prune" frees what nothing needs`,
    });
  }
  const [address] = addresses;
  if (address !== undefined) lines.push({ level: "info", text: `try: ${sampleCommand(address, bySudo)}` });
  return lines;
}

/** The number in what a program says of its version. */
function versionOf(text: string): string {
  return /\d+(?:\.\d+)+/.exec(text)?.[0] ?? "";
}

function sampleCommand(address: string, bySudo: boolean): string {
  const { kind } = parseAddress(address);
  // The socket is root's, and the next terminal is not.
  const sudo = bySudo && kind === "unix" ? "sudo " : "";
  return `${sudo}podman --url ${address} run --rm docker.io/library/alpine echo hello`;
}
