/** `gantry gateway` as a program, in front of real engines: the Docker CLI and builds through TLS, Podman's own service, and pages. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeCertificates } from "../../fixtures/platform/certificates.ts";
import { ok, run } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

const cli = new URL("../../../lib/platform/entries/cli.ts", import.meta.url).pathname;

/** Starts a gateway and waits for its line. */
async function startGateway(...args: string[]) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", cli, "gateway", "--listen=tcp://127.0.0.1:0", ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let line = "";
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  while (!line.includes("\n")) {
    const { value, done } = await lines.read();
    if (done) throw new Error(`The gateway ended: ${line}`);
    line += value;
  }
  return {
    address: /tcp:\/\/[^\s,]+/.exec(line)![0],
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await lines.cancel();
      assertEquals((await child.status).code, 0);
    },
  };
}

Deno.test("gantry gateway stands before Gantry with TLS: docker run, exec, events and build", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-gateway-" });
  const pathOf = await makeCertificates(folder);
  await using session = await Session.shared();
  const { server, image } = session;
  const tls = ["cert", "key"].map((part) => `--tls-${part}=${pathOf("server", part === "cert" ? "pem" : "key")}`);
  const authority = `--tls-client-ca=${pathOf("authority", "pem")}`;
  await using gateway = await startGateway(`--to=unix://${server.socket}`, ...tls, authority);
  const docker = async (...args: string[]) => {
    const identity = ["--tlsverify", "--tlscacert", pathOf("authority", "pem")];
    const own = ["--tlscert", pathOf("client", "pem"), "--tlskey", pathOf("client", "key")];
    const result = await run(["docker", "-H", gateway.address, ...identity, ...own, ...args], {
      stdin: "through it",
      env: { HOME: folder },
    });
    return ok(result, args.join(" "));
  };
  await t.step("pull, run and exec", async () => {
    await docker("pull", "-q", image);
    assertEquals(await docker("run", "--rm", "-i", "--network=none", image, "cat"), "through it");
    await docker("run", "-d", "--name", "box", "--network=none", image, "sleep", "1000");
    assertEquals(await docker("exec", "-i", "box", "sh", "-c", "cat; echo , done"), "through it, done\n");
    assertEquals(await docker("logs", "box"), "");
    await docker("rm", "-f", "box");
  });
  await t.step("a build, whose session is a connection that is taken over", async () => {
    await Deno.mkdir(`${folder}/context`);
    await Deno.writeTextFile(`${folder}/context/Dockerfile`, `FROM ${image}\nCOPY word /word\nRUN cat /word > /read\n`);
    await Deno.writeTextFile(`${folder}/context/word`, "built");
    await docker("build", "-q", "-t", "made", `${folder}/context`);
    assertEquals(await docker("run", "--rm", "--network=none", "made", "cat", "/read"), "built");
  });
  await t.step("nobody without a certificate", async () => {
    const plain = await run(["curl", "-sk", `${gateway.address.replace("tcp:", "https:")}/_ping`]);
    assert(plain.code !== 0 && plain.stdout === "", plain.stdout);
  });
  await Deno.remove(folder, { recursive: true });
});

Deno.test("gantry gateway stands before Podman's own service", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-gateway-" });
  const places = [
    "--root",
    `${folder}/root`,
    "--runroot",
    `${folder}/run`,
    "--storage-driver=vfs",
    "--network-config-dir",
    folder,
  ];
  const service = new Deno.Command("podman", {
    args: [...places, "system", "service", "--time=0", `unix://${folder}/podman.sock`],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    // Podman may not be there yet: the gateway starts all the same.
    await using gateway = await startGateway(`--to=unix://${folder}/podman.sock`);
    const url = gateway.address.replace("tcp:", "http:");
    let pinged = await fetch(`${url}/_ping`);
    for (let tries = 0; pinged.status === 502 && tries < 300; tries++) {
      assertStringIncludes(await pinged.text(), "Reach the engine at unix:");
      await new Promise((resolve) => setTimeout(resolve, 100));
      pinged = await fetch(`${url}/_ping`);
    }
    assertEquals([pinged.status, await pinged.text()], [200, "OK"]);
    assertMatch(pinged.headers.get("libpod-api-version") ?? "", /^\d/);
    const client = ["podman", "--remote", "--url", gateway.address];
    const said = ok(await run([...client, "info", "--format", "{{.Store.GraphRoot}}"], { env: { HOME: folder } }));
    assertEquals(said, `${folder}/root\n`);
  } finally {
    service.kill("SIGTERM");
    await service.status;
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
});

Deno.test("a page of an allowed origin uses /client.js of serve, with the token and no other way", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-origin-" });
  await Deno.writeTextFile(`${folder}/token`, "a-token-of-a-page", { mode: 0o600 });
  const origin = "https://app.example.com";
  await using session = await Session.start({ args: [`--token-file=${folder}/token`, `--allow-origin=${origin}`] });
  const url = session.server.addresses[1]!.replace("tcp:", "http:");
  const page = { origin, "sec-fetch-site": "cross-site" };
  const token = { authorization: "Bearer a-token-of-a-page" };
  const ask = async (path: string, headers: Record<string, string>, method = "GET") => {
    const response = await fetch(url + path, { method, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const module = await ask("/client.js", { ...page, "sec-fetch-dest": "script" });
  assertEquals([module.status, module.headers.get("access-control-allow-origin")], [200, origin]);
  const wish = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type",
  };
  const preflight = await ask("/v1.41/containers/create", { ...page, ...wish }, "OPTIONS");
  assertEquals([preflight.status, preflight.headers.get("access-control-allow-headers")], [
    204,
    "authorization,content-type",
  ]);
  assertEquals(preflight.headers.get("access-control-allow-credentials"), null);
  const answer = await ask("/v1.41/info", { ...page, ...token });
  assertEquals([answer.status, answer.headers.get("access-control-allow-origin")], [200, origin]);
  assertMatch(answer.headers.get("vary") ?? "", /origin/i);
  const without = await ask("/v1.41/info", page);
  assertEquals([without.status, without.headers.get("access-control-allow-origin")], [401, origin]);
  const other = await ask("/client.js", { origin: "https://other.example.com" });
  assertEquals([other.status, other.headers.get("access-control-allow-origin")], [403, null]);
  // The module itself, as the page runs it: it calls the server that it came from.
  const use = `import { connect } from "${url}/client.js";
    const page = (input, init) => {
      const request = new Request(input, init);
      request.headers.set("origin", "${origin}");
      return fetch(request);
    };
    const headers = { authorization: "Bearer a-token-of-a-page" };
    const client = connect("${url}", { fetch: page, headers });
    console.log(JSON.stringify(await client.GetImages({})));`;
  await Deno.writeTextFile(`${folder}/page.js`, use);
  assertEquals(ok(await run([Deno.execPath(), "run", "-A", "--no-config", `${folder}/page.js`]), "the page"), "[]\n");
  await Deno.remove(folder, { recursive: true });
});
