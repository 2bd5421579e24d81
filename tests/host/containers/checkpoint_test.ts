/**
 * Checkpoints, by the real client. CRIU does not start on every kernel: the first test checks a process that goes on where CRIU
 * works, and CRIU's reason where it does not, or may not raise limits. In the second a stand-in takes the place of `criu` and of the runtime's `checkpoint` and `restore`: it notes
 * its command line, writes an image, ends the container, and "restores" by starting it afresh. Everything else (records,
 * conmon, archives, trees, networks) is real; that a process goes on where it was is all that this cannot show.
 */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok, run, runOk } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

const check = await run(["criu", "check"]).catch(() => undefined);

/** Whether this process has CAP_SYS_RESOURCE, which CRIU raises a restored process's limits with. It does not check for that. */
const mayRaiseLimits =
  (BigInt(`0x${/^CapEff:\s*(\w+)/m.exec(await Deno.readTextFile("/proc/self/status"))![1]}`) >> 24n & 1n) === 1n;

if (check?.code === 0 && !mayRaiseLimits) {
  Deno.test("a restore tells CRIU's own reason where limits may not be raised, and the checkpoint stays", async () => {
    await using session = await Session.start();
    const { server, image } = session;
    const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
    await podman("pull", image);
    await podman("run", "-d", "--name", "box", "--network=none", image, "sleep", "900");
    await podman("container", "checkpoint", "box");
    const refused = await server.podman("container", "restore", "box");
    assertEquals(refused.code, 125);
    assertStringIncludes(refused.stderr, "Can't setup RLIMIT_NOFILE for self: Operation not permitted");
    assertEquals(
      await podman("inspect", "box", "--format", "{{.State.Status}} {{.State.Checkpointed}}"),
      "exited true\n",
    );
  });
} else if (check?.code === 0) {
  Deno.test("checkpoint and restore, with CRIU: the process goes on where it was", async () => {
    await using session = await Session.start();
    const { server, image } = session;
    const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
    const count = async () => Number(await podman("exec", "box", "cat", "/count"));
    await podman("pull", image);
    const script = "i=0; while true; do i=$((i+1)); echo $i > /count.new; mv /count.new /count; sleep 0.1; done";
    await podman("run", "-d", "--name", "box", "--network=none", image, "sh", "-c", script);
    await until(async () => assert(await count() > 5));
    const before = await count();
    await podman("container", "checkpoint", "box");
    await podman("container", "restore", "box");
    // The variable was in the memory of the process alone: a fresh start would count from one.
    const after = await until(count);
    assert(after >= before, `${after} after ${before}`);
    await until(async () => assert(await count() > after));
  });
} else {
  Deno.test("checkpoint tells CRIU's own reason where it does not work, and the container runs on", async () => {
    await using session = await Session.start();
    const { server, image } = session;
    const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
    await podman("pull", image);
    await podman("run", "-d", "--name", "box", "--network=none", image, "sleep", "900");
    const reply = await server.request("POST", "/libpod/containers/box/checkpoint");
    assertEquals(reply.status, 500);
    const refused = await server.podman("container", "checkpoint", "box");
    assert(refused.code !== 0);
    const reason = check && /^Error \([^)]*\): (.*)$/m.exec(check.stderr)?.[1];
    assertStringIncludes(refused.stderr, reason ?? 'exec: "criu": executable file not found in $PATH');
    assertStringIncludes((await server.podman("container", "restore", "box")).stderr, reason ?? "criu");
    assertEquals(await podman("exec", "box", "echo", "alive"), "alive\n");
  });
}

/** The stand-in. Its image holds nothing; its statistics are of CRIU's form. */
const STAND_IN = String.raw`#!/bin/sh
folder=FOLDER
for word; do case $word in checkpoint|restore) command=$word;; esac; id=$word; done
[ "$command" = checkpoint ] && [ "$id" = --help ] && exit 0
[ -z "$command" ] && exec RUNC "$@"
echo "$*" >> $folder/commands
root=$2
while [ $# -gt 0 ]; do
  case $1 in
    --image-path) images=$2;; --work-path) work=$2;; --bundle) bundle=$2;; --pid-file) pid=$2;;
    --leave-running|--pre-dump) stays=yes;;
  esac
  shift
done
if [ "$command" = checkpoint ]; then
  if [ -e $folder/fail ]; then
    printf '(00.001) Warn  (criu/a.c:1): never mind\n(00.002) Error (criu/a.c:2): frozen solid\n' > $work/dump.log
    echo 'criu failed: type NOTIFY errno 0' >&2
    exit 1
  fi
  echo dumped > $images/inventory.img
  printf '\100\131\020\125\006\063\011\127\016\000\000\000\012\014\010\005\020\007\030\011\040\013\050\144\070\062' > $work/stats-dump
  [ -n "$stays" ] || RUNC --root $root kill $id KILL
  exit 0
fi
[ "$(cat $images/inventory.img)" = dumped ] || exit 1
RUNC --root $root create --bundle $bundle --pid-file $pid $id && RUNC --root $root start $id
`;

Deno.test("checkpoint and restore, with a stand-in for CRIU", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-criu-" });
  const runc = (await runOk(["sh", "-c", "command -v runc || echo /usr/sbin/runc"])).trim();
  const script = STAND_IN.replaceAll("FOLDER", folder).replaceAll("RUNC", runc);
  await Deno.writeTextFile(`${folder}/runc`, script, { mode: 0o755 });
  await Deno.writeTextFile(`${folder}/criu`, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  try {
    const env = { PATH: `${folder}:${Deno.env.get("PATH")}` };
    await using session = await Session.start({ env, args: ["--runtime", `${folder}/runc`] });
    await withStandIn(t, session, folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

async function withStandIn(t: Deno.TestContext, { server, image }: Session, folder: string) {
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const inspect = async (
    name: string,
  ) => (await (await server.request("GET", `/libpod/containers/${name}/json`)).json());
  const lastCommand = async () => (await Deno.readTextFile(`${folder}/commands`)).trim().split("\n").at(-1)!;
  await podman("pull", image);
  await podman("run", "-d", "--name", "box", "--restart=always", image, "sh", "-c", "echo life; exec sleep 900");
  const address = async () =>
    Object.values((await inspect("box")).NetworkSettings.Networks as Record<string, { IPAddress: string }>)[0]!
      .IPAddress;

  await t.step("a container is frozen: it has ended, and no policy starts it", async () => {
    const before = await address();
    await podman("container", "checkpoint", "--tcp-established", "--file-locks", "box");
    const { State, Id } = await inspect("box");
    const store = `${server.folder}/root/containers/${Id}/criu`;
    assertStringIncludes(
      await lastCommand(),
      `checkpoint --image-path ${store}/checkpoint --work-path ${store} --tcp-established --file-locks ${Id}`,
    );
    await until(async () => assertEquals((await inspect("box")).State.Status, "exited"));
    assertEquals(State.Checkpointed, true);
    await new Promise((resolve) => setTimeout(resolve, 500));
    assertEquals((await inspect("box")).State.Status, "exited");
    await podman("container", "restore", "--tcp-established", "box");
    assertMatch(
      await lastCommand(),
      new RegExp(`restore .*--image-path ${store}/checkpoint .*--tcp-established.* ${Id}`),
    );
    const after = await inspect("box");
    assertEquals([after.State.Status, after.State.Restored, after.State.Checkpointed ?? false], [
      "running",
      true,
      false,
    ]);
    assertEquals(await address(), before);
    assertEquals(await podman("exec", "box", "echo", "alive"), "alive\n");
    assertStringIncludes((await server.podman("container", "restore", "box")).stderr, "is running or paused");
    await podman("stop", "-t", "0", "box");
    assertStringIncludes((await server.podman("container", "restore", "box")).stderr, "complete checkpoint");
    assertStringIncludes(
      (await server.podman("container", "checkpoint", "box")).stderr,
      "is not running, cannot checkpoint",
    );
    await podman("start", "box");
  });
  await t.step("it may run on; statistics; memory ahead of the rest", async () => {
    const checkpoint = (query: string) => server.request("POST", `/libpod/containers/box/checkpoint?${query}`);
    const report = await (await checkpoint("leaveRunning=true&printStats=true")).json();
    assertEquals(report.criu_statistics, {
      freezing_time: 5,
      frozen_time: 7,
      memdump_time: 9,
      memwrite_time: 11,
      pages_scanned: 100,
      pages_written: 50,
    });
    assert(report.runtime_checkpoint_duration > 0);
    assertMatch(await lastCommand(), / --leave-running /);
    await checkpoint("preCheckpoint=true");
    assertMatch(await lastCommand(), /image-path \S*\/pre-checkpoint .* --pre-dump /);
    await checkpoint("leaveRunning=true&withPrevious=true");
    assertMatch(await lastCommand(), / --parent-path \.\.\/pre-checkpoint /);
    assertEquals((await inspect("box")).State.Status, "running");
    assertEquals((await checkpoint("createImage=x")).status, 501);
  });
  await t.step("what cannot be frozen runs on unharmed, and the log's reason is told", async () => {
    await Deno.writeTextFile(`${folder}/fail`, "");
    const refused = await server.podman("container", "checkpoint", "box");
    await Deno.remove(`${folder}/fail`);
    assertStringIncludes(refused.stderr, "criu failed: type NOTIFY errno 0");
    assertStringIncludes(refused.stderr, "frozen solid");
    const { State } = await inspect("box");
    assertEquals([State.Status, State.StoppedByUser ?? false], ["running", false]);
    assertEquals(await podman("exec", "box", "echo", "alive"), "alive\n");
  });
  await t.step("an export has Podman's files; another container is made of it, tree and volume included", async () => {
    const change = "echo new > /new; rm -r /layers /opaque/upper; echo kept > /data/kept; exec sleep 900";
    await podman("run", "-d", "--name", "source", "-v", "own:/data", image, "sh", "-c", change);
    await until(() => podman("exec", "source", "cat", "/data/kept"));
    const archive = `${folder}/export.tar`;
    await podman("container", "checkpoint", "--export", archive, "--compress=none", "source");
    const names = (await runOk(["tar", "-tf", archive])).split("\n");
    for (
      const name of ["config.dump", "spec.dump", "network.status", "rootfs-diff.tar", "deleted.files", "stats-dump"]
    ) {
      assert(names.includes(name), `${name} of ${names}`);
    }
    assert(names.includes("checkpoint/inventory.img") && names.includes("volumes/own.tar"));
    const deleted = JSON.parse(await runOk(["tar", "-xOf", archive, "deleted.files"]));
    assertEquals(deleted.sort(), ["/layers", "/opaque/upper"]);
    assertStringIncludes(
      (await server.podman("container", "restore", "--import", archive, "--name", "copy")).stderr,
      "volume with name own already exists",
    );
    await podman("rm", "-f", "source");
    await podman("volume", "rm", "own").catch(() => {});
    const { Id } = JSON.parse(await runOk(["sh", "-c", `tar -xOf ${archive} config.dump | sed 's/"id":/"Id":/'`]));
    const restore = ["container", "restore", "--import", archive];
    await podman(...restore, "--ignore-volumes");
    assertEquals((await inspect("source")).Id, Id);
    assertEquals(await podman("exec", "source", "cat", "/new"), "new\n");
    assertEquals(await podman("exec", "source", "sh", "-c", "ls -d /layers /opaque/upper 2>/dev/null; true"), "");
    assertStringIncludes((await server.podman(...restore, "--ignore-volumes")).stderr, "already in use");
    await podman(...restore, "--ignore-volumes", "--name", "copy");
    assert((await inspect("copy")).Id !== Id);
    const odd = await server.podman("container", "restore", "--import", `${folder}/runc`);
    assert(odd.code !== 0);
    await podman("rm", "-f", "-t", "0", "source", "copy");
  });
  await t.step("a container of a pod is exported, and restored into another pod", async () => {
    for (const name of ["one", "two"]) await podman("pod", "create", "--name", name);
    await podman("run", "-d", "--name", "member", "--pod", "one", image, "sleep", "900");
    const archive = `${folder}/member.tar`;
    await podman("container", "checkpoint", "--export", archive, "--compress=none", "member");
    const restore = ["container", "restore", "--import", archive, "--name", "moved"];
    assertStringIncludes((await server.podman(...restore)).stderr, "cannot restore pod container without --pod");
    await podman(...restore, "--pod", "two");
    const moved = await inspect("moved");
    // A list since podman 5.
    const [pod] = [JSON.parse(await podman("pod", "inspect", "two"))].flat();
    assertEquals([moved.State.Status, moved.Pod, pod.State], ["running", pod.Id, "Running"]);
    assertEquals(moved.HostConfig.NetworkMode, `container:${pod.InfraContainerID}`);
    assertEquals(await podman("exec", "moved", "echo", "alive"), "alive\n");
    await podman("pod", "rm", "-f", "-t", "0", "one", "two");
  });
}
