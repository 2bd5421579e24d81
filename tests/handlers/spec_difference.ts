import { containerSpec } from "../../handlers/containers/spec/container_spec.ts";
import { accept } from "../../handlers/wire/decode.ts";
import { SpecGenerator } from "../../handlers/wire/spec_generator.ts";
import type { ContainerSpec } from "../../lib/engine/container_record.ts";

/** What a spec says beyond one that asks for the image only. */
export function difference(spec: ContainerSpec): Record<string, unknown> {
  const plain = containerSpec(accept(SpecGenerator, { image: "busybox" }));
  const entries = Object.entries(spec).filter(([key, value]) => {
    return JSON.stringify(value, exact) !== JSON.stringify(plain[key as keyof ContainerSpec], exact);
  });
  return Object.fromEntries(entries);
}

function exact(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
