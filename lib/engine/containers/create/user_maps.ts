/** Which IDs of the host the users of a container are. */
import { hostID, type IDMapping, type IDMaps } from "../../records/id_maps.ts";
import type { AutoMaps } from "../../records/spec_parts.ts";
import type { IDRange, ServerUser } from "../../ports/user_port.ts";
import { invalid } from "../../errors.ts";

/** How many IDs a namespace gets that asks for no number: all that images use. */
export const USUAL_SIZE = 65_536;
const LEAST_SIZE = 1024;
const MOST_ID = 2 ** 32 - 1;
/** The kernel takes no more lines. */
const MOST_MAPPINGS = 340;

/** Checks mappings that are spelled out. Throws `invalid`. */
export function checkMaps({ uids, gids }: IDMaps): void {
  for (const mappings of [uids, gids]) {
    if (mappings.length > MOST_MAPPINGS) throw invalid(`more than ${MOST_MAPPINGS} ID mappings`);
    const bad = mappings.find(({ container, host, size }) => {
      return size < 1 || container + size > MOST_ID + 1 || host + size > MOST_ID + 1;
    });
    if (bad) throw invalid(`ID mapping ${bad.container}:${bad.host}:${bad.size} is out of range`);
    mappings.forEach((mapping, index) => {
      const clash = mappings.slice(0, index).find((other) => {
        return overlap(mapping.container, other.container, mapping.size, other.size) ||
          overlap(mapping.host, other.host, mapping.size, other.size);
      });
      if (clash) throw invalid("ID mappings overlap");
    });
  }
  if (hostID(uids, 0) === undefined || hostID(gids, 0) === undefined) {
    throw invalid("ID mappings have no root: user and group 0 of the container must be mapped");
  }
}

/** The sources of automatic mappings. */
export interface AutoSources {
  /** The IDs the host gives out. */
  available: { uids: readonly IDRange[]; gids: readonly IDRange[] };
  /** The mappings of all containers. */
  taken: readonly IDMaps[];
  /** How many IDs a namespace gets that asks for no number, where there are so many; 65,536 by default. */
  usual?: number;
}

/** Throws `invalid` for mappings of IDs that an ordinary user does not have. */
export function requireOwnIDs({ uids, gids }: IDMaps, own: ServerUser): void {
  for (const [mappings, count, file] of [[uids, own.uids, "/etc/subuid"], [gids, own.gids, "/etc/subgid"]] as const) {
    const bad = mappings.find(({ host, size }) => host + size > count);
    if (bad === undefined) continue;
    const has = `the server's user has the IDs 0 (its own) to ${count - 1} (of ${file})`;
    throw invalid(`ID mapping ${bad.container}:${bad.host}:${bad.size} is out of range: ${has}`);
  }
}

/** Finds IDs that no other container has. Throws `invalid` where there are none, or not enough. */
export function autoMaps(
  { size, uids, gids }: AutoMaps,
  { available, taken, usual = USUAL_SIZE }: AutoSources,
): IDMaps {
  const user = "containers";
  const part = (kind: "uids" | "gids", extra: readonly IDMapping[]): IDMapping[] => {
    if (available[kind].length === 0) {
      const file = kind === "uids" ? "/etc/subuid" : "/etc/subgid";
      throw invalid(
        `cannot find UID/GID for user ${user}: no sub${kind.slice(0, 3)} ranges found for user "${user}" in ${file}`,
      );
    }
    const free = without(available[kind], taken.flatMap((maps) => maps[kind]));
    const wanted = size ?? usualSize(free, usual);
    return [...fill(free, holes(wanted, extra)), ...extra].sort((a, b) => a.container - b.container);
  };
  const maps = { uids: part("uids", uids), gids: part("gids", gids) };
  checkMaps(maps);
  return maps;
}

function usualSize(free: readonly IDRange[], usual: number): number {
  const all = free.reduce((sum, { size }) => sum + size, 0);
  return Math.max(LEAST_SIZE, Math.min(usual, all));
}

/** The ranges of the container's IDs below `size` that nothing maps yet. */
function holes(size: number, extra: readonly IDMapping[]): { container: number; size: number }[] {
  const taken = extra.map(({ container, size }) => ({ host: container, size }));
  return without([{ host: 0, size }], taken.map((range) => ({ ...range, container: 0 }))).map((range) => {
    return { container: range.host, size: range.size };
  });
}

function fill(free: readonly IDRange[], wanted: readonly { container: number; size: number }[]): IDMapping[] {
  const rest = free.map((range) => ({ ...range }));
  const mappings: IDMapping[] = [];
  for (let { container, size } of wanted) {
    while (size > 0) {
      const range = rest.find((candidate) => candidate.size >= size) ?? rest.find((candidate) => candidate.size > 0);
      if (range === undefined) throw invalid("not enough unused IDs in user namespace");
      const count = Math.min(size, range.size);
      mappings.push({ container, host: range.host, size: count });
      range.host += count;
      range.size -= count;
      container += count;
      size -= count;
    }
  }
  return mappings;
}

/** Ranges less what others have of them. */
function without(ranges: readonly IDRange[], taken: readonly IDMapping[]): IDRange[] {
  return taken.reduce<IDRange[]>((left, { host, size }) => {
    return left.flatMap((range) => {
      const [end, takenEnd] = [range.host + range.size, host + size];
      if (takenEnd <= range.host || host >= end) return [range];
      const before = { host: range.host, size: host - range.host };
      const after = { host: takenEnd, size: end - takenEnd };
      return [before, after].filter((part) => part.size > 0);
    });
  }, [...ranges]);
}

function overlap(first: number, second: number, firstSize: number, secondSize: number): boolean {
  return first < second + secondSize && second < first + firstSize;
}
