import type { Engine } from "../../../lib/engine/engine.ts";
import { GRPC_CODES, GRPCError } from "../../../lib/engine/ports/build_port.ts";
import { dockerName } from "../../compat/images/docker_name.ts";
import type { BuildLog } from "./build_log.ts";
import type { Session } from "./sessions.ts";

/** An image, and where it may go. */
export interface ImageExport {
  engine: Engine;
  image: string;
  session: Session;
  log: BuildLog;
}

/** Exports that keep the image here, under names: the first is Docker's own. */
const HERE = ["moby", "image", "docker"];

/**
 * Takes an image where an exporter of BuildKit takes it: into this engine's images under its names, and to registries where it is pushed.
 * Returns facts for the client. Throws {@linkcode GRPCError} for an exporter that there is not.
 */
export async function exportImage(
  { Type: type, Attrs: attributes }: { Type: string; Attrs: Record<string, string> },
  { engine, image, session, log }: ImageExport,
): Promise<Record<string, string>> {
  if (!HERE.includes(type)) {
    throw new GRPCError(GRPC_CODES.unimplemented, `the exporter "${type}" is not supported: use ${HERE.join(", ")}`);
  }
  const step = log.begin("exporting to image");
  try {
    const names = (attributes.name ?? "").split(",").filter((name) => name !== "").map((name) =>
      dockerName(engine, name)
    );
    for (const name of names) {
      await engine.images.tag(image, name);
      step.print(`naming to ${name}\n`);
    }
    if (attributes.push === "true") {
      for (const name of names) {
        step.print(`pushing ${name}\n`);
        for await (const _ of engine.images.push(name, { credentials: session.credentials }));
      }
    }
    step.end();
    const digest = `sha256:${image}`;
    return {
      "containerimage.digest": digest,
      "containerimage.config.digest": digest,
      ...names.length > 0 && { "image.name": names.join(",") },
    };
  } catch (error) {
    step.end({ error: String(error) });
    throw error;
  }
}
