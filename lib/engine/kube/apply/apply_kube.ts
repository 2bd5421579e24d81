import { messageOf } from "../../../oci/message_of.ts";
import { readStream } from "../../../oci/registry/body.ts";
import { EngineError } from "../../errors.ts";
import type { KubeParts } from "../kube_parts.ts";
import { type KubeKind, type KubeObject, readObjects } from "../read/documents.ts";
import { type ClusterObject, sendObject } from "./cluster_client.ts";
import { readKubeconfig } from "./kubeconfig.ts";

/** How documents are handed to a cluster. */
export interface ApplyOptions {
  /** The absolute path of a kubeconfig on the host. */
  kubeconfig: string;
  /** The absolute path of certificates to trust in place of the kubeconfig's; `insecure` trusts any. */
  caCertFile?: string;
  /** The namespace; by default that of an object, of the kubeconfig's context, or `default`. */
  namespace?: string;
  signal?: AbortSignal;
}

/** Most bytes of a kubeconfig, and of each file that it names. */
const MOST_BYTES = 1 << 20;

/** The names of kinds in paths of the cluster's API. Source: its discovery, which is the same in every cluster for these. */
const PLURALS: Readonly<Record<KubeKind, string>> = {
  Pod: "pods",
  ConfigMap: "configmaps",
  Secret: "secrets",
  PersistentVolumeClaim: "persistentvolumeclaims",
  Service: "services",
  Deployment: "deployments",
  DaemonSet: "daemonsets",
  Job: "jobs",
};

/** Names and namespaces follow RFC 1123 in Kubernetes; here they become part of a path. */
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

/**
 * Hands the objects of a YAML text to a cluster, each by a server-side apply: pods last, as they need the rest. The whole text
 * is read before anything is sent. Returns the objects' titles (`Pod "web"`), in the order they were sent.
 *
 * Source: `KubeApply` of Podman's `pkg/domain/infra/abi/apply.go`, which only makes new objects, and only of three kinds.
 */
export async function applyKube(parts: KubeParts, text: string, options: ApplyOptions): Promise<string[]> {
  if (text.trim() === "") throw new EngineError("invalid", "yaml file provided is empty, cannot apply to a cluster");
  if (!options.kubeconfig) throw new EngineError("invalid", "kubeconfig not given, unable to connect to cluster");
  const { objects, others } = readObjects(text);
  if (others.length > 0) throw new EngineError("invalid", `unsupported Kubernetes kind found: ${others[0]}`);
  if (objects.length === 0) throw new EngineError("invalid", "the YAML text has no objects");
  const cluster = await readAccess(parts, options);
  const ready = objects.map((object) => clusterObject(object, options.namespace, cluster.namespace));
  const applied: string[] = [];
  for (const object of ready) {
    try {
      for (const warning of await sendObject(parts.net(), cluster, object, options.signal)) {
        parts.log("warn", `Apply: ${object.title}: ${warning}`);
      }
    } catch (error) {
      if (!(error instanceof EngineError) || applied.length === 0) throw error;
      const { code, message } = error;
      throw new EngineError(code, `${message} (applied before it: ${applied.join(", ")})`, { cause: error });
    }
    applied.push(object.title);
  }
  return applied;
}

async function readAccess(parts: KubeParts, { kubeconfig, caCertFile }: ApplyOptions) {
  const folder = kubeconfig.replace(/[^/]*$/, "");
  const readText = async (path: string) => await readHostText(parts, path.startsWith("/") ? path : folder + path);
  return await readKubeconfig(await readHostText(parts, kubeconfig), readText, caCertFile);
}

async function readHostText(parts: KubeParts, path: string): Promise<string> {
  const found = await parts.localFiles().find(path);
  if (found.kind !== "file") throw new EngineError("invalid", `"${path}" is a folder, and must be a file`);
  try {
    const bytes = await readStream(await found.open(), MOST_BYTES);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof EngineError) throw error;
    throw new EngineError("invalid", `Read "${path}": ${messageOf(error)}`, { cause: error });
  }
}

function clusterObject({ kind, name, fields, value }: KubeObject, wanted = "", usual = "default"): ClusterObject {
  const metadata = fields.needInner("metadata");
  if (!NAME.test(metadata.needText("name"))) throw metadata.fail("name", "must be lower case letters, digits, - and .");
  const own = metadata.text("namespace") ?? "";
  if (wanted !== "" && own !== "" && own !== wanted) {
    throw metadata.fail("namespace", `is "${own}", and objects are applied to "${wanted}"`);
  }
  const namespace = wanted || own || usual;
  if (!NAME.test(namespace)) throw new EngineError("invalid", `the namespace "${namespace}" cannot be one`);
  const version = fields.needText("apiVersion");
  return {
    title: `${kind} "${name}"`,
    path: `/${version.includes("/") ? "apis" : "api"}/${version}/namespaces/${namespace}/${PLURALS[kind]}/${name}`,
    value,
  };
}
