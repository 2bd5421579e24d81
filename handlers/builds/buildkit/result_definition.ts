/**
 * The result of a build as a definition in BuildKit's own language, by which a client hands it to another build as a context
 * (`contexts = { base = "target:base" }` of a bake file, `additional_contexts: { base: "service:base" }` of a compose file): one source with
 * an identifier of ours, and the pointer to it with which every definition ends.
 *
 * @module
 */
import { GRPC_CODES, GRPCError } from "../../../lib/engine/ports/build_port.ts";
import { hexText } from "../../../lib/oci/bytes/bytes.ts";
import { type Definition, DefinitionStep } from "./messages.ts";
import type { MessageValue } from "./protobuf.ts";

const SOURCE = /^gantry-image:\/\/([0-9a-f]{64})$/;

/** A definition, as a message has it. */
export type DefinitionValue = MessageValue<typeof Definition>;

/** Returns the definition of an image by its ID. */
export async function defineResult(image: string): Promise<DefinitionValue> {
  const source = DefinitionStep.encode({ source: { identifier: `gantry-image://${image}` } });
  const digest = `sha256:${hexText(new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(source))))}`;
  const end = DefinitionStep.encode({ inputs: [{ digest, index: 0 }] });
  return { def: [source, end], metadata: { [digest]: {} } };
}

/** Returns the ID of the image that a definition stands for. Throws {@linkcode GRPCError} for one that is not of ours. */
export function readResult({ def }: DefinitionValue): string {
  const [image] = def.length === 2
    ? SOURCE.exec(DefinitionStep.decode(def[0]).source?.identifier ?? "")?.slice(1) ?? []
    : [];
  if (image !== undefined) return image;
  throw new GRPCError(GRPC_CODES.unimplemented, "definitions in LLB are not supported: Dockerfiles are built");
}
