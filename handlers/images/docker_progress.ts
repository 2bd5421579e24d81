import type { LayerState, PullProgress } from "../../lib/engine/images/types.ts";
import { errorText } from "./pull_progress.ts";
import { ProgressMessage } from "../wire/compat/image.ts";
import { emit } from "../wire/emit.ts";

const STATES: Record<LayerState, string> = {
  waiting: "Waiting",
  pulling: "Downloading",
  extracting: "Extracting",
  done: "Pull complete",
  exists: "Already exists",
};

/** The words of a pull besides its layers. */
export interface ProgressWords {
  /** Gives the last words of a pull that has come to its end. */
  tellEnd?: () => readonly string[];
  /** All tags are pulled, and none is named. */
  allTags?: boolean;
}

/** A pull's progress as Docker tells it. A failure is the last message. */
export async function* progressMessages(
  progress: AsyncIterable<PullProgress>,
  reference: string,
  { tellEnd = () => [], allTags }: ProgressWords = {},
): AsyncIterable<ProgressMessage> {
  const colon = reference.lastIndexOf(":");
  const tag = colon > reference.lastIndexOf("/") ? reference.slice(colon + 1) : "latest";
  const name = reference.slice(0, colon > reference.lastIndexOf("/") ? colon : undefined);
  yield emit(ProgressMessage, { status: `Pulling from ${name}`, ...!allTags && { id: tag } });
  const announced = new Set<string>();
  try {
    for await (const value of progress) {
      // The words of a pull are Podman's: Docker tells of layers.
      if (value.kind === "layer") yield* layerMessages(value, announced);
      else if (value.kind === "done") {
        for (const id of value.ids) yield emit(ProgressMessage, { status: "Download complete", id: id.slice(0, 12) });
        for (const status of tellEnd()) yield emit(ProgressMessage, { status });
      }
    }
  } catch (error) {
    const message = errorText(error);
    yield emit(ProgressMessage, { errorDetail: { message }, error: message });
  }
}

function* layerMessages(value: PullProgress & { kind: "layer" }, announced: Set<string>): Iterable<ProgressMessage> {
  const { digest, state, current, total } = value;
  const id = digest.replace(/^sha256:/, "").slice(0, 12);
  if (!announced.has(id)) {
    announced.add(id);
    yield emit(ProgressMessage, { status: "Pulling fs layer", progressDetail: {}, id });
  }
  const counts = state === "pulling" || state === "extracting";
  yield emit(ProgressMessage, {
    status: STATES[state],
    progressDetail: counts ? { current, total } : {},
    progress: counts ? progressBar(current, total) : "",
    id,
  });
}

/** `[==>    ] 1.2MB/3.4MB`, which older clients print as it is. */
export function progressBar(current: number, total: number): string {
  if (total <= 0) return formatMegabytes(current);
  const done = Math.min(50, Math.floor((current / total) * 50));
  const arrow = done < 50 ? `${"=".repeat(done)}>${" ".repeat(50 - done)}` : "=".repeat(50);
  return `[${arrow}] ${formatMegabytes(current)}/${formatMegabytes(total)}`;
}

function formatMegabytes(bytes: number): string {
  return bytes < 1000
    ? `${bytes}B`
    : bytes < 1e6
    ? `${(bytes / 1000).toPrecision(4)}kB`
    : `${(bytes / 1e6).toPrecision(4)}MB`;
}
