import { CommandFailure } from "../../lib/engine/build/run_step.ts";
import type { BuildProgress, StepEvent } from "../../lib/engine/build/build_options.ts";
import { familiarName, parseReference } from "../../lib/oci/reference.ts";
import { errorText } from "../images/pull_progress.ts";
import type { BuildResponse } from "../wire/files/commit.ts";

/** How a client wants to be told of a build. */
export interface MessageOptions {
  style: "docker" | "podman";
  /** Only the image's ID. */
  quiet?: boolean;
}

/**
 * Starts a build and waits until it has something to tell: what fails before that (the context, the Dockerfile, the parameters)
 * still has a status of its own.
 */
export async function buildMessages(
  build: AsyncIterableIterator<BuildProgress, undefined>,
  options: MessageOptions,
): Promise<AsyncIterable<BuildResponse>> {
  const first = await build.next();
  return tellBuild(first, build, options);
}

async function* tellBuild(
  first: IteratorResult<BuildProgress, undefined>,
  build: AsyncIterableIterator<BuildProgress, undefined>,
  { style, quiet }: MessageOptions,
): AsyncGenerator<BuildResponse> {
  const tell = style === "docker" ? dockerMessages : podmanMessages;
  try {
    for (let next = first; !next.done; next = await build.next()) {
      const { value } = next;
      if (!quiet) yield* tell(value);
      else if (value.kind === "done") yield { stream: `${style === "docker" ? "sha256:" : ""}${value.id}\n` };
    }
  } catch (error) {
    // Podman's client ends with the code that it finds in this text.
    const message = style === "podman" && error instanceof CommandFailure
      ? `building at STEP "${error.instruction}": while running runtime: exit status ${error.exitCode}`
      : errorText(error);
    yield { errorDetail: { ...error instanceof CommandFailure && { code: error.exitCode }, message }, error: message };
  } finally {
    await build.return?.();
  }
}

function* dockerMessages(progress: BuildProgress): Generator<BuildResponse> {
  switch (progress.kind) {
    case "step":
      return yield {
        stream: `Step ${progress.number}/${progress.total} : ${platformPrefix(progress)}${progress.text}\n`,
      };
    case "cached":
      yield { stream: " ---> Using cache\n" };
      return yield { stream: ` ---> ${progress.id.slice(0, 12)}\n` };
    case "running":
      return yield { stream: ` ---> Running in ${progress.container.slice(0, 12)}\n` };
    case "made":
      return yield { stream: ` ---> ${progress.id.slice(0, 12)}\n` };
    case "output":
    case "note":
      return yield { stream: progress.text };
    case "done":
      yield { aux: { ID: `sha256:${progress.id}` } };
      yield { stream: `Successfully built ${progress.id.slice(0, 12)}\n` };
      for (const name of progress.names) {
        yield { stream: `Successfully tagged ${familiarName(parseReference(name))}\n` };
      }
  }
}

/** Says which platform a step is of, where the build is for several. */
export function platformPrefix({ platform }: StepEvent): string {
  return platform === undefined ? "" : `[${platform}] `;
}

/** Podman numbers the steps of each stage, and says which stage it is where there are several. */
function podmanStep(step: StepEvent): string {
  const { number, total, position, count } = step.stage;
  const stage = count > 1 ? `[${position}/${count}] ` : "";
  return `${platformPrefix(step)}${stage}STEP ${number}/${total}: ${step.text}\n`;
}

/** Podman's client takes the last line of 64 hex digits for the image's ID. */
function* podmanMessages(progress: BuildProgress): Generator<BuildResponse> {
  switch (progress.kind) {
    case "step":
      return yield { stream: podmanStep(progress) };
    case "cached":
      return yield { stream: `--> Using cache ${progress.id}\n--> ${progress.id.slice(0, 12)}\n` };
    case "running":
      return;
    case "made":
      return yield { stream: `--> ${progress.id.slice(0, 12)}\n` };
    case "output":
    case "note":
      return yield { stream: progress.text };
    case "done":
      for (const name of progress.names) yield { stream: `COMMIT ${name}\nSuccessfully tagged ${name}\n` };
      yield { stream: `${progress.id}\n` };
  }
}
