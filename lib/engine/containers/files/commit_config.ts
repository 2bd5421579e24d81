import { asSet, type ExecutionConfig } from "../../../oci/image_config.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import { applyChanges } from "../../images/store/config_changes.ts";
import { anonymousVolumes } from "../create/mounts.ts";
import { mergeExposed, mergeLabels } from "../create/merge.ts";
import { splitChanges } from "./commit_changes.ts";

/** The differences between a container's config and that of an image made of it. */
export interface ConfigChanges {
  /** Dockerfile instructions. */
  changes?: readonly string[];
  /** Fields that replace, or are added to, the container's. They come before the instructions. */
  override?: ExecutionConfig;
}

/** How containers of an image are run that is made of this container: as the container is, with changes. */
export function committedConfig(
  record: ContainerRecord,
  image: ExecutionConfig,
  { changes = [], override = {} }: ConfigChanges,
): ExecutionConfig {
  const split = splitChanges(changes);
  const merged = mergeConfig(ownConfig(record, image), override);
  // An entrypoint does not go with the command of another; one that comes with it is in these changes too.
  const base = split.some((change) => /^ENTRYPOINT\s/i.test(change)) ? { ...merged, Cmd: undefined } : merged;
  return withoutEmpty(applyChanges(base, split));
}

/** The image's config with what the container was created with. */
function ownConfig(record: ContainerRecord, image: ExecutionConfig): ExecutionConfig {
  const { spec, process, mounts } = record;
  const hasEntrypoint = spec.entrypoint !== undefined && spec.entrypoint.length > 0;
  const hasCommand = spec.command !== undefined && spec.command.length > 0;
  const volumes = anonymousVolumes(mounts).map(({ destination }) => destination);
  const ports = record.ports.flatMap(({ containerPort, range, protocol }) => {
    return Array.from({ length: range }, (_, index) => `${containerPort + index}/${protocol}`);
  });
  return {
    ...image,
    Entrypoint: hasEntrypoint ? spec.entrypoint : image.Entrypoint,
    Cmd: hasCommand ? spec.command : hasEntrypoint ? undefined : image.Cmd,
    Env: envOf(record, image),
    ExposedPorts: asSet([...mergeExposed(spec, image), ...ports]),
    Labels: mergeLabels(spec, image),
    User: process.user,
    WorkingDir: process.workdir,
    Volumes: { ...image.Volumes, ...asSet(volumes) },
  };
}

/** The image's variables and the container's own, without those that every container gets. */
function envOf({ spec }: ContainerRecord, image: ExecutionConfig): string[] {
  const inherited = spec.unsetEnv === true ? [] : image.Env ?? [];
  const unset = new Set(spec.unsetEnv === true ? [] : spec.unsetEnv ?? []);
  const own = Object.entries(spec.env).map(([name, value]) => `${name}=${value}`);
  return mergedEnv(inherited.filter((line) => !unset.has(nameOf(line))), own);
}

function mergeConfig(base: ExecutionConfig, override: ExecutionConfig): ExecutionConfig {
  const given = withoutEmpty(override);
  const { Env, ExposedPorts, Volumes, Labels, ...plain } = given;
  const replacesCommand = given.Entrypoint !== undefined && given.Cmd === undefined;
  return {
    ...base,
    ...plain,
    ...(replacesCommand ? { Cmd: undefined } : {}),
    Env: mergedEnv(base.Env ?? [], Env ?? []),
    ExposedPorts: { ...base.ExposedPorts, ...ExposedPorts },
    Volumes: { ...base.Volumes, ...Volumes },
    Labels: { ...base.Labels, ...Labels },
  };
}

function mergedEnv(first: readonly string[], second: readonly string[]): string[] {
  return [...new Map([...first, ...second].map((line) => [nameOf(line), line])).values()];
}

function nameOf(line: string): string {
  return line.split("=", 1)[0];
}

function withoutEmpty(config: ExecutionConfig): ExecutionConfig {
  const isEmpty = (value: unknown) =>
    value === undefined || value === null || value === "" || value === false ||
    (typeof value === "object" && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(config).filter(([, value]) => !isEmpty(value)));
}
