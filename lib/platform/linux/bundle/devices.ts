import { lstat, readdir, realpath, stat } from "node:fs/promises";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import type { ContainerRecord } from "../../../engine/records/container_record.ts";
import type { DeviceRule, DeviceSpec } from "../../../engine/records/limits.ts";
import { pathRefusal } from "../helpers/path_refusal.ts";
import type { SpecDevice } from "./spec_types.ts";

/** Names in /dev that a container has of its own, or must not share. */
const OWN = new Set(["pts", "shm", "mqueue", "hugepages", "fd", "console", "ptmx", "tty", "log"]);

const VIRTUAL_CONSOLE = /^\/dev\/tty\d+$/;

/** Lists the devices in a folder of the host and in those below it. */
export async function hostDevices(folder = "/dev"): Promise<SpecDevice[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(entries.map(async (entry): Promise<SpecDevice[]> => {
    const path = join(folder, entry.name);
    if (folder === "/dev" && OWN.has(entry.name)) return [];
    if (entry.isDirectory()) return await hostDevices(path);
    // The entry itself does not tell on every runtime: Deno's knows files, folders and links only.
    const facts = await lstat(path).catch(() => undefined);
    return facts !== undefined && isDevice(facts) ? [deviceOf(path, facts)] : [];
  }));
  return found.flat();
}

/** Lists the devices of a privileged container. systemd would take over the host's virtual consoles: it gets none of them. */
export async function privilegedDevices({ systemd }: ContainerRecord): Promise<SpecDevice[]> {
  const devices = await hostDevices();
  return systemd ? devices.filter(({ path }) => !VIRTUAL_CONSOLE.test(path)) : devices;
}

/** A device and the rule that lets a container use it. */
export interface GrantedDevice {
  device: SpecDevice;
  /** Its path on the host. */
  source: string;
  rule: DeviceRule;
}

/** Finds devices by their paths on the host; a folder stands for those in it. Throws `invalid`, in Podman's words. */
export async function findDevices(wanted: readonly DeviceSpec[]): Promise<GrantedDevice[]> {
  const found = await Promise.all(wanted.map(async ({ source, destination, access }): Promise<GrantedDevice[]> => {
    const path = await realpath(source).catch(() => source);
    const facts = await stat(path).catch((error) => {
      throw pathRefusal(`stat ${source}`, error);
    });
    if (!facts.isDirectory()) {
      if (!isDevice(facts)) {
        const sentinel = "not a device node";
        throw new EngineError("invalid", `${source} is not a valid device: ${sentinel}`, { sentinel });
      }
      return [grantDevice(deviceOf(destination, facts), path, access)];
    }
    const inside = (await hostDevices(path)).map((device) =>
      grantDevice({ ...device, path: join(destination, device.path.slice(path.length)) }, device.path, access)
    );
    if (inside.length > 0) return inside;
    const sentinel = "invalid argument";
    throw new EngineError("invalid", `no devices found in ${source}: ${sentinel}`, { sentinel });
  }));
  return found.flat();
}

function grantDevice(device: SpecDevice, source: string, access: string): GrantedDevice {
  const { type, major, minor } = device;
  return { device, source, rule: { allow: true, type, major, minor, access } };
}

function isDevice(facts: Stats): boolean {
  return facts.isCharacterDevice() || facts.isBlockDevice();
}

function deviceOf(path: string, facts: Stats): SpecDevice {
  const { major, minor } = deviceNumbers(facts.rdev);
  const type = facts.isBlockDevice() ? "b" : "c";
  return { path, type, major, minor, fileMode: facts.mode & 0o777, uid: facts.uid, gid: facts.gid };
}

/** Takes a `dev_t` apart as makedev(3) puts it together. */
export function deviceNumbers(rdev: number): { major: number; minor: number } {
  const bits = BigInt(rdev);
  const major = ((bits >> 8n) & 0xfffn) | ((bits >> 32n) & 0xfffff000n);
  const minor = (bits & 0xffn) | ((bits >> 12n) & 0xffffff00n);
  return { major: Number(major), minor: Number(minor) };
}
