/**
 * The health protocol of gRPC (`grpc.health.v1.Health/Check`), asked of a program in a container's network.
 *
 * @module
 */
import type { GRPCHealth, GRPCHealthQuestion } from "../../../engine/ports/network_port.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { concatBytes } from "../../../oci/bytes/bytes.ts";
import { CommandError, runCommand } from "../helpers/command.ts";

/** Bytes of an answer; a status takes seven. */
const LIMIT = 4096;
/** The values of `ServingStatus`. */
const STATUSES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];
/** The bytes before each message: whether it is compressed, and its length. */
const HEAD = 5;

/**
 * Asks by the host's `curl`, which enters the network namespace of a process: the container's image needs no program for it, and its
 * network need not be in reach of the host. It does not throw: what went wrong is the answer's text.
 */
export async function askGRPCHealth({ pid, port, service, timeout }: GRPCHealthQuestion): Promise<GRPCHealth> {
  const chunks: Uint8Array[] = [];
  const url = `http://127.0.0.1:${port}/grpc.health.v1.Health/Check`;
  const headers = ["content-type: application/grpc", "te: trailers"].flatMap((header) => ["--header", header]);
  const limits = ["--max-time", String(timeout / 1000), "--max-filesize", String(LIMIT)];
  const options = ["--disable", "--silent", "--show-error", "--noproxy", "*", "--http2-prior-knowledge"];
  const output = ["--dump-header", "/dev/stderr", "--data-binary", "@-"];
  try {
    const { stderr } = await runCommand(
      "nsenter",
      [`--net=/proc/${pid}/ns/net`, "curl", ...options, ...limits, ...headers, ...output, url],
      { stdin: requestBytes(service), timeout: timeout + 1000, bytes: (chunk) => void chunks.push(chunk.slice()) },
    );
    return readAnswer(concatBytes(chunks), stderr);
  } catch (error) {
    const text = error instanceof CommandError ? error.stderr.trim().split("\n").at(-1) : undefined;
    return { isServing: false, text: text || messageOf(error) };
  }
}

/** A message with one text, its first field. */
function requestBytes(service: string): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(service);
  const length = text.length < 128 ? [text.length] : [text.length & 127 | 128, text.length >> 7];
  const message = text.length === 0 ? [] : [0x0a, ...length, ...text];
  const bytes = new Uint8Array(HEAD + message.length);
  new DataView(bytes.buffer).setUint32(1, message.length);
  bytes.set(message, HEAD);
  return bytes;
}

function readAnswer(body: Uint8Array, headers: string): GRPCHealth {
  if (body.length < HEAD) {
    const field = (name: string) => new RegExp(`^${name}: *(.*?)\r?$`, "im").exec(headers)?.[1];
    const status = field("grpc-status");
    const why = status === undefined ? "no gRPC" : `gRPC status ${status}`;
    return { isServing: false, text: [`the answer is ${why}`, field("grpc-message")].filter(Boolean).join(": ") };
  }
  // A status that is 0 is not written.
  const [field, status] = body.length === HEAD ? [0x08, 0] : [body[HEAD], body[HEAD + 1]];
  const name = field === 0x08 ? STATUSES[status] ?? `status ${status}` : "an answer without a status";
  return { isServing: name === "SERVING", text: `service status: ${name}` };
}
