import { assertEquals, assertThrows } from "@std/assert";
import type { ContainerSpec } from "../../../../lib/engine/records/container_record.ts";
import { validateSpec } from "../../../../lib/engine/containers/create/validate.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { spec } from "../../../fixtures/engine/fake_engine.ts";

const host = { mode: "host" as const };
const { namespaces } = spec();

Deno.test("validateSpec() refuses values that no kernel, runtime or file takes, by their field's name", () => {
  const limit = (type: string, soft: bigint, hard: bigint) => ({ rlimits: [{ type: `RLIMIT_${type}`, soft, hard }] });
  const rule = (type: string, access: string) => ({ deviceRules: [{ allow: true, type, major: 1, access }] });
  const network = (options: Record<string, unknown>) => ({ networks: { podman: options } });
  const rows: [Partial<ContainerSpec>, text: string][] = [
    [{ oomScoreAdj: 1001 }, '"oomScoreAdj" 1001 is not between -1000 and 1000'],
    [{ umask: "99" }, "invalid umask string 99"],
    [{ shmSize: -1 }, '"shmSize" -1'],
    [{ timeout: 2 ** 31 }, '"timeout" 2147483648'],
    [{ dnsServers: ["8.8.8.8", "nope"] }, '"nope" is not an ip address'],
    [{ hosts: ["a:1.2.3"] }, 'invalid IP address in add-host: "1.2.3"'],
    [limit("NOPE", 1n, 2n), "invalid ulimit type: nope"],
    [limit("NOFILE", 3n, 2n), "less than or equal to hard limit: 3 > 2"],
    [{ resources: { memory: { limit: -5 } } }, '"resources.memory.limit" -5'],
    [rule("x", "r"), 'invalid device cgroup rule "x 1:* r"'],
    [rule("c", "rq"), 'invalid device cgroup rule "c 1:* rq"'],
    [{ sysctl: { "vm.swappiness": "1" } }, "sysctl 'vm.swappiness' is not allowed"],
    [
      { sysctl: { "net.ipv4.ip_forward": "1" }, namespaces: { ...namespaces, network: host } },
      "sysctl net.ipv4.ip_forward=1 can't be set since Network Namespace set to host",
    ],
    [
      { sysctl: { "kernel.shmmax": "1" }, namespaces: { ...namespaces, ipc: host } },
      "sysctl kernel.shmmax=1 can't be set since IPC Namespace set to host",
    ],
    [{ env: { A: "1\0" } }, 'environment variable "A" contains a NUL byte'],
    [{ masks: ["/a:b"] }, '"masks" "b" is not an absolute path'],
    [{ exposed: ["x/tcp"] }, '"exposed" "x/tcp" is no port'],
    [{ exposed: ["70000/udp"] }, '"exposed" "70000/udp" is no port'],
    [network({ interfaceName: "averyveryverylongname" }), "interfaces names must be 15 characters or less"],
    [network({ interfaceName: "a/b" }), "interface name cannot contain /"],
    [network({ mac: "cf" }), "address cf: invalid MAC address"],
    [network({ linkLocalIPs: ["fe80::7", "10.1.2.3"] }), "invalid link local IP address: 10.1.2.3"],
    [network({ linkLocalIPs: ["169.254.1.1/16"] }), "invalid link local IP address: 169.254.1.1/16"],
    [network({ linkLocalIPs: ["169.255.0.1"] }), "invalid link local IP address: 169.255.0.1"],
    [network({ linkLocalIPs: ["fec0::1"] }), "invalid link local IP address: fec0::1"],
    [network({ linkLocalIPs: ["odd"] }), "invalid link local IP address: odd"],
    [network({ linkLocalIPs: [""] }), "invalid link local IP address: "],
    [network({ aliases: ["fine", "a b\n10.0.0.1 evil"] }), "invalid network alias"],
  ];
  for (const [options, text] of rows) {
    const error = assertThrows(() => validateSpec(spec(options)), EngineError, text);
    assertEquals((error as EngineError).code, "invalid", text);
  }
});

Deno.test("validateSpec() takes what is unusual and all the same right", () => {
  validateSpec(spec({
    oomScoreAdj: -1000,
    umask: "7",
    dnsServers: ["fe80::1%eth0", "::1", "10.0.0.1"],
    hosts: ["a:host-gateway", "b:::1", "c;d:1.2.3.4"],
    rlimits: [{ type: "RLIMIT_CORE", soft: 2n ** 64n - 1n, hard: 2n ** 64n - 1n }],
    // Too little processor time for the kernel is one more container that cannot start, as in Podman.
    resources: { cpu: { quota: 50 }, memory: { limit: -1 } },
    deviceRules: [{ allow: true, access: "rwm" }, { allow: true, type: "b", major: 8, minor: 0, access: "r" }],
    sysctl: { "net.core.somaxconn": "1", "fs.mqueue.msg_max": "1", "kernel.domainname": "x", "kernel.sem": "1 2 3 4" },
    exposed: ["80/tcp", "8000-8010/udp", "53"],
    networks: { podman: { interfaceName: "eth-1.5", mac: "02:42:ac:11:00:02", aliases: ["web.example_1"] } },
  }));
});
