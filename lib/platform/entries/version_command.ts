import process from "node:process";
import { shownVersions } from "../../../handlers/system/version.ts";
import { VERSION } from "../../engine/info.ts";
import { nameRuntime } from "../doctor/host_check.ts";
import { architectureOf } from "./memory_engine.ts";

/** The lines of `gantry version`: this program's own version, and those of the APIs that clients are shown. */
export function versionLines(): string[] {
  const { libpod, libpodMinimal, compat, compatMinimal } = shownVersions();
  return [
    `gantry   ${VERSION}`,
    `podman   API ${libpod}, from ${libpodMinimal}`,
    `docker   API ${compat}, from ${compatMinimal}`,
    `runtime  ${nameRuntime(process.versions)}, ${process.platform}/${architectureOf(process.arch)}`,
  ];
}
