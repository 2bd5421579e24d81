/** One container, made in three ways: by the engine itself, by libpod's API and by Docker's. */
import { assert, assertEquals } from "@std/assert";
import { parseContainersConf } from "../../../lib/engine/containers_conf.ts";
import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

const CONF = `
  [containers]
  annotations = ["a=1"]
  base_hosts_file = "/srv/hosts"
  cgroup_conf = ["memory.high=1"]
  cgroupns = "host"
  cgroups = "no-conmon"
  container_name_as_hostname = true
  default_capabilities = ["CHOWN"]
  default_sysctls = ["net.core.somaxconn=100", "net.ipv4.ping_group_range=0 0"]
  default_ulimits = ["nofile=10:20"]
  devices = ["/dev/fuse"]
  dns_options = ["ndots:2"]
  dns_searches = ["example"]
  dns_servers = ["10.0.0.1"]
  env = ["FROM_CONF=yes"]
  env_host = true
  host_containers_internal_ip = "192.0.2.9"
  http_proxy = false
  init = true
  init_path = "/sbin/tini"
  ipcns = "private"
  log_driver = "json-file"
  log_size_max = 9000
  mounts = ["type=tmpfs,destination=/scratch"]
  no_hosts = true
  oom_score_adj = 5
  pids_limit = 77
  read_only = true
  seccomp_profile = "/srv/seccomp.json"
  shm_size = "1k"
  tz = "local"
  umask = "0027"
  userns = "keep-id:uid=5,gid=6"
  utsns = "private"
  volumes = ["/srv/data:/data:ro", "cache:/cache"]
  [engine]
  image_volume_mode = "tmpfs"
  stop_timeout = 3
`;

/** Fields of a spec that Docker's tree sets by itself, each with its reason. */
const DOCKERS: Record<string, string> = {
  createWorkdir: "Docker's daemon makes the working directory",
  defaults: "confinement is Docker's where none is requested",
  requestWords: "Docker's clients are told their own words again",
  readOnly: "Docker's JSON has no third value: false is false",
  stdinOnce: "Docker's JSON has it in any case",
};

/** A record as a store keeps it, without the facts that differ between any two containers. */
function timeless(record: ContainerRecord): Omit<ContainerRecord, "log"> {
  const { id, name, spec, process, created, log: _log } = record;
  const env = process.env.map((entry) => entry.replace(`HOSTNAME=${name}`, "HOSTNAME=NAME")).sort();
  const hostname = record.hostname === name ? "NAME" : record.hostname;
  const facts = { ...record, log: undefined, hostname, name: "", created: Math.min(created, 1) };
  const text = JSON.stringify({ ...facts, spec: { ...spec, name: "" }, process: { ...process, env } }, exact);
  return JSON.parse(text.replaceAll(id, "ID").replaceAll(id.slice(0, 12), "ID"));
}

Deno.test("the engine, libpod's API and Docker's make the same container where a request says nothing", async () => {
  const { defaults, ignored } = parseContainersConf({ name: "containers.conf", text: CONF });
  assertEquals(ignored, []);
  await using test = await openTestEngine({ defaults });
  const { containers } = test.engine;
  const { record: own } = await containers.create({ name: "own", image: TINY_NAME });
  const made = async (path: string, body: unknown) => {
    const reply = await test.send("POST", path, body);
    assertEquals(reply.status, 201, await reply.clone().text());
    return timeless(containers.resolve((await reply.json()).Id));
  };
  const native = await made("/libpod/containers/create", { name: "native", image: TINY_NAME });
  const docker = await made("/v1.44/containers/create?name=docker", { Image: TINY_NAME });
  const first = timeless(own);
  assertEquals(native, first);

  const { spec: dockerSpec, ...dockerRest } = docker;
  const { spec, ...rest } = first;
  assertEquals(dockerRest, rest);
  const all = new Set([...Object.keys(spec), ...Object.keys(dockerSpec)]);
  const value = (from: object, field: string) => JSON.stringify(Object(from)[field], exact);
  const differing = [...all].filter((field) => value(spec, field) !== value(dockerSpec, field));
  assertEquals(differing.sort(), Object.keys(DOCKERS).sort());
  assertEquals([spec.readOnly, dockerSpec.readOnly], [true, false]);

  // The owner's choices arrived, so that the comparison compares something.
  assertEquals([spec.umask, spec.shmSize, own.stopTimeout, own.hostname], ["0027", 1000, 3, "own"]);
  assertEquals(own.mounts.map(({ destination }) => destination).sort(), ["/cache", "/data", "/scratch"]);
  assertEquals([spec.resources.pids, own.process.user, spec.hostAddress], [{ limit: 77 }, "5:6", "192.0.2.9"]);
  assert(own.process.env.includes("FROM_CONF=yes"));
});

Deno.test("a request's own words win over the owner's, whoever translates them", async () => {
  const { defaults } = parseContainersConf({ name: "containers.conf", text: CONF });
  await using test = await openTestEngine({ defaults });
  const { containers } = test.engine;
  const mine = { mode: "private" as const };
  const { record: own } = await containers.create({
    image: TINY_NAME,
    init: false,
    readOnly: false,
    namespaces: { cgroup: mine, user: { mode: "host" } },
    noHosts: false,
    umask: "0077",
    cgroupsMode: "enabled",
    imageVolumes: "anonymous",
  });
  const reply = await test.send("POST", "/libpod/containers/create", {
    image: TINY_NAME,
    init: false,
    read_only_filesystem: false,
    cgroupns: { nsmode: "private" },
    userns: { nsmode: "host" },
    use_image_hosts: false,
    umask: "0077",
    cgroups_mode: "enabled",
    image_volume_mode: "anonymous",
  });
  const native = containers.resolve((await reply.json()).Id).spec;
  for (const { init, readOnly, namespaces, noHosts, umask, cgroupsMode } of [own.spec, native]) {
    assertEquals([init, readOnly, noHosts, umask], [false, false, false, "0077"]);
    assertEquals([namespaces.cgroup, namespaces.user, cgroupsMode], [mine, undefined, undefined]);
  }
});

Deno.test("errors of the engine name fields as the client does", async () => {
  await using test = await openTestEngine();
  const failure = async (path: string, body: unknown) => (await (await test.send("POST", path, body)).json()).message;
  const native = { image: TINY_NAME, oom_score_adj: 2000 };
  const fault = "2000 is not between -1000 and 1000";
  assertEquals(await failure("/libpod/containers/create", native), `"oom_score_adj" ${fault}`);
  const docker = { Image: TINY_NAME, HostConfig: { OomScoreAdj: 2000 } };
  assertEquals(await failure("/containers/create", docker), `"HostConfig.OomScoreAdj" ${fault}`);
  const mode = { Image: TINY_NAME, HostConfig: { PidMode: "odd" } };
  const unknown = 'Create container: "HostConfig.PidMode" is not supported yet: mode "odd"';
  assertEquals(await failure("/containers/create", mode), unknown);
  const own = await test.engine.containers.create({ image: TINY_NAME, oomScoreAdj: 2000 }).catch((error) => error);
  assertEquals(own.message, `"oomScoreAdj" ${fault}`);
});

function exact(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
