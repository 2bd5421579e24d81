import { anonymousVolumes } from "../../../lib/engine/containers/create/mounts.ts";
import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import type { RequestWords } from "../../../lib/engine/records/spec_parts.ts";
import { cleanPath } from "../../../lib/oci/clean_path.ts";
import { isSpokenByPodman } from "../../path_version.ts";
import { inspectMounts, scratchMounts, viewBinds } from "../../containers/view/inspect_mounts.ts";
import type { HostConfig } from "../../wire/compat/host_config.ts";
import type { Mount, MountPoint } from "../../wire/compat/mount.ts";
import type { Sparse } from "../../wire/emit.ts";

/** Mounts in the words of their request, for inspection alone: the engine mounts by other fields. */
type GivenMounts = Pick<RequestWords, "binds" | "tmpfs"> & { mounts?: Mount[] };

/** The mode of a volume that was given none: its files may have the label of any container. */
const VOLUME_MODE = "z";

/**
 * The volumes and folders of a container in Docker's words: of a mount's options it tells those that a user gives.
 *
 * @param options.volumePath Gives a volume's folder on the host
 * @param options.version The version of Docker's API that the client speaks
 */
export function mountPoints(
  record: ContainerRecord,
  { volumePath, version }: { volumePath: (name: string) => string; version?: string },
): Sparse<MountPoint>[] {
  const given = givenMounts(record);
  const { defaults } = record.spec;
  const anonymous = new Set(defaults === "docker" ? anonymousVolumes(record.mounts).map(({ source }) => source) : []);
  const points = inspectMounts(record, volumePath).map(({ Options: _options, SubPath: _path, ...mount }) => {
    const Destination = cleanPath(mount.Destination ?? "");
    const usual = mount.RW === false ? "ro" : mount.Mode || (mount.Type === "volume" ? VOLUME_MODE : "");
    return {
      ...mount,
      Destination: isSpokenByPodman(version) ? mount.Destination : Destination,
      // Docker tells it of folders only.
      Propagation: mount.Type === "volume" ? "" : mount.Propagation,
      Mode: givenMode(given, { ...mount, Destination }) ?? (anonymous.has(mount.Name ?? "") ? "" : usual),
    };
  });
  return [...points, ...scratchPoints(given)];
}

/** The mounts of a container as its create request had them, by which a client that makes it again asks for them again. */
export function requestedMounts(
  record: ContainerRecord,
  version?: string,
): Pick<Sparse<HostConfig>, "Binds" | "Mounts" | "Tmpfs"> {
  const given = givenMounts(record);
  // Another tree has made it, or its client knows Podman's lists.
  if (given === undefined || isSpokenByPodman(version)) {
    return { Binds: viewBinds(record), Tmpfs: scratchMounts(record) };
  }
  return { Binds: given.binds ?? [], Mounts: given.mounts, Tmpfs: given.tmpfs ?? {} };
}

/** The places of the mounts that were given with a source or as documents; anonymous volumes have a field of their own. */
export function givenPlaces(record: ContainerRecord): Set<string> {
  const { binds = [], mounts = [] } = givenMounts(record) ?? {};
  const texts = binds.map((text) => partsOf(text).place);
  return new Set([...texts, ...mounts.map(({ Target = "" }) => cleanPath(Target))]);
}

/** The mode of a mount by the client's own words; undefined for one that they do not have. */
function givenMode(given: GivenMounts | undefined, { Type, Destination = "" }: Sparse<MountPoint>): string | undefined {
  if (given === undefined) return undefined;
  const usual = Type === "volume" ? VOLUME_MODE : "";
  const text = (given.binds ?? []).map(partsOf).find(({ place }) => place === Destination);
  if (text !== undefined) return text.mode || usual;
  return (given.mounts ?? []).some(({ Target = "" }) => cleanPath(Target) === Destination) ? usual : undefined;
}

/** Docker tells of tmpfs mounts that were given as documents, and of no others. */
function scratchPoints({ mounts = [] }: GivenMounts = {}): Sparse<MountPoint>[] {
  return mounts.filter(({ Type }) => Type === "tmpfs").map(({ Target = "", ReadOnly = false }) => ({
    Type: "tmpfs",
    Source: "",
    Destination: cleanPath(Target),
    Mode: "",
    RW: !ReadOnly,
    Propagation: "",
  }));
}

/** The words of a request about mounts; `undefined` where Docker's tree has not made the container. */
function givenMounts({ spec: { requestWords: words } }: ContainerRecord): GivenMounts | undefined {
  // Stored by Docker's tree, from a request of that shape.
  return words && { binds: words.binds, mounts: words.mounts as Mount[] | undefined, tmpfs: words.tmpfs };
}

/** The place and the options of `source:destination:options`, `source:destination` or `destination`. */
function partsOf(text: string): { place: string; mode: string } {
  const [first = "", second, mode = ""] = text.split(":");
  return { place: cleanPath(second ?? first), mode };
}
