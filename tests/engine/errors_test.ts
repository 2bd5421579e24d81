import { assert, assertEquals } from "@std/assert";
import { EngineError, FieldError } from "../../lib/engine/errors.ts";

Deno.test("FieldError.named() names fields, and parts of them, as a client does", () => {
  const error = new FieldError("invalid", ["noHosts", "resources.cpu.quota"], (a, b) => `"${a}" and "${b}" disagree`);
  assert(error instanceof EngineError);
  assertEquals(error.message, '"noHosts" and "resources.cpu.quota" disagree');
  const named = error.named({ noHosts: "use_image_hosts", resources: "limits", "resources.memory": "Memory" });
  assertEquals([named.code, named.message], ["invalid", '"use_image_hosts" and "limits.cpu.quota" disagree']);
  assertEquals([named.sentinel, named.cause], [named.message, error]);
  assertEquals(error.named({}).message, error.message);
});

Deno.test("FieldError.named() leaves alone what only looks like a field, and keeps the sentinel", () => {
  const options = { sentinel: "not yet implemented" };
  const error = new FieldError("unsupported", ["devices"], (name) => `"${name}": "devices" is a value`, options);
  const { message, sentinel } = error.named({ devices: "HostConfig.Devices", constructor: "x" });
  assertEquals([message, sentinel], ['"HostConfig.Devices": "devices" is a value', "not yet implemented"]);
  const odd = new FieldError("invalid", ["constructor"], (name) => name);
  assertEquals(odd.named({}).message, "constructor");
});
