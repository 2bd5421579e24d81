import { assertEquals, assertThrows } from "@std/assert";
import { registryCredentials } from "../../../handlers/images/registry_auth.ts";
import type { Credential } from "../../../lib/oci/registry/registry_sessions.ts";
import { HTTPError } from "../../../lib/rest/mod.ts";

const encode = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_");

function look(
  headers: Record<string, string>,
  registry = "quay.io",
  path = "team/app",
  isAsked = true,
): Credential | undefined {
  // These sources answer at once.
  return registryCredentials(new Headers(headers))?.(registry, path, isAsked) as Credential | undefined;
}

Deno.test("registryCredentials() reads one credential for the registry that is asked, and no other", () => {
  assertEquals(look({ "X-Registry-Auth": encode({ username: "ann", password: "pw>?" }) }), {
    username: "ann",
    password: "pw>?",
  });
  assertEquals(look({ "X-Registry-Auth": encode({ auth: btoa("ann:p:w") }) }), { username: "ann", password: "p:w" });
  assertEquals(look({ "X-Registry-Auth": encode({ identitytoken: "t" }) }), { identityToken: "t" });
  assertEquals(look({ "X-Registry-Auth": encode({ registrytoken: "t" }).replace(/=+$/, "") }), { registryToken: "t" });
  for (const value of [{ username: "ann", password: "pw" }, { "": { username: "ann", password: "pw" } }]) {
    const headers = { "X-Registry-Auth": encode(value) };
    assertEquals([look(headers)?.username, look(headers, "quay.io", "team/app", false)], ["ann", undefined]);
  }
});

Deno.test("registryCredentials() reads a map from registry to credential", () => {
  const map = {
    "quay.io": { username: "q", password: "1" },
    "quay.io/own": { username: "o", password: "3" },
    "https://index.docker.io/v1/": { username: "d", password: "2" },
  };
  for (const header of ["X-Registry-Auth", "X-Registry-Config"]) {
    assertEquals(look({ [header]: encode(map) }), { username: "q", password: "1" }, header);
    assertEquals(look({ [header]: encode(map) }, "docker.io"), { username: "d", password: "2" }, header);
    assertEquals(look({ [header]: encode(map) }, "other.io"), undefined, header);
    assertEquals(look({ [header]: encode(map) }, "quay.io", "own/app")?.username, "o", header);
    assertEquals(look({ [header]: encode(map) }, "quay.io", "owner/app")?.username, "q", header);
  }
  const both = {
    "X-Registry-Config": encode(map),
    "X-Registry-Auth": encode({ username: "other", password: "x" }),
  };
  assertEquals(look(both)?.username, "q");
});

Deno.test("registryCredentials() takes nothing for nothing", () => {
  assertEquals(registryCredentials(new Headers()), undefined);
  assertEquals(look({ "X-Registry-Auth": "e30=" }), undefined);
  assertEquals(look({ "X-Registry-Auth": encode(null) }), undefined);
  for (
    const value of [{ username: "", password: "" }, { auth: "" }, { serveraddress: "quay.io" }, { username: "", x: "" }]
  ) {
    assertEquals(look({ "X-Registry-Auth": encode(value) }), undefined, JSON.stringify(value));
  }
});

Deno.test("registryCredentials() refuses what does not parse, without quoting it", () => {
  const secret = "c2VjcmV0";
  for (const value of ["not base64!", btoa("{"), encode([]), encode({ username: 1 }), secret, "A".repeat(70_000)]) {
    const error = assertThrows(
      () => look({ "X-Registry-Auth": value }),
      HTTPError,
      'failed to parse "X-Registry-Auth"',
    );
    assertEquals((error as HTTPError).status, 400);
    assertEquals((error as HTTPError).message.includes("secret"), false);
  }
});
