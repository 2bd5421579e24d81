import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import type { PlayOptions } from "../../lib/engine/kube/play/play_options.ts";
import { parseAddress } from "../../lib/engine/text/ip.ts";
import type { Context, Implementation } from "../../lib/rest/mod.ts";
import { badParameter } from "../errors.ts";
import { registryCredentials } from "../images/registry_auth.ts";
import { implementFamily } from "../implement_family.ts";
import { RequestError } from "../request_error.ts";
import type { ApplyKubeQuery, GenerateKubeQuery, PlayKubeQuery, PlayKubeReport } from "../wire/kube/kube.ts";
import { kubeAPI } from "./api.ts";
import { readDocuments } from "./read_documents.ts";
import { downReport, playReport } from "./view.ts";

type Body = ReadableStream<Uint8Array>;

/** The operations on Kubernetes documents over an engine. */
export function implementKube(engine: Engine): Implementation {
  const play = (body: Body, query: PlayKubeQuery, context: Context) => playDocuments(engine, body, query, context);
  const down = (body: Body, { force }: { force?: boolean }, { request }: Context) =>
    wrapErrors("tearing down YAML file", async () => {
      const { text } = await readDocuments(body, request.headers);
      return downReport(await engine.kube.down(text, { force }));
    });
  const generate = (query: GenerateKubeQuery) => generateDocuments(engine, query);
  return implementFamily(kubeAPI, {
    GenerateKube: generate,
    KubeGenerate: generate,
    KubeApply: (body, query, context) => applyDocuments(engine, body, query, context),
    PlayKube: play,
    KubePlay: play,
    PlayKubeDown: down,
    KubePlayDown: down,
  });
}

async function playDocuments(
  engine: Engine,
  body: Body,
  query: PlayKubeQuery,
  { request, signal }: Context,
): Promise<PlayKubeReport> {
  const options = { ...playOptions(query), credentials: registryCredentials(request.headers), signal };
  return await wrapErrors("playing YAML file", async () => {
    const { text, contexts } = await readDocuments(body, request.headers);
    return playReport(await engine.kube.play(text, { ...options, contexts }));
  });
}

async function generateDocuments(
  engine: Engine,
  { names = [], service, type, replicas, podmanOnly }: GenerateKubeQuery,
): Promise<ReadableStream<Uint8Array>> {
  return await wrapErrors("generating YAML", async () => {
    const text = await engine.kube.generate(names, { service, type: type || undefined, replicas, podmanOnly });
    return new Blob([text]).stream();
  });
}

async function applyDocuments(
  engine: Engine,
  body: Body,
  { kubeconfig = "", caCertFile, namespace }: ApplyKubeQuery,
  { request, signal }: Context,
): Promise<ReadableStream<Uint8Array>> {
  return await wrapErrors("error applying YAML to k8s cluster", async () => {
    const { text } = await readDocuments(body, request.headers);
    await engine.kube.apply(text, { kubeconfig, caCertFile, namespace, signal });
    // Podman's words.
    return new Blob(["Deployed!\n"]).stream();
  });
}

function playOptions(query: PlayKubeQuery): PlayOptions {
  for (const address of query.staticIPs ?? []) requireAddress(address);
  for (const mac of query.staticMACs ?? []) {
    if (!/^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(mac)) {
      throw badParameter("staticMACs", mac, `address ${mac}: invalid MAC address`);
    }
  }
  const { replace, start, staticIPs, staticMACs, serviceContainer, logDriver, logOptions, annotations } = query;
  const { build, tlsVerify, noHosts, noHostname, noPodPrefix } = query;
  return {
    ...{
      replace,
      start,
      staticIPs,
      serviceContainer,
      logOptions,
      annotations,
      tlsVerify,
      noHosts,
      noHostname,
      noPodPrefix,
    },
    build,
    staticMACs: staticMACs?.map((mac) => mac.toLowerCase().replaceAll("-", ":")),
    logDriver: logDriver || undefined,
    networks: query.network,
    users: query.userns || undefined,
    publish: query.publishPorts,
    publishAll: query.publishAllPorts,
  };
}

function requireAddress(text: string): void {
  try {
    parseAddress(text);
  } catch {
    throw new RequestError("malformed", `invalid IP address ${text}`);
  }
}

/** Has an error say what was being done, in Podman's words. */
async function wrapErrors<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EngineError) {
      const { code, message, sentinel } = error;
      throw new EngineError(code, `${what}: ${message}`, { cause: error, sentinel });
    }
    if (error instanceof RequestError) {
      const { code, message, sentinel } = error;
      throw new RequestError(code, `${what}: ${message}`, { cause: error, sentinel });
    }
    throw error;
  }
}
