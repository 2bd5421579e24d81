import { assertEquals, assertThrows } from "@std/assert";
import { checkLogOptions, passedOverOptions } from "../../../../lib/engine/containers/create/check_log_options.ts";
import { olderLogs } from "../../../../lib/engine/containers/create/choose_log.ts";

Deno.test("checkLogOptions() takes the options of Docker's files", () => {
  const logDriver = "json-file";
  const logOptions = {
    ...{ "max-file": "3", compress: "true", tag: "{{.Name}}", mode: "non-blocking", "max-buffer-size": "4m" },
    ...{ labels: "a,b", "labels-regex": "^x", env: "PATH", "env-regex": "^Y" },
  };
  checkLogOptions({ logDriver, logOptions, logSizeMax: 1000 });
  checkLogOptions({ logOptions, logSizeMax: 1000 });
  const fails = (options: Record<string, string>, text: string, driver = logDriver) =>
    assertThrows(() => checkLogOptions({ logDriver: driver, logOptions: options }), Error, text);
  fails({ compress: "true" }, "compress cannot be true when max-file is less than 2 or max-size is not set");
  fails({ compress: "perhaps" }, 'strconv.ParseBool: parsing "perhaps": invalid syntax');
  fails({ "max-file": "0" }, 'invalid value for max-file: "0"');
  fails({ "max-file": "99999" }, 'invalid value for max-file: "99999"');
  fails({ tag: "{{.Nope}}" }, 'log option "tag": template parsing error');
  fails({ "env-regex": "(" }, 'log option "env-regex"');
  fails({ tag: "x" }, 'log tags can only be used with the journald log driver but driver is "k8s-file"', "k8s-file");
  fails({ other: "x" }, "not supported yet");
});

Deno.test("olderLogs() are kept below a greatest size, by default with the driver local", () => {
  const [logDriver, logSizeMax] = ["json-file", 1000];
  assertEquals(olderLogs({ logDriver, logSizeMax, logOptions: { "max-file": "3" } }), { files: 3, gzip: false });
  assertEquals(olderLogs({ logDriver, logOptions: { "max-file": "3" } }), undefined);
  assertEquals(olderLogs({ logDriver, logSizeMax, logOptions: {} }), undefined);
  assertEquals(olderLogs({ logDriver: "local", logOptions: {} }), { files: 5, gzip: true });
  assertEquals(olderLogs({ logDriver: "journald", logSizeMax, logOptions: { "max-file": "3" } }), undefined);
});

Deno.test("passedOverOptions() warns of older files at a path of the client", () => {
  const log = { logDriver: "json-file", logSizeMax: 1000, logOptions: { "max-file": "3" } };
  assertEquals(passedOverOptions(log), []);
  assertEquals(passedOverOptions({ ...log, logPath: "/x/y" }).length, 1);
});

Deno.test("checkLogOptions() tells a driver of other engines from one that nobody has", () => {
  const check = (logDriver: string) => () => checkLogOptions({ logDriver, logOptions: {} });
  assertThrows(check("gelf"), Error, '"gelf": the supervisor, conmon, writes files and the journal only');
  assertThrows(check("nope"), Error, 'invalid log driver "nope": invalid argument');
});

Deno.test("checkLogOptions() takes the options of Docker's syslog, and names one that it does not know", () => {
  const check = (logOptions: Record<string, string>) => checkLogOptions({ logDriver: "syslog", logOptions });
  check({});
  check({ "syslog-address": "tcp://192.0.2.1:1514", "syslog-facility": "local3", "syslog-format": "rfc5424micro" });
  check({
    tag: "{{.Name}}",
    env: "MODE",
    labels: "team",
    "cache-max-size": "1m",
    "cache-max-file": "2",
    mode: "non-blocking",
  });
  const fails = (options: Record<string, string>, text: string) => assertThrows(() => check(options), Error, text);
  fails({ "max-size": "1m" }, "unknown log opt 'max-size' for syslog log driver");
  fails({ "syslog-address": "http://x" }, "unsupported scheme: 'http'");
  fails({ "syslog-facility": "nope" }, 'invalid syslog facility: "nope"');
  fails({ "syslog-format": "nope" }, 'Invalid syslog format: "nope"');
  fails({ "cache-max-file": "0" }, 'log option "cache-max-file": "0", must be 1 to 1000');
  fails({ tag: "{{.Nope}}" }, 'log option "tag": template parsing error');
});

Deno.test("olderLogs() of syslog are those of its cache", () => {
  const logDriver = "syslog";
  assertEquals(olderLogs({ logDriver, logOptions: {} }), { files: 5, gzip: true });
  const logOptions = { "cache-max-file": "2", "cache-compress": "false" };
  assertEquals(olderLogs({ logDriver, logOptions }), { files: 2, gzip: false });
  assertEquals(olderLogs({ logDriver, logOptions: { "cache-max-file": "1" } }), undefined);
});
