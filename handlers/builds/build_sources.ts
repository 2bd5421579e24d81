/**
 * The parameters of a build that name files: contexts and secrets.
 *
 * @module
 */
import type { BuildOptions, NamedContext } from "../../lib/engine/build/build_options.ts";
import { RequestError } from "../request_error.ts";
import type { BuildQuery } from "../wire/builds/build.ts";

/** Reads the parameters that name contexts and secrets. Throws a `RequestError` that names the parameter. */
export function buildSources(
  { remote, additionalbuildcontexts, secrets }: BuildQuery,
  isLocal: boolean,
): Pick<BuildOptions, "remote" | "contexts" | "secretFiles"> {
  return {
    ...remote && { remote },
    contexts: Object.fromEntries((additionalbuildcontexts ?? []).flatMap((text) => contextsOf(text, isLocal))),
    secretFiles: secretsOf(secrets),
  };
}

/** `name=image:…`, `name=url:…`, or a JSON map as Podman's clients before 5.6 send it. */
function contextsOf(text: string, isLocal: boolean): [string, NamedContext][] {
  if (text.trim() === "") return [];
  if (text.trim().startsWith("{")) return contextMap(text);
  const [, name, kind, value] = /^([^=]+)=(url|image|localpath):(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw malformedContext(`"${text}" is not NAME=image:…, NAME=url:…`);
  if (kind === "url") return [[name, { kind: "url", url: value }]];
  if (kind === "image") return [[name, { kind: "image", name: value }]];
  if (isLocal) return [[name, { kind: "folder", path: value }]];
  throw malformedContext(`"${text}" is a folder of this machine: POST /libpod/local/build takes those`);
}

function contextMap(text: string): [string, NamedContext][] {
  let map: unknown;
  try {
    map = JSON.parse(text);
  } catch {
    throw malformedContext("it is not JSON");
  }
  return Object.entries(map ?? {}).map(([name, context]): [string, NamedContext] => {
    const { IsURL, IsImage, Value } = context ?? {};
    if (typeof Value !== "string") throw malformedContext(`the context "${name}" has no value`);
    if (IsImage === true) return [name, { kind: "image", name: Value }];
    if (IsURL === true) return [name, { kind: "url", url: Value }];
    throw new RequestError(
      "unsupported",
      `Build image: the parameter "additionalbuildcontexts" names a folder of the client (${name}), which is not sent`,
      { field: "additionalbuildcontexts" },
    );
  });
}

/** `id=…,src=…` with files of the context: Podman's client puts them there. */
function secretsOf(text = ""): Record<string, string> {
  if (text.trim() === "") return {};
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw malformedSecrets("it is not JSON");
  }
  if (list === null) return {};
  if (!Array.isArray(list)) throw malformedSecrets("it is not a JSON list");
  return Object.fromEntries(list.map((item: unknown) => {
    if (typeof item !== "string") throw malformedSecrets("it is not a JSON list of texts");
    const fields = new Map(item.split(",").map((part) => part.split(/=(.*)/s).slice(0, 2) as [string, string]));
    const source = fields.get("src") ?? fields.get("source");
    const id = fields.get("id") ?? source?.split("/").at(-1);
    if (!id || !source) throw malformedSecrets("a secret is id=NAME,src=FILE");
    return [id, source];
  }));
}

function malformedContext(why: string): RequestError {
  return new RequestError("malformed", `failed to parse "additionalbuildcontexts": ${why}`, {
    field: "additionalbuildcontexts",
  });
}

/** It never tells what was sent. */
function malformedSecrets(why: string): RequestError {
  return new RequestError("malformed", `failed to parse "secrets": ${why}`, { field: "secrets" });
}
