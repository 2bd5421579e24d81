import { compatContainersAPI } from "../../handlers/compat/containers/api.ts";
import { compatImagesAPI } from "../../handlers/compat/images/api.ts";
import { compatSystemAPI } from "../../handlers/compat/system/api.ts";
import { containersAPI } from "../../handlers/containers/api.ts";
import { imagesAPI } from "../../handlers/images/api.ts";
import { systemAPI } from "../../handlers/system/api.ts";

/** A part of a path: a text, or a name for one segment or for the rest. */
export type Part = { text: string } | { name: string; remainder: boolean };

/** One method on one path. */
export interface Route {
  method: string;
  parts: Part[];
}

/** The engine's routes, once per method and path. Without `remainders`, names of several segments take one only. */
export function engineRoutes({ remainders }: { remainders: boolean }): Route[] {
  const apis = [containersAPI, imagesAPI, systemAPI, compatContainersAPI, compatImagesAPI, compatSystemAPI];
  const routes = new Map<string, Route>();
  for (const plan of apis.flatMap((definition) => definition.plans)) {
    const parts = plan.segments.map((segment): Part => {
      if (segment.type === "literal") return { text: segment.text };
      if (segment.type === "partial") throw new Error("The engine has no partial segments");
      return { name: segment.name, remainder: remainders && segment.type === "remainder" };
    });
    const key = `${plan.method} ${parts.map((part) => "text" in part ? part.text : "*").join("/")}`;
    routes.set(key, { method: plan.method, parts });
  }
  return [...routes.values()];
}

/** The route's path in a router's spelling; `first` replaces the first segment where it has several spellings. */
export function pathOf(
  route: Route,
  parameter: (name: string) => string,
  remainder: (name: string) => string,
  first?: string,
) {
  const parts = route.parts.map((part, i) => {
    if ("text" in part) return i === 0 && first !== undefined ? first : part.text;
    return part.remainder ? remainder(part.name) : parameter(part.name);
  });
  return "/" + parts.join("/");
}

/** How the first segment is spelled. */
export function spellings(route: Route): string[] {
  const [first] = route.parts;
  if (!("text" in first)) throw new Error("Every route begins with a text");
  return first.text === "engine" ? ["engine", "libpod"] : [first.text];
}

/** A request for the route in each of its spellings, behind each prefix. */
export function requestsFor(route: Route, prefixes: readonly string[]): Request[] {
  return prefixes.flatMap((prefix) =>
    spellings(route).map((first) => {
      const path = pathOf(route, () => "8f0e3a7c51b2", () => "quay.io/libpod/alpine", first);
      return new Request(`http://localhost${prefix}${path}`, { method: route.method });
    })
  );
}
