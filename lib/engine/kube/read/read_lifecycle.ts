/**
 * Reads how a container starts and ends: the hooks, and the signal.
 *
 * @module
 */
import type { LifecycleHook, LifecycleHooks } from "../../records/lifecycle_hooks.ts";
import { findSignal } from "../../text/signals.ts";
import type { Fields } from "./fields.ts";
import { httpCommand, type NamedPorts } from "./read_probes.ts";

/** The hooks and the stop signal of a container. */
export interface Lifecycle {
  hooks?: LifecycleHooks;
  stopSignal?: number;
}

/** Reads `lifecycle` of a container. Throws `invalid` for a hook with more or less than one action, and for an unknown signal. */
export function readLifecycle(container: Fields, ports: NamedPorts): Lifecycle {
  const lifecycle = container.inner("lifecycle");
  if (lifecycle === undefined) return {};
  const postStart = readHook(lifecycle, "postStart", ports);
  const preStop = readHook(lifecycle, "preStop", ports);
  const signal = lifecycle.text("stopSignal");
  const stopSignal = signal ? findSignal(signal) : undefined;
  if (signal && stopSignal === undefined) throw lifecycle.fail("stopSignal", `"${signal}" is no signal`);
  const hooks = { ...postStart && { postStart }, ...preStop && { preStop } };
  return { ...(postStart ?? preStop) && { hooks }, stopSignal };
}

function readHook(lifecycle: Fields, key: string, ports: NamedPorts): LifecycleHook | undefined {
  const hook = lifecycle.inner(key);
  if (hook === undefined) return undefined;
  const actions = ["exec", "httpGet", "sleep", "tcpSocket"].filter((action) => hook.has(action));
  if (actions.length !== 1) throw lifecycle.fail(key, "must have one of exec, httpGet and sleep");
  const exec = hook.inner("exec");
  if (exec) {
    const command = exec.texts("command");
    if (command.length === 0) throw exec.fail("command", "is missing");
    return { kind: "command", command };
  }
  const http = hook.inner("httpGet");
  if (http) return { kind: "command", command: ["/bin/sh", "-c", httpCommand(http, ports)] };
  const seconds = hook.inner("sleep")?.number("seconds", 0);
  if (seconds !== undefined) return { kind: "sleep", seconds };
  if (hook.has("sleep")) throw hook.fail("sleep.seconds", "is missing");
  hook.note("tcpSocket", "it is not honoured: Kubernetes itself runs no such hook");
  return undefined;
}
