import { messageOf } from "../../oci/message_of.ts";
import { requireHost } from "../core.ts";
import type { ContainerRecord } from "../records/container_record.ts";
import type { Context } from "./context.ts";

/** The annotation by which a client says where it has written the container's ID (`--cidfile`). */
export const ID_FILE_ANNOTATION = "io.podman.annotations.cid-file";

/** Removes the file that a client has written the container's ID to, unless it holds anything else: the path is only a claim. */
export async function removeIDFile({ core }: Context, { id, spec }: ContainerRecord): Promise<void> {
  const path = spec.annotations[ID_FILE_ANNOTATION];
  if (!path?.startsWith("/")) return;
  try {
    await requireHost(core).files.removeHolding(path, id);
  } catch (error) {
    core.log("warn", `Remove the ID file of container ${id}: ${messageOf(error)}`);
  }
}
