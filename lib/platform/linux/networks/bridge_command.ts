import process from "node:process";
import { EngineError } from "../../../engine/errors.ts";
import type { CheckedNetwork } from "../../../engine/ports/network_port.ts";
import { type CommandOptions, type CommandResult, runCommand } from "../helpers/command.ts";
import { isStartedInside } from "../rootless/outer_user.ts";

/**
 * The network namespace of the bridges: undefined where they are the machine's own. An ordinary user's are in one that goes with the
 * user namespace, which hands over its path.
 */
export function bridgeNamespace(): string | undefined {
  return isStartedInside() ? process.env.GANTRY_NETNS : undefined;
}

/** Throws `unsupported` for a driver that needs an interface of the machine, where the server is an ordinary user's. */
export function requireReachable({ driver }: Pick<CheckedNetwork, "driver">): void {
  if (driver === "bridge" || bridgeNamespace() === undefined) return;
  const why = "it takes an interface of the machine, which an ordinary user's server cannot have";
  throw new EngineError("unsupported", `Create network: driver "${driver}" is not supported here: ${why}`);
}

/** Runs a program where the bridges are, as {@linkcode runCommand} does. */
export function runAtBridges(
  program: string,
  args: readonly string[],
  options?: CommandOptions,
): Promise<CommandResult> {
  const netns = bridgeNamespace();
  if (netns === undefined) return runCommand(program, args, options);
  return runCommand("nsenter", [`--net=${netns}`, program, ...args], options);
}
