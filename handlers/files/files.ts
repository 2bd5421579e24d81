import type { Engine } from "../../lib/engine/engine.ts";
import type { Implementation } from "../../lib/rest/mod.ts";
import { implementFamily } from "../implement_family.ts";
import { filesAPI } from "./api.ts";
import { getArchive, headArchive, putArchive } from "./archive.ts";
import { streamChanges } from "./changes.ts";
import { commitContainer } from "./commit.ts";

/** The native operations on containers' files over an engine. */
export function implementFiles(engine: Engine): Implementation {
  const { files } = engine.containers;
  return implementFamily(filesAPI, {
    ContainerArchiveHead: (name, { path }, context) => headArchive(engine, name, path, context),
    ContainerArchive: (name, { path }, context) => getArchive(engine, name, path, context),
    PutContainerArchive: (name, { copyUIDGID = true, ...query }, archive, context) => {
      return putArchive(engine, name, { ...query, copyUIDGID }, archive, context);
    },
    ContainerChanges: (name, query) => streamChanges(engine, name, query),
    CommitContainer: (config, query, context) => commitContainer(engine, query, config, context),
    ExportContainer: (name) => files.export(name),
    MountContainer: (name) => files.mount(name),
    UnmountContainer: (name) => files.unmount(name),
    ShowMountedContainers: () => files.mounted(),
  });
}
