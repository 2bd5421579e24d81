import { assert, assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { hostSecrets } from "../../../../lib/platform/linux/secrets/secret_vault.ts";
import { runOk } from "../../../fixtures/run.ts";

const VALUE = Uint8Array.from({ length: 300 }, (_, i) => i % 256);
const ID = "0123456789abcdef012345678";

async function refused(work: Promise<unknown>): Promise<EngineError> {
  return await assertRejects(() => work, EngineError) as EngineError;
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-vault-" });
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("the file driver keeps any bytes in Podman's form, for nobody else to read, and other values as they are", async () => {
  await inFolder(async (folder) => {
    const vault = hostSecrets();
    const place = { driver: "file", options: { path: `${folder}/new/deep` }, id: ID };
    const other = { ...place, id: "other" };
    assertEquals(await vault.lookUp(place), undefined);
    assertEquals(await vault.remove(place), false);
    await Promise.all([vault.store(place, VALUE), vault.store(other, new Uint8Array([1]))]);
    assertEquals(await vault.lookUp(place), VALUE);
    const file = `${folder}/new/deep/secretsdata.json`;
    assertEquals(Object.keys(JSON.parse(await Deno.readTextFile(file))).sort(), [ID, "other"]);
    assertEquals((await Deno.stat(file)).mode! & 0o777, 0o600);
    assertEquals((await Deno.stat(`${folder}/new/deep`)).mode! & 0o777, 0o700);
    assertEquals([await vault.remove(place), await vault.lookUp(place)], [true, undefined]);
    assertEquals(await vault.lookUp(other), new Uint8Array([1]));
    await Deno.writeTextFile(file, "hush, no JSON");
    assert(!(await refused(vault.lookUp(other))).message.includes("hush"));
  });
});

Deno.test("the shell driver runs the host's commands with the ID, and tells nobody what they said", async () => {
  await inFolder(async (folder) => {
    const vault = hostSecrets();
    const options = {
      store: `cat > ${folder}/$SECRET_ID`,
      lookup: `cat ${folder}/$SECRET_ID`,
      delete: `rm ${folder}/$SECRET_ID`,
      list: `ls ${folder}`,
    };
    const place = { driver: "shell", options, id: ID };
    await vault.store(place, VALUE);
    assertEquals(await vault.lookUp(place), VALUE);
    assertEquals([await vault.remove(place), await vault.remove(place), await vault.lookUp(place)], [
      true,
      false,
      undefined,
    ]);
    const loud = { ...place, options: { ...options, store: "cat >&2; exit 7" } };
    const error = await refused(vault.store(loud, new TextEncoder().encode("hush-4711")));
    assertEquals(error.message, "exit status 7");
    assert(!Deno.inspect(error).includes("hush-4711"));
    const large = { ...place, options: { ...options, lookup: "head -c 600000 /dev/zero" } };
    assertEquals((await refused(vault.lookUp(large))).code, "limit");
  });
});

Deno.test("the pass driver encrypts for the key of the store, as gpg does", async () => {
  await inFolder(async (folder) => {
    const home = `${folder}/keys`;
    await Deno.mkdir(home, { mode: 0o700 });
    await runOk(["gpg", "--homedir", home, "--batch", "--passphrase", "", "--quick-gen-key", "t@example.com"]);
    try {
      await Deno.mkdir(`${folder}/store/sub`, { recursive: true });
      await Deno.writeTextFile(`${folder}/store/.gpg-id`, "t@example.com\n");
      const vault = hostSecrets();
      const place = { driver: "pass", options: { root: `${folder}/store/sub`, gpghomedir: home }, id: ID };
      await vault.store(place, VALUE);
      const kept = await Deno.readFile(`${folder}/store/sub/${ID}.gpg`);
      assert(kept.length > 0 && !kept.join().includes(VALUE.slice(0, 100).join()));
      assertEquals(await vault.lookUp(place), VALUE);
      assertEquals([await vault.remove(place), await vault.remove(place), await vault.lookUp(place)], [
        true,
        false,
        undefined,
      ]);
      const keyless = { ...place, options: { ...place.options, key: "nobody@example.com" } };
      assertEquals((await refused(vault.store(keyless, VALUE))).message, "gpg: exit status 2");
    } finally {
      await runOk(["gpgconf", "--homedir", home, "--kill", "all"]);
    }
  });
});

Deno.test("drivers refuse options they do not know or cannot do without", async () => {
  const vault = hostSecrets();
  const rows: [driver: string, options: Record<string, string>, text: RegExp][] = [
    ["vault", {}, /^secret driver "vault": invalid driver$/],
    ["constructor", {}, /invalid driver$/],
    ["file", {}, /need path for filedriver/],
    ["file", { path: "relative" }, /need path for filedriver/],
    ["file", { path: "/x", colour: "red" }, /invalid file driver option: "colour"/],
    ["pass", { colour: "red" }, /invalid pass driver option: "colour"/],
    ["shell", { lookup: "cat" }, /missing config value/],
    ["shell", { colour: "red" }, /invalid shell driver option: "colour"/],
  ];
  for (const [driver, options, text] of rows) {
    const error = await refused(vault.check(driver, options));
    assertEquals([error.code, text.test(error.message)], ["invalid", true], error.message);
  }
});
