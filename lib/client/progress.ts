import { ClientError, codeOfText } from "./client_error.ts";
import type { StepView } from "./dialects/views.ts";

/** A step of a pull, a push or a build. */
export interface Progress {
  /** A line for people. */
  readonly text: string;
  /** The layer that it is about, where the server says so. */
  readonly id?: string;
  /** Bytes done, and bytes in all, where the server says so. */
  readonly current?: number;
  readonly total?: number;
}

/**
 * Reads steps to their end and tells of each.
 *
 * @throws {ClientError} with the server's words, where a step is an error: `exited` where a program of a build failed, else by the words
 */
export async function readSteps(
  action: string,
  steps: AsyncIterable<StepView>,
  onProgress: ((progress: Progress) => void) | undefined,
  see: (step: StepView) => void = () => {},
): Promise<void> {
  for await (const step of steps) {
    if (step.error) throw failureOf(action, step.error.trim());
    see(step);
    const { status, stream, id, progressDetail, pullProgress } = step;
    const figures = progressDetail ?? pullProgress;
    const text = (stream ?? status ?? "").trimEnd();
    if (text === "" && figures == null) continue;
    const facts = {
      id: id ?? undefined,
      current: figures?.current ?? undefined,
      total: figures?.total || undefined,
    };
    for (const line of text.split("\n")) onProgress?.({ text: line, ...facts });
  }
}

/** The error of a step. */
function failureOf(action: string, text: string): ClientError {
  const message = `${action}: ${text}`;
  const [, code] = /(?:returned a non-zero code:|while running runtime: exit status) (\d+)$/.exec(text) ?? [];
  if (code === undefined) return new ClientError(codeOfText(text), message);
  return new ClientError("exited", message, { exit: { exitCode: Number(code), stdout: "", stderr: "" } });
}
