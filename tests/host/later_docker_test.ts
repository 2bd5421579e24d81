/** Docker's daemon of today beside this server, in long runs: the JSON of both for the same requests, field by field. */
import { assertEquals } from "@std/assert";
import { type LaterDocker, startLaterDocker } from "../fixtures/later_docker.ts";
import { type RequestOptions, requestUnix } from "../fixtures/request_unix.ts";
import { Session } from "../fixtures/session.ts";
import { registerLong } from "../long_run.ts";

const VERSION = "/v1.51";

const CONTAINER = {
  Image: "compared:1",
  Cmd: ["sleep", "1000"],
  Env: ["A=b"],
  Labels: { l: "1" },
  Hostname: "hh",
  Domainname: "dd",
  StopSignal: "SIGINT",
  StopTimeout: 3,
  WorkingDir: "/tmp",
  ExposedPorts: { "80/tcp": {} },
  Volumes: { "/anon": {} },
  HostConfig: {
    Binds: ["/tmp:/b1", "/tmp:/b2:ro", "compared:/v1", "other:/v2:ro,nocopy", "/tmp:/b3:rw,rprivate", "/tmp:/b4:z"],
    Mounts: [
      { Type: "bind", Source: "/tmp", Target: "/m1" },
      { Type: "bind", Source: "/tmp", Target: "/m2", ReadOnly: true, BindOptions: { CreateMountpoint: true } },
      { Type: "volume", Source: "mv", Target: "/m3", VolumeOptions: { NoCopy: true, Labels: { q: "w" } } },
      { Type: "volume", Target: "/m4" },
      { Type: "tmpfs", Target: "/m5", TmpfsOptions: { SizeBytes: 1048576, Mode: 448 } },
    ],
    Tmpfs: { "/t1": "size=1m" },
    Memory: 67108864,
    MemorySwap: 134217728,
    NanoCpus: 500000000,
    PidsLimit: 100,
    Ulimits: [{ Name: "nofile", Soft: 100, Hard: 200 }],
    Dns: ["1.1.1.1"],
    ExtraHosts: ["h:1.2.3.4"],
    GroupAdd: ["10"],
    Sysctls: { "net.ipv4.ip_forward": "1" },
    SecurityOpt: ["no-new-privileges"],
    RestartPolicy: { Name: "on-failure", MaximumRetryCount: 2 },
    LogConfig: { Type: "json-file", Config: { "max-size": "1m" } },
    PortBindings: { "80/tcp": [{ HostIp: "127.0.0.1", HostPort: "18080" }] },
    NetworkMode: "compared",
    Annotations: { an: "no" },
    Init: true,
    DeviceCgroupRules: ["c 1:3 r"],
  },
  NetworkingConfig: {
    EndpointsConfig: {
      compared: {
        Aliases: ["al"],
        IPAMConfig: { IPv4Address: "10.88.77.140" },
        DriverOpts: { "com.docker.network.endpoint.sysctls": "net.ipv4.conf.IFNAME.log_martians=1" },
      },
    },
  },
};

const NETWORK = {
  Name: "compared",
  Labels: { a: "b" },
  IPAM: { Config: [{ Subnet: "10.88.77.0/24", Gateway: "10.88.77.1" }] },
};

const VOLUME = { Name: "compared", Labels: { x: "y" }, DriverOpts: { type: "tmpfs", device: "tmpfs", o: "size=1m" } };

/** The requests, and the fields that differ: `-` those that only Docker has, `+` those that only this server has, `!` other types. */
const ROWS: readonly [method: string, path: string, body: unknown, differences: readonly string[]][] = [
  ["POST", "/networks/create", NETWORK, []],
  ["GET", "/networks/compared", undefined, []],
  ["GET", "/networks/bridge", undefined, []],
  ["POST", "/volumes/create", VOLUME, []],
  ["GET", "/volumes/compared", undefined, []],
  ["POST", "/containers/create?name=compared", CONTAINER, []],
  // Docker's containers that never ran have no names.
  ["GET", "/containers/compared/json", undefined, ["!NetworkSettings.Networks.compared.DNSNames"]],
  ["POST", "/containers/create?name=plain", { Image: "compared:1" }, []],
  // Defaults that are applied here are told.
  [
    "GET",
    "/containers/plain/json",
    undefined,
    ["+Config.StopSignal", "+Config.StopTimeout", "!HostConfig.PidsLimit"].sort(),
  ],
  ["POST", "/containers/plain/start", undefined, []],
  ["POST", "/containers/plain/wait", undefined, []],
  ["POST", "/containers/compared/rename?name=renamed", undefined, []],
  ["DELETE", "/containers/renamed?v=1", undefined, []],
  ["POST", "/containers/prune", undefined, []],
  ["POST", "/networks/prune", undefined, []],
  // Podman's words for the same.
  ["GET", "/containers/nobody/json", undefined, ["+cause", "+response"]],
  ["GET", "/networks/nothing", undefined, ["+cause", "+response"]],
];

registerLong("Docker 28.5 and this server answer with the same fields, of the same types", async (t) => {
  await using session = await Session.shared();
  await using docker = await startLaterDocker();
  await handImage(session, docker);
  for (const [method, path, body, differences] of ROWS) {
    await t.step(`${method} ${path}`, async () => {
      const options: RequestOptions = body === undefined ? {} : { body };
      const [theirs, ours] = await Promise.all([
        requestUnix(docker.socket, method, VERSION + path, options),
        session.server.request(method, VERSION + path, options),
      ]);
      const [their, our] = [await theirs.text(), await ours.text()];
      assertEquals(ours.status, theirs.status, `${their} | ${our}`);
      assertEquals(fieldDifferences(parse(their), parse(our)).sort(), differences);
    });
  }
});

/** Has the daemon load the image of the session, by a name of its own. */
async function handImage({ server, image }: Session, docker: LaterDocker): Promise<void> {
  await (await server.request("POST", `/images/create?fromImage=${encodeURIComponent(image)}`)).text();
  await server.request("POST", `/images/${image}/tag?repo=compared&tag=1`);
  const raw = new Uint8Array(await (await server.request("GET", "/images/compared:1/get")).arrayBuffer());
  const headers = { "content-type": "application/x-tar" };
  await (await requestUnix(docker.socket, "POST", "/images/load", { raw, headers })).text();
}

function parse(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text);
}

/** The fields of two answers that only one has, or whose types differ. Go's clients make no difference between null, nothing and empty. */
function fieldDifferences(theirs: unknown, ours: unknown, path = ""): string[] {
  if (isNothing(theirs) && isNothing(ours)) return [];
  if (isNothing(theirs) !== isNothing(ours) && (theirs === undefined || ours === undefined)) {
    return [`${theirs === undefined ? "+" : "-"}${path}`];
  }
  if (typeof theirs !== typeof ours || Array.isArray(theirs) !== Array.isArray(ours) || isNull(theirs, ours)) {
    return [`!${path}`];
  }
  if (typeof theirs !== "object" || theirs === null || typeof ours !== "object" || ours === null) return [];
  // How many words a list has, and which, is no matter of fields.
  if (
    Array.isArray(theirs) && Array.isArray(ours) && typeof theirs[0] === typeof ours[0] && typeof ours[0] !== "object"
  ) {
    return [];
  }
  const [left, right] = [byPlace(theirs), byPlace(ours)];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].flatMap((key) => fieldDifferences(left[key], right[key], path === "" ? key : `${path}.${key}`));
}

function isNull(...values: unknown[]): boolean {
  return values.filter((value) => value === null).length === 1;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/** Docker has no order of mounts: they are compared by their places. */
function byPlace(value: object): Record<string, unknown> {
  if (!Array.isArray(value) || !value.every((item) => item?.Destination)) return { ...value };
  return Object.fromEntries(value.map((item) => [item.Destination, item]));
}
