import { assertEquals, assertStringIncludes } from "@std/assert";
import { hostRefusal } from "../../../lib/platform/http/host_rules.ts";

const check = (head: Record<string, string>, local?: string, rules = {}) =>
  hostRefusal(new Headers(head), local, { clientHosts: ["d", "docker"], ...rules });

Deno.test("hostRefusal() lets in names of this machine, and the address that was reached", () => {
  for (
    const host of ["localhost", "LOCALHOST:1", "d", "docker:2375", "api.moby.localhost", "127.0.0.1", "[::1]:8080"]
  ) {
    assertEquals(check({ host }), undefined, host);
  }
  assertEquals(check({ host: "192.0.2.7:8080" }, "192.0.2.7"), undefined);
  assertEquals(check({ host: "[2001:db8::1]:80" }, "2001:db8::1"), undefined);
  assertEquals(check({ host: "192.0.2.7" }, "::ffff:192.0.2.7"), undefined);
  assertEquals(check({ host: "engine.example.com:1" }, undefined, { hosts: ["Engine.example.com"] }), undefined);
  assertEquals(check({}), undefined);
  assertEquals(check({ host: "" }), undefined);
});

Deno.test("hostRefusal() refuses names that could be pointed here from outside", () => {
  for (
    const host of [
      "example.com",
      "127.0.0.1.example.com",
      "192.0.2.7",
      "[2001:db8::1]",
      "a.b",
      "localhost.",
      "a, b",
      "[::1",
      "a:b",
      "evil",
      "wpad:8080",
      "podman",
      "docker.",
      "dd",
      "a_b",
    ]
  ) {
    assertStringIncludes(check({ host }, "192.0.2.8") ?? "", "not a name of this server", host);
  }
});

Deno.test("hostRefusal() refuses every origin but its own", () => {
  assertEquals(check({ host: "localhost:8080", origin: "http://localhost:8080" }), undefined);
  assertEquals(
    check({ host: "d", "sec-fetch-site": "cross-site", origin: "https://console.example.com" }, undefined, {
      origins: ["https://console.example.com"],
    }),
    undefined,
  );
  for (
    const origin of [
      "http://localhost",
      "http://localhost:81",
      "https://example.com",
      "null",
      "",
      "http://localhost:8080/",
      "x",
    ]
  ) {
    assertStringIncludes(check({ host: "localhost:8080", origin }) ?? "", "foreign origin", origin);
  }
});

Deno.test("defect: refusal() takes no origin by a name that a page may have pointed here", () => {
  for (const host of ["d", "docker", "d:2375", "docker:2375", ""]) {
    for (const scheme of ["http", "https"]) {
      assertStringIncludes(check({ host, origin: `${scheme}://${host}` }) ?? "", "foreign origin", host);
    }
  }
  assertStringIncludes(check({ origin: "http://localhost" }) ?? "", "foreign origin");
  for (const host of ["localhost:1", "app.localhost", "127.0.0.1:1", "[::1]:1", "192.0.2.7:1", "engine.example.com"]) {
    const rules = { hosts: ["engine.example.com"] };
    assertEquals(check({ host, origin: `http://${host}` }, "192.0.2.7", rules), undefined, host);
  }
});

Deno.test("defect: refusal() refuses what a browser says another site has sent", () => {
  const host = "localhost:8080";
  for (const site of ["cross-site", "same-site", "later-word", ""]) {
    assertStringIncludes(check({ host, "sec-fetch-site": site }) ?? "", "another site", site);
    const own = { host, origin: `http://${host}`, "sec-fetch-site": site };
    assertStringIncludes(check(own) ?? "", "another site", site);
  }
  for (const site of ["same-origin", "none"]) assertEquals(check({ host, "sec-fetch-site": site }), undefined, site);
});

Deno.test("hostRefusal() knows no name of a client by itself", () => {
  for (const host of ["d", "docker"]) {
    assertStringIncludes(hostRefusal(new Headers({ host }), undefined) ?? "", "not a name of this server", host);
  }
});
