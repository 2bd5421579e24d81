import { CHANNELS_CODE } from "./client/channels.js.ts";
import type { JSONSchema, OpenAPIDocument } from "./openapi_types.ts";
import { type Content, HTML, html, prose } from "./page/html.ts";
import { operationView, type Placed } from "./page/operation_view.ts";
import { samplesOf } from "./page/sample.ts";
import { schemaView } from "./page/schema_view.ts";
import { PAGE_CODE } from "./page/page.js.ts";
import { STYLE } from "./page/style.ts";

/** The page's script: a module, so that its names are its own. */
const SCRIPT = `const channels=${CHANNELS_CODE};${PAGE_CODE}`;

const ICON = "data:image/svg+xml," + encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#4338ca"/>' +
    '<path d="M4 5h8M4 8h8M4 11h5" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>',
);

/**
 * Writes an OpenAPI document as a page to read, with a form for each operation and a live view of each channel. It loads nothing:
 * style and script are within, and {@linkcode contentPolicy} allows no others.
 *
 * @example
 * ```ts
 * import { api, int64, rest } from "../mod.ts";
 * import { docsPage, openapi } from "../surfaces.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * console.assert(docsPage(openapi(calculator)).includes("<h3>"));
 * ```
 */
export function docsPage(document: OpenAPIDocument, calls: ReadonlyMap<string, string> = new Map()): string {
  const { info, servers } = document;
  const groups = groupsOf(document);
  const page = html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width,initial-scale=1">
        <title>${info.title}</title>
        <link rel="icon" href="${ICON}">
        <style>${new HTML(STYLE)}</style>
      </head>
      <body data-server="${servers[0]?.url ?? "/"}">
    <a class="skip" href="#page-operations">To the operations</a>
    ${navigation(document, groups)}
    <main id="page-top">
    ${introduction(document)}
    <div id="page-operations">${[...groups].map(([name, placed]) =>
      html`<section data-group aria-label="${name}"><h2>${name}</h2>${
        placed.map((one) => operationView(one, document, calls.get(one.operation.operationId)))
      }</section>`
    )}</div>
    ${kinds(document)}
    <datalist id="page-recent"></datalist>
    <footer>Made from the definition of the API. <kbd>/</kbd> searches.</footer>
    </main>
    <script type="module">${new HTML(SCRIPT)}</script>
      </body>
    </html>
  `;
  return page.text;
}

let policy: Promise<string> | undefined;

/** The Content-Security-Policy the page is to be sent with: its own style and script, requests to its own server, nothing else. */
export function contentPolicy(servers: readonly string[] = []): Promise<string> {
  policy ??= Promise.all([hash(SCRIPT), hash(STYLE)]).then(([script, style]) =>
    `default-src 'none'; script-src '${script}'; style-src '${style}'; img-src data: blob:; base-uri 'none'; form-action 'none'; ` +
    "frame-ancestors 'none'; require-trusted-types-for 'script'; connect-src 'self'"
  );
  const origins = servers.filter((server) => /^https?:\/\//.test(server) && URL.canParse(server))
    .map((server) => new URL(server).origin)
    // Consoles and channels are WebSockets of the same server.
    .flatMap((origin) => [origin, origin.replace(/^http/, "ws")]);
  return policy.then((text) => [text, ...origins].join(" "));
}

async function hash(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}

function groupsOf(document: OpenAPIDocument): Map<string, Placed[]> {
  const groups = new Map<string, Placed[]>((document.tags ?? []).map(({ name }) => [name, []]));
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const name = operation.tags?.[0] ?? "Operations";
      const group = groups.get(name) ?? [];
      groups.set(name, group);
      group.push({ path, method, operation });
    }
  }
  return groups;
}

/** With more operations than these the list begins folded, group by group. */
const MANY = 60;

function navigation({ info, components }: OpenAPIDocument, groups: ReadonlyMap<string, readonly Placed[]>): Content {
  const count = [...groups.values()].reduce((sum, { length }) => sum + length, 0);
  return html`
    <nav
      aria-label="Operations">
      <div
        class="bar"><div class="brand"><a href="#page-top">${info
          .title}</a><button type="button" id="page-theme" aria-label="Change colours">◐</button><button type="button" id="page-menu" aria-expanded="false" aria-controls="page-list">List</button></div>
    <input id="page-search" type="search" placeholder="Search ${count} operations" aria-label="Search operations" autocomplete="off"><small id="page-found" role="status"></small></div>
      <div id="page-list">${[...groups].map(([name, placed]) =>
        html`
          <details data-group ${count <= MANY && html`open`}>
            <summary><h2>${name}</h2> <small>${placed.length}</small></summary>
            <ul>${placed.map(({ method, operation: { operationId: id } }) =>
              html`<li><a href="#${id}" data-for="${id}" title="${id}"><span class="method ${method}">${method}</span><span>${id}</span></a></li>`
            )}</ul>
          </details>
        `
      )}${Object.keys(components.schemas).length > 0 && html`<h2><a href="#page-types">Types</a></h2>`}</div>
    </nav>
  `;
}

function introduction({ info, components }: OpenAPIDocument): Content {
  const scheme = components.securitySchemes?.caller;
  return html`
    <div
      class="top"><h1>${info.title}<small>${info.version}</small></h1><div class="lead">${prose(
        info.description,
      )}</div><div class="links"><a href="openapi.json">OpenAPI document</a><a href="client.js">JavaScript client</a><a href="client.d.ts">Types of the client</a></div>${credentials(
        scheme,
      )}</div>
  `;
}

/** Returns the form for the credentials and headers sent with every request of the page. */
function credentials(scheme: Readonly<Record<string, unknown>> | undefined): Content {
  const fields = scheme?.type !== "http"
    ? undefined
    : scheme.scheme === "basic"
    ? html`<label>Name<input id="page-user" autocomplete="off" spellcheck="false"></label><label>Password<input id="page-password" type="password" autocomplete="off"></label>`
    : html`<label>Token<input id="page-token" type="password" autocomplete="off" spellcheck="false"></label>`;
  const headers = html`
    <details>
      <summary>Headers</summary>
      <textarea id="page-headers" aria-label="Headers that go with every request" rows="2"
        placeholder="Name: value, one to a line" spellcheck="false"></textarea>
    </details>
  `;
  return html`
    <form id="page-credentials"
      aria-label="Sent with every request"><p>Sent with every request <small>kept in this page only</small></p>${fields}${headers}</form>
  `;
}

function kinds({ components }: OpenAPIDocument): Content {
  const all = Object.entries(components.schemas);
  if (all.length === 0) return undefined;
  return html`<section id="page-types" aria-label="Types"><h2>Types</h2>${
    all.map(([name, json]) =>
      html`<article class="kind" id="type-${name}"><h3>${name}</h3>${
        typeof json.description === "string" && prose(json.description)
      }${schemaView(json, components.schemas)}${exampleView(json, components.schemas)}</article>`
    )
  }</section>`;
}

/** A made-up value of a type, one for each possibility of a union. */
function exampleView(json: JSONSchema, schemas: OpenAPIDocument["components"]["schemas"]): Content {
  const samples = samplesOf(json, schemas).filter(({ value }) => typeof value === "object" && value !== null);
  if (samples.length === 0) return undefined;
  return html`<details><summary>${samples.length === 1 ? "Example" : "Examples"}</summary>${
    samples.map(({ name, value }) =>
      html`${name !== "" && html`<p class="note">${name}</p>`}<pre tabindex="0">${JSON.stringify(value, null, 2)}</pre>`
    )
  }</details>`;
}
