import { assertEquals, assertThrows } from "@std/assert";
import { withTag } from "../../lib/client/client_images.ts";
import { parsePorts, parseVolumes } from "../../lib/client/container_options.ts";
import { listAddresses } from "../../lib/platform/entries/client.ts";

Deno.test("parsePorts() reads ports, protocols and addresses, and refuses anything else", () => {
  const ports = { 80: 0, "53/udp": 5353, 443: "127.0.0.1:8443", 22: "[::1]:2222" };
  assertEquals(
    parsePorts(ports).map(({ container, protocol, host, address }) => [container, protocol, host, address]),
    [
      [22, "tcp", 2222, "::1"],
      [80, "tcp", 0, ""],
      [443, "tcp", 8443, "127.0.0.1"],
      [53, "udp", 5353, ""],
    ],
  );
  const wrong: Record<string, number | string>[] = [
    { "http": 80 },
    { 70000: 0 },
    { 80: 65536 },
    { 80: "host:80" },
    { "80/xyz": 0 },
    { 80: -1 },
    { 80: 1.5 },
  ];
  for (const ports of wrong) assertThrows(() => parsePorts(ports), TypeError, "Publish port");
});

Deno.test("parseVolumes() tells volumes from folders, and those that are read-only", () => {
  assertEquals(parseVolumes({ "/data": "pg", "/etc/app": "/srv/app:ro" }), [
    { source: "pg", target: "/data", isReadOnly: false, isPath: false },
    { source: "/srv/app", target: "/etc/app", isReadOnly: true, isPath: true },
  ]);
});

Deno.test("withTag() adds a tag where there is neither tag nor digest", () => {
  const digest = `alpine@sha256:${"a".repeat(64)}`;
  const names = ["alpine", "alpine:3", "localhost:5000/alpine", "localhost:5000/alpine:3", digest];
  assertEquals(names.map(withTag), ["alpine:latest", names[1], `${names[2]}:latest`, names[3], digest]);
});

Deno.test("listAddresses() takes the environment's server, then the user's sockets, then the system's", () => {
  const all = () => true;
  assertEquals(listAddresses({ CONTAINER_HOST: "unix:///a", DOCKER_HOST: "unix:///b" }, 0, all).named, "unix:///a");
  assertEquals(listAddresses({ DOCKER_HOST: "unix:///b" }, 0, all).named, "unix:///b");
  assertEquals(listAddresses({}, 0, all), {
    named: undefined,
    sockets: ["unix:///run/gantry/gantry.sock", "unix:///run/podman/podman.sock", "unix:///run/docker.sock"],
  });
  const podman = (path: string) => path.endsWith("podman.sock");
  assertEquals(listAddresses({}, 1000, podman).sockets, [
    "unix:///run/user/1000/podman/podman.sock",
    "unix:///run/podman/podman.sock",
  ]);
  assertEquals(listAddresses({ XDG_RUNTIME_DIR: "/x" }, 1000, () => false).sockets, []);
});
