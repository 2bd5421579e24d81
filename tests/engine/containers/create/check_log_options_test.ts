import { assertEquals, assertThrows } from "@std/assert";
import { checkLogOptions, passedOverOptions } from "../../../../lib/engine/containers/create/check_log_options.ts";

Deno.test("checkLogOptions() takes the options of Docker's files, of which passedOverOptions() warns", () => {
  const log = {
    logDriver: "local",
    logOptions: { "max-file": "3", compress: "true", tag: "{{.Name}}", mode: "blocking" },
  };
  checkLogOptions(log);
  assertEquals(passedOverOptions(log).map((text) => text.split(":")[0]), [
    "log option compress=true",
    "log option tag={{.Name}}",
  ]);
  assertEquals(passedOverOptions({ logDriver: "json-file", logOptions: { compress: "false" } }), []);
  assertThrows(() => checkLogOptions({ logDriver: "k8s-file", logOptions: { tag: "x" } }), Error, "not supported yet");
});

Deno.test("checkLogOptions() tells a driver of other engines from one that nobody has", () => {
  const check = (logDriver: string) => () => checkLogOptions({ logDriver, logOptions: {} });
  assertThrows(check("syslog"), Error, '"logDriver" is not supported yet: "syslog"');
  assertThrows(check("odd"), Error, 'invalid log driver "odd": invalid argument');
});
