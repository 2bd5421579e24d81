import type { HistoryEntry, ImageConfig } from "../../../oci/image_config.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import { type Context, emitEvent } from "../context.ts";
import { requireHost } from "../../core.ts";
import { engineFiles } from "../../records/spec_parts.ts";
import { committedConfig, type ConfigChanges } from "./commit_config.ts";
import { pauseForWork } from "./pause_for_work.ts";
import { holdTree, holdWhileRead } from "./held_tree.ts";
import { invalid } from "../../errors.ts";

/** How an image is made of a container. */
export interface CommitOptions extends ConfigChanges {
  /** The name it gets; none by default. */
  name?: string;
  author?: string;
  /** Docker's format has a place for it. */
  message?: string;
  format: "oci" | "docker";
  /** The history tells the container's command, as Docker's; by default it is the image's shell, as Podman's. */
  tellsCommand?: boolean;
  /** Freeze the container's processes meanwhile. */
  pause?: boolean;
  /** Make it of one layer. */
  squash?: boolean;
  signal?: AbortSignal;
}

/** Makes an image of a container's tree, without its volumes: what it changed comes on top of its image. */
export async function commitContainer(
  context: Context,
  nameOrID: string,
  options: CommitOptions,
): Promise<ImageRecord> {
  const { core } = context;
  const { trees, layers } = requireHost(context.core);
  const { id, imageID, spec } = context.records.resolve(nameOrID);
  if (spec.rootfs !== undefined) throw invalid("cannot commit a container that uses an exploded rootfs");
  const base = core.images.resolve(imageID);
  const record = context.records.require(id);
  // Changes that make no sense are told before anything is done.
  const config = configOf(record, base.config, options);
  await using pause = await pauseForWork(context, id, options.pause ?? false);
  await using tree = await holdTree(context, id);
  await layers.requireRoom(await layers.usage(id), "Commit container");
  const { idMaps, diffIDs } = record;
  const mounted = { paths: engineFiles(spec), diffIDs };
  const files = options.squash
    ? trees.export(tree.root, { idMaps, mounted })
    : trees.changeset(id, { idMaps, mounted });
  // Until its files are read, and no longer, it is frozen and its tree held.
  const end = async () => {
    await pause[Symbol.asyncDispose]();
    await tree[Symbol.asyncDispose]();
  };
  const image = await core.images.assemble({
    ...(options.squash ? {} : { base: base.id }),
    layers: [{ tar: holdWhileRead(context, { ...tree, [Symbol.asyncDispose]: end }, files) }],
    config,
    history: [historyOf(record, options, config.config?.Shell, new Date(core.clock.now()).toISOString())],
    format: options.format,
    recordsParent: true,
    // Compressing takes most of a commit's time; a push does it where it is wanted.
    compression: "none",
    names: options.name === undefined ? [] : [options.name],
    signal: options.signal,
  });
  emitEvent(context, record, "commit");
  return image;
}

function configOf(record: ContainerRecord, base: ImageConfig, options: CommitOptions): ImageConfig {
  const { architecture, os, variant, author = base.author } = { ...base, author: options.author || base.author };
  const ofSystem = { "os.version": base["os.version"], "os.features": base["os.features"] };
  const comment = options.format === "docker" ? options.message : undefined;
  const config: ImageConfig = {
    architecture,
    os,
    variant,
    ...ofSystem,
    author,
    comment: comment || undefined,
    config: committedConfig(record, base.config ?? {}, options),
    rootfs: { type: "layers", diff_ids: [] },
  };
  // A document has no keys with undefined values: leave them out.
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)) as ImageConfig;
}

function historyOf(
  record: ContainerRecord,
  { author, message, squash, tellsCommand }: CommitOptions,
  shell: readonly string[] | undefined,
  created: string,
): HistoryEntry {
  // Docker tells the message alone.
  const from = squash || tellsCommand ? "" : `FROM ${record.imageName}`;
  const comment = [message ?? "", from].filter((part) => part !== "").join(" ");
  return {
    created,
    created_by: (tellsCommand ? record.process.args : shell?.length ? shell : ["/bin/sh"]).join(" "),
    ...(author ? { author } : {}),
    ...(comment === "" ? {} : { comment }),
  };
}
