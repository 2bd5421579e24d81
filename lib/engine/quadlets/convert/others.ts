/**
 * The kinds of quadlets beside `.container`.
 *
 * @module
 */
import { type Conversion, startsWithSpecifier } from "./conversion.ts";
import {
  addNetworks,
  addUserMaps,
  addVolumes,
  imageSource,
  isAddress,
  setLongRunning,
  setOneshot,
  setWorkingFolder,
} from "./shared.ts";
import { escapePath } from "../../units/words.ts";

/** Turns a `.pod` into a service that makes, starts and removes the pod. */
export function convertPod(conversion: Conversion): void {
  const { service, info: { resource, members } } = conversion;
  for (const member of members) {
    service.add("Unit", "Wants", member);
    service.add("Unit", "Before", member);
  }
  conversion.default("SyslogIdentifier", "%N");
  conversion.command("pod", "start", resource).write("ExecStart");
  const timeout = conversion.value("StopTimeout") ?? "10";
  conversion.command("pod", "stop", "--ignore", `--time=${timeout}`, resource).write("ExecStop");
  conversion.command("pod", "rm", "--ignore", "--force", resource).write("ExecStopPost");
  const create = conversion.command("pod", "create", "--infra-conmon-pidfile=%t/%N.pid", "--replace");
  create.add("--exit-policy", conversion.value("ExitPolicy") ?? "stop");
  addUserMaps(conversion, create);
  create.addLists({ PublishPort: "--publish" }).addPairs({ Label: "--label" });
  addNetworks(conversion, create);
  create.addValues({ IP: "--ip", IP6: "--ip6", ShmSize: "--shm-size", HostName: "--hostname" });
  create.addLists({
    ...{ NetworkAlias: "--network-alias", DNS: "--dns", DNSOption: "--dns-option", DNSSearch: "--dns-search" },
    ...{ AddHost: "--add-host" },
  });
  addVolumes(conversion, create);
  create.add("--infra-name", `${resource}-infra`, "--name", resource, ...conversion.words("PodmanArgs"));
  create.write("ExecStartPre");
  service.add("Service", "Environment", "PODMAN_SYSTEMD_UNIT=%n");
  service.set("Service", "Type", "forking");
  service.set("Service", "PIDFile", "%t/%N.pid");
  conversion.default("Restart", "on-failure");
}

/** Turns a `.kube` into a service that plays its documents. */
export function convertKube(conversion: Conversion): void {
  const documents = conversion.words("Yaml").map((path) => conversion.path(path));
  if (documents.length === 0) throw conversion.fault("Yaml", "not set");
  setLongRunning(conversion);
  const play = conversion.command("kube", "play", "--replace", "--service-container=true");
  const propagation = conversion.value("ExitCodePropagation");
  if (propagation !== undefined) play.add(`--service-exit-code-propagation=${propagation}`);
  play.addValues({ LogDriver: "--log-driver" }).addWords({ LogOpt: "--log-opt" });
  addUserMaps(conversion, play);
  addNetworks(conversion, play);
  for (const update of conversion.words("AutoUpdate")) {
    const [, container, kind] = /^(?:([^/]*)\/)?(.*)$/s.exec(update) ?? [];
    play.add(`--annotation=io.containers.autoupdate${container === undefined ? "" : `/${container}`}=${kind}`);
  }
  for (const path of conversion.words("ConfigMap")) play.add("--configmap", conversion.path(path));
  play.addLists({ PublishPort: "--publish" }).add(...conversion.words("PodmanArgs"), ...documents);
  play.write("ExecStart");
  const down = conversion.command("kube", "down").addFlags({ KubeDownForce: "--force" });
  down.add(...documents).write("ExecStopPost");
  setWorkingFolder(conversion, "Yaml");
}

/** Turns a `.network` into a service that makes the network. */
export function convertNetwork(conversion: Conversion): void {
  const { resource } = conversion.info;
  if (conversion.flag("NetworkDeleteOnStop")) conversion.command("network", "rm", resource).write("ExecStopPost");
  const create = conversion.command("network", "create", "--ignore");
  create.addFlags({ DisableDNS: "--disable-dns", Internal: "--internal", IPv6: "--ipv6" });
  create.addValues({ Driver: "--driver", IPAMDriver: "--ipam-driver", InterfaceName: "--interface-name" });
  create.addLists({ DNS: "--dns" });
  const [subnets, gateways, ranges] = ["Subnet", "Gateway", "IPRange"].map((key) => conversion.values(key));
  if (gateways.length > subnets.length) throw conversion.fault("Gateway", "more gateways than subnets");
  if (ranges.length > subnets.length) throw conversion.fault("IPRange", "more ranges than subnets");
  subnets.forEach((subnet, at) => {
    create.add("--subnet", subnet);
    if (at < gateways.length) create.add("--gateway", gateways[at]);
    if (at < ranges.length) create.add("--ip-range", ranges[at]);
  });
  create.addPairs({ Options: "--opt", Label: "--label" });
  create.add(...conversion.words("PodmanArgs"), resource).write("ExecStart");
  setOneshot(conversion);
}

/** Turns a `.volume` into a service that makes the volume. */
export function convertVolume(conversion: Conversion): void {
  const create = conversion.command("volume", "create", "--ignore");
  create.addValues({ UID: "--uid", GID: "--gid", Driver: "--driver" });
  if (conversion.value("Driver") === "image") {
    const image = conversion.value("Image");
    if (image === undefined) throw conversion.fault("Image", "the driver image needs one");
    create.add("--opt", `image=${imageSource(conversion, image)}`);
  } else {
    const { quadlet, kind: { section } } = conversion;
    const [uid, gid] = [quadlet.number(section, "User"), quadlet.number(section, "Group")];
    const mountOptions = conversion.value("Options");
    const copy = conversion.flag("Copy");
    if (copy !== undefined) create.add("--opt", copy ? "copy" : "nocopy");
    const [device, type] = [conversion.value("Device"), conversion.value("Type")];
    if (device !== undefined) create.add("--opt", `device=${device}`);
    if (type !== undefined) {
      if (device === undefined) throw conversion.fault("Type", "set without Device");
      create.add("--opt", `type=${type}`);
      if (type === "bind") conversion.service.add("Unit", "RequiresMountsFor", escapePath(device));
    }
    const options = [
      ...uid === undefined ? [] : [`uid=${uid}`],
      ...gid === undefined ? [] : [`gid=${gid}`],
      ...mountOptions === undefined ? [] : [mountOptions],
    ];
    if (options.length > 0) create.add("--opt", `o=${options.join(",")}`);
  }
  create.addPairs({ Label: "--label" }).add(...conversion.words("PodmanArgs"), conversion.info.resource);
  create.write("ExecStart");
  setOneshot(conversion);
}

/** Options of what pulls from a registry. */
const PULL_OPTIONS = {
  ...{ AuthFile: "--authfile", CertDir: "--cert-dir", Creds: "--creds", DecryptionKey: "--decryption-key" },
  ...{ Retry: "--retry", RetryDelay: "--retry-delay" },
};

/** Turns a `.image` into a service that pulls the image. */
export function convertImage(conversion: Conversion): void {
  const image = conversion.value("Image");
  if (image === undefined) throw conversion.fault("Image", "not set");
  const pull = conversion.command("image", "pull");
  pull.addValues({ Arch: "--arch", OS: "--os", Variant: "--variant", Policy: "--policy", ...PULL_OPTIONS });
  pull.addFlags({ AllTags: "--all-tags", TLSVerify: "--tls-verify" });
  pull.add(...conversion.words("PodmanArgs"), image).write("ExecStart");
  setOneshot(conversion);
}

/** Turns a `.artifact` into a service that pulls the artifact. */
export function convertArtifact(conversion: Conversion): void {
  const artifact = conversion.value("Artifact");
  if (artifact === undefined) throw conversion.fault("Artifact", "not set");
  const pull = conversion.command("artifact", "pull").addValues(PULL_OPTIONS);
  pull.addFlags({ Quiet: "--quiet", TLSVerify: "--tls-verify" });
  pull.add(...conversion.words("PodmanArgs"), artifact).write("ExecStart");
  setOneshot(conversion);
}

/** Turns a `.build` into a service that builds the image. */
export function convertBuild(conversion: Conversion): void {
  if (conversion.info.resource === "") throw conversion.fault("ImageTag", "not set");
  const build = conversion.command("build");
  const pull = conversion.value("Pull");
  if (pull !== undefined) build.add(`--pull=${pull}`);
  build.addValues({
    ...{ Arch: "--arch", AuthFile: "--authfile", IgnoreFile: "--ignorefile", Target: "--target" },
    ...{ Variant: "--variant", Retry: "--retry", RetryDelay: "--retry-delay" },
  });
  build.addFlags({ TLSVerify: "--tls-verify", ForceRM: "--force-rm" });
  build.addLists({
    ...{ DNS: "--dns", DNSOption: "--dns-option", DNSSearch: "--dns-search", GroupAdd: "--group-add" },
    ...{ ImageTag: "--tag" },
  });
  build.addPairs({ BuildArg: "--build-arg", Environment: "--env", Label: "--label", Annotation: "--annotation" });
  addNetworks(conversion, build);
  build.addWords({ Secret: "--secret" });
  addVolumes(conversion, build);
  const context = setWorkingFolder(conversion, "File");
  const folder = conversion.service.value("Service", "WorkingDirectory");
  const file = conversion.value("File");
  if (context === undefined && !folder && file === undefined) {
    throw conversion.fault("SetWorkingDirectory", "neither SetWorkingDirectory nor File is set", { isMendable: true });
  }
  if (file !== undefined) build.add("--file", file);
  build.add(...conversion.words("PodmanArgs"));
  const isFixed = file !== undefined && (file.startsWith("/") || startsWithSpecifier(file) || isAddress(file));
  if (context !== undefined) {
    build.add(context);
  } else if (!isFixed) {
    if (!folder) throw conversion.fault("File", "a relative path needs SetWorkingDirectory", { isMendable: true });
    build.add(folder);
  }
  build.write("ExecStart");
  setOneshot(conversion, { remains: false });
}
