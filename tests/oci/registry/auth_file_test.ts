import { assert, assertEquals, assertThrows } from "@std/assert";
import { credentialKey, findCredential, parseAuthFile, splitAuth } from "../../../lib/oci/registry/auth_file.ts";

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

Deno.test("findCredential() takes the longest key that fits, and none that names no registry", () => {
  const auth = (text: string) => ({ auth: btoa(text) });
  const { credentials } = parseAuthFile(encode({
    auths: { "a.io": auth("host:1"), "a.io/team": auth("team:1"), "a.io/team/app": auth("app:1"), "": auth("any:1") },
  }));
  const user = (registry: string, path: string) => findCredential(credentials, registry, path)?.username;
  assertEquals(
    [user("a.io", "x"), user("a.io", "team/x"), user("a.io", "team/app"), user("a.io", ""), user("b.io", "x")],
    ["host", "team", "app", "host", undefined],
  );
});

Deno.test("credentialKey() and splitAuth() read what Docker and Podman write", () => {
  const rows: [key: string, read: string][] = [
    ["https://index.docker.io/v1/", "docker.io"],
    ["registry-1.docker.io", "docker.io"],
    ["http://a.io:5000/v2/", "a.io:5000"],
    ["a.io/team/", "a.io/team"],
  ];
  for (const [key, read] of rows) assertEquals(credentialKey(key), read);
  assertEquals(splitAuth(btoa("ann:p:w\0\0")), { username: "ann", password: "p:w" });
  assertEquals(splitAuth("?"), { username: "", password: "" });
});

Deno.test("parseAuthFile() refuses what is no auth file, and quotes none of it", () => {
  for (const value of [[], { auths: [] }, { auths: "secret" }, { credHelpers: 1 }, "secret"]) {
    const error = assertThrows(() => parseAuthFile(encode(value)), SyntaxError);
    assert(!error.message.includes("secret"));
  }
  const whole = encode({ auths: { "a.io": { auth: btoa("ann:pw") } }, credHelpers: { b: "c" } });
  let state = 5;
  const random = (below: number) => ((state = Math.imul(state, 1103515245) + 12345) >>> 16) % below;
  for (let round = 0; round < 2000; round++) {
    const bytes = whole.slice(0, 1 + random(whole.length));
    for (let i = random(4); i > 0; i--) bytes[random(bytes.length)] = random(256);
    try {
      parseAuthFile(bytes);
    } catch (error) {
      assert(error instanceof SyntaxError || error instanceof RangeError, String(error));
    }
  }
});

Deno.test("defect: splitAuth() reads a password of very many zero bytes in a time that grows with their number", () => {
  const password = "\0".repeat(2_000_000) + "b";
  const started = performance.now();
  assertEquals(splitAuth(btoa(`ann:${password}`)).password, password);
  // A twentieth of it took three seconds, and the time grew with the square.
  assert(performance.now() - started < 10_000);
});
