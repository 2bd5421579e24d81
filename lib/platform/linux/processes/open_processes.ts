import { EngineError } from "../../../engine/errors.ts";
import type { HostContext } from "../helpers/context.ts";
import { findProgram } from "../helpers/programs.ts";
import { openBundler } from "../bundle/bundle.ts";
import { LogForwarder } from "../logs/syslog/forwarder.ts";
import { LogKeeper } from "../logs/log_keeper.ts";
import { Cgroups, usableCgroupLayout } from "../resources/cgroups.ts";
import { Launcher } from "./nursery/launcher.ts";
import type { Carriers } from "./nursery/nursery_sockets.ts";
import { LinuxProcesses } from "./processes.ts";
import { Runtimes } from "./runtime/runtimes.ts";
import { SealedRuntimes } from "./runtime/sealed_runtime.ts";
import { SeccompFilters } from "../bundle/seccomp_filters.ts";

/** Opens the processes of a host. Throws `unsupported` when conmon or the runtime is missing. */
export async function openProcesses(context: HostContext, { nursery, sockets }: Carriers): Promise<LinuxProcesses> {
  const layout = await usableCgroupLayout();
  const cgroups = new Cgroups(layout, context.paths.runroot);
  await cgroups.open();
  const filters = new SeccompFilters();
  const [runtimes, conmon, launcher, bundler] = await Promise.all([
    Runtimes.open(context, layout),
    findProgram("conmon"),
    Launcher.open(context, nursery),
    openBundler(context, filters),
  ]);
  if (conmon === undefined) throw new EngineError("unsupported", "Open host: conmon is not installed");
  const logKeeper = new LogKeeper(context.paths.logs, context.log);
  await logKeeper.resume();
  const logForwarder = new LogForwarder(context.log);
  const sealed = new SealedRuntimes(nursery, context.log);
  return new LinuxProcesses(context, {
    ...{ runtimes, sealed, conmon, nursery, launcher, sockets },
    ...{ cgroups, bundler, filters, logKeeper, logForwarder },
  });
}
