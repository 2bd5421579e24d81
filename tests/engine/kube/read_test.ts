/** The pure parts that documents are read by. */
import { assertEquals, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { parseNetworks, parsePort } from "../../../lib/engine/kube/play/pod_network.ts";
import { expandReferences } from "../../../lib/engine/kube/play/values.ts";
import { escapeText } from "../../../lib/engine/kube/generate/generate_container.ts";
import { Fields } from "../../../lib/engine/kube/read/fields.ts";
import { divideQuantity, milliUnits, showQuantity, wholeUnits } from "../../../lib/engine/kube/read/quantity.ts";
import { readProbes } from "../../../lib/engine/kube/read/read_probes.ts";
import { readYAML, writeYAML } from "../../../lib/engine/kube/read/read_yaml.ts";

Deno.test("wholeUnits() and milliUnits() read amounts as Kubernetes does, rounded up", () => {
  const rows: [text: string, whole: number, milli: number][] = [
    ["1", 1, 1000],
    ["500m", 1, 500],
    ["0.1", 1, 100],
    [".5", 1, 500],
    ["1.5", 2, 1500],
    ["1n", 1, 1],
    ["2k", 2000, 2e6],
    ["1Ki", 1024, 1024e3],
    ["1.5Gi", 1.5 * 2 ** 30, 1500 * 2 ** 30],
    ["1e3", 1000, 1e6],
    ["12E-1", 2, 1200],
    ["0", 0, 0],
    ["+3", 3, 3000],
  ];
  for (const [text, whole, milli] of rows) assertEquals([wholeUnits(text), milliUnits(text)], [whole, milli], text);
  assertEquals([wholeUnits(undefined), divideQuantity("1Gi", "1Mi"), divideQuantity("1500m", "1m")], [0, 1024, 1500]);
  for (
    const text of ["", "x", "-1", "1 Gi", "1KI", "1e999", "0x10", "1.2.3", "9223372036854775808", "8Ei", "1".repeat(40)]
  ) {
    assertThrows(() => showQuantity(text, (why) => new RangeError(why)), RangeError, undefined, text);
  }
  assertEquals(showQuantity("7Ei", () => new RangeError()), "7Ei");
});

Deno.test("Fields names what nobody reads, and what is wrong by its path", () => {
  const fields = new Fields({ a: 1, b: { c: [{ d: "x", e: null }], f: {} }, g: [] }, "document 1");
  const [inner] = fields.inner("b")?.list("c") ?? [];
  assertEquals(fields.unread(), ["a: it is not honoured", "b.c[0].d: it is not honoured"]);
  assertEquals(inner.text("d"), "x");
  fields.inner("b")?.inner("f");
  fields.note("a", "for a reason");
  assertEquals(fields.unread(), ["a: for a reason"]);
  const wrong = (read: () => unknown, message: string) => assertThrows(read, EngineError, message);
  wrong(() => fields.text("a"), "document 1: a must be a text (put it in quotes); it is 1");
  wrong(() => fields.flag("a"), "document 1: a must be true or false; it is 1");
  wrong(() => inner.number("d"), 'b.c[0].d must be a whole number from 0 to 2147483647; it is "x"');
  wrong(() => inner.needText("e"), "b.c[0].e is missing");
  wrong(() => inner.word("d", ["y", "z"]), 'b.c[0].d must be "y", "z"; it is "x"');
  wrong(() => fields.texts("b"), "b must be a list of texts; it is a mapping");
  wrong(() => new Fields([], "document 2"), "document 2: it must be a mapping; it is a list");
});

Deno.test("readYAML() reads what Go's reader does, and writeYAML() what every reader reads alike", () => {
  assertEquals(readYAML("a: 0644\nb: yes\nc: ~\nd: 0x1F\ne: 1_0\nf: 2020-01-01"), [
    { a: 420, b: "yes", c: null, d: 31, e: "1_0", f: "2020-01-01" },
  ]);
  const texts = [
    "yes",
    "No",
    "0644",
    "1",
    "null",
    "~",
    "a: b",
    "#x",
    "- a",
    "x\ny\n",
    " x\n",
    "a\tb",
    "é",
    "\u0085",
    "",
  ];
  texts.push(
    "12:30",
    "0o7",
    "1e3",
    ".5",
    "=",
    "<<",
    "*a",
    "&a",
    "!x",
    "%x",
    "@x",
    "`x",
    "a #b",
    "{",
    "[",
    ">",
    "|",
    "'",
    '"',
  );
  texts.push(
    "\u2028",
    "\ud83d\ude00",
    "\0",
    "\r\n",
    "x\n\n",
    "true",
    "on",
    "2020-01-01",
    "a:",
    ":a",
    "a b",
    "-",
    "--- ",
    "...",
  );
  for (const text of texts) {
    assertEquals(
      readYAML(writeYAML({ [text]: text, list: [text] })),
      [{ [text]: text, list: [text] }],
      JSON.stringify(text),
    );
  }
});

Deno.test("expandReferences() replaces variables once, and escapeText() keeps a text from it", () => {
  const variables = new Map([["A", "1"], ["B", "$(A)"]]);
  const rows = [["$(A)", "1"], ["$$(A)", "$(A)"], ["$(C)", "$(C)"], ["$(B)", "$(A)"], ["$A ${A} $", "$A ${A} $"], [
    "$$$(A)",
    "$1",
  ]];
  for (const [text, expected] of rows) assertEquals(expandReferences(text, variables), expected, text);
  for (const text of ["$(A)", "$$(A)", "$$$", "a$", "$$x(A)", "$$$$(B)$("]) {
    assertEquals(expandReferences(escapeText(text), variables), text);
  }
});

Deno.test("parsePort() reads ports as the command line has them", () => {
  const port = { hostIP: "", hostPort: 0, containerPort: 80, protocol: "tcp", range: 1 } as const;
  assertEquals(parsePort("80"), [port]);
  assertEquals(parsePort("8080:80/udp"), [{ ...port, hostPort: 8080, protocol: "udp" }]);
  assertEquals(parsePort("127.0.0.1::80"), [{ ...port, hostIP: "127.0.0.1" }]);
  assertEquals(parsePort("[::1]:8080-8082:80-82"), [{ ...port, hostIP: "::1", hostPort: 8080, range: 3 }]);
  for (const text of ["", "x", "0", "70000", "80:", "1:2:3:4", "81-80", "8080-8082:80", "80/icmp", "99999:80"]) {
    assertThrows(() => parsePort(text), EngineError, `invalid port "${text}"`);
  }
});

Deno.test("parseNetworks() reads modes and networks with their options", () => {
  assertEquals(parseNetworks(["host"]), { namespaces: { network: { mode: "host" } }, networks: {} });
  assertEquals(parseNetworks(["none"]).namespaces?.network, { mode: "none" });
  assertEquals(Object.keys(parseNetworks(["bridge"]).networks), ["podman"]);
  assertEquals(parseNetworks(["a:ip=10.0.0.5,mac=aa:bb:cc:dd:ee:ff,alias=x,interface_name=eth7", "b"]).networks, {
    a: { aliases: ["x"], staticIPs: ["10.0.0.5"], mac: "aa:bb:cc:dd:ee:ff", interfaceName: "eth7" },
    b: { aliases: [], staticIPs: [] },
  });
  for (const words of [["host", "a"], ["a:ip=x"], ["a:color=red"], [""]]) {
    assertThrows(() => parseNetworks(words), EngineError);
  }
});

Deno.test("readProbes() makes health checks, and no text of a document is a word of the shell's", () => {
  const read = (probes: unknown, restarts = true) => {
    const fields = new Fields(probes, "d");
    return { wish: readProbes(fields, [{ name: "http", containerPort: 8080 }], restarts), fields };
  };
  const http = {
    httpGet: { path: "/a;rm -rf 'x'", port: "http", scheme: "HTTPS", httpHeaders: [{ name: "A", value: "$(id)" }] },
  };
  assertEquals(read({ livenessProbe: http }).wish?.check?.test, [
    "CMD-SHELL",
    "curl -f -k -H 'A: $(id)' 'https://localhost:8080/a;rm -rf '\\''x'\\''' || exit 1",
  ]);
  const tcp = read({ readinessProbe: { tcpSocket: { port: 5432, host: "db" } } });
  assertEquals([tcp.wish?.check?.test, tcp.wish?.onFailure], [["CMD-SHELL", "nc -z -v db 5432 || exit 1"], "none"]);
  const both = read({ livenessProbe: { exec: { command: ["a"] } }, readinessProbe: { exec: { command: ["b"] } } });
  assertEquals([both.wish?.check?.test, both.wish?.onFailure], [["CMD", "a"], "restart"]);
  assertEquals(both.wish?.readiness?.test, ["CMD", "b"]);
  assertEquals(both.fields.unread(), []);
  const grpc = read({
    livenessProbe: { grpc: { port: 9090 } },
    startupProbe: { grpc: { port: 9090, service: "shop" } },
  });
  assertEquals([grpc.wish?.check?.test, grpc.wish?.startup?.test], [["GRPC", "9090"], ["GRPC", "9090", "shop"]]);
  assertThrows(() => read({ livenessProbe: { grpc: { service: "shop" } } }), EngineError, "grpc.port is missing");
  const startup = read(
    { startupProbe: { exec: { command: ["a"] }, failureThreshold: 30, successThreshold: 2 } },
    false,
  );
  assertEquals([startup.wish?.startup?.retries, startup.wish?.startup?.successes, startup.wish?.onFailure], [
    30,
    2,
    "none",
  ]);
  assertThrows(
    () => read({ livenessProbe: { httpGet: { port: "web" } } }),
    EngineError,
    "which no port of the container is called",
  );
  assertThrows(() => read({ livenessProbe: { exec: { command: [] } } }), EngineError, "exec.command is missing");
});
