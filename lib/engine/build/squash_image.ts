import { EngineError } from "../errors.ts";
import type { ImageRecord } from "../records/image_record.ts";
import { type BuildRun, createdAt, imageConfig } from "./build_run.ts";
import type { StageState } from "./stage_state.ts";

/** Makes a stage's image once more, of one layer. */
export async function squashImage(run: BuildRun, { image, config, author }: StageState): Promise<ImageRecord> {
  if (image === undefined) throw new EngineError("internal", "Squash: the stage has no image");
  const { steps, containers, images, options, signal } = run;
  await using container = await steps.create({
    image: image.id,
    entrypoint: [""],
    command: ["true"],
    imageVolumes: "ignore",
    namespaces: { network: { mode: "none" } },
    logDriver: "none",
    health: { check: { test: ["NONE"] } },
    volatile: true,
  });
  const created = new Date(createdAt(run)).toISOString();
  return await images.assemble({
    layers: [{ tar: await containers.files.export(container.id) }],
    config: imageConfig(run, image.config, { config, created, ...author && { author } }),
    history: [{ created, created_by: "/bin/sh -c #(nop) SQUASH" }],
    format: options.format ?? "oci",
    compression: "none",
    signal,
  });
}
