/** Links that a container left in a volume, or in a folder of the host, never lead what a play writes to the host (CVE-2025-9566). */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ok, run } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

Deno.test("a play writes config maps and secrets into their volume, whatever links a container left there", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "-q", image);
  const victim = `${server.folder}/victim`;
  await Deno.writeTextFile(victim, "of the host");
  await Deno.mkdir(`${server.folder}/folder`);
  const pod = (name: string, volumes: string) =>
    `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {page: "new content", other: "more"}
---
apiVersion: v1
kind: Secret
metadata: {name: keys}
stringData: {token: "s3cret"}
---
apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 0
  containers:
  - {name: c, image: ${image}, command: [sh, -c, "cat /v/*; find /v -type f -o -type l | sort"], volumeMounts: [{name: v, mountPath: /v}]}
  volumes: [${volumes}]
`;
  const play = (text: string) => server.request("POST", "/v5.0.0/libpod/kube/play?replace=true", { raw: text });
  const logged = async (name: string, text: string) => {
    await until(async () => {
      const [{ State }] = JSON.parse(await podman("inspect", name));
      assertEquals(State.Status, "exited");
    });
    assertStringIncludes(await podman("logs", name), text);
  };
  /** Links of every kind at the places that the play writes to. */
  const lay = async (volume: string, ...commands: string[]) => {
    await podman("run", "--rm", "-v", `${volume}:/v`, image, "sh", "-c", commands.join(" && "));
  };
  const untouched = async () => {
    assertEquals(await Deno.readTextFile(victim), "of the host");
    assertEquals([...Deno.readDirSync(`${server.folder}/folder`)], []);
  };

  await t.step("a link in the place of a config map's file is replaced", async () => {
    await lay("settings", `ln -s ${victim} /v/page`, `ln -s ${server.folder}/folder /v/sub`);
    const played = await play(pod("a", "{name: v, configMap: {name: settings}}"));
    assertEquals(played.status, 200, await played.text());
    await logged("a-c", "new content");
    await untouched();
  });
  await t.step("a link in the place of a folder never leads out", async () => {
    const items = "items: [{key: page, path: sub/page}, {key: other, path: deep/er/other}]";
    await lay("settings", "rm -rf /v/* ", `ln -s ${server.folder}/folder /v/sub`, "ln -s /v /v/deep");
    const played = await play(pod("b", `{name: v, configMap: {name: settings, ${items}}}`));
    // A refusal would be as good: nothing of the host is written.
    assert(played.status === 200 || played.status === 500);
    await played.body?.cancel();
    await untouched();
  });
  await t.step("nor does one in the place of a secret's", async () => {
    await lay("keys", `ln -s ${victim} /v/token`);
    const played = await play(pod("c", "{name: v, secret: {secretName: keys}}"));
    assertEquals(played.status, 200, await played.text());
    await logged("c-c", "s3cret");
    await untouched();
  });
  await t.step("nor in that of files from several places", async () => {
    await lay("d-v", `ln -s ${victim} /v/page`, `ln -s ${victim} /v/name`);
    const field = "downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}";
    const played = await play(
      pod("d", `{name: v, projected: {sources: [{configMap: {name: settings}}, {${field}}]}}`),
    );
    assertEquals(played.status, 200, await played.text());
    await untouched();
  });
  await t.step("a pipe in the place of a file keeps nobody waiting", async () => {
    await lay("settings", "rm -rf /v/*", "mkfifo /v/page");
    const played = await play(pod("e", "{name: v, configMap: {name: settings}}"));
    assertEquals(played.status, 200, await played.text());
    await logged("e-c", "new content");
  });
  await t.step("a file of the host that is to be made is never made at the end of a link", async () => {
    await Deno.mkdir(`${server.folder}/shared`);
    ok(await run(["chown", `--reference=${server.folder}`, `${server.folder}/shared`]));
    for (const type of ["FileOrCreate", "DirectoryOrCreate"]) {
      const path = `${server.folder}/shared/${type}`;
      await Deno.symlink(`${server.folder}/folder/made`, path);
      const played = await play(pod("f", `{name: v, hostPath: {path: ${path}, type: ${type}}}`));
      const said = await played.text();
      // A file takes the place of the link; a folder cannot.
      assertEquals(played.status, type === "FileOrCreate" ? 200 : 500, `${type}: ${said}`);
      await untouched();
    }
  });
  await podman("pod", "rm", "-fa", "-t", "0");
});
