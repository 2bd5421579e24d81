import { isObject } from "../components.ts";
import type {
  JSONSchema,
  MediaTypeObject,
  OpenAPIDocument,
  OperationObject,
  ParameterObject,
} from "../openapi_types.ts";
import { type Content, html } from "./html.ts";
import { samplesOf } from "./sample.ts";
import { streamData } from "./stream_data.ts";
import { switchView } from "./switch_view.ts";
import { resolveSchema } from "./variants.ts";

/**
 * A form that sends an operation's request. The page's script reads what it sends from the names and data of its fields.
 *
 * @param call A call of the operation with the API's own client
 */
export function formView(
  { path, method, operation }: { path: string; method: string; operation: OperationObject },
  document: OpenAPIDocument,
  call?: string,
): Content {
  const { operationId: id, parameters = [], requestBody, responses } = operation;
  const answers = Object.entries(responses).filter(([status]) => status.startsWith("2"))
    .flatMap(([, response]) => Object.entries(response.content ?? {}));
  const channel = answers.some(([, media]) => media["x-gantry-channel"] === true);
  const accept = channel ? answers[0][0] : answers.map(([type]) => type).join(", ");
  // The distinction of operations that share a path is in their constants.
  const template = path.replace(/[?#].*$/, "");
  const view = operation["x-gantry-view"];
  const isConsole = view?.as === "console";
  return html`
    <form class="try" data-method="${method.toUpperCase()}" data-path="${template}" data-accept="${accept}" ${channel &&
      html`data-channel`} ${view !== undefined && streamData(view, document)}
      aria-label="Try ${id}"><h4>Try it</h4>${versionField(id, operation["x-gantry-versions"])}${parameters.map((
        parameter,
      ) => fieldView(id, parameter))}${requestBody !== undefined &&
        bodyField(id, requestBody.content, document)}${channel &&
        transportField(
          id,
          method,
        )}<div class="actions"><button type="submit" class="${method}" autocomplete="off">${channel
        ? "Open"
        : isConsole
        ? "Connect"
        : "Send"}</button><button type="button" data-stop hidden>Stop</button></div>${codeView(
          id,
          call,
          isConsole,
        )}<p class="told" role="status" data-told></p><div class="answer"></div></form>
  `;
}

/** The version in front of the path: without one, another operation of the same path may answer. */
function versionField(id: string, versions: string | undefined): Content {
  if (versions === undefined) return undefined;
  return html`
    <label for="${id}-version">version <small>${versions}</small></label><input id="${id}-version" data-version
      value="${fittingVersion(versions)}" autocomplete="off" spellcheck="false">
  `;
}

/** Returns a version that fits the first condition of such as `>=4.2` or `<2`. */
export function fittingVersion(versions: string): string {
  const found = /^\s*(<=?|>=?|=)?\s*(\d+)(?:\.(\d+))?/.exec(versions);
  if (found === null) return "";
  const [text, operator = "="] = found;
  const [major, minor] = [Number(found[2]), Number(found[3] ?? 0)];
  if (operator === ">") return String(major + 1);
  if (operator === "<") return minor > 0 ? `${major}.${minor - 1}` : String(Math.max(0, major - 1));
  return text.replace(/^[\s<>=]+/, "");
}

/** The code of a form's request: the page's script writes it. */
function codeView(id: string, call: string | undefined, isConsole: boolean): Content {
  const languages = isConsole
    ? [["socket", "WebSocket"]]
    : [["curl", "curl"], ["fetch", "fetch"], ...call === undefined ? [] : [["client", "our client"]]];
  return html`
    <details class="code" data-code>
      <summary>Code</summary>
      <div class="tabs" role="radiogroup"
        aria-label="Code of ${id} for">${languages.map(([value, label], index) =>
          html`<label><input type="radio" name="${id}-code" value="${value}" aria-label="${label}" ${
            index === 0 && html`checked`
          }>${label}</label>`
        )}<button type="button" data-copy class="small">Copy</button></div>
      <pre tabindex="0" aria-label="Code of ${id}"
        ${call !== undefined && !isConsole && html`data-call="${call}"`}></pre>
    </details>
  `;
}

function fieldView(id: string, parameter: ParameterObject): Content {
  const { name, schema, content, example } = parameter;
  // A page may not set a cookie for a request: the browser sends those that it has.
  if (parameter.in === "cookie") {
    return html`
      <p class="note">${name} <small>a cookie: the browser sends it where it has it</small></p>
    `;
  }
  const control = `${id}-${parameter.in}-${name}`;
  const data = html`name="${name}" data-in="${parameter.in}" ${
    parameter["x-gantry-remainder"] && html`data-remainder`
  }`;
  if (schema?.const !== undefined) return html`<input type="hidden" ${data} value="${String(schema.const)}">`;
  const required = parameter.required && html`required`;
  const label = html`<label for="${control}">${name}${
    parameter.required && html`<span class="required">*</span>`
  }</label>`;
  if (content !== undefined) {
    return html`${label}<textarea id="${control}" ${data} rows="2" placeholder="JSON" ${required} spellcheck="false"></textarea>`;
  }
  if (isFlag(schema)) return switchView({ control, name, data, needed: parameter.required === true, example });
  const choices = choicesOf(schema);
  if (choices !== undefined) {
    return html`${label}<select id="${control}" ${data} ${required}><option value=""></option>${
      choices.map((choice) => html`<option>${choice}</option>`)
    }</select>`;
  }
  if (schema?.type === "array") {
    return html`
      ${label}<textarea id="${control}" ${data} data-list rows="2" placeholder="one to a line" ${required}
        spellcheck="false"></textarea>
    `;
  }
  if (schema?.type === "object") {
    return html`
      ${label}<textarea id="${control}" ${data} data-map rows="2" placeholder="name=value, one to a line"
        spellcheck="false"></textarea>
    `;
  }
  const numeric = (schema?.type === "integer" || schema?.type === "number") && html`inputmode="numeric"`;
  return html`
    ${label}<input id="${control}" ${data} ${required} ${numeric} ${parameter.in === "path" &&
      html`list="page-recent"`} ${example !== undefined &&
      html`value="${String(example)}"`} placeholder="${placeholderOf(
        schema,
      )}"
      autocomplete="off"
      spellcheck="false">
  `;
}

/** Whether a schema takes a boolean, be it also in the form of text. */
function isFlag(schema: JSONSchema | undefined): boolean {
  return [schema?.type].flat().includes("boolean");
}

function choicesOf(schema: ParameterObject["schema"]): string[] | undefined {
  return Array.isArray(schema?.enum) ? schema.enum.map(String) : undefined;
}

function placeholderOf(schema: ParameterObject["schema"]): string {
  if (schema?.default !== undefined) return String(schema.default);
  if (schema?.format === "date-time") return "2026-01-31T12:00:00Z";
  return typeof schema?.type === "string" ? schema.type : "";
}

function bodyField(id: string, content: Record<string, MediaTypeObject>, document: OpenAPIDocument): Content {
  const [[type, media]] = Object.entries(content);
  if (media.schema === undefined) {
    const { example } = media;
    const given = example === undefined || typeof example === "string"
      ? example ?? ""
      : JSON.stringify(example, null, 2);
    return html`
      <label for="${id}-file">Body <small>${type}</small></label><input id="${id}-file" type="file" data-file
        data-type="${type}"><textarea id="${id}-body" aria-label="Body as text" data-body data-type="${type}"
        rows="${rowsOf(given, 3)}" placeholder="or text" spellcheck="false">${given}</textarea>
    `;
  }
  if (/^multipart\//.test(type)) return partsField(id, media, document);
  const made = media.example === undefined
    ? samplesOf(media.schema, document.components.schemas)
    : [{ name: "", value: media.example }];
  const samples = made.map(({ name, value }) => ({
    name,
    text: /json/.test(type) || isObject(value)
      ? JSON.stringify(value, null, /ndjson/.test(type) ? 0 : 2)
      : String(value),
  }));
  const [{ text }] = samples;
  // A form's fields are typed as JSON here, which every operation with such a body reads as well.
  const shown = /json|text/.test(type) || !("application/json" in content) ? type : "application/json";
  return html`
    <label for="${id}-body">Body <small>${shown}</small></label>${samples.length > 1 && html`
      <select data-samples
        aria-label="Sample of the body">${samples.map((sample) =>
          html`<option value="${sample.text}">${sample.name}</option>`
        )}</select>
    `}<textarea id="${id}-body"
      data-body
      data-type="${shown}" rows="${rowsOf(text)}" spellcheck="false">${text}</textarea>
  `;
}

/** The rows of a text that is there to be changed. */
function rowsOf(text: string, least = 1): number {
  return Math.max(least, Math.min(18, text.split("\n").length + 1));
}

/** A form of several parts: a control for each. */
function partsField(id: string, { schema }: MediaTypeObject, document: OpenAPIDocument): Content {
  const struct = schema === undefined ? undefined : resolveSchema(schema, document.components.schemas);
  const fields = isObject(struct?.properties) ? Object.entries(struct.properties) : [];
  const required = Array.isArray(struct?.required) ? struct.required : [];
  return html`<div data-parts>${
    fields.map(([part, property]) => partField(id, part, property, required.includes(part)))
  }</div>`;
}

function partField(id: string, name: string, property: unknown, needed: boolean): Content {
  const control = `${id}-part-${name}`;
  const required = needed && html`required`;
  const data = html`id="${control}" name="${name}" data-part ${required}`;
  const label = html`<label for="${control}">${name}${needed && html`<span class="required">*</span>`}</label>`;
  const schema: JSONSchema = isObject(property) ? property : {};
  const several = schema.type === "array";
  if (isFile(several ? schema.items : schema)) {
    return html`${label}<input ${data} type="file" ${several && html`multiple`}>`;
  }
  if (isFlag(schema)) {
    return switchView({ control, name, data: html`name="${name}" data-part`, needed });
  }
  const choices = choicesOf(schema);
  if (choices !== undefined) {
    return html`${label}<select ${data}><option value=""></option>${
      choices.map((choice) => html`<option>${choice}</option>`)
    }</select>`;
  }
  if (!several && schema.type !== "object") {
    return html`${label}<input ${data} placeholder="${placeholderOf(schema)}" autocomplete="off" spellcheck="false">`;
  }
  return html`${label}<textarea ${data} ${several && html`data-list`} rows="2" placeholder="${
    several ? "one to a line" : "JSON"
  }" spellcheck="false"></textarea>`;
}

function isFile(schema: unknown): boolean {
  return isObject(schema) && (schema.format === "binary" || schema.contentEncoding === "binary");
}

function transportField(id: string, method: string): Content {
  // The page sends the values of an argument as one body, and a WebSocket has none.
  const socket = method === "get" && html`<option value="websocket">WebSocket</option>`;
  return html`
    <label for="${id}-transport">Over</label><select id="${id}-transport"
      data-transport><option value="lines">HTTP, a line each</option><option value="events">Server-sent events</option>${socket}</select>
  `;
}
