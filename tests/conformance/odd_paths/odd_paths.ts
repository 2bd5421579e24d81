/** A table of routes that odd paths may fall into, each telling what it was given. */
import { z } from "../../fixtures/zod.ts";
import { api, type Handler, handler, implement, rest } from "../../../lib/rest/mod.ts";

const told = z.array(z.string());
const text = z.string();

const odd = api("odd.example.com", {
  Root: rest("GET /", [], [told]),
  One: rest("GET /{one=%v}", [text], [told]),
  Fixed: rest("GET /a/b", [], [told]),
  Under: rest("GET /a/{under=%v}", [text], [told]),
  Two: rest("GET /{one=%v}/{two=%v}", [text, text], [told]),
  File: rest("GET /files/{path*=%v}", [text], [told]),
  Other: rest("GET /b", [], [told]),
});

/** Serves it. */
export function serveOdd(): Handler {
  return handler(
    null,
    implement(odd, {
      Root: () => ["Root"],
      One: (one) => ["One", one],
      Fixed: () => ["Fixed"],
      Under: (under) => ["Under", under],
      Two: (one, two) => ["Two", one, two],
      File: (path) => ["File", path],
      Other: () => ["Other"],
    }),
  );
}
