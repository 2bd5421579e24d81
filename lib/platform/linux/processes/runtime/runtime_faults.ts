/**
 * Versions of runtimes that containers are known to break out of.
 *
 * @module
 */
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { open } from "node:fs/promises";

/** A fault, with the first version of each branch that is without it. */
interface Fault {
  names: string[];
  fixed: string[];
}

/**
 * Faults that this engine does not avoid itself. It refuses trees whose /dev is a link (CVE-2026-47766 of crun), and passes users
 * to the runtime as numbers (CVE-2026-30892).
 */
const FAULTS: Record<string, Fault[]> = {
  runc: [
    { names: ["CVE-2019-5736"], fixed: ["1.0.0-rc7"] },
    { names: ["CVE-2021-30465"], fixed: ["1.0.0-rc95"] },
    { names: ["CVE-2024-21626"], fixed: ["1.1.12", "1.2.0-rc.1"] },
    { names: ["CVE-2024-45310"], fixed: ["1.1.14", "1.2.0-rc.3"] },
    { names: ["CVE-2025-31133", "CVE-2025-52565", "CVE-2025-52881"], fixed: ["1.2.8", "1.3.3", "1.4.0-rc.3"] },
  ],
  crun: [
    { names: ["CVE-2019-18837"], fixed: ["0.10.5"] },
    { names: ["CVE-2022-27650"], fixed: ["1.4.4"] },
  ],
};

/** The most of a changelog: packed, and as it is. */
const PACKED_LIMIT = 1024 * 1024;
const TEXT_LIMIT = 16 * 1024 * 1024;

/**
 * Says of a runtime that containers break out of its version: one line, or `undefined`. Distributions mend old versions: a
 * fault that the changelog of the runtime's package names is none.
 *
 * @param changelog The text of that changelog, which is asked for where it matters
 */
export async function runtimeFaults(
  { name, path, version: said }: { name: string; path: string; version: string },
  changelog = () => packageChangelog(name, path),
): Promise<string | undefined> {
  const version = /\bversion (\S+)/.exec(said)?.[1] ?? "";
  const own = parseVersion(version);
  if (own === undefined) return undefined;
  const open = (FAULTS[name] ?? []).filter(({ fixed }) => isBefore(own, fixed.map((text) => parseVersion(text)!)));
  if (open.length === 0) return undefined;
  const log = await changelog();
  // Of another build of the program it says nothing.
  const mended = log.startsWith(`${name} (${version}-`) ? log : "";
  const left = open.map(({ names, fixed }) => ({ names: names.filter((cve) => !mended.includes(cve)), fixed }))
    .filter(({ names }) => names.length > 0);
  if (left.length === 0) return undefined;
  const cves = left.flatMap(({ names }) => names).join(", ");
  const versions = left.at(-1)!.fixed.join(", ");
  return `Runtime "${path}" is ${name} ${version}: containers can break out of it (${cves}). ` +
    `Install ${name} ${versions} or later, or a package of the distribution that names these in its changelog`;
}

type Version = [major: number, minor: number, patch: number, candidate: number];

/** A final version comes after its candidates. */
function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch = 0, candidate = Infinity] = /^(\d+)\.(\d+)(?:\.(\d+))?(?:[-~]rc\.?(\d+))?/.exec(text) ??
    [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch), Number(candidate)];
}

/** Whether a version is before the mended one of its branch, or, where that has none, before the last. */
function isBefore(own: Version, fixed: Version[]): boolean {
  const branch = fixed.find(([major, minor]) => major === own[0] && minor === own[1]);
  return compareVersions(own, branch ?? fixed.at(-1)!) < 0;
}

function compareVersions(a: Version, b: Version): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

/** The changelog of a Debian package; an empty text for programs that are from none, and where documentation is left out. */
async function packageChangelog(name: string, path: string): Promise<string> {
  if (!/^\/usr\/s?bin\//.test(path)) return "";
  const file = await open(`/usr/share/doc/${name}/changelog.Debian.gz`).catch(() => undefined);
  try {
    const packed = new Uint8Array(PACKED_LIMIT);
    const { bytesRead = 0 } = await file?.read(packed, 0, PACKED_LIMIT, 0) ?? {};
    const text = await promisify(gunzip)(packed.subarray(0, bytesRead), { maxOutputLength: TEXT_LIMIT });
    return new TextDecoder().decode(text);
  } catch {
    return "";
  } finally {
    await file?.close();
  }
}
