import {
  imageMount,
  orderMounts,
  plainMount,
  volumeMount,
} from "../../../../lib/engine/containers/request/mount_specs.ts";
import { optionList, parseVolume } from "../../../../lib/engine/containers/request/parse_mounts.ts";
import type { MountRequest } from "../../../../lib/engine/records/mount_spec.ts";
import { cleanPath } from "../../../../lib/oci/clean_path.ts";
import { unsupported } from "../../../containers/spec/unsupported.ts";
import type { CreateContainerConfig } from "../../../wire/compat/container_create.ts";
import type { Mount } from "../../../wire/compat/mount.ts";

/**
 * The place of terminals, where each container has the kernel's file system of its own. distrobox asks for that by a volume without a name; a
 * folder there would hide it, and a further file system of the kernel's would be for root alone.
 */
const TERMINALS = "/dev/pts";

/** Gathers the four places where Docker's request has mounts. */
export function dockerMounts({ HostConfig: host, Volumes }: CreateContainerConfig): MountRequest[] {
  const mounts = [
    ...(host.Binds ?? []).map(parseVolume).map(makingSource),
    ...(host.Mounts ?? []).map(mountOf),
    ...Object.entries(host.Tmpfs ?? {}).map(([destination, options]) =>
      plainMount({ type: "tmpfs", source: "tmpfs", destination, options: optionList(options) })
    ),
  ];
  // Clients repeat here what stands above.
  const taken = new Set(mounts.map(({ destination }) => destination));
  const anonymous = Object.keys(Volumes ?? {}).filter((destination) => !taken.has(destination));
  const own = anonymous.filter((destination) => cleanPath(destination) !== TERMINALS);
  return orderMounts([...mounts, ...own.map((destination) => volumeMount({ source: "", destination }))]);
}

/** Docker makes the missing sources of `Binds` folders, and those of `Mounts` that say so. */
function makingSource(mount: MountRequest): MountRequest {
  return mount.type === "bind" ? { ...mount, makeSource: true } : mount;
}

function mountOf(mount: Mount): MountRequest {
  const words = { source: mount.Source ?? "", destination: mount.Target ?? "" };
  const options = mount.ReadOnly ? ["ro"] : [];
  switch (mount.Type) {
    case "bind":
      return bindOf(mount, { ...words, options });
    case "tmpfs":
      return plainMount({ ...words, type: "tmpfs", options: [...options, ...scratchOptions(mount)] });
    case "volume":
      return volumeOf(mount, { ...words, options });
    case "image":
      return imageMount({ ...words, subPath: mount.ImageOptions?.Subpath });
    default:
      throw unsupported("HostConfig.Mounts", `type "${mount.Type}"`);
  }
}

/** The words that Docker's kinds of mounts share. */
interface Words {
  source: string;
  destination: string;
  options: string[];
}

function bindOf({ BindOptions }: Mount, { options, ...words }: Words): MountRequest {
  const { Propagation, NonRecursive, ReadOnlyForceRecursive, CreateMountpoint } = BindOptions ?? {};
  if (ReadOnlyForceRecursive) throw unsupported("HostConfig.Mounts.BindOptions.ReadOnlyForceRecursive");
  const depth = NonRecursive ? "bind" : "rbind";
  const bind = plainMount({
    ...words,
    type: "bind",
    options: [...options, ...Propagation ? [Propagation] : [], depth],
  });
  return CreateMountpoint ? makingSource(bind) : bind;
}

function scratchOptions({ TmpfsOptions }: Mount): string[] {
  const { SizeBytes, Mode, Options = [] } = TmpfsOptions ?? {};
  return [
    ...SizeBytes ? [`size=${SizeBytes}`] : [],
    ...Mode ? [`mode=${Mode.toString(8)}`] : [],
    // Each is a name, with a value or alone.
    ...Options.map((option) => (option ?? []).join("=")),
  ];
}

function volumeOf({ VolumeOptions }: Mount, { options, ...words }: Words): MountRequest {
  const { NoCopy, Subpath, DriverConfig, Labels: labels = {} } = VolumeOptions ?? {};
  const driver = DriverConfig?.Name || "local";
  if (driver !== "local") throw unsupported("HostConfig.Mounts.VolumeOptions.DriverConfig", `"${driver}"`);
  const given = DriverConfig?.Options ?? {};
  const making = [labels, given].some((map) => Object.keys(map).length > 0) ? { labels, options: given } : undefined;
  return volumeMount({ ...words, options: [...options, ...NoCopy ? ["nocopy"] : []], subPath: Subpath, making });
}
