import { parseObject } from "../../../oci/json.ts";
import { readBody } from "../../../oci/registry/body.ts";
import { failureReason } from "../../../oci/registry/registry_http.ts";
import { EngineError } from "../../errors.ts";
import { VERSION } from "../../info.ts";
import type { Net } from "../../ports/ports.ts";
import type { ClusterAccess } from "./kubeconfig.ts";

/** An object for a cluster. */
export interface ClusterObject {
  /** `Pod "web"`, for errors. */
  title: string;
  /** Its place below the server's address. */
  path: string;
  /** The object as its document has it. */
  value: Readonly<Record<string, unknown>>;
}

/** The owner of the fields that are applied, as clusters keep them. */
const FIELD_MANAGER = "gantry";
/** Milliseconds for an answer to begin; API servers give up on a request after a minute. */
const PATIENCE = 70_000;
const ANSWER_LIMITS = { bytes: 4 << 20, depth: 100 };
/** Characters of an answer that is no Status, in an error. */
const MOST_TEXT = 500;

/**
 * Applies one object at the server: a PATCH of `application/apply-patch+yaml`, which makes it where there is none. A field that
 * another manager owns is a conflict (409), and is not taken. Returns the server's warnings.
 *
 * @throws {EngineError} `internal` with status, reason and message of the server's Status object, or where it is not reached
 */
export async function sendObject(
  net: Net,
  { server, tls, authorization }: ClusterAccess,
  { title, path, value }: ClusterObject,
  signal?: AbortSignal,
): Promise<string[]> {
  const url = new URL(`${server}${path}?fieldManager=${FIELD_MANAGER}&fieldValidation=Strict`);
  const headers = {
    accept: "application/json",
    "content-type": "application/apply-patch+yaml",
    "user-agent": `gantry/${VERSION}`,
    ...authorization !== undefined && { authorization },
  };
  const patience = AbortSignal.timeout(PATIENCE);
  const request = new Request(url, {
    ...{ method: "PATCH", headers, redirect: "manual" },
    // JSON is YAML.
    body: JSON.stringify(value),
    signal: signal ? AbortSignal.any([signal, patience]) : patience,
  });
  let response: Response;
  try {
    response = await net.fetch(request, tls);
  } catch (error) {
    signal?.throwIfAborted();
    const why = patience.aborted ? "it did not answer in time" : failureReason(error, url);
    throw new EngineError("internal", `${title}: reaching the cluster at ${url.origin}: ${why}`, { cause: error });
  }
  if (response.status === 200 || response.status === 201) {
    await response.body?.cancel();
    return readWarnings(response.headers);
  }
  throw new EngineError("internal", `${title}: ${response.status} ${await describeAnswer(response)}`);
}

/** The texts of `Warning` headers, RFC 7234 section 5.5: `299 - "text"`. */
function readWarnings(headers: Headers): string[] {
  const texts = (headers.get("warning") ?? "").matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g);
  return [...texts].map(([, text]) => text.replaceAll(/\\(.)/g, "$1")).slice(0, 100);
}

/** Reads the server's `Status` (`k8s.io/apimachinery/pkg/apis/meta/v1`): its reason and its message, or the text that is there instead. */
async function describeAnswer(response: Response): Promise<string> {
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    return "a redirect, which is not followed";
  }
  try {
    const bytes = await readBody(response, ANSWER_LIMITS.bytes);
    const { kind, reason, message } = readStatus(bytes);
    if (kind === "Status" && typeof message === "string" && message !== "") {
      return typeof reason === "string" && reason !== "" ? `${reason}: ${message}` : message;
    }
    return new TextDecoder().decode(bytes).trim().slice(0, MOST_TEXT) || "without a word";
  } catch {
    return "with an answer that cannot be read";
  }
}

function readStatus(bytes: Uint8Array): Record<string, unknown> {
  try {
    return parseObject(bytes, "Status", ANSWER_LIMITS);
  } catch {
    return {};
  }
}
