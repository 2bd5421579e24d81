import { EngineError } from "../../engine/errors.ts";
import type { Execs } from "../../engine/ports/exec_port.ts";
import type { Processes } from "../../engine/ports/host_port.ts";
import { readPairs } from "../../engine/text/pairs.ts";
import type { PretendKernel, PretendTask } from "./pretend_kernel.ts";

/** Signals that a program may pass over: they end nothing unless it does so itself. */
const HARMLESS = new Set([17, 18, 23, 28]);

/** Processes of containers that are functions of JavaScript. */
export function pretendProcesses(kernel: PretendKernel): Processes {
  const done = () => Promise.resolve();
  return {
    runtime: () => Promise.resolve({ name: "pretend", path: "", version: "0" }),
    create: async ({ record }) => {
      const { pid } = await Promise.resolve(kernel.create(record));
      return { pid, conmonPid: pid };
    },
    start: async (id) => {
      const task = await Promise.resolve(kernel.find(id));
      if (task.status !== "created") throw new EngineError("internal", `container ${id} is ${task.status}`);
      Object.assign(task, { status: "running", startedAt: Date.now() });
      void task.run.start(task.record.spec.stdin);
    },
    kill: async (id, signal) => killTask(await Promise.resolve(kernel.find(id)), signal),
    pause: async (id) => void Object.assign(await Promise.resolve(kernel.find(id)), { status: "paused" }),
    resume: async (id) => void Object.assign(await Promise.resolve(kernel.find(id)), { status: "running" }),
    resize: done,
    delete: (id) => {
      kernel.tasks.get(id)?.run.end(137);
      kernel.tasks.delete(id);
      return done();
    },
    state: (id) => {
      const task = kernel.tasks.get(id);
      if (task === undefined) return Promise.resolve({ status: "missing" });
      const { status, pid, startedAt, exit } = task;
      return Promise.resolve({ status, pid, conmonPid: pid, startedAt, exit: exit && { ...exit, oomKilled: false } });
    },
    onExit: (callback) => {
      kernel.exitListeners.add(callback);
      return () => void kernel.exitListeners.delete(callback);
    },
    attach: async (id) => (await Promise.resolve(kernel.find(id))).run.attach(),
    cutAttachments: () => {},
    log: ({ path }, options) => kernel.logAt(path).read(options),
    logPlace: ({ path }, records) => Promise.resolve(kernel.logAt(path).place(records, path)),
    deleteLog: ({ path }) => Promise.resolve(void kernel.logs.delete(path)),
    list: () => Promise.resolve([...kernel.tasks.keys()]),
    namespaces: () => ({}),
    top: async (id) => {
      const { pid, record } = await Promise.resolve(kernel.find(id));
      return { titles: ["PID", "COMMAND"], rows: [[String(pid), record.process.args.join(" ")]] };
    },
    execs: pretendExecs(kernel),
  };
}

function pretendExecs(kernel: PretendKernel): Execs {
  return {
    start: async ({ id, record, process, streams }) => {
      if (kernel.find(record.id).status !== "running") {
        throw new EngineError("internal", `container ${record.id} does not run`);
      }
      const env = readPairs([...record.process.env, ...process.env]);
      const workdir = process.workdir ?? record.process.workdir;
      const task = kernel.createExec(id, record, { args: process.args, env, workdir });
      const attachment = streams && task.run.attach();
      void task.run.start(streams?.stdin ?? false);
      return await Promise.resolve({ pid: task.pid, attachment });
    },
    resize: () => Promise.resolve(),
    kill: (id, signal) => {
      const task = kernel.execs.get(id);
      if (task !== undefined) killTask(task, signal);
      return Promise.resolve();
    },
    state: (id) => {
      const task = kernel.execs.get(id);
      if (task === undefined) return Promise.resolve({ status: "missing" });
      const status = task.exit === undefined ? "running" : "stopped";
      return Promise.resolve({ status, pid: task.pid, exit: task.exit });
    },
    onExit: (callback) => {
      kernel.execListeners.add(callback);
      return () => void kernel.execListeners.delete(callback);
    },
    delete: (id) => {
      kernel.execs.get(id)?.run.end(137);
      kernel.execs.delete(id);
      return Promise.resolve();
    },
    list: () => Promise.resolve([...kernel.execs.keys()]),
  };
}

function killTask({ run }: PretendTask, signal: number): void {
  if (!HARMLESS.has(signal)) run.end(128 + signal);
}
