import { assert, assertEquals, assertMatch } from "@std/assert";
import { openChannel } from "../../../lib/rest/channels/channel.ts";
import { freePort } from "../../fixtures/images/registry.ts";
import { checkUnreadUpload } from "../../fixtures/platform/unread_upload.ts";
import { untilTrue } from "../../fixtures/until_true.ts";

const entry = new URL("../../../lib/platform/entries/deno.ts", import.meta.url).pathname;

/** Runs `deno serve` on the entry, as a user does. Returns how the process ended. */
async function served(
  env: Record<string, string>,
  work: (url: string, child: Deno.ChildProcess) => Promise<void>,
  { signal = "SIGTERM", isUnderNohup = false }: { signal?: Deno.Signal; isUnderNohup?: boolean } = {},
): Promise<Deno.CommandStatus> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-deno-" });
  const port = await freePort();
  // These tests may themselves be run by nohup(1), which its children inherit.
  const child = new Deno.Command("env", {
    args: [
      `--${isUnderNohup ? "ignore" : "default"}-signal=HUP`,
      Deno.execPath(),
      "serve",
      "-A",
      "--quiet",
      `--port=${port}`,
      "--host=127.0.0.1",
      entry,
    ],
    env: { GANTRY_ROOT: `${folder}/root`, GANTRY_RUNROOT: `${folder}/run`, ...env },
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();
  try {
    const url = `http://127.0.0.1:${port}`;
    await untilTrue(async () => {
      const answer = await fetch(url).catch(() => undefined);
      await answer?.body?.cancel();
      return answer !== undefined;
    });
    await work(url, child);
  } finally {
    child.kill(signal);
    await child.status;
    await Deno.remove(folder, { recursive: true });
  }
  return await child.status;
}

Deno.test("deno.ts lets nobody in without GANTRY_TOKEN, says why and opens nothing", async () => {
  await served({ GANTRY_TOKEN: "" }, async (url) => {
    for (const path of ["/_ping", "/libpod/info"]) {
      const response = await fetch(url + path, { headers: { authorization: "Bearer " } });
      assertEquals(response.status, 401);
      assertMatch((await response.json()).message, /GANTRY_TOKEN must be set/);
    }
  });
});

Deno.test("deno.ts serves the engine of this host to who has the token", async () => {
  await served({ GANTRY_TOKEN: "a-token-of-a-test" }, async (url) => {
    const headers = { authorization: "Bearer a-token-of-a-test" };
    const refused = await fetch(`${url}/_ping`, { headers: { authorization: "Bearer other" } });
    assertEquals([refused.status, (await refused.json()).response], [401, 401]);
    assertEquals(await (await fetch(`${url}/_ping`, { headers })).text(), "OK");
    const version = await (await fetch(`${url}/version`, { headers })).json();
    assertEquals(version.Os, "linux");
    const events = await fetch(`${url}/libpod/events`, { headers });
    assert(events.ok);
    await events.body?.cancel();

    const request = new Request(`${url}/libpod/events?stream=false&since=0`, { headers });
    assertEquals(await Array.fromAsync(openChannel({ request, fetch, decode: JSON.parse, websocket: true })), []);
  });
});

Deno.test("deno.ts refuses an upload without cutting off its sender, and ends in order when its terminal goes", async (t) => {
  const upload = (url: string) => checkUnreadUpload(t, Number(new URL(url).port), "a-token-of-a-test");
  const status = await served({ GANTRY_TOKEN: "a-token-of-a-test" }, upload, { signal: "SIGHUP" });
  assertEquals([status.code, status.signal], [0, null]);
});

Deno.test("deno.ts outlives its terminal where nohup started it", async () => {
  const status = await served({ GANTRY_TOKEN: "a-token-of-a-test" }, async (url, child) => {
    const ping = async () => {
      const answer = await fetch(`${url}/_ping`, { headers: { authorization: "Bearer a-token-of-a-test" } });
      assertEquals(await answer.text(), "OK");
    };
    await ping();
    child.kill("SIGHUP");
    // One that ends does not answer for long.
    for (let i = 0; i < 20; i++) {
      await ping();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }, { isUnderNohup: true });
  assertEquals([status.code, status.signal], [0, null]);
});
