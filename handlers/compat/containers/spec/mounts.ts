import type { MountSpec } from "../../../../lib/engine/records/mount_spec.ts";
import { isEmpty, unsupported } from "../../../containers/spec/unsupported.ts";
import { optionList, parseVolume } from "../../../../lib/engine/containers/request/parse_mounts.ts";
import type { CreateContainerConfig } from "../../../wire/compat/container_create.ts";
import type { Mount } from "../../../wire/compat/mount.ts";
import type { Sparse } from "../../../wire/emit.ts";
import type { SpecGenerator } from "../../../wire/containers/spec_generator.ts";

/** Mounts and volumes as the native tree takes them. */
interface Mounts extends Pick<Sparse<SpecGenerator>, "mounts" | "volumes" | "overlay_volumes" | "image_volumes"> {}
/** The same while it is gathered. */
interface Gathered {
  plain: Plain[];
  volumes: Volume[];
  overlays: NonNullable<Mounts["overlay_volumes"]>[number][];
  images: NonNullable<Mounts["image_volumes"]>[number][];
}
type Plain = NonNullable<Mounts["mounts"]>[number];
type Volume = NonNullable<Mounts["volumes"]>[number];

/** Gathers the four places where Docker's request has mounts. */
export function mounts({ HostConfig: host, Volumes }: CreateContainerConfig): Mounts {
  const found: Gathered = { plain: [], volumes: [], overlays: [], images: [] };
  const { plain, volumes, overlays, images } = found;
  for (const { type, source, destination, options, anonymous } of (host.Binds ?? []).map(parseVolume)) {
    if (type === "volume") volumes.push({ Name: source, Dest: destination, Options: options, IsAnonymous: anonymous });
    else if (type === "overlay") overlays.push({ source, destination, options });
    else plain.push({ type, source, destination, options });
  }
  for (const mount of host.Mounts ?? []) addMount(mount, found);
  for (const [destination, options] of Object.entries(host.Tmpfs ?? {})) {
    plain.push({ type: "tmpfs", source: "tmpfs", destination, options: optionList(options) });
  }
  // Clients repeat here what stands above.
  const taken = new Set([
    ...[...plain, ...overlays].map(({ destination }) => destination),
    ...volumes.map(({ Dest }) => Dest),
    ...images.map(({ Destination }) => Destination),
  ]);
  for (const Dest of Object.keys(Volumes ?? {})) {
    if (!taken.has(Dest)) volumes.push({ Name: "", Dest, IsAnonymous: true });
  }
  return { mounts: plain, volumes, overlay_volumes: overlays, image_volumes: images };
}

/** Docker makes the missing sources of `Binds` folders, and those of `Mounts` that say so. */
export function makingSources(specs: readonly MountSpec[], { HostConfig: host }: CreateContainerConfig): MountSpec[] {
  const asked = (host.Mounts ?? []).filter(({ BindOptions }) => BindOptions?.CreateMountpoint);
  const bound = (host.Binds ?? []).map((bind) => bind.split(":")[0]);
  const sources = new Set([...bound, ...asked.map(({ Source }) => Source)]);
  return specs.map((spec) => spec.type === "bind" && sources.has(spec.source) ? { ...spec, makeSource: true } : spec);
}

function addMount(mount: Mount, { plain, volumes, images }: Gathered): void {
  const { Type, Source: source = "", Target: destination = "" } = mount;
  const options = mount.ReadOnly ? ["ro"] : [];
  if (Type === "bind") {
    const { Propagation, NonRecursive, ReadOnlyForceRecursive } = mount.BindOptions ?? {};
    if (ReadOnlyForceRecursive) throw unsupported("HostConfig.Mounts.BindOptions.ReadOnlyForceRecursive");
    if (Propagation) options.push(Propagation);
    options.push(NonRecursive ? "bind" : "rbind");
    plain.push({ type: "bind", source, destination, options });
  } else if (Type === "tmpfs") {
    const { SizeBytes, Mode, Options = [] } = mount.TmpfsOptions ?? {};
    if (SizeBytes) options.push(`size=${SizeBytes}`);
    if (Mode) options.push(`mode=${Mode.toString(8)}`);
    // Each is a name, with a value or alone.
    for (const option of Options) options.push((option ?? []).join("="));
    plain.push({ type: "tmpfs", source: "tmpfs", destination, options });
  } else if (Type === "volume") {
    const { NoCopy, Subpath = "", DriverConfig, Labels } = mount.VolumeOptions ?? {};
    const driver = DriverConfig?.Name || "local";
    if (driver !== "local" || !isEmpty(DriverConfig?.Options)) {
      throw unsupported("HostConfig.Mounts.VolumeOptions.DriverConfig");
    }
    if (!isEmpty(Labels)) throw unsupported("HostConfig.Mounts.VolumeOptions.Labels");
    if (NoCopy) options.push("nocopy");
    volumes.push({ Name: source, Dest: destination, Options: options, SubPath: Subpath, IsAnonymous: source === "" });
  } else if (Type === "image") {
    images.push({ Source: source, Destination: destination, subPath: mount.ImageOptions?.Subpath, ReadWrite: false });
  } else throw unsupported("HostConfig.Mounts", `type "${Type}"`);
}
