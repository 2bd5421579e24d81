import { protocolsOf } from "../../client/module/shared.ts";
import { propertyName } from "../../property_name.ts";

/** The request that a form sends. */
export interface FormRequest {
  readonly url: string;
  readonly init: RequestInit & { headers: Record<string, string> };
}

const INDENT = "  ";
/** An object that is longer in one line has a line for each of its fields. */
const WIDTH = 50;

/** Writes a request for a shell. */
export function curlCode({ url, init: { method = "GET", headers, body } }: FormRequest): string {
  // Of HEAD alone curl knows that its answer has no body.
  const lines = [`curl ${method === "HEAD" ? "--head" : `-X ${method}`} ${quoteShell(url)}`];
  for (const [name, text] of Object.entries(headers)) lines.push(`-H ${quoteShell(`${name}: ${text}`)}`);
  if (body instanceof FormData) {
    for (const [name, part] of body) {
      // curl would read a file for a text that begins with @ in -F.
      lines.push(
        typeof part === "string"
          ? `--form-string ${quoteShell(`${name}=${part}`)}`
          : `-F ${quoteShell(`${name}=@${curlFile(part.name)}`)}`,
      );
    }
  } else if (typeof body === "string") lines.push(`--data-raw ${quoteShell(body)}`);
  else if (body !== undefined && body !== null) lines.push("--data-binary @FILE");
  return lines.join(" \\\n  ");
}

/** Writes a request as JavaScript that any runtime with `fetch` takes, and that shows its answer. */
export function fetchCode({ url, init: { method = "GET", headers, body } }: FormRequest, isChannel: boolean): string {
  const before: string[] = [];
  const fields = method === "GET" ? [] : [`method: ${JSON.stringify(method)}`];
  if (Object.keys(headers).length > 0) fields.push(`headers: ${objectCode(headers)}`);
  if (body instanceof FormData) {
    before.push("const form = new FormData();");
    for (const [name, part] of body) {
      const value = typeof part === "string" ? JSON.stringify(part) : `new File(["…"], ${JSON.stringify(part.name)})`;
      before.push(`form.append(${JSON.stringify(name)}, ${value});`);
    }
    fields.push("body: form");
  } else if (typeof body === "string") fields.push(`body: ${bodyCode(body)}`);
  else if (body !== undefined && body !== null) fields.push('body: new Blob(["…"])');
  const options = fields.map((field) => `${INDENT}${field.replaceAll("\n", `\n${INDENT}`)},\n`).join("");
  const call = `const response = await fetch(${JSON.stringify(url)}${options === "" ? "" : `, {\n${options}}`});`;
  return [...before, call, ...shownCode(headers.accept ?? "", isChannel)].join("\n");
}

/** Writes the reading of a channel over a WebSocket, each of whose messages is a value. */
export function channelSocketCode({ url, init: { headers } }: FormRequest): string {
  const protocols = protocolsOf(new Headers(headers), "gantry.plain");
  return [
    `const socket = new WebSocket(${JSON.stringify(url.replace(/^http/, "ws"))}, ${JSON.stringify(protocols)});`,
    "socket.onmessage = ({ data }) => console.log(data);",
  ].join("\n");
}

/** Writes the opening of a WebSocket, as a browser and other runtimes have it. */
export function socketCode({ url, init: { headers } }: FormRequest): string {
  const protocols = protocolsOf(new Headers(headers), "gantry.plain");
  return [
    `const socket = new WebSocket(${JSON.stringify(url.replace(/^http/, "ws"))}, ${JSON.stringify(protocols)});`,
    'socket.binaryType = "arraybuffer";',
    "socket.onmessage = ({ data }) => console.log(new TextDecoder().decode(data));",
    'socket.onopen = () => socket.send(new TextEncoder().encode("…\\n"));',
  ].join("\n");
}

/** Writes a call of the API's own client, given the call and the headers that go with every request. */
export function clientCode(
  call: string,
  { module, server, headers }: { module: string; server: string; headers: Record<string, string> },
): string {
  const from = JSON.stringify(module);
  if (Object.keys(headers).length === 0) return `import client from ${from};\n\n${call}`;
  const options = `{\n${INDENT}headers: ${objectCode(headers).replaceAll("\n", `\n${INDENT}`)},\n}`;
  return `import { connect } from ${from};\n\nconst client = connect(${
    JSON.stringify(server)
  }, ${options});\n\n${call}`;
}

function shownCode(accept: string, isChannel: boolean): string[] {
  if (isChannel) {
    return [
      "for await (const lines of response.body.pipeThrough(new TextDecoderStream())) {",
      `${INDENT}console.log(lines);`,
      "}",
    ];
  }
  if (accept === "") return ["console.log(response.status);"];
  const read = /json/.test(accept) ? "json" : /text|xml/.test(accept) ? "text" : "blob";
  return [`console.log(response.status, await response.${read}());`];
}

/** Writes a body: JSON as a value where that keeps its numbers, any other text as it is. */
function bodyCode(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    // JavaScript would round them, and takes this one name for the prototype.
    const isExact = !/[\d.]{16}|"__proto__"/.test(text);
    if (typeof value === "object" && isExact) return `JSON.stringify(${JSON.stringify(value, null, INDENT)})`;
  } catch { /* No JSON: a text. */ }
  return JSON.stringify(text);
}

function objectCode(texts: Record<string, string>): string {
  const fields = Object.entries(texts).map(([name, text]) => `${propertyName(name)}: ${JSON.stringify(text)}`);
  const line = fields.join(", ");
  return line.length <= WIDTH ? `{ ${line} }` : `{\n${fields.map((field) => `${INDENT}${field},\n`).join("")}}`;
}

/** A file's name in a form of curl, where commas and semicolons part names and types. */
function curlFile(name: string): string {
  return /[,;"\\]/.test(name) ? `"${name.replaceAll(/["\\]/g, "\\$&")}"` : name;
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
