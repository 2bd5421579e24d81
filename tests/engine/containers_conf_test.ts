import { assertEquals, assertThrows } from "@std/assert";
import { parseContainersConf } from "../../lib/engine/containers_conf.ts";

const read = (text: string) => parseContainersConf({ name: "c.conf", text });

Deno.test("parseContainersConf() reads every kind of setting", () => {
  const { defaults, hookFolders, runtime, dockerHub, ignored } = read(`
    [containers]
    annotations = ["a = b", "c=d=e"]
    base_hosts_file = "/srv/hosts"
    default_capabilities = ["CHOWN"]
    default_sysctls = ["net.core.somaxconn=100"]
    default_ulimits = ["nofile=10:20", "RLIMIT_CORE=-1"]
    env = ["A=1"]
    host_containers_internal_ip = "10.0.0.1"
    http_proxy = false
    log_size_max = 9000
    netns = "host"
    oom_score_adj = -5
    shm_size = "65536k"
    tz = ""
    umask = "0027"
    volumes = ["/a:/b:ro"]
    [engine]
    hooks_dir = ["/h"]
    runtime = "runc"
    compat_api_enforce_docker_hub = false
    stop_timeout = 3
  `);
  assertEquals(defaults, {
    annotations: { a: "b", c: "d=e" },
    baseHosts: "/srv/hosts",
    capabilities: ["CHOWN"],
    sysctl: { "net.core.somaxconn": "100" },
    ulimits: [
      { type: "RLIMIT_NOFILE", soft: 10n, hard: 20n },
      { type: "RLIMIT_CORE", soft: 2n ** 64n - 1n, hard: 2n ** 64n - 1n },
    ],
    env: { A: "1" },
    hostAddress: "10.0.0.1",
    httpProxy: false,
    logSizeMax: 9000,
    netns: "host",
    oomScoreAdj: -5,
    shmSize: 65_536_000,
    timezone: undefined,
    umask: "0027",
    volumes: ["/a:/b:ro"],
    stopTimeout: 3,
  });
  assertEquals([hookFolders, runtime, dockerHub, ignored], [["/h"], "runc", false, []]);
});

Deno.test("parseContainersConf() lets later files win, and appends to lists that say so", () => {
  const { defaults } = parseContainersConf(
    { name: "a", text: '[containers]\numask = "0027"\nenv = ["A=1"]\ndevices = ["/dev/fuse"]' },
    { name: "b", text: '[containers]\numask = ""\nenv = ["B=2", {append = true}]\ndevices = ["/dev/null"]' },
  );
  assertEquals(defaults, { umask: undefined, env: { A: "1", B: "2" }, devices: ["/dev/null"] });
});

Deno.test("parseContainersConf() names what is not listened to, but not what is so anyway", () => {
  const { ignored } = read(`
    [containers]
    keyring = true
    label_users = true
    mounts = []
    log_path = "/var/log/ctr"
    [engine]
    cgroup_manager = "cgroupfs"
    events_logger = "journald"
    [engine.runtimes]
    [network]
    default_subnet = "10.1.0.0/16"
  `);
  const keys = ["containers.label_users", "containers.log_path", "engine.events_logger", "network.default_subnet"];
  assertEquals(ignored, keys.map((key) => `c.conf: ${key}`));
});

Deno.test("parseContainersConf() names the file and the key of what cannot be", () => {
  const rows: [text: string, message: string][] = [
    ["[containers", 'Load containers configuration "c.conf"'],
    ["[containers]\ninit = 1", '"containers.init": 1 is not true or false'],
    ['[containers]\npids_limit = "2"', '"containers.pids_limit": "2" is not a whole number'],
    ['[containers]\nenv = "A=1"', '"containers.env": "A=1" is not a list'],
    ['[containers]\nenv = ["A"]', '"containers.env": "A" is not NAME=VALUE'],
    ['[containers]\nlog_driver = "gelf"', '"containers.log_driver": "gelf" is not among its values'],
    ['[containers]\ndefault_ulimits = ["nofile=9:3"]', '"containers.default_ulimits": "nofile=9:3": soft limit'],
    ['[engine]\nruntime = "kata"', '"engine.runtime": "kata" is not among its values'],
    ['[containers]\nshm_size = "big"', `"containers.shm_size": invalid size: 'big'`],
  ];
  for (const [text, message] of rows) assertThrows(() => read(text), SyntaxError, message);
});

Deno.test("parseContainersConf() reads pools of subnets, and refuses what is none", () => {
  const pools = (list: string) => read(`[network]\ndefault_subnet_pools = [${list}]`).subnetPools;
  assertEquals(pools('{ base = "10.89.0.0/16", size = 24 }, { base = "10.90.0.0/15", size = 26 }'), [
    { base: "10.89.0.0/16", size: 24 },
    { base: "10.90.0.0/15", size: 26 },
  ]);
  const rows: [list: string, text: string][] = [
    ['{ base = "fd00::/64", size = 80 }', '"fd00::/64" is no IPv4 subnet'],
    ['{ base = "10.0.0.0/16", size = 8 }', 'size 8 of "10.0.0.0/16" is none from 16 to 30'],
    ['{ base = "10.0.0.0/16" }', "size undefined"],
    ['"10.0.0.0/16"', "is no table"],
    ["", "it is empty"],
  ];
  for (const [list, text] of rows) assertThrows(() => pools(list), SyntaxError, text);
});
