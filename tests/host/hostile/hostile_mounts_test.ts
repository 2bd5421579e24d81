/** Containers that exchange what is about to be mounted: nothing of the host may be shown in its place. */
import { assert, assertEquals } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";
import { isLongRun } from "../../long_run.ts";

/** How many starts are tried under the race, and how many of them at once. */
const TRIES = isLongRun ? 200 : 40;
const AT_ONCE = 4;

/** The numbers of `setns(2)` and `renameat2(2)`. */
const CALLS = Deno.build.arch === "aarch64" ? ["268", "276"] : ["308", "316"];
/** Exchanges `part` and `link` of a folder, in the mount namespace of a process, until its standard input ends. */
const EXCHANGE = String.raw`
my ($setns, $renameat2, $pid, $folder) = @ARGV;
open(my $ns, '<', "/proc/$pid/ns/mnt") or die "$!\n";
syscall($setns + 0, fileno($ns), 0x20000) == 0 or die "setns: $!\n";
chdir $folder or die "$folder: $!\n";
my ($part, $link, $ready) = ("part\0", "link\0", '');
vec($ready, 0, 1) = 1;
$| = 1;
print "ready\n";
until (select(my $readable = $ready, undef, undef, 0)) {
  syscall($renameat2 + 0, -100, $part, -100, $link, 2) == 0 or die "renameat2: $!\n" for 1 .. 200;
}
`;

/** Exchanges until it is disposed. */
async function exchange(pid: number, folder: string): Promise<AsyncDisposable> {
  const child = new Deno.Command("perl", {
    args: ["-e", EXCHANGE, ...CALLS, String(pid), folder],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  assertEquals(new TextDecoder().decode(value), "ready\n");
  return {
    async [Symbol.asyncDispose]() {
      await child.stdin.close();
      await reader.cancel();
      assertEquals((await child.status).code, 0, "it exchanged to the end");
    },
  };
}

Deno.test("a bind below a folder that a container writes to leads nowhere else, nor does the owner of anything else change", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  ok(await server.podman("pull", "-q", image));
  const outside = `${server.folder}/outside`;
  const folder = `${server.folder}/shared`;
  for (const path of [outside, folder, `${folder}/whole`]) await Deno.mkdir(path);
  await Deno.writeTextFile(`${outside}/marker`, "host");
  await Deno.writeTextFile(`${folder}/whole/inner`, "inner");
  await Deno.symlink("whole", `${folder}/current`);
  const script = `mkdir /v/part && touch /v/part/inner && ln -s ${outside} /v/link && touch /v/ready; sleep 1000`;
  const run = ["run", "-d", "--network=none", "--name", "racer", "-v", `${folder}:/v`];
  ok(await server.podman(...run, image, "sh", "-c", script));
  while ((await server.podman("exec", "racer", "test", "-e", "/v/ready")).code !== 0);
  const bind = async (source: string, look: string, User = "") => {
    const body = { Image: image, User, Cmd: ["sh", "-c", look], HostConfig: { NetworkMode: "none", Binds: [source] } };
    const { Id } = await (await server.request("POST", "/containers/create", { body })).json();
    const started = await server.request("POST", `/containers/${Id}/start`);
    await started.body?.cancel();
    const code = started.status === 204
      ? (await (await server.request("POST", `/containers/${Id}/wait`)).json()).StatusCode
      : undefined;
    await server.request("DELETE", `/containers/${Id}?force=1`);
    return code;
  };
  // A link that stays in the folder is followed, one that leaves it is not.
  assertEquals(await bind(`${folder}/current:/x`, "cat /x/inner"), 0);
  assertEquals(await bind(`${folder}/link:/x`, "cat /x/marker"), undefined);
  // Nor do files go through it where no container runs.
  ok(await server.podman("create", "--name", "rests", "--network=none", "-v", `${folder}/whole:/x`, image));
  ok(await server.docker("cp", `${outside}/marker`, "rests:/x/copied"));
  assertEquals(await Deno.readTextFile(`${folder}/whole/copied`), "host");
  await Deno.rename(`${folder}/whole`, `${folder}/moved`);
  await Deno.symlink(outside, `${folder}/whole`);
  await server.docker("cp", `${folder}/moved/inner`, "rests:/x/stolen");
  const read = await server.docker("cp", "rests:/x/marker", `${server.folder}/read`);
  assert(read.code !== 0, "the host's file is not read");
  assertEquals([...Deno.readDirSync(outside)].map(({ name }) => name), ["marker"]);
  const pid = Number(ok(await server.podman("inspect", "--format", "{{.State.Pid}}", "racer")));
  const seen = { inner: 0, refused: 0 };
  const attempt = async (_: unknown, index: number) => {
    const look = "touch /x/stolen; test -e /x/marker && exit 3; test -e /x/inner || exit 4";
    const isGiven = index % 2 === 0;
    const code = await bind(`${folder}/part:/x${isGiven ? ":U" : ""}`, look, isGiven ? "1234" : "");
    if (code === undefined) seen.refused++;
    else seen.inner++;
    assertEquals(code ?? 0, 0, "the container sees the shared folder's part");
  };
  {
    await using _race = await exchange(pid, "/v");
    for (let done = 0; done < TRIES; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, attempt));
  }
  assertEquals([...Deno.readDirSync(outside)].map(({ name }) => name), ["marker"]);
  assertEquals(["", "/marker"].map((path) => Deno.statSync(`${outside}${path}`).uid), [0, 0]);
  assert(seen.inner > 0 && seen.refused > 0, `both were met: ${JSON.stringify(seen)}`);
});

Deno.test("a volume's sub path that a container exchanges with a link never mounts a folder of the host", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  ok(await server.podman("pull", "-q", image));
  const outside = `${server.folder}/outside`;
  await Deno.mkdir(outside);
  await Deno.writeTextFile(`${outside}/marker`, "host");
  const script = `mkdir /v/part && touch /v/part/inner && ln -s ${outside} /v/link && touch /v/ready; sleep 1000`;
  ok(await server.podman("run", "-d", "--name", "racer", "--network=none", "-v", "race:/v", image, "sh", "-c", script));
  while ((await server.podman("exec", "racer", "test", "-e", "/v/ready")).code !== 0);
  const pid = Number(ok(await server.podman("inspect", "--format", "{{.State.Pid}}", "racer")));
  const seen = { inner: 0, refused: 0 };
  const attempt = async () => {
    const mount = { Type: "volume", Source: "race", Target: "/x", VolumeOptions: { Subpath: "part" } };
    // 3: a folder of the host; 0: the volume's own.
    const look = "touch /x/stolen; test -e /x/marker && exit 3; test -e /x/inner || exit 4";
    const created = await server.request("POST", "/containers/create", {
      body: { Image: image, Cmd: ["sh", "-c", look], HostConfig: { NetworkMode: "none", Mounts: [mount] } },
    });
    const { Id } = await created.json();
    const started = await server.request("POST", `/containers/${Id}/start`);
    await started.body?.cancel();
    if (started.status === 204) {
      const { StatusCode } = await (await server.request("POST", `/containers/${Id}/wait`)).json();
      assertEquals(StatusCode, 0, "the container sees the volume's folder");
      seen.inner++;
    } else seen.refused++;
    await server.request("DELETE", `/containers/${Id}?force=1`);
  };
  {
    await using _race = await exchange(pid, "/v");
    for (let done = 0; done < TRIES; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, attempt));
  }
  assertEquals([...Deno.readDirSync(outside)].map(({ name }) => name), ["marker"]);
  assert(seen.inner > 0 && seen.refused > 0, `both were met: ${JSON.stringify(seen)}`);
});
