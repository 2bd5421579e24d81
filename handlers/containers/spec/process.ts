import type { LifeSpec, ProcessSpec } from "../../../lib/engine/records/spec_parts.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";
import { RequestError } from "../../request_error.ts";
import { absolute, nonEmptyList } from "./field_rules.ts";
import { unsupported } from "./unsupported.ts";

const NOTIFY = ["container", "conmon", "healthy", "ignore"] as const;

/** Returns how a create request has the container's process made and watched, and what its life depends on. */
export function processFields(g: SpecGenerator): ProcessSpec & LifeSpec {
  return {
    envHost: g.env_host ?? undefined,
    envMerge: nonEmptyList(g.envmerge),
    initPath: g.init_path ? absolute("init_path", g.init_path) : undefined,
    personality: personality(g),
    procOptions: nonEmptyList(g.procfs_opts),
    runtime: g.oci_runtime || undefined,
    conmonPidFile: g.conmon_pid_file ? absolute("conmon_pid_file", g.conmon_pid_file) : undefined,
    systemd: systemd(g),
    systemdShmSize: g.shm_size_systemd || undefined,
    sdNotify: sdNotify(g),
    requires: nonEmptyList(g.dependencyContainers),
    removeImage: g.removeImage || undefined,
  };
}

function personality({ personality: asked }: SpecGenerator): ProcessSpec["personality"] {
  if (!asked?.domain) return undefined;
  if (asked.flags?.length) throw unsupported("personality.flags");
  if (asked.domain === "LINUX" || asked.domain === "LINUX32") return { domain: asked.domain };
  throw new RequestError("invalid", `Create container: "personality" domain "${asked.domain}" is not LINUX or LINUX32`);
}

function systemd({ systemd: mode }: SpecGenerator): ProcessSpec["systemd"] {
  if (!mode || mode === "true") return undefined;
  if (mode === "false" || mode === "always") return mode;
  throw new RequestError("invalid", `invalid value "${mode}" systemd option requires 'true, false, always'`);
}

function sdNotify({ sdnotifyMode: mode }: SpecGenerator): ProcessSpec["sdNotify"] {
  if (!mode) return undefined;
  const known = NOTIFY.find((name) => name === mode);
  if (known !== undefined) return known;
  const names = NOTIFY.join(", ");
  throw new RequestError("invalid", `Create container: "sdnotifyMode" "${mode}" is none of ${names}`);
}
