/** TLS on TCP, with certificates of clients: the Docker CLI, curl and our own client, and nobody else. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { open } from "../../../lib/platform/entries/client.ts";
import { makeCertificates } from "../../fixtures/platform/certificates.ts";
import { ok, run, runOk } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("docker, curl and the client reach a server by TLS with their certificates, and nobody without", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-tls-" });
  const pathOf = await makeCertificates(folder);
  const read = (path: string) => Deno.readTextFile(path);
  const tls = [["cert", pathOf("server", "pem")], ["key", pathOf("server", "key")], [
    "client-ca",
    pathOf("authority", "pem"),
  ]];
  await using session = await Session.start({ args: tls.map(([name, path]) => `--tls-${name}=${path}`) });
  const { server, image } = session;
  const address = server.addresses[1];
  await server.podman("pull", "-q", "--tls-verify=false", image);
  const docker = (...args: string[]) => {
    const identity = ["--tlsverify", "--tlscacert", pathOf("authority", "pem")];
    const own = ["--tlscert", pathOf("client", "pem"), "--tlskey", pathOf("client", "key")];
    return run(["docker", "-H", address, ...identity, ...own, ...args], {
      stdin: "from outside",
      env: { HOME: folder },
    });
  };

  await t.step("docker run, exec and cp: connections that are taken over, both ways", async () => {
    assertEquals(ok(await docker("run", "--rm", "-i", "--network=none", image, "cat"), "run"), "from outside");
    ok(await docker("run", "-d", "--name", "box", "--network=none", image, "sleep", "1000"), "run -d");
    assertEquals(ok(await docker("exec", "-i", "box", "sh", "-c", "cat; echo , done"), "exec"), "from outside, done\n");
    assertEquals(ok(await docker("rm", "-f", "-v", "box"), "rm"), "box\n");
  });
  await t.step("curl with a certificate, and without one", async () => {
    const url = `${address.replace("tcp:", "https:")}/_ping`;
    const curl = ["curl", "--silent", "--show-error", "--cacert", pathOf("authority", "pem")];
    const own = ["--cert", pathOf("client", "pem"), "--key", pathOf("client", "key")];
    assertEquals(await runOk([...curl, ...own, url]), "OK");
    const other = ["--cert", pathOf("stranger", "pem"), "--key", pathOf("stranger", "key")];
    for (const identity of [[], other]) {
      const { code, stdout } = await run([...curl, ...identity, url]);
      assert(code !== 0 && stdout === "", `${code} ${stdout}`);
    }
    assert((await run(["curl", "--silent", url.replace("https:", "http:")])).code !== 0);
  });
  await t.step("the client", async () => {
    const own = { ca: await read(pathOf("authority", "pem")), cert: await read(pathOf("client", "pem")) };
    const key = await read(pathOf("client", "key"));
    await using engine = await open(address.replace("tcp:", "https:"), { tls: { ...own, key } });
    assertEquals((await engine.run(image, ["cat"], { stdin: "by the client" })).stdout, "by the client");
    await assertRejects(() => open(address.replace("tcp:", "https:"), { tls: { ca: own.ca } }));
  });
  assert(!server.stderr.includes("every user of this machine"), server.stderr);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("serve refuses certificates that cannot be, each in one line", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-tls-" });
  const pathOf = await makeCertificates(folder);
  const serve = async (...args: string[]) => {
    const script = new URL("../../../scripts/serve.ts", import.meta.url).pathname;
    const places = [`--root=${folder}/root`, `--runroot=${folder}/run`, "--no-setup"];
    const { code, stderr } = await run([Deno.execPath(), "run", "-A", "--quiet", script, ...places, ...args]);
    assert(code !== 0, "it is up");
    return stderr;
  };
  const tcp = "--listen=tcp://127.0.0.1:0";
  const [cert, key] = [`--tls-cert=${pathOf("server", "pem")}`, `--tls-key=${pathOf("server", "key")}`];
  assertStringIncludes(await serve(tcp, cert), '"--tls-key" is missing');
  assertStringIncludes(await serve(cert, key), '"--tls-cert" is for TCP');
  assertStringIncludes(
    await serve(tcp, cert, `--tls-key=${folder}/absent`),
    `Read TLS file "${folder}/absent": there is no such file or folder; choose another place with --tls-key\n`,
  );
  const other = await serve(tcp, cert, `--tls-key=${pathOf("stranger", "key")}`);
  assertStringIncludes(other, "key: it belongs to another certificate\n");
  assertStringIncludes(await serve("--listen=tcp://0.0.0.0:0", cert, key), "off loopback");
  await Deno.remove(folder, { recursive: true });
});
