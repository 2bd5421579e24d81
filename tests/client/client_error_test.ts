import { assertEquals, assertRejects } from "@std/assert";
import { ClientError } from "../../lib/client/mod.ts";
import { clientError, unlessMissing } from "../../lib/client/client_error.ts";
import { HTTPError } from "../../lib/rest/mod.ts";

Deno.test("what Podman answers with 500 has its code by the end of its text alone", () => {
  const codeOf = (text: string) =>
    (clientError("Act", new HTTPError(500, "told at length", { cause: text })) as ClientError).code;
  const codes: Record<string, string> = {
    "no such container": "not_found",
    'unable to find "db": no such network': "not_found",
    'unable to find "db": network not found': "not_found",
    'name "a": that name is already in use': "conflict",
    "container state improper": "conflict",
    'volume "a" is being used by c: volume is being used': "conflict",
    "names must match [a-z]*: invalid argument": "invalid",
    'crun: exec: "x": executable file not found in $PATH: OCI runtime attempted to invoke a command that was not found':
      "invalid",
    "It is not yet implemented here": "unsupported",
    // The server's own troubles, whose texts look like the others'.
    "dial tcp: lookup db: no such host": "internal",
    "open /etc/no such container: no such file or directory": "internal",
    'exec "no such image": permission denied': "internal",
    "no such container: disk quota exceeded": "internal",
  };
  assertEquals(Object.fromEntries(Object.keys(codes).map((text) => [text, codeOf(text)])), codes);
});

Deno.test("Docker's 403 for a network in use is a conflict, and any other is forbidden", () => {
  const codeOf = (text: string) => (clientError("Act", new HTTPError(403, text)) as ClientError).code;
  const inUse = "error while removing network: network app id 4f1c has active endpoints";
  assertEquals([inUse, `${inUse} (name:"web" id:"51f0")`].map(codeOf), ["conflict", "conflict"]);
  assertEquals(
    codeOf('"app" has associated containers with it. Use -f to forcibly delete: network is being used'),
    "conflict",
  );
  assertEquals(codeOf("bridge is a pre-defined network and cannot be removed"), "forbidden");
});

Deno.test("unlessMissing() takes 404 for gone, and no failure whose text looks like it", async () => {
  const told = (status: number) => Promise.reject(clientError("Remove", new HTTPError(status, "no such volume")));
  await unlessMissing(told(404));
  const error = await assertRejects(() => unlessMissing(told(500)), ClientError);
  assertEquals([error.status, error.code], [500, "not_found"]);
  await assertRejects(() => unlessMissing(Promise.reject(new TypeError("a mistake"))), TypeError);
});
