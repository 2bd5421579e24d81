import type { JSONSchema } from "../surfaces/openapi_types.ts";
import { isObject } from "../surfaces/components.ts";
import { RESERVED, TOKEN } from "../headers/names.ts";

/** Whether a tag can place a parameter in its header or cookie. */
export function isPlaceable({ name, in: where, schema }: JSONSchema): boolean {
  const type = isObject(schema) ? schema.type : undefined;
  if (typeof name !== "string" || !TOKEN.test(name) || /^(array|object)$/.test(String(type))) return false;
  return where === "cookie" ||
    where === "header" && !RESERVED.test(name) && !/^((set-)?cookie|authorization)$/i.test(name);
}

/** The rules of arguments in headers and cookies, behind those of the body; a body of no known type has one of its own, and so have fields. */
export function rulesOf(headed: readonly JSONSchema[], body: readonly string[], isUntyped: boolean): string {
  if (headed.length === 0 && !isUntyped && (body.length === 0 || body[0] === "*")) return "";
  const rules = headed.map((one) => one.in === "cookie" ? `Cookie:${one.name}` : `${one.name}:`);
  return ` (${[...body, ...rules].join(",")})`;
}

/** The cookies that a reply sets, by the names that a document of this transport tells. */
export function cookiesOf(headers: unknown): string[] {
  const all = Object.entries(isObject(headers) ? headers : {});
  const [, cookies] = all.find(([name]) => /^set-cookie$/i.test(name)) ?? [];
  const names = isObject(cookies) ? cookies["x-gantry-cookies"] : undefined;
  const isName = (name: unknown) => typeof name === "string" && TOKEN.test(name);
  return Array.isArray(names) ? [...new Set<string>(names.filter(isName))] : [];
}
