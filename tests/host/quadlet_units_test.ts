/** The engine runs the units of quadlets itself, where systemd does not run the machine. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { ok, runOk } from "../fixtures/run.ts";
import { Session, until } from "../fixtures/session.ts";

/** Registers where systemd does not run the machine: where it does, it runs the units, as `tests/vm/machine_test.ts` sees. */
const register = existsSync("/run/systemd/system") ? () => {} : Deno.test;

/** busybox sends no message of sd_notify(3) by itself: its logger writes one to the socket that stands for the system's log. */
const TELLS = `sh -c 'ln -s "$NOTIFY_SOCKET" /dev/log; until [ -e /go ]; do sleep 0.05; done;` +
  ` logger "$(printf "up\\nREADY=1")"; exec sleep 900'`;

register("a unit with a drop-in says that it is ready, runs, and is removed", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "-q", image);
  const folder = `${server.folder}/unit`;
  await Deno.mkdir(folder);
  const text =
    `[Container]\nImage=${image}\nContainerName=web\nNetwork=none\nStopTimeout=0\nNotify=yes\nExec=${TELLS}\n`;
  await Deno.writeTextFile(`${folder}/web.container`, `${text}[Install]\nWantedBy=default.target\n`);
  const status = async () => {
    const [unit] = await (await server.request("GET", "/v5.0.0/libpod/quadlets/json")).json();
    return unit?.Status;
  };
  const shelf = await shelfOf(server, folder);
  await Deno.mkdir(`${shelf}/web.container.d`, { recursive: true });
  await Deno.writeTextFile(`${shelf}/web.container.d/10-more.conf`, "[Container]\nLabel=from=drop-in\n");
  const tar = await new Deno.Command("tar", { args: ["-C", folder, "-c", "web.container"] }).output();
  const headers = { "content-type": "application/x-tar" };
  const installed = await server.request("POST", "/v5.0.0/libpod/quadlets", { raw: tar.stdout, headers });
  assertEquals(installed.status, 200, await installed.clone().text());
  await until(async () => assertStringIncludes(await podman("ps", "--format", "{{.Names}}"), "web"));
  assertEquals(await status(), "activating/start");
  assertEquals((await podman("inspect", "--format", '{{index .Config.Labels "from"}}', "web")).trim(), "drop-in");
  await podman("exec", "web", "touch", "/go");
  await until(async () => assertEquals(await status(), "active/running"));
  const removed = await server.request("DELETE", "/v5.0.0/libpod/quadlets/web.container?force=true");
  assertEquals(removed.status, 200, await removed.clone().text());
  assertEquals((await podman("ps", "-aq")).trim(), "");
  assert(!(await runOk(["ls", shelf])).includes("web.container\n"));
});

register(
  "a unit reads the files that came with its quadlet, also where the server's root has the folder of quadlets",
  async () => {
    await using session = await Session.shared();
    const { server, image } = session;
    const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
    await podman("pull", "-q", image);
    const folder = `${server.folder}/unit`;
    await Deno.mkdir(folder);
    const run =
      `[Container]\nImage=${image}\nContainerName=web\nNetwork=none\nStopTimeout=0\nEnvironmentFile=./web.env\n`;
    await Deno.writeTextFile(`${folder}/web.container`, `${run}Exec=sleep 900\n[Install]\nWantedBy=default.target\n`);
    await Deno.writeTextFile(`${folder}/web.env`, "FROM_FILE=yes\n");
    const tar = await new Deno.Command("tar", { args: ["-C", folder, "-c", "web.container", "web.env"] }).output();
    const headers = { "content-type": "application/x-tar" };
    const installed = await server.request("POST", "/v5.0.0/libpod/quadlets", { raw: tar.stdout, headers });
    assertEquals(installed.status, 200, await installed.clone().text());
    await until(async () => assertStringIncludes(await podman("ps", "--format", "{{.Names}}"), "web"));
    assertEquals((await podman("exec", "web", "sh", "-c", "echo $FROM_FILE")).trim(), "yes");
    const removed = await server.request("DELETE", "/v5.0.0/libpod/quadlets/web.container?force=true");
    assertEquals(removed.status, 200, await removed.clone().text());
  },
);

register("a container's unit has its image built first, of a folder of the host", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "-q", image);
  const folder = `${server.folder}/unit`;
  await Deno.mkdir(`${folder}/src`, { recursive: true });
  await Deno.writeTextFile(
    `${folder}/src/Containerfile`,
    `FROM ${image}\nARG WHO\nCOPY said /said\nRUN echo $WHO >> /said\n`,
  );
  await Deno.writeTextFile(`${folder}/src/said`, "built for ");
  const build = `[Build]\nImageTag=localhost/own:1\nSetWorkingDirectory=${folder}/src\nBuildArg=WHO=me\n`;
  const web = "[Container]\nImage=own.build\nNetwork=none\nStopTimeout=0\nExec=sh -c 'cat /said; exec sleep 900'\n";
  for (const [name, text] of [["own.build", build], ["web.container", `${web}[Install]\nWantedBy=default.target\n`]]) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
    const tar = await new Deno.Command("tar", { args: ["-C", folder, "-c", name] }).output();
    const headers = { "content-type": "application/x-tar" };
    const installed = await server.request("POST", "/v5.0.0/libpod/quadlets", { raw: tar.stdout, headers });
    assertEquals(installed.status, 200, await installed.text());
  }
  await until(async () => assertEquals((await podman("logs", "systemd-web")).trim(), "built for me"));
  const units = await (await server.request("GET", "/v5.0.0/libpod/quadlets/json")).json();
  assertEquals(units.length, 2);
  const removed = await server.request("DELETE", "/v5.0.0/libpod/quadlets?all=true&force=true");
  assertEquals((await removed.json()).Removed.sort(), ["own.build", "web.container"]);
  assertEquals((await podman("ps", "-aq")).trim(), "");
});

/** The folder of the server's quadlets, which the list tells of one that is there. */
async function shelfOf(server: Session["server"], folder: string): Promise<string> {
  await Deno.writeTextFile(`${folder}/probe.volume`, "[Volume]\n");
  const tar = await new Deno.Command("tar", { args: ["-C", folder, "-c", "probe.volume"] }).output();
  const headers = { "content-type": "application/x-tar" };
  await server.request("POST", "/v5.0.0/libpod/quadlets", { raw: tar.stdout, headers });
  const [{ Path }] = await (await server.request("GET", "/v5.0.0/libpod/quadlets/json")).json();
  await server.request("DELETE", "/v5.0.0/libpod/quadlets/probe.volume");
  return Path.slice(0, Path.lastIndexOf("/"));
}
