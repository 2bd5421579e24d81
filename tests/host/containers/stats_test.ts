/** What containers use, by the real clients. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

const LIMIT = 64 << 20;

/** Points of a hundred: what starts a container is of its group too, and the kernel's clocks are coarse. */
const SLACK = 4;

Deno.test("stats tell what containers use, to podman and docker", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  await podman("pull", image);
  const limits = ["-m", "64m", "--memory-swap", "64m"];
  const busy = "sleep 611 & while :; do :; done";
  await podman("run", "-d", "--name", "busy", "--cap-add=net_raw", ...limits, image, "sh", "-c", busy);
  await podman("run", "-d", "--name", "idle", "--network=none", image, "sleep", "612");
  await podman("create", "--name", "never", image, "true");

  /** Seconds of the processor that the first process of a container has used, and seconds since the container's start. */
  async function processorOf(name: string): Promise<{ used: number; since: number }> {
    const { State } = await (await server.request("GET", `/libpod/containers/${name}/json`)).json();
    const fields = Deno.readTextFileSync(`/proc/${State.Pid}/stat`).split(") ")[1].split(" ");
    // utime and stime, in hundredths of a second (proc_pid_stat(5)).
    const used = (Number(fields[11]) + Number(fields[12])) / 100;
    return { used, since: (Date.now() - Date.parse(State.StartedAt)) / 1000 };
  }

  await t.step("podman: several at once, limits as set", async () => {
    type Row = Record<string, string>;
    const before = await processorOf("busy");
    const rows: Row[] = JSON.parse(await podman("stats", "--no-stream", "--format", "json"));
    const after = await processorOf("busy");
    assertEquals(rows.map(({ name }) => name).sort(), ["busy", "idle"]);
    const [one] = rows.filter(({ name }) => name === "busy");
    assertMatch(one.mem_usage, /kB|MB/);
    assertStringIncludes(one.mem_usage, "/ 67.11MB");
    assertEquals(one.pids, "2");
    // Of the time since its start, however much of the processor others leave to it.
    const [least, most] = [before.used / after.since, after.used / before.since].map((share) => 100 * share);
    const told = parseFloat(one.cpu_percent);
    assert(told > least - SLACK && told < most + SLACK && told > SLACK, `${told} is not of ${least} to ${most}`);
    // The client has the flag and does not send it.
    const { Stats } = await (await server.request("GET", "/libpod/containers/stats?stream=false&all=true")).json();
    const pids = Stats.map(({ Name, PIDs }: { Name: string; PIDs: number }) => `${Name} ${PIDs}`);
    assertEquals(pids.sort(), ["busy 2", "idle 1", "never 0"]);
    assertStringIncludes((await server.podman("stats", "--no-stream", "nope")).stderr, "no such container");
  });
  await t.step("docker: one look has a second's share of the processor", async () => {
    const line = await docker(
      "stats",
      "--no-stream",
      "--format",
      "{{.Name}} {{.CPUPerc}} {{.MemUsage}} {{.PIDs}}",
      "busy",
    );
    assertMatch(line, /^busy [\d.]+% \S+ \/ 64MiB 2\n$/);
    assert(parseFloat(line.split(" ")[1]) > 20, line);
  });
  await t.step("network and processor figures grow, and are the container's own", async () => {
    const read = async () => await (await server.request("GET", "/libpod/containers/busy/stats?stream=false")).json();
    const before = await read();
    assertEquals(before.memory_stats.limit, LIMIT);
    const ask = "ping -c 1 $(ip route | sed -n 's/^default via \\([^ ]*\\).*/\\1/p')";
    await podman("exec", "busy", "sh", "-c", ask);
    const after = await read();
    assert(after.networks.eth0.tx_bytes > before.networks.eth0.tx_bytes);
    assert(after.cpu_stats.cpu_usage.total_usage > before.cpu_stats.cpu_usage.total_usage);
    const none = await (await server.request("GET", "/libpod/containers/idle/stats?stream=false")).json();
    assertEquals(none.networks, undefined);
  });
  await t.step("several watchers; each goes when it likes, and a stream ends with its container", async () => {
    const address = server.addresses[1].replace("tcp", "http");
    const stop = new AbortController();
    const gone = await fetch(`${address}/containers/idle/stats`, { signal: stop.signal });
    const stays = await fetch(`${address}/containers/idle/stats`);
    const several = await fetch(`${address}/v5.0.0/libpod/containers/stats?interval=1`);
    const first = await gone.body!.getReader().read();
    assert(first.value!.length > 100);
    stop.abort();
    const reader = several.body!.pipeThrough(new TextDecoderStream()).getReader();
    assertEquals(JSON.parse((await reader.read()).value!).Stats.length, 2);
    await podman("stop", "-t", "0", "idle");
    const samples = (await stays.text()).trim().split("\n").map((line) => JSON.parse(line));
    assert(samples.length >= 1);
    await until(async () => assertEquals(JSON.parse((await reader.read()).value!).Stats.length, 1));
    await reader.cancel();
  });
});
