import { CommandLine, type Conversion } from "./conversion.ts";
import { addNetworks, addUserMaps, addVolumes, imageSource, setLongRunning, storageSource } from "./shared.ts";
import { containerName } from "./unit_info.ts";

/** Turns a `.container` into a service that runs the container. */
export function convertContainer(conversion: Conversion): void {
  const { service } = conversion;
  const [image, rootfs] = [conversion.value("Image"), conversion.value("Rootfs")];
  if (image === undefined && rootfs === undefined) throw conversion.fault("Image", "neither Image nor Rootfs is set");
  if (image !== undefined && rootfs !== undefined) throw conversion.fault("Rootfs", "set beside Image");
  const source = image === undefined ? ["--rootfs", rootfs!] : [imageSource(conversion, image)];
  const name = containerName(conversion.quadlet);
  const { isOneshot } = setLongRunning(conversion);
  const stop = conversion.command("rm", "-v", "-f", "-i", name);
  stop.write("ExecStop");
  new CommandLine(conversion, [`-${stop.words[0]}`, ...stop.words.slice(1)]).write("ExecStopPost");
  writeReload(conversion, name);
  const run = conversion.command("run", "--name", name, "--replace", "--rm");
  run.addValues({ LogDriver: "--log-driver" }).addWords({ LogOpt: "--log-opt" });
  service.add("Service", "Delegate", "yes");
  const groups = conversion.value("CgroupsMode");
  if (groups === undefined) run.add("--cgroups=split");
  else run.add("--cgroups", groups);
  // An empty entrypoint takes back that of the image.
  const entrypoint = conversion.quadlet.value("Container", "Entrypoint");
  if (entrypoint !== undefined) run.add(`--entrypoint=${entrypoint}`);
  addPlainOptions(run);
  addNetworks(conversion, run);
  if (!isOneshot) run.add(`--sdnotify=${notifyMode(conversion)}`, "-d");
  addSecurity(conversion, run);
  addDevices(conversion, run);
  for (const name of conversion.words("DropCapability")) run.add("--cap-drop", name.toLowerCase());
  for (const name of conversion.words("AddCapability")) run.add("--cap-add", name.toLowerCase());
  run.addWords({ Sysctl: "--sysctl" });
  run.addFlags({ ReadOnly: "--read-only" });
  if (conversion.flag("VolatileTmp") && !conversion.flag("ReadOnly")) run.add("--tmpfs", "/tmp:rw,size=512M,mode=1777");
  addUser(conversion, run);
  addUserMaps(conversion, run);
  addVolumes(conversion, run);
  const update = conversion.value("AutoUpdate");
  if (update !== undefined) run.add("--label", `io.containers.autoupdate=${update}`);
  for (const port of conversion.values("ExposeHostPort")) {
    if (!/^\d{1,5}(?:-\d{1,5})?(?:\/(?:udp|tcp|sctp))?$/.test(port)) {
      throw conversion.fault("ExposeHostPort", `"${port}" is not a port or a range of ports`);
    }
    run.add("--expose", port);
  }
  run.addLists({ PublishPort: "--publish" });
  run.addPairs({ Environment: "--env", Label: "--label", Annotation: "--annotation" });
  for (const mask of conversion.words("Mask")) run.add("--security-opt", `mask=${mask}`);
  for (const unmask of conversion.words("Unmask")) run.add("--security-opt", `unmask=${unmask}`);
  for (const file of conversion.words("EnvironmentFile")) run.add("--env-file", conversion.path(file));
  run.addWords({ Secret: "--secret" });
  for (const mount of conversion.words("Mount")) run.add("--mount", resolveMount(conversion, mount));
  addHealth(run);
  addPod(conversion, run);
  run.add(...conversion.words("PodmanArgs"), ...source, ...conversion.quadlet.lastWords("Container", "Exec"));
  run.write("ExecStart");
}

function addPlainOptions(run: CommandLine): void {
  run.addValues({
    ...{ Timezone: "--tz", PidsLimit: "--pids-limit", ShmSize: "--shm-size", WorkingDir: "--workdir", IP: "--ip" },
    ...{ IP6: "--ip6", HostName: "--hostname", StopSignal: "--stop-signal", StopTimeout: "--stop-timeout" },
    ...{ Pull: "--pull", Memory: "--memory", Retry: "--retry", RetryDelay: "--retry-delay" },
  });
  run.addLists({
    ...{ NetworkAlias: "--network-alias", Ulimit: "--ulimit", DNS: "--dns", DNSOption: "--dns-option" },
    ...{ DNSSearch: "--dns-search", GroupAdd: "--group-add", AddHost: "--add-host", Tmpfs: "--tmpfs" },
  });
  run.addFlags({
    ...{ RunInit: "--init", EnvironmentHost: "--env-host", HttpProxy: "--http-proxy" },
    ...{ ReadOnlyTmpfs: "--read-only-tmpfs" },
  });
}

function notifyMode(conversion: Conversion): string {
  if (conversion.value("Notify")?.toLowerCase() === "healthy") return "healthy";
  return conversion.flag("Notify") ? "container" : "conmon";
}

function addSecurity(conversion: Conversion, run: CommandLine): void {
  if (conversion.flag("NoNewPrivileges")) run.add("--security-opt=no-new-privileges");
  if (conversion.flag("SecurityLabelDisable")) run.add("--security-opt", "label=disable");
  if (conversion.flag("SecurityLabelNested")) run.add("--security-opt", "label=nested");
  const options = {
    ...{
      SecurityLabelType: "label=type:",
      SecurityLabelFileType: "label=filetype:",
      SecurityLabelLevel: "label=level:",
    },
    ...{ AppArmor: "apparmor=", SeccompProfile: "seccomp=" },
  };
  for (const [key, start] of Object.entries(options)) {
    const value = conversion.value(key);
    if (value !== undefined) run.add("--security-opt", `${start}${value}`);
  }
}

/** A device with a minus before it may be absent. */
function addDevices(conversion: Conversion, run: CommandLine): void {
  for (const word of conversion.words("AddDevice")) {
    const device = word.replace(/^-/, "");
    if (word === device || conversion.options.hasPath(device.split(":")[0])) run.add("--device", device);
  }
}

function addUser(conversion: Conversion, run: CommandLine): void {
  const [user, group] = [conversion.value("User"), conversion.value("Group")];
  if (user === undefined && group !== undefined) throw conversion.fault("Group", "set without User");
  if (user !== undefined) run.add("--user", group === undefined ? user : `${user}:${group}`);
}

function addHealth(run: CommandLine): void {
  run.addValues({
    ...{ HealthCmd: "--health-cmd", HealthInterval: "--health-interval", HealthOnFailure: "--health-on-failure" },
    ...{ HealthLogDestination: "--health-log-destination", HealthMaxLogCount: "--health-max-log-count" },
    ...{ HealthMaxLogSize: "--health-max-log-size", HealthRetries: "--health-retries" },
    ...{ HealthStartPeriod: "--health-start-period", HealthTimeout: "--health-timeout" },
    ...{ HealthStartupCmd: "--health-startup-cmd", HealthStartupInterval: "--health-startup-interval" },
    ...{ HealthStartupRetries: "--health-startup-retries", HealthStartupSuccess: "--health-startup-success" },
    ...{ HealthStartupTimeout: "--health-startup-timeout" },
  });
}

function addPod(conversion: Conversion, run: CommandLine): void {
  const pod = conversion.value("Pod");
  if (pod === undefined) return;
  if (!pod.endsWith(".pod")) throw conversion.fault("Pod", `"${pod}" is not the name of a .pod`);
  const info = conversion.units.get(pod);
  if (info === undefined) throw conversion.fault("Pod", `there is no quadlet ${pod}`, { isMendable: true });
  run.add("--pod", info.resource);
  conversion.service.add("Unit", "BindsTo", info.service);
  conversion.service.add("Unit", "After", info.service);
}

function writeReload(conversion: Conversion, name: string): void {
  const words = conversion.quadlet.lastWords("Container", "ReloadCmd");
  const signal = conversion.value("ReloadSignal");
  if (words.length > 0 && signal !== undefined) throw conversion.fault("ReloadSignal", "set beside ReloadCmd");
  if (words.length > 0) conversion.command("exec", name, ...words).write("ExecReload");
  if (signal !== undefined) conversion.command("kill", "--signal", signal, name).write("ExecReload");
}

/** Types of mounts whose source may be a path of the host or another quadlet. */
const SOURCED = new Set(["volume", "bind", "glob", "image", "artifact"]);

function resolveMount(conversion: Conversion, mount: string): string {
  const fields = splitFields(mount);
  const named = fields.findLast((field) => field.startsWith("type="));
  const type = named === undefined ? "volume" : named.slice("type=".length);
  if (!SOURCED.has(type)) return mount;
  const others = fields.filter((field) => !field.startsWith("type="));
  const at = others.findLastIndex((field) => /^(?:source|src)(?:=|$)/.test(field));
  if (at < 0 && type !== "volume") throw conversion.fault("Mount", `a mount of type ${type} needs a source`);
  if (at >= 0) {
    const source = others[at].replace(/^[^=]*=?/, "");
    others[at] = `source=${storageSource(conversion, "Mount", source, [".image", ".build"])}`;
  }
  const quoted = [`type=${type}`, ...others].map((field) =>
    /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
  );
  return quoted.join(",");
}

/** Splits at commas, but not within double quotes, of which two stand for one. */
function splitFields(text: string): string[] {
  return [...text.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g)].map(([, field]) => {
    return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
  });
}
