import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ClientError } from "../../lib/client/mod.ts";
import { clientError, ConnectionLost, messageIn, unlessMissing } from "../../lib/client/client_error.ts";
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

Deno.test("ConnectionLost names the remedy where the words of TLS name none", () => {
  const told = (text: string) => new ConnectionLost(new Error(text)).message;
  const remedies: Record<string, string> = {
    "received fatal alert: CertificateRequired": "tls.cert and tls.key",
    "SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:rec_layer_s3.c:918:\n": "tls.cert and tls.key",
    "self-signed certificate in certificate chain": "tls.ca",
    "invalid peer certificate: UnknownIssuer": "tls.ca",
    "write EPROTO SSL routines:tls_validate_record_header:wrong version number:tlsany_meth.c:77:\n":
      "http:// or tcp://",
    "Parse Error: Expected HTTP/, RTSP/ or ICE/": "https://",
  };
  for (const [text, remedy] of Object.entries(remedies)) {
    assertStringIncludes(told(text), `${text.trim()} (`);
    assertStringIncludes(told(text), remedy);
  }
  assertEquals(told("connect ECONNREFUSED 127.0.0.1:1"), "The connection failed: connect ECONNREFUSED 127.0.0.1:1");
});

Deno.test("messageIn() reads an engine's error, and leaves the text of another server", () => {
  const body = '{"cause":"a","message":"Authenticate: a bearer token is required","response":401}';
  assertEquals(messageIn(body), "Authenticate: a bearer token is required");
  assertEquals(["404 page not found\n", "[]", "null"].map(messageIn), ["404 page not found", "[]", "null"]);
});
