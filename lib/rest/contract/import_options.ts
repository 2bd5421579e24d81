import { isVersions } from "../route/version.ts";
import { isObject } from "../surfaces/components.ts";
import type { JSONSchema } from "../surfaces/openapi_types.ts";

/** Writes the options of the API: its title, and the spellings of requests that a document of this transport tells. */
export function apiOptions({ info, "x-gantry-options": spellings }: JSONSchema): string {
  const { title } = isObject(info) ? info : {};
  const { versioned, aliases, query } = isObject(spellings) ? spellings : {};
  const words = Object.entries(isObject(aliases) ? aliases : {}).filter(([, others]) =>
    Array.isArray(others) && others.every((other) => typeof other === "string")
  );
  const rules = ["ignoreCase", "emptyIsAbsent"].filter((name) => isObject(query) && query[name] === true);
  const options = [
    ...(typeof title === "string" ? [`title: ${JSON.stringify(title)}`] : []),
    ...(versioned === true ? ["versioned: true"] : []),
    ...(words.length > 0 ? [`aliases: ${JSON.stringify(Object.fromEntries(words))}`] : []),
    ...(rules.length > 0 ? [`query: { ${rules.map((name) => `${name}: true`).join(", ")} }`] : []),
  ];
  return options.length > 0 ? `, { ${options.join(", ")} }` : "";
}

/** Writes the option of an operation's largest body, where a document of this transport tells another one than the transport has by itself. */
export function limitOption({ "x-gantry-limit": limit }: JSONSchema, isStream: boolean): string[] {
  if (limit === null) return ["limit: Infinity"];
  const isOwn = typeof limit === "number" && limit >= 0 && limit !== (isStream ? STREAM_LIMIT : LIMIT);
  return isOwn ? [`limit: ${limit}`] : [];
}

/** Writes the option of the versions that an operation takes, where a document of this transport tells them. */
export function versionsOption({ "x-gantry-versions": versions }: JSONSchema, document: JSONSchema): string[] {
  const { versioned } = Object(document["x-gantry-options"]) as JSONSchema;
  const isTold = versioned === true && typeof versions === "string" && isVersions(versions);
  return isTold ? [`versions: ${JSON.stringify(versions)}`] : [];
}

/** Whether the schema of an argument is all of a body: a stream or a channel. */
export function isWhole(text: string): boolean {
  return /^(?:stream|chan)\(/.test(text);
}

/** The largest body and the largest stream of an operation that does not say, in bytes: those of `APIOptions`. */
const LIMIT = 4 * 1024 ** 2;
const STREAM_LIMIT = 1024 ** 3;
