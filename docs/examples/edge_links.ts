/**
 * Short links at the edge: a module worker, whose links are in an R2 bucket with the binding `LINKS`. As the `main` of `wrangler`
 * it wants `dist/rest.js` as an alias of `@gantry/gantry/rest`.
 */
import { api, handler, HTTPError, implement, rest, stream } from "@gantry/gantry/rest";
import { z } from "zod";

/** The part of a Worker's R2 bucket that is used here. */
interface Bucket {
  get(key: string): Promise<{ text(): Promise<string> } | null>;
  put(key: string, value: string): Promise<unknown>;
}

const linksAPI = api("https://links.example.com", {
  PutLink: rest("PUT /{name=%v}", [z.string().max(40), z.object({ url: z.url() })]),
  FollowLink: rest("GET /{name=%v}", [z.string().max(40)], [stream()]),
});

/** Returns the handler of a bucket: a plain function, which tests call with a bucket of their own. */
export function serveLinks(bucket: Bucket): (request: Request) => Promise<Response> {
  const functions = implement(linksAPI, {
    async PutLink(name, { url }) {
      await bucket.put(name, url);
    },
    async FollowLink(name) {
      const link = await bucket.get(name);
      if (link === null) throw new HTTPError(404, `Follow link "${name}": there is none`);
      return Response.redirect(await link.text(), 302);
    },
  });
  return handler(null, functions);
}

export default {
  fetch: (request: Request, env: { LINKS: Bucket }) => serveLinks(env.LINKS)(request),
};
