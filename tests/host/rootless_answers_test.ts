/** Every operation answers an ordinary user: what cannot be had names the reason. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { freePort } from "../fixtures/images/registry.ts";
import { ordinaryUser, userDenoWithTun } from "../fixtures/ordinary_user.ts";
import { Session } from "../fixtures/session.ts";

/** A request, the status of its answer and words in it. */
type Row = [method: string, path: string, body: unknown, status: number, says: string];

Deno.test("each operation that an ordinary user's server cannot do names the reason, and the others work", async (t) => {
  await using user = await ordinaryUser();
  {
    await using session = await Session.start({ folder: user.folder, through: userDenoWithTun(user, "closed") });
    const { server, image } = session;
    const ask = async (method: string, path: string, body?: unknown) => {
      const reply = await server.request(method, `/v5.0.0/libpod${path}`, { body });
      return { status: reply.status, text: await reply.text() };
    };
    const create = async (body: object) => {
      const { status, text } = await ask("POST", "/containers/create", { image, command: ["true"], ...body });
      assertEquals(status, 201, text);
      return JSON.parse(text) as { Id: string; Warnings: string[] };
    };
    const started = async (body: object) => `/containers/${(await create(body)).Id}/start`;
    const none = { netns: { nsmode: "none" } };
    const checkAll = async (rows: Row[]) => {
      const wrong: string[] = [];
      for (const [method, path, body, status, says] of rows) {
        const answer = await ask(method, path, body);
        if (answer.status === status && answer.text.includes(says)) continue;
        wrong.push(
          `${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}, and not ${status} with "${says}"`,
        );
      }
      assertEquals(wrong, []);
    };
    assertEquals((await ask("POST", `/images/pull?reference=${image}`)).status, 200);
    await create({ name: "box", command: ["sleep", "1000"], ...none });
    assertEquals((await ask("POST", "/containers/box/start")).status, 204);

    await t.step("refusals", async () => {
      const port = (host_port: number, protocol: string) => ({
        netns: { nsmode: "bridge" },
        portmappings: [{ host_port, container_port: 80, protocol }],
      });
      await ask("POST", "/volumes/create", { Name: "disk", Options: { type: "ext4", device: "/dev/null", o: "ro" } });
      const volumes = [{ Name: "disk", Dest: "/disk" }];
      const fresh = [{ Name: "fresh", Dest: "/fresh" }];
      await checkAll([
        ["POST", "/containers/box/checkpoint", undefined, 501, "requires root"],
        ["POST", "/containers/box/pause", undefined, 501, "control group"],
        ["POST", "/containers/box/update", { memory: { limit: 2 ** 26 } }, 501, "Resource limits are"],
        [
          "POST",
          "/networks/create",
          { name: "lan", driver: "macvlan", network_interface: "lo" },
          501,
          'macvlan\\" is not supported here',
        ],
        ["POST", "/containers/create", { image, storage_opts: { size: "10m" } }, 501, "quota"],
        ["POST", await started(port(81, "tcp")), undefined, 400, "net.ipv4.ip_unprivileged_port_start"],
        ["POST", await started(port(await freePort(), "sctp")), undefined, 501, "an ordinary user cannot publish SCTP"],
        ["POST", await started({ ...none, volumes }), undefined, 500, "mounting volume disk"],
        [
          "POST",
          await started({ ...none, user: "70000", volumes: fresh }),
          undefined,
          500,
          "cannot setresuid to 70000",
        ],
        ["POST", await started({ netns: { nsmode: "pasta" } }), undefined, 501, "/dev/net/tun is closed"],
      ]);
    });

    await t.step("paths of the host that the user may not open, or give away", async () => {
      const folder = await Deno.makeTempDir({ prefix: "gantry-closed-" });
      const bind = (source: string, ...options: string[]) => ({
        image,
        ...none,
        mounts: [{ type: "bind", source, destination: "/m", options }],
      });
      const open = `${folder}-open`;
      await Deno.mkdir(open, { mode: 0o755 });
      try {
        await checkAll([
          ["POST", "/containers/create", bind(`${folder}/data`), 500, `statfs ${folder}/data: permission denied`],
          [
            "POST",
            "/containers/create",
            { image, ...none, devices: [{ path: `${folder}/tty` }] },
            500,
            `stat ${folder}/tty: permission denied`,
          ],
          ["POST", `/local/images/load?path=${folder}/x`, undefined, 400, `open ${folder}/x: permission denied`],
          ["POST", await started(bind(open, "U")), undefined, 400, `chown ${open}: operation not permitted`],
        ]);
      } finally {
        await Deno.remove(folder);
        await Deno.remove(open);
      }
    });

    await t.step(
      "files of the machine's root in a container or a volume: a removal names them, and goes on without",
      async () => {
        await create({ name: "full", volumes: [{ Name: "held", Dest: "/held" }], ...none });
        const { GraphDriver } = await (await server.request("GET", "/v5.0.0/libpod/containers/full/json")).json();
        const { Mountpoint } = await (await server.request("GET", "/v5.0.0/libpod/volumes/held/json")).json();
        // A volume is gone by then, a container is not.
        const places = [[GraphDriver.Data.UpperDir, "/containers/full", 200], [
          Mountpoint,
          "/volumes/held",
          404,
        ]] as const;
        for (const [folder, path, removed] of places) {
          await Deno.mkdir(`${folder}/of-root`, { mode: 0o700 });
          await Deno.writeTextFile(`${folder}/of-root/file`, "kept");
          const { status, text } = await ask("DELETE", path);
          assertEquals(status, 500, text);
          const { message } = JSON.parse(text);
          assertMatch(
            message,
            /of-root.*": permission denied; another user of the machine owns it or its folder: delete "\//,
          );
          await Deno.remove(/delete "(.*)" as root/.exec(message)![1]!, { recursive: true });
          const again = await ask("DELETE", path);
          assertEquals(again.status, removed, again.text);
        }
      },
    );

    await t.step("settings that are passed over are told of", async () => {
      const limited = await create({ ...none, resource_limits: { memory: { limit: 2 ** 26 }, pids: { limit: 50 } } });
      assert(limited.Warnings.some((warning) => warning.startsWith("Resource limits are")), String(limited.Warnings));
      const open = await create({ ...none, r_limits: [{ type: "RLIMIT_NOFILE", soft: 2 ** 30, hard: 2 ** 30 }] });
      assertEquals(open.Warnings.length, 1, String(open.Warnings));
    });

    await t.step("what needs no more rights than the user's works", async () => {
      const pod = { name: "pod", no_infra: false };
      const yaml = [
        "apiVersion: v1",
        "kind: Pod",
        "metadata: { name: played }",
        `spec: { containers: [{ name: one, image: ${image}, command: [sleep, "1000"] }] }`,
      ].join("\n");
      await checkAll([
        ["GET", "/info", undefined, 200, '"rootless":true'],
        ["GET", "/system/df", undefined, 200, "ImagesSize"],
        ["GET", "/containers/json?all=true", undefined, 200, "box"],
        ["GET", "/containers/box/json", undefined, 200, '"Status":"running"'],
        ["GET", "/containers/box/top", undefined, 200, "sleep"],
        ["GET", "/containers/box/stats?stream=false", undefined, 200, ""],
        ["GET", "/containers/box/changes", undefined, 200, "["],
        ["GET", "/containers/box/archive?path=/bin/sh", undefined, 200, ""],
        ["GET", "/containers/box/export", undefined, 200, "bin/"],
        ["POST", "/containers/box/rename?name=case", undefined, 204, ""],
        ["POST", "/containers/case/exec", { Cmd: ["true"] }, 201, "Id"],
        ["POST", "/commit?container=case&repo=localhost/made", undefined, 200, "Id"],
        ["POST", "/containers/case/restart?t=0", undefined, 204, ""],
        ["POST", "/containers/case/kill", undefined, 204, ""],
        ["POST", "/containers/case/wait?condition=exited", undefined, 200, "137"],
        ["POST", "/networks/create", { name: "net" }, 200, "net"],
        ["GET", "/networks/net/json", undefined, 200, "bridge"],
        ["DELETE", "/networks/net", undefined, 200, ""],
        ["POST", "/volumes/create", { Name: "data" }, 201, "data"],
        ["GET", "/volumes/data/export", undefined, 200, ""],
        ["POST", "/secrets/create?name=word", "hidden", 200, "ID"],
        ["POST", "/pods/create", pod, 201, "Id"],
        ["POST", "/pods/pod/start", undefined, 200, "Id"],
        ["GET", "/pods/pod/json", undefined, 200, "Running"],
        ["GET", "/pods/stats?namesOrIDs=pod", undefined, 200, '-infra"'],
        ["POST", "/pods/pod/pause", undefined, 409, "control group"],
        ["DELETE", "/pods/pod?force=true", undefined, 200, ""],
        ["GET", "/generate/kube?names=case", undefined, 200, "kind: Pod"],
        ["POST", "/manifests/list", undefined, 201, "Id"],
        ["GET", "/images/json", undefined, 200, "localhost/made"],
        ["GET", "/images/localhost%2Fmade/get", undefined, 200, "manifest"],
        ["POST", "/containers/prune", undefined, 200, "["],
        ["POST", "/system/prune?all=true&volumes=true", undefined, 200, ""],
        ["POST", "/system/check", undefined, 200, ""],
      ]);
      const reply = await server.request("POST", "/v5.0.0/libpod/play/kube?start=true", { raw: yaml });
      assertStringIncludes(await reply.text(), "Pods");
      assertEquals(reply.status, 200);
    });
  }
});
