/** Link-local addresses of containers, as the Docker CLI asks for them. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("docker run and docker network connect add link-local addresses, restarts included", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  await docker("pull", image);
  await docker("network", "create", "--subnet", "10.66.9.0/24", "lan");
  const first = ["--network", "lan", "--link-local-ip", "169.254.66.1", "--link-local-ip", "fe80::66:1"];
  await docker("run", "-d", "--name", "one", ...first, image, "sleep", "1000");
  const addresses = async (device: string) => await docker("exec", "one", "ip", "address", "show", "dev", device);
  for (const address of ["inet 10.66.9.", "inet 169.254.66.1/16", "inet6 fe80::66:1/64"]) {
    assertStringIncludes(await addresses("eth0"), address);
  }
  await docker("network", "connect", "--link-local-ip", "169.254.66.2", "bridge", "one");
  assertStringIncludes(await addresses("eth1"), "inet 169.254.66.2/16");
  await docker("restart", "-t", "0", "one");
  assertStringIncludes(await addresses("eth0"), "inet 169.254.66.1/16");
  assertStringIncludes(await addresses("eth1"), "inet 169.254.66.2/16");
  const [{ NetworkSettings }] = JSON.parse(await docker("inspect", "one"));
  assertEquals(NetworkSettings.Networks.lan.IPAMConfig.LinkLocalIPs, ["169.254.66.1", "fe80::66:1"]);
  const refused = await server.docker("run", "--rm", "--network", "lan", "--link-local-ip", "10.66.9.9", image, "true");
  assertStringIncludes(refused.stderr, "invalid link local IP address: 10.66.9.9");
});
