import { assertEquals, assertThrows } from "@std/assert";
import { parseSyslogOptions, syslogMessage } from "../../../../lib/engine/text/logs/syslog.ts";

Deno.test("parseSyslogOptions() reads every address that Docker takes", () => {
  const where = (address: string) => {
    const { transport, host, port, path } = parseSyslogOptions({ "syslog-address": address });
    return [transport, host || path, port];
  };
  assertEquals(where(""), ["local", "", 0]);
  assertEquals(where("udp://192.0.2.1:1514"), ["udp", "192.0.2.1", 1514]);
  assertEquals(where("udp://logs.example"), ["udp", "logs.example", 514]);
  assertEquals(where("tcp://[2001:db8::1]:601/"), ["tcp", "2001:db8::1", 601]);
  assertEquals(where("tcp://:1514"), ["tcp", "localhost", 1514]);
  assertEquals(where("tcp+tls://logs.example:6514"), ["tcp+tls", "logs.example", 6514]);
  assertEquals(where("unix:///run/log.sock"), ["unix", "/run/log.sock", 0]);
  assertEquals(where("unixgram:///dev/log"), ["unixgram", "/dev/log", 0]);
  for (
    const address of [
      "logs.example",
      "http://x",
      "unix://dev/log",
      "udp://a:b",
      "udp://a:99999",
      "udp://a b",
      "tcp://::1",
    ]
  ) {
    assertThrows(() => where(address), SyntaxError);
  }
});

Deno.test("parseSyslogOptions() knows facilities by name and number", () => {
  const facility = (text: string) => parseSyslogOptions({ "syslog-facility": text }).facility;
  assertEquals(["", "kern", "ftp", "local0", "local7", "0", "12", "23"].map(facility), [3, 0, 11, 16, 23, 0, 12, 23]);
  for (const text of ["24", "-1", "local8", "Daemon", "constructor"]) assertThrows(() => facility(text), SyntaxError);
  assertThrows(() => parseSyslogOptions({ "syslog-format": "toString" }), SyntaxError);
});

Deno.test("syslogMessage() has each format's head, the stream's severity and an end", () => {
  const identity = { hostname: "host", tag: "abc", pid: 7 };
  const write = (format: string, transport = "udp", isError = false, time = "2026-11-05T09:08:07.123456789+01:00") => {
    const target = parseSyslogOptions({
      ...{ "syslog-format": format, "syslog-facility": "local0" },
      "syslog-address": `${transport}://host`,
    });
    const text = new TextEncoder().encode("one");
    return new TextDecoder().decode(syslogMessage(target, identity, { time, isError, text }));
  };
  assertEquals(write(""), "<134>Nov  5 09:08:07 abc[7]: one\n");
  assertEquals(write("", "udp", true), "<131>Nov  5 09:08:07 abc[7]: one\n");
  assertEquals(write("rfc3164"), "<134>Nov  5 09:08:07 host abc[7]: one\n");
  assertEquals(write("rfc5424"), "<134>1 2026-11-05T09:08:07+01:00 host abc 7 abc - one\n");
  assertEquals(
    write("rfc5424micro", "udp", false, "2026-11-05T09:08:07.123456789+00:00"),
    "<134>1 2026-11-05T09:08:07.123456Z host abc 7 abc - one\n",
  );
  assertEquals(write("rfc5424", "tcp+tls"), "54 <134>1 2026-11-05T09:08:07+01:00 host abc 7 abc - one\n");
  assertEquals(write("rfc3164", "tcp+tls"), "<134>Nov  5 09:08:07 host abc[7]: one\n");
});
