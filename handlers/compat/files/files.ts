import { isCode } from "../../../lib/engine/containers/failures.ts";
import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { Implementation } from "../../../lib/rest/mod.ts";
import { getArchive, headArchive, putArchive } from "../../files/archive.ts";
import { streamChanges } from "../../files/changes.ts";
import { compatCommit } from "../../files/commit.ts";
import { implementFamily } from "../../implement_family.ts";
import { dockerName } from "../images/docker_name.ts";
import { compatFilesAPI } from "./api.ts";

/** The operations on containers' files of Docker's tree over an engine. */
export function compatFiles(engine: Engine): Implementation {
  return implementFamily(compatFilesAPI, {
    // Docker's clients follow links themselves, where their users ask for it.
    CompatContainerArchiveHead: (name, { path }, context) => {
      return headArchive(engine, name, path, context, { keepLink: true });
    },
    CompatContainerArchive: (name, { path }, context) => {
      return getArchive(engine, name, path, context, { dotted: true, keepLink: true });
    },
    CompatPutContainerArchive: async (name, query, archive, context) => {
      // Docker's clients write secrets in the name of their readers: files change hands only where the container has a user.
      const copyUIDGID = query.copyUIDGID && engine.containers.resolve(name).process.user !== "";
      // It unpacks into folders that are there, and makes none.
      await putArchive(engine, name, { ...query, copyUIDGID, mustExist: true }, archive, context).catch((error) => {
        if (!isCode(error, "no_such_file")) throw error;
        throw new EngineError("no_such_file", `Could not find the file ${query.path ?? ""} in container ${name}`);
      });
    },
    CompatContainerChanges: (name, query) => streamChanges(engine, name, query),
    CompatCommitContainer: (config, query, context) =>
      compatCommit(engine, query, config, (name) => dockerName(engine, name), context),
    CompatExportContainer: (name) => engine.containers.files.export(name),
  });
}
