/** Every way in and every way out that a credential may take, for `credentials_test.ts`. */
import { type Answer, refusal, registry } from "../../fixtures/images/registry_world.ts";
import { TINY } from "../../fixtures/handlers/test_engine.ts";

/** A header's value. */
export const encode = (value: unknown) => btoa(JSON.stringify(value));
/** The registry that is asked for. */
export const ASKED = "registry.example";
/** The user it knows. */
export const USER = { username: "ann", password: "the-password" };
/** What gives a secret away, wherever it stands. `derived` is what a token server gives for one. */
export const SECRETS = [
  USER.password,
  btoa(`${USER.username}:${USER.password}`),
  "the-identity",
  "the-bearer",
  "derived",
];

/** How a credential comes in. */
export interface Source {
  headers?: Record<string, string>;
  authFile?: unknown;
  kind: "password" | "identity" | "bearer";
}

/** Every way in. */
export const SOURCES: Record<string, Source> = {
  "X-Registry-Auth": { headers: { "X-Registry-Auth": encode(USER) }, kind: "password" },
  "X-Registry-Auth with an identity token": {
    headers: { "X-Registry-Auth": encode({ identitytoken: "the-identity" }) },
    kind: "identity",
  },
  "X-Registry-Auth with a bearer token": {
    headers: { "X-Registry-Auth": encode({ registrytoken: "the-bearer" }) },
    kind: "bearer",
  },
  "X-Registry-Auth with a map": { headers: { "X-Registry-Auth": encode({ [ASKED]: USER }) }, kind: "password" },
  "X-Registry-Config": { headers: { "X-Registry-Config": encode({ [ASKED]: USER }) }, kind: "password" },
  "X-Registry-Config with an identity token": {
    headers: { "X-Registry-Config": encode({ [ASKED]: { identitytoken: "the-identity" } }) },
    kind: "identity",
  },
  "the auth file": { authFile: { auths: { [ASKED]: { auth: btoa("ann:the-password") } } }, kind: "password" },
};

/** One way out. */
export interface Way {
  conf?: string;
  hosts: Record<string, Answer>;
  /** Parameters besides the reference. */
  query?: string;
  /** What is asked for; `team/app:1` of {@linkcode ASKED} by default. */
  reference?: string;
  operation?: "pull" | "push" | "search";
  /** Where the secret must have been seen, by its kind: the proof that it was there to be lost. */
  reaches?: Partial<Record<Source["kind"], string[]>>;
}

const BASIC = 'Basic realm="r"';
const bearer = (realm: string) => `Bearer realm="${realm}",service="s"`;
const conf = (...lines: string[]) => `[[registry]]\nlocation = "${ASKED}"\n${lines.join("\n")}\n`;
const mirror = (more = "") => conf(`[[registry.mirror]]\nlocation = "mirror.example"\n${more}`);
const HERE = { password: [`https ${ASKED}`] };

/** A token server that tells whether it was shown anything. */
const tokens: Answer = async (request) => {
  const isShown = request.headers.has("authorization") || (await request.text()).includes("refresh_token");
  return Response.json({ token: isShown ? "derived" : "anonymous" });
};

const redirect = (location: string, status = 307): Answer => () =>
  new Response(null, { status, headers: { location } });

/** A host that asks for everything one may have. */
const greedy = (challenge = `${bearer("https://evil.example/token")}, ${BASIC}`): Answer => (request, { pathname }) =>
  pathname === "/token" ? tokens(request, new URL(request.url)) : refusal(challenge);

/** Every way out. */
export const WAYS: Record<string, Way> = {
  "none: the registry itself, by password": { hosts: { [ASKED]: registry(TINY, { challenge: BASIC }) }, reaches: HERE },
  "none: a token server elsewhere, over HTTPS": {
    hosts: { [ASKED]: registry(TINY, { challenge: bearer("https://auth.example/token") }), "auth.example": tokens },
    reaches: {
      password: ["https auth.example", `https ${ASKED}`],
      identity: ["https auth.example", `https ${ASKED}`],
      bearer: [`https ${ASKED}`],
    },
  },
  "none: plain HTTP, where registries.conf says so of this registry": {
    conf: conf("insecure = true"),
    hosts: { [ASKED]: registry(TINY, { challenge: BASIC, plain: true }) },
    reaches: { password: [`http ${ASKED}`] },
  },
  "none: a token server on the plain registry's own host": {
    conf: conf("insecure = true"),
    hosts: {
      [ASKED]: (request, url) =>
        url.protocol === "https:"
          ? undefined
          : url.pathname === "/token"
          ? tokens(request, url)
          : registry(TINY, { challenge: bearer(`http://${ASKED}/token`) })(request, url),
    },
    reaches: { password: [`http ${ASKED}`], identity: [`http ${ASKED}`], bearer: [`http ${ASKED}`] },
  },
  "none: a plain token server that registries.conf says is insecure": {
    conf: `${conf("insecure = true")}[[registry]]\nlocation = "auth.example"\ninsecure = true\n`,
    hosts: {
      [ASKED]: registry(TINY, { challenge: bearer("http://auth.example/token"), plain: true }),
      "auth.example": tokens,
    },
    reaches: { password: ["http auth.example", `http ${ASKED}`] },
  },
  "none: a push": {
    operation: "push",
    hosts: { [ASKED]: registry(TINY, { challenge: BASIC, empty: true }) },
    reaches: HERE,
  },
  "a mirror": {
    conf: mirror(),
    hosts: {
      [ASKED]: registry(TINY, { challenge: BASIC }),
      "mirror.example": registry(TINY, { challenge: BASIC, empty: true }),
    },
    reaches: HERE,
  },
  "a mirror over plain HTTP": {
    conf: mirror("insecure = true"),
    hosts: {
      [ASKED]: registry(TINY, { challenge: BASIC }),
      "mirror.example": registry(TINY, { challenge: BASIC, plain: true, empty: true }),
    },
    reaches: HERE,
  },
  "a mirror that names a token server": {
    conf: mirror(),
    hosts: { [ASKED]: registry(TINY, { challenge: BASIC }), "mirror.example": greedy(), "evil.example": greedy() },
    reaches: HERE,
  },
  "a mirror on another port of the registry's host": {
    conf: conf(`[[registry.mirror]]\nlocation = "${ASKED}:444"`),
    hosts: { [ASKED]: registry(TINY, { challenge: BASIC }), [`${ASKED}:444`]: greedy() },
    reaches: HERE,
  },
  "another place that registries.conf puts in the registry's stead": {
    conf: `[[registry]]\nprefix = "${ASKED}"\nlocation = "other.example"\n`,
    hosts: { "other.example": registry(TINY, { challenge: BASIC }) },
  },
  "blobs on another host": {
    hosts: {
      [ASKED]: registry(TINY, { challenge: BASIC, blobs: "https://store.example" }),
      "store.example": registry(TINY),
    },
    reaches: HERE,
  },
  "blobs on another host that asks for a credential": {
    hosts: { [ASKED]: registry(TINY, { challenge: BASIC, blobs: "https://evil.example" }), "evil.example": greedy() },
    reaches: HERE,
  },
  "blobs on another host that names a token server, of a registry with tokens": {
    hosts: {
      [ASKED]: registry(TINY, { challenge: bearer("https://auth.example/token"), blobs: "https://evil.example" }),
      "auth.example": tokens,
      "evil.example": greedy(),
    },
    reaches: { password: ["https auth.example"], identity: ["https auth.example"] },
  },
  "blobs on another port of the same host": {
    hosts: { [ASKED]: registry(TINY, { challenge: BASIC, blobs: `https://${ASKED}:444` }), [`${ASKED}:444`]: greedy() },
    reaches: HERE,
  },
  "a root on another host": {
    hosts: {
      [ASKED]: (request, url) =>
        url.pathname === "/v2/"
          ? redirect("https://evil.example/v2/")(request, url)
          : registry(TINY, { challenge: BASIC })(request, url),
      "evil.example": greedy(),
    },
  },
  "a token server over plain HTTP": {
    hosts: { [ASKED]: registry(TINY, { challenge: bearer("http://auth.example/token") }), "auth.example": tokens },
  },
  "a token server over plain HTTP, with tlsVerify=false": {
    query: "tlsVerify=false",
    hosts: { [ASKED]: registry(TINY, { challenge: bearer("http://auth.example/token") }), "auth.example": tokens },
  },
  "a token server over plain HTTP on the host of a registry with HTTPS": {
    query: "tlsVerify=false",
    hosts: {
      [ASKED]: (request, url) =>
        url.pathname === "/token"
          ? tokens(request, url)
          : registry(TINY, { challenge: bearer(`http://${ASKED}/token`) })(request, url),
    },
  },
  "a token server elsewhere, of a registry whose certificate nobody checks": {
    query: "tlsVerify=false",
    hosts: { [ASKED]: registry(TINY, { challenge: bearer("https://evil.example/token") }), "evil.example": tokens },
  },
  "a token server elsewhere, of a registry over plain HTTP": {
    conf: conf("insecure = true"),
    hosts: {
      [ASKED]: registry(TINY, { challenge: bearer("https://evil.example/token"), plain: true }),
      "evil.example": tokens,
    },
    reaches: { bearer: [`http ${ASKED}`] },
  },
  "a token server that sends on to another host": {
    hosts: {
      [ASKED]: registry(TINY, { challenge: bearer("https://auth.example/token") }),
      "auth.example": redirect("https://evil.example/token"),
      "evil.example": tokens,
    },
    reaches: { password: ["https auth.example"], identity: ["https auth.example"] },
  },
  "a token server that is the loopback of this host": {
    hosts: { [ASKED]: registry(TINY, { challenge: bearer("https://127.0.0.1/token") }), "127.0.0.1": tokens },
  },
  "plain HTTP that the caller alone allows": {
    query: "tlsVerify=false",
    hosts: { [ASKED]: registry(TINY, { challenge: BASIC, plain: true }) },
  },
  "plain HTTP that the caller alone allows, with a token server over HTTPS": {
    query: "tlsVerify=false",
    hosts: {
      [ASKED]: registry(TINY, { challenge: bearer("https://auth.example/token"), plain: true }),
      "auth.example": tokens,
    },
  },
  "plain HTTP that registries.conf allows for another registry": {
    conf: `[[registry]]\nlocation = "${ASKED}:5000"\ninsecure = true\n`,
    query: "tlsVerify=false",
    hosts: { [ASKED]: registry(TINY, { challenge: BASIC, plain: true }) },
  },
  "plain HTTP in a push": {
    operation: "push",
    query: "tlsVerify=false",
    hosts: { [ASKED]: registry(TINY, { challenge: BASIC, plain: true, empty: true }) },
  },
  "an upload on another host": {
    operation: "push",
    hosts: {
      [ASKED]: registry(TINY, { challenge: BASIC, empty: true, uploads: "https://evil.example/upload" }),
      "evil.example": registry(TINY, { empty: true }),
    },
    reaches: HERE,
  },
  "an upload on another host that asks for a credential": {
    operation: "push",
    hosts: {
      [ASKED]: registry(TINY, {
        challenge: bearer("https://auth.example/token"),
        empty: true,
        uploads: "https://evil.example/upload",
      }),
      "auth.example": tokens,
      "evil.example": greedy(),
    },
    reaches: { password: ["https auth.example"], identity: ["https auth.example"] },
  },
  "a search whose answer is elsewhere": {
    operation: "search",
    hosts: {
      [ASKED]: (request, url) =>
        url.pathname === "/v1/search"
          ? redirect("https://evil.example/v1/search")(request, url)
          : registry(TINY, { challenge: BASIC })(request, url),
      "evil.example": greedy(),
    },
    reaches: HERE,
  },
};
