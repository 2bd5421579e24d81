import type { Engine } from "../../lib/engine/engine.ts";
import { API_VERSION } from "../wire/api_options.ts";
import { emit, type Sparse } from "../wire/emit.ts";
import { type ComponentVersion, SystemComponentVersion } from "../wire/system/version.ts";

/** Builds carry no date. */
const BUILD_TIME = "1970-01-01T00:00:00Z";

/** The versions of both APIs, as clients are shown them, and the oldest that each takes. */
export function shownVersions(): typeof API_VERSION {
  return API_VERSION;
}

/** Tells versions: the service's, as clients compare it, and its parts'. */
export async function viewVersion(engine: Engine): Promise<SystemComponentVersion> {
  const { name, version, host, platform } = await engine.info();
  const kernel = host?.kernel ?? "";
  const facts = {
    APIVersion: API_VERSION.libpod,
    Arch: platform.architecture,
    BuildTime: BUILD_TIME,
    Experimental: "false",
    GitCommit: "",
    GoVersion: "",
    KernelVersion: kernel,
    MinAPIVersion: API_VERSION.libpodMinimal,
    Os: platform.os,
  };
  const components: Sparse<ComponentVersion>[] = [
    // Clients look for this name.
    { Name: "Podman Engine", Version: API_VERSION.libpod, Details: facts },
    { Name: name, Version: version, Details: {} },
  ];
  if (host) {
    components.push({ Name: "Conmon", Version: host.conmon.version, Details: { Package: host.conmon.package } });
    const runtime = { Name: `OCI Runtime (${host.runtime.name})`, Version: host.runtime.version };
    components.push({ ...runtime, Details: { Package: host.runtime.package } });
  }
  return emit(SystemComponentVersion, {
    Platform: {
      Name: [platform.os, platform.architecture, formatDistribution(host?.distribution)].filter(Boolean).join("/"),
    },
    Components: components,
    Version: API_VERSION.libpod,
    ApiVersion: API_VERSION.compat,
    MinAPIVersion: API_VERSION.compatMinimal,
    Os: platform.os,
    Arch: platform.architecture,
    KernelVersion: kernel,
    BuildTime: BUILD_TIME,
  });
}

function formatDistribution(found: { distribution: string; version: string } | undefined): string {
  return found ? `${found.distribution}-${found.version}` : "";
}
