import { assertEquals, assertRejects } from "@std/assert";
import type { PortMapping } from "../../../../lib/engine/records/container_record.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { checkHostPorts } from "../../../../lib/platform/linux/networks/host_ports.ts";
import { LinkHelper } from "../../../../lib/platform/linux/networks/links/link_helper.ts";
import { freePort } from "../../../fixtures/images/registry.ts";
import { Bench, ignore } from "../../../fixtures/platform/process_bench.ts";

function port(hostPort: number, more: Partial<PortMapping> = {}): PortMapping {
  return { hostIP: "", hostPort, containerPort: 80, protocol: "tcp", range: 1, ...more };
}

Deno.test({
  name: "LinuxProcesses holds published ports while the container lives",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const helper = new LinkHelper();
    const [any = 0, one = 0, six = 0, datagrams = 0] = await Promise.all(Array.from({ length: 4 }, freePort));
    const ports = [
      port(any),
      port(one, { hostIP: "127.0.0.1" }),
      port(six, { hostIP: "::1" }),
      port(datagrams, { protocol: "udp" }),
    ];
    const tries = [
      ...ports,
      port(any, { hostIP: "127.0.0.1" }),
      port(datagrams, { protocol: "udp", hostIP: "127.0.0.1" }),
    ];
    const assertTaken = async () => {
      for (const mapping of tries) {
        await assertRejects(() => checkHostPorts(helper, [mapping]), EngineError, "already in use");
      }
    };
    const record = await bench.create({ args: ["sleep", "1000"], record: { ports } });
    await assertTaken();
    const error = await assertRejects(
      () => bench.create({ args: ["true"], record: { ports: [port(any)] } }),
      EngineError,
    );
    assertEquals(error.code, "port_in_use");
    assertEquals(error.message, `cannot listen on the TCP port: listen tcp4 :${any}: bind: address already in use`);
    assertEquals(await bench.processes.list(), [record.id]);
    await bench.processes.start(record.id);
    await assertTaken();
    const ended = bench.ended(record.id);
    await bench.processes.kill(record.id, 9);
    await ended;
    await bench.processes.delete(record.id);
    for (const mapping of tries) await checkHostPorts(helper, [mapping]);
    await helper.close();
  },
});

Deno.test({
  name: "LinuxProcesses hands no held port on to the container, however many there are",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = { ports: [port(31780, { hostIP: "127.0.0.9", range: 1000 })] };
    const { stdout } = await bench.run({ args: ["sh", "-c", "ls /proc/self/fd | wc -l"], record });
    assertEquals((await bench.run({ args: ["sh", "-c", "ls /proc/self/fd | wc -l"] })).stdout, stdout);
  },
});
