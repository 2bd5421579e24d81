import type { Engine } from "../../lib/engine/engine.ts";
import type { LayerState, PullOptions, PullPolicy, PullProgress } from "../../lib/engine/images/types.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { progressMessages } from "./docker_progress.ts";
import { badParameter } from "../errors.ts";
import type { ProgressMessage } from "../wire/compat/image.ts";
import { emit } from "../wire/emit.ts";
import { ImagePullReport } from "../wire/images/image.ts";
import type { PullQuery } from "../wire/images/image_query.ts";
import { beginProgress, errorText } from "./pull_progress.ts";
import { parseMilliseconds } from "./push_options.ts";
import { registryCredentials } from "./registry_auth.ts";
import { RequestError } from "../request_error.ts";

const POLICIES: Record<string, PullPolicy> = {
  "": "missing",
  always: "always",
  missing: "missing",
  ifmissing: "missing",
  ifnotpresent: "missing",
  newer: "newer",
  ifnewer: "newer",
  never: "never",
};

/** Pulls an image and tells how it goes; in the end, which images came of it. */
export async function pullImage(
  engine: Engine,
  query: PullQuery,
  { request, signal }: Context,
): Promise<AsyncIterable<ImagePullReport | ProgressMessage>> {
  const reference = query.reference ?? "";
  if (reference === "") throw new RequestError("malformed", "reference parameter cannot be empty");
  const forms = (["compatMode", "pullProgress", "quiet"] as const).filter((form) => query[form] === true);
  if (forms.length > 1) {
    throw new RequestError("malformed", `'${forms[0]}' and '${forms[1]}' cannot be used simultaneously`);
  }
  const options = { ...pullOptions(query), credentials: registryCredentials(request.headers), signal };
  const progress = await beginProgress(engine.images.pull(reference, options));
  if (query.compatMode) return progressMessages(progress, reference);
  if (query.quiet) return lastReport(progress);
  return pullReports(progress, query.pullProgress ?? false);
}

function pullOptions(query: PullQuery): PullOptions {
  const { policy = "always", tlsVerify, allTags, retry, retrydelay, Arch, OS, Variant } = query;
  const known = POLICIES[policy.toLowerCase()];
  if (known === undefined) throw badParameter("policy", policy, "unsupported pull policy");
  const platform = {
    ...(OS && { os: OS }),
    ...(Arch && { architecture: Arch }),
    ...(Variant && { variant: Variant }),
  };
  const retryDelay = retrydelay === undefined ? undefined : parseMilliseconds("retrydelay", retrydelay);
  const access = { tlsVerify, retries: retry, retryDelay };
  return { policy: known, allTags, ...access, ...(Object.keys(platform).length > 0 && { platform }) };
}

/** One report, of the end. It waits for it, so that a failure keeps its status. */
async function lastReport(progress: AsyncIterable<PullProgress>): Promise<AsyncIterable<ImagePullReport>> {
  const found: ImagePullReport[] = [];
  for await (const value of progress) if (value.kind === "done") found.push(doneReport(value.ids));
  return (async function* () {
    yield* found;
  })();
}

async function* pullReports(progress: AsyncIterable<PullProgress>, detailed: boolean): AsyncIterable<ImagePullReport> {
  try {
    for await (const value of progress) {
      if (value.kind === "done") yield doneReport(value.ids);
      else if (value.kind === "status") yield streamReport(`${value.text}\n`);
      else if (detailed) yield detailReport(value);
      // The others are among the words of the pull itself.
      else if (value.state === "exists") yield streamReport(`Copying blob ${value.digest} skipped: already exists\n`);
    }
  } catch (error) {
    yield emit(ImagePullReport, { status: "error", error: errorText(error) });
  }
}

function detailReport({ digest, state, current, total }: PullProgress & { kind: "layer" }): ImagePullReport {
  const status = state === "done" ? "success" : state === "exists" ? "skipped" : "pulling";
  return emit(ImagePullReport, {
    status: "pulling",
    stream: WORDS[state],
    pullProgress: { status, current, total, progressComponentID: digest },
  });
}

/** Podman's words beside the numbers. */
const WORDS: Record<LayerState, string> = {
  waiting: "Starting to pull artifact",
  pulling: "Pulling artifact",
  extracting: "Pulling artifact",
  done: "Artifact pulled successfully",
  exists: "Artifact already exists",
};

function streamReport(stream: string): ImagePullReport {
  return emit(ImagePullReport, { status: "pulling", stream });
}

function doneReport(ids: readonly string[]): ImagePullReport {
  return emit(ImagePullReport, { status: "success", images: ids, id: ids.at(-1) });
}
