import { Buffer } from "node:buffer";
import { EngineError } from "../../../engine/errors.ts";
import { SECRET_LIMIT } from "../../../engine/ports/secret_port.ts";
import { CommandError, runCommand } from "../helpers/command.ts";

/** The result of a program that has to do with a secret. */
export interface SecretResult {
  /** The exit code; -1 where it could not be run, or took too long. */
  code: number;
  output: Uint8Array<ArrayBuffer>;
}

/** Runs a program that reads or writes a secret. Its output is for the caller alone: no error and no log has any of it. */
export async function runSecretly(
  program: string,
  args: readonly string[],
  { input, env }: { input?: Uint8Array; env?: Record<string, string> },
): Promise<SecretResult> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const bytes = (chunk: Uint8Array) => {
    size += chunk.length;
    if (size < SECRET_LIMIT) chunks.push(chunk);
  };
  try {
    await runCommand(program, args, { stdin: input, env, bytes });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { code: error.code, output: new Uint8Array() };
  }
  if (size >= SECRET_LIMIT) throw new EngineError("limit", `A driver's secret has ${size} bytes`);
  return { code: 0, output: Uint8Array.from(Buffer.concat(chunks)) };
}
