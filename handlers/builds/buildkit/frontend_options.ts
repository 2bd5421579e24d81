/**
 * The options of BuildKit's frontend for Dockerfiles as options of the engine's builds.
 *
 * @module
 */
import type { BuildOptions, BuildSandbox, NamedContext } from "../../../lib/engine/build/build_options.ts";
import { parsePlatform } from "../../../lib/engine/build/sources/source_image.ts";
import { parseUlimit } from "../../../lib/engine/containers/request/parse_ulimit.ts";
import { RequestError } from "../../request_error.ts";

/** The folders of the client that a build reads, and the options that do not depend on them. */
export interface FrontendOptions {
  /** The name of the client's folder with the context; absent where the context is elsewhere. */
  contextFolder?: string;
  /** The context's address: of an archive, a repository, or what the client uploads in its session. */
  remote?: string;
  dockerfileFolder: string;
  /** The Dockerfile's name in its folder. */
  filename: string;
  /** Further contexts; `folder` is a name of the client's. */
  contexts: Record<string, NamedContext | { kind: "local"; folder: string }>;
  options: Partial<BuildOptions>;
}

/** Options that say nothing about the image: of the client's own doing, or how the answer is shown. */
const IDLE =
  /^(?:cmdline|source|frontend\.caps|multi-platform|cache-from|cache-imports|local-sessionid:.*|vcs:.*|attest:.*|input-metadata:.*)$/;
const DEFAULTS = { context: "context", dockerfile: "dockerfile", filename: "Dockerfile" };

/**
 * Reads the options; `results` are images that may be contexts, by the names that `input:` has for them. Throws `RequestError`:
 * `invalid`, and `unsupported` for one by its name that the engine has no way to honour.
 */
export function readFrontendOptions(
  attributes: Readonly<Record<string, string>>,
  results: Readonly<Record<string, string>> = {},
): FrontendOptions {
  const sandbox: BuildSandbox = {};
  const options: Partial<BuildOptions> = { sandbox };
  const result: FrontendOptions = {
    contextFolder: DEFAULTS.context,
    dockerfileFolder: DEFAULTS.dockerfile,
    filename: DEFAULTS.filename,
    contexts: {},
    options,
  };
  const buildArgs: Record<string, string> = {};
  const labels: Record<string, string> = {};
  // Go's clients send them in another order each time: the same request is to be the same build.
  for (const [key, value] of Object.entries(attributes).sort(([a], [b]) => a < b ? -1 : 1)) {
    const [, prefix, name] = /^(build-arg|label|context):(.*)$/s.exec(key) ?? [];
    if (prefix === "build-arg") buildArgs[name] = value;
    else if (prefix === "label") labels[name] = value;
    else if (prefix === "context") result.contexts[name.replace(/::.*$/, "")] = readContext(name, value, results);
    else if (Object.hasOwn(READERS, key)) READERS[key](value, { result, options, sandbox });
    else if (!IDLE.test(key)) {
      throw new RequestError("unsupported", `Build image: the option "${key}" is not supported`);
    }
  }
  return { ...result, options: { ...options, buildArgs, labels } };
}

interface Draft {
  result: FrontendOptions;
  options: Partial<BuildOptions>;
  sandbox: BuildSandbox;
}

const READERS: Record<string, (value: string, draft: Draft) => void> = {
  target: (value, { options }) => void (options.target = value || undefined),
  filename: (value, { result }) => void (result.filename = value || DEFAULTS.filename),
  contextkey: (value, { result }) => void (result.contextFolder = value),
  dockerfilekey: (value, { result }) => void (result.dockerfileFolder = value),
  context(value, { result }) {
    const local = /^local:(.*)$/.exec(value)?.[1];
    if (local !== undefined) result.contextFolder = local;
    else {
      result.contextFolder = undefined;
      result.remote = value;
    }
  },
  // An empty value is all stages; a list of them is more than they asked for, and right.
  "no-cache": (_, { options }) => void (options.noCache = true),
  "image-resolve-mode": (value, { options }) => void (options.pull = value === "pull" ? "always" : "missing"),
  platform(value, { options }) {
    if (value === "") return;
    if (value.includes(",")) {
      throw new RequestError(
        "unsupported",
        "Build image: one build makes an image of one platform; build each by itself",
      );
    }
    options.platform = parsePlatform(value);
  },
  "add-hosts": (value, { sandbox }) => {
    sandbox.hosts = value.split(",").filter((entry) => entry !== "").map((entry) => entry.replace("=", ":"));
  },
  "force-network-mode"(value, { sandbox }) {
    if (value === "host" || value === "none") sandbox.network = { mode: value };
    else if (value !== "" && value !== "default" && value !== "sandbox") {
      throw new RequestError("unsupported", `Build image: the network mode "${value}" is not supported`);
    }
  },
  "shm-size": (value, { sandbox }) => void (sandbox.shmSize = Number(value) || undefined),
  ulimit: (value, { sandbox }) => {
    sandbox.rlimits = value.split(",").filter((entry) => entry !== "").map(parseUlimit);
  },
  "cgroup-parent": (value, { sandbox }) => void (sandbox.cgroupParent = value || undefined),
};

function readContext(
  name: string,
  value: string,
  results: Readonly<Record<string, string>>,
): FrontendOptions["contexts"][string] {
  const [, scheme, rest] = /^(docker-image:\/\/|local:|input:)(.*)$/.exec(value) ?? [];
  if (scheme === "input:" && Object.hasOwn(results, rest)) return { kind: "image", name: results[rest] };
  if (scheme === "docker-image://") return { kind: "image", name: rest };
  if (scheme === "local:") return { kind: "local", folder: rest };
  if (/^(?:https?|git):\/\/|^git@/.test(value)) return { kind: "url", url: value };
  throw new RequestError("unsupported", `Build image: the context "${name}" (${value.slice(0, 100)}) is not supported`);
}
