/**
 * The file in which Kubernetes' tools keep how a cluster is reached: kubeconfig(7), the type `Config` of `client-go/tools/clientcmd/api/v1`.
 *
 * @module
 */
import { fromBase64, toBase64 } from "../../../oci/bytes/base64.ts";
import { EngineError } from "../../errors.ts";
import type { TLSOptions } from "../../ports/ports.ts";
import { Fields } from "../read/fields.ts";
import { readYAML } from "../read/read_yaml.ts";

/** A cluster's API, and what it is shown. */
export interface ClusterAccess {
  /** `https://host:port`, with a path where the file has one; no slash at its end. */
  server: string;
  tls: TLSOptions;
  /** The value of the header `Authorization`. */
  authorization?: string;
  /** The namespace of the file's context. */
  namespace?: string;
}

/** Reads a file of the host as text. A path that is not absolute is relative to the folder of the kubeconfig. */
export type ReadText = (path: string) => Promise<string>;

/** Settings of a user that are refused, each with the reason. */
const REFUSED_OF_USERS: Readonly<Record<string, string>> = {
  exec: "is refused: no program is run for credentials; give a token or a client certificate",
  "auth-provider": "is refused: no plugin is run for credentials; give a token or a client certificate",
  as: "is refused: nobody is impersonated",
  "as-uid": "is refused: nobody is impersonated",
  "as-groups": "is refused: nobody is impersonated",
  "as-user-extra": "is refused: nobody is impersonated",
};

/** Settings of a cluster that are refused, each with the reason. */
const REFUSED_OF_CLUSTERS: Readonly<Record<string, string>> = {
  "proxy-url": "is refused: a cluster is reached without a proxy",
  "tls-server-name": "is refused: the certificate must be one for the host of the server's address",
};

/**
 * Reads how to reach the cluster of a kubeconfig: that of its current context, or the first cluster and user where it names none, as
 * Podman does.
 *
 * @param text The file's text
 * @param readText Reads the files that it names
 * @param caCertFile The path of a file with certificates to trust in place of the kubeconfig's, or `insecure`: trust any
 * @throws {EngineError} `invalid` with the field's path for what cannot be, `limit` past the bounds of YAML, `unsupported` for what is
 * refused here, by name
 */
export async function readKubeconfig(text: string, readText: ReadText, caCertFile = ""): Promise<ClusterAccess> {
  const root = readRoot(text);
  const { cluster, user, namespace } = chooseContext(root);
  refuseFields(cluster, REFUSED_OF_CLUSTERS);
  if (user) refuseFields(user, REFUSED_OF_USERS);
  const own = user && await readClientCertificate(user, readText);
  const trust = await readTrust(cluster, readText, caCertFile);
  const authorization = user && await readAuthorization(user, readText);
  return { server: readServer(cluster), tls: { ...trust, ...own }, authorization, namespace };
}

/** Errors never quote the text: it may be any file, and holds keys. */
function readRoot(text: string): Fields {
  let documents: unknown[] = [];
  try {
    documents = readYAML(text);
  } catch (error) {
    if (error instanceof EngineError && error.code === "limit") throw error;
    throw new EngineError("invalid", "kubeconfig: it is not YAML");
  }
  const [value] = documents;
  if (documents.length !== 1 || typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new EngineError("invalid", "kubeconfig: it must be one mapping in YAML");
  }
  return new Fields(value, "kubeconfig");
}

interface Context {
  cluster: Fields;
  user?: Fields;
  namespace?: string;
}

function chooseContext(root: Fields): Context {
  const current = root.text("current-context");
  if (!current) {
    const [cluster] = root.list("clusters");
    if (!cluster) throw root.fail("clusters", "has no cluster");
    return { cluster: cluster.needInner("cluster"), user: root.list("users")[0]?.inner("user") };
  }
  const context = findNamed(root, "contexts", current).needInner("context");
  const user = context.text("user");
  return {
    cluster: findNamed(root, "clusters", context.needText("cluster")).needInner("cluster"),
    user: user ? findNamed(root, "users", user).inner("user") : undefined,
    namespace: context.text("namespace") || undefined,
  };
}

function findNamed(root: Fields, list: string, name: string): Fields {
  const found = root.list(list).find((item) => item.text("name") === name);
  if (found) return found;
  throw root.fail(list, `has none called "${name}"`);
}

function refuseFields(fields: Fields, refused: Readonly<Record<string, string>>): void {
  for (const [key, why] of Object.entries(refused)) if (fields.has(key)) throw fields.fail(key, why, "unsupported");
}

function readServer(cluster: Fields): string {
  const text = cluster.needText("server");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw cluster.fail("server", "must be an address as https://host:port");
  }
  if (url.protocol !== "https:") throw cluster.fail("server", "must be https: credentials are sent over TLS only");
  return url.href.replace(/\/+$/, "");
}

async function readTrust(cluster: Fields, readText: ReadText, caCertFile: string): Promise<TLSOptions> {
  if (caCertFile.toLowerCase() === "insecure") return { insecure: true };
  const ca = caCertFile === ""
    ? await readPart(cluster, "certificate-authority", readText)
    : requireCertificate(await readText(caCertFile), () => new EngineError("invalid", `"${caCertFile}" is not PEM`));
  if (cluster.flag("insecure-skip-tls-verify") && caCertFile === "") {
    if (ca !== undefined) throw cluster.fail("insecure-skip-tls-verify", "goes with no certificate authority");
    return { insecure: true };
  }
  return ca === undefined ? {} : { ca, caOnly: true };
}

async function readClientCertificate(user: Fields, readText: ReadText): Promise<TLSOptions> {
  const cert = await readPart(user, "client-certificate", readText);
  const key = await readPart(user, "client-key", readText);
  if (cert === undefined && key === undefined) return {};
  if (cert !== undefined && key !== undefined) return { cert, key };
  throw user.fail(cert === undefined ? "client-key" : "client-certificate", "needs a certificate and its key");
}

/** Reads a PEM text: that in the file, or else that of the file it names. */
async function readPart(fields: Fields, key: string, readText: ReadText): Promise<string | undefined> {
  const data = fields.text(`${key}-data`);
  if (data) {
    return requireCertificate(decodeData(fields, `${key}-data`, data), () => fields.fail(`${key}-data`, "is not PEM"));
  }
  const path = fields.text(key);
  return path
    ? requireCertificate(await readText(path), () => fields.fail(key, "names a file that is not PEM"))
    : undefined;
}

function decodeData(fields: Fields, key: string, data: string): string {
  try {
    return new TextDecoder().decode(fromBase64(data.replaceAll(/\s/g, "")));
  } catch {
    throw fields.fail(key, "must be base64");
  }
}

function requireCertificate(text: string, fail: () => EngineError): string {
  if (/-----BEGIN [A-Z ]+-----/.test(text)) return text;
  throw fail();
}

async function readAuthorization(user: Fields, readText: ReadText): Promise<string | undefined> {
  const path = user.text("tokenFile");
  // As in client-go, the file wins: it is the one that is renewed.
  const token = (path ? await readText(path) : user.text("token") ?? "").trim();
  const [name, password] = [user.text("username") ?? "", user.text("password") ?? ""];
  if (token !== "" && name !== "") throw user.fail("token", "goes with no username");
  if (/[^\x21-\x7e]/.test(token)) {
    throw user.fail(path ? "tokenFile" : "token", "must be one line of visible characters");
  }
  if (token !== "") return `Bearer ${token}`;
  return name === "" ? undefined : `Basic ${toBase64(new TextEncoder().encode(`${name}:${password}`))}`;
}
