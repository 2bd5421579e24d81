import { pathOfBase } from "../route/request_path.ts";
import { isObject } from "../surfaces/components.ts";
import type { JSONSchema } from "../surfaces/openapi_types.ts";

/**
 * Returns the base of the API at a document's first server, with the defaults of its variables. A relative URL is a path on the host of the
 * document, which the text does not tell: it becomes a path on localhost.
 */
export function baseOf({ servers }: JSONSchema): string {
  const [server] = Array.isArray(servers) ? servers : [];
  const url = isObject(server) ? fillVariables(server) : "";
  const whole = url.startsWith("//") ? `https:${url}` : url;
  if (/^https?:/i.test(whole)) return URL.canParse(whole) ? whole.replace(/\/+$/, "") : "http://localhost";
  const isRelative = !/^(?:[a-z][a-z\d+.-]*|\{[^{}]*\}):/i.test(url);
  return `http://localhost${isRelative ? pathOfBase(`http://localhost/${url.replace(/^\/+/, "")}`) : ""}`;
}

/** Returns the URL of a server, each variable with its default, which every variable has (OpenAPI 3.1, Server Variable Object). */
function fillVariables({ url, variables }: JSONSchema): string {
  const known = isObject(variables) ? variables : {};
  return typeof url !== "string" ? "" : url.replaceAll(/\{([^{}]+)\}/g, (text, name: string) => {
    const variable = Object.hasOwn(known, name) ? known[name] : undefined;
    return isObject(variable) && variable.default !== undefined ? String(variable.default) : text;
  });
}
