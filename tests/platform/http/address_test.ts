import { assertEquals, assertThrows } from "@std/assert";
import { formatAddress, isLoopback, parseAddress } from "../../../lib/platform/http/address.ts";

Deno.test("parseAddress() reads what listeners are given, and formatAddress() writes it back", () => {
  for (
    const [text, address, back = text] of [
      ["unix:///run/a b/gantry.sock", { kind: "unix", path: "/run/a b/gantry.sock" }],
      ["unix:/run/g.sock", { kind: "unix", path: "/run/g.sock" }, "unix:///run/g.sock"],
      ["tcp://127.0.0.1:8080", { kind: "tcp", host: "127.0.0.1", port: 8080 }],
      ["localhost:0", { kind: "tcp", host: "localhost", port: 0 }, "tcp://localhost:0"],
      ["tcp://[::1]:65535/", { kind: "tcp", host: "::1", port: 65535 }, "tcp://[::1]:65535"],
      [":80", { kind: "tcp", host: "", port: 80 }, "tcp://:80"],
    ] as const
  ) {
    assertEquals(parseAddress(text), address, text);
    assertEquals(formatAddress(address), back);
  }
});

Deno.test("parseAddress() throws for anything else", () => {
  for (
    const text of [
      "",
      "unix://relative",
      "tcp://host",
      "host:65536",
      "host:-1",
      "http://host:80",
      "::1:80",
      "tcp://a b:1",
      "a:1x",
    ]
  ) {
    assertThrows(() => parseAddress(text), SyntaxError, "Parse address");
  }
});

Deno.test("isLoopback() knows what can only be this machine", () => {
  for (const host of ["127.0.0.1", "127.1.2.3", "::1", "localhost", "LOCALHOST", "a.localhost", "::ffff:127.0.0.1"]) {
    assertEquals(isLoopback(host), true, host);
  }
  for (const host of ["", "0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example.com", "localhost.example.com", "1270.0.1"]) {
    assertEquals(isLoopback(host), false, host);
  }
});
