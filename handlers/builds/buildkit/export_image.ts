import type { Engine } from "../../../lib/engine/engine.ts";
import { GRPC_CODES, GRPCError } from "../../../lib/engine/ports/build_port.ts";
import { messageOf } from "../../../lib/oci/message_of.ts";
import { dockerName } from "../../compat/images/docker_name.ts";
import type { BuildLog, BuildStep } from "./build_log.ts";
import { sendArchive, sendFolder } from "./send_files.ts";
import type { Session } from "./sessions.ts";

/** An image, and where it may go. */
export interface ImageExport {
  engine: Engine;
  image: string;
  session: Session;
  log: BuildLog;
  /** The export's place among those of its build. */
  index: number;
  signal: AbortSignal;
}

/** Exports that keep the image here, under names: the first is Docker's own. */
const HERE = ["moby", "image", "docker"];

/**
 * Takes an image where an exporter of BuildKit takes it: into this engine's images under its names and to registries where it is pushed, or
 * as files to the client. Returns facts for the client. Throws {@linkcode GRPCError} for an exporter that there is not.
 */
export async function exportImage(
  { Type: type, Attrs: attributes }: { Type: string; Attrs: Record<string, string> },
  target: ImageExport,
): Promise<Record<string, string>> {
  const isHere = HERE.includes(type);
  if (!isHere && type !== "local" && type !== "tar") {
    const known = [...HERE, "local", "tar"].join(", ");
    throw new GRPCError(GRPC_CODES.unimplemented, `the exporter "${type}" is not supported: use ${known}`);
  }
  const step = target.log.begin(isHere ? "exporting to image" : `exporting to client (${type})`);
  try {
    const facts = isHere ? await nameImage(attributes, target, step) : await sendImage(type, target);
    step.end();
    return facts;
  } catch (error) {
    step.end({ error: messageOf(error) });
    throw error;
  }
}

async function nameImage(
  { name: list = "", push }: Record<string, string>,
  { engine, image, session, signal }: ImageExport,
  step: BuildStep,
): Promise<Record<string, string>> {
  const names = list.split(",").filter((name) => name !== "").map((name) => dockerName(engine, name));
  for (const name of names) {
    await engine.images.tag(image, name);
    step.print(`naming to ${name}\n`);
  }
  const config = `sha256:${image}`;
  let digest = config;
  for (const name of push === "true" ? names : []) {
    step.print(`pushing ${name}\n`);
    for await (const told of engine.images.push(name, { credentials: session.credentials, signal })) {
      if (told.kind === "done") ({ digest } = told);
    }
  }
  return {
    // An image that was not pushed goes by its config here, as in Docker's own store.
    "containerimage.digest": digest,
    "containerimage.config.digest": config,
    ...names.length > 0 && { "image.name": names.join(",") },
  };
}

/** Sends an image's files: those of a container of it, which is never started. */
async function sendImage(
  type: string,
  { engine, image, session: { client }, index, signal }: ImageExport,
): Promise<Record<string, string>> {
  const { record } = await engine.containers.create({
    ...{ image, command: ["true"], imageVolumes: "ignore", init: false },
    namespaces: { network: { mode: "none" } },
  });
  try {
    const open = () => engine.containers.files.export(record.id);
    const taker = { client, index, signal };
    if (type === "tar") await sendArchive(await open(), taker);
    else await sendFolder(open, taker);
    return {};
  } finally {
    await engine.containers.remove(record.id, { force: true, ignore: true });
  }
}
