/**
 * Exec sessions: the same bodies in both trees.
 *
 * @module
 */
import { TerminalSide } from "../numbers.ts";
import { flag, looseFlag, terminalSide } from "../query.ts";
import { z } from "../zod.ts";

const texts = z.array(z.string()).nullable();
/** Height and width. */
const consoleSize = z.array(TerminalSide).nullish();

/** `handlers.ExecCreateConfig`. */
export const ExecCreateConfig = z.object({
  User: z.string(),
  Privileged: z.boolean(),
  Tty: z.boolean(),
  ConsoleSize: consoleSize,
  AttachStdin: z.boolean(),
  AttachStderr: z.boolean(),
  AttachStdout: z.boolean(),
  DetachKeys: z.string(),
  Env: texts,
  WorkingDir: z.string(),
  Cmd: texts,
});
export type ExecCreateConfig = z.output<typeof ExecCreateConfig>;

/** `handlers.ExecStartConfig`, and the size as Docker's clients give it. */
export const ExecStartConfig = z.object({
  Detach: z.boolean(),
  Tty: z.boolean(),
  h: TerminalSide,
  w: TerminalSide,
  ConsoleSize: consoleSize,
});
export type ExecStartConfig = z.output<typeof ExecStartConfig>;

/** `handlers.ExecRemoveConfig`. */
export const ExecRemoveConfig = z.object({ Force: z.boolean() });

/** `entitiesTypes.IDResponse`. */
export const IDResponse = z.object({ Id: z.string() });
export type IDResponse = z.output<typeof IDResponse>;

/** `define.InspectExecProcess`. */
export const InspectExecProcess = z.object({
  arguments: texts,
  entrypoint: z.string(),
  privileged: z.boolean(),
  tty: z.boolean(),
  user: z.string(),
});

/** `define.InspectExecSession`. */
export const InspectExecSession = z.object({
  CanRemove: z.boolean(),
  ContainerID: z.string(),
  DetachKeys: z.string(),
  ExitCode: z.int(),
  ID: z.string(),
  OpenStderr: z.boolean(),
  OpenStdin: z.boolean(),
  OpenStdout: z.boolean(),
  Running: z.boolean(),
  Pid: z.int(),
  ProcessConfig: InspectExecProcess.nullable(),
});
export type InspectExecSession = z.output<typeof InspectExecSession>;

/** `container.ExecInspect`: the exit code is null while there is none. */
export const DockerExecSession = InspectExecSession.extend({ ExitCode: z.int().nullable() });
export type DockerExecSession = z.output<typeof DockerExecSession>;

/** The query of `ExecWebSocket`: the rows and columns of the terminal to begin with. */
export const ExecSocketQuery = z.object({ h: terminalSide, w: terminalSide });

/** The query of `ExecResizeTTY`. */
export const ExecResizeQuery = z.object({ h: terminalSide, w: terminalSide, running: flag.optional() });

/** The query of `CompatExecResizeTTY`. */
export const CompatExecResizeQuery = z.object({ h: terminalSide, w: terminalSide, running: looseFlag.optional() });
