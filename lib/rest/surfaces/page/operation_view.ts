import { isObject } from "../components.ts";
import type {
  JSONSchema,
  MediaTypeObject,
  OpenAPIDocument,
  OperationObject,
  ParameterObject,
  ResponseObject,
} from "../openapi_types.ts";
import { formView } from "./form_view.ts";
import { type Content, html, prose } from "./html.ts";
import { sampleOf } from "./sample.ts";
import { limitsView, schemaView, structOf, typeView } from "./schema_view.ts";
import type { Schemas } from "./variants.ts";

/** An operation and where it stands in its document. */
export interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationObject;
}

/**
 * An operation whole: what it takes, what it answers, and a form to try it.
 *
 * @param call A call of it with the API's own client
 */
export function operationView(
  { path, method, operation }: Placed,
  document: OpenAPIDocument,
  call?: string,
): Content {
  const { operationId: id, description, parameters = [], requestBody, responses } = operation;
  const versions = operation["x-gantry-versions"];
  const words = [id, method, path, operation.summary, description].join(" ").toLowerCase();
  return html`
    <article id="${id}" data-search="${words}">
      <header>
        <h3><a href="#${id}" class="anchor">${id}</a></h3>
        <p class="path"><span class="method ${method}">${method}</span><code>${// The name behind `#` is there only because a document has one operation for a path and method.
        pathView(path.replace(/#.*$/, ""))}</code>${versions !== undefined && html`
          <small>versions ${versions}</small>
        `}</p>
      </header>
      <div class="columns">
        <div class="about">${prose(description)}${parametersView(
          parameters,
        )}${requestBody !== undefined && bodyView(requestBody.content, document)}${responsesView(
          responses,
          document,
        )}</div>
        <div class="side">${formView({ path, method, operation }, document, call)}</div>
      </div>
    </article>
  `;
}

/** A path with its parameters set off. */
export function pathView(path: string): Content {
  return path.split(/({[^}]*})/).map((part) => part.startsWith("{") ? html`<var>${part}</var>` : part);
}

function parametersView(parameters: readonly ParameterObject[]): Content {
  const shown = parameters.filter((parameter) => parameter.schema?.const === undefined);
  if (shown.length === 0) return undefined;
  return html`
    <h4>Parameters</h4>
    <dl class="fields">${shown.map((parameter) => {
      const schema = parameter.schema ?? parameter.content?.["application/json"]?.schema;
      return html`
        <div>
          <dt><code>${parameter.name}</code>${parameter.required &&
            html`<span class="required" title="Required">*</span>`} <small>${parameter.in}</small></dt>
          <dd><span class="type">${typeView(schema)}</span> ${limitsView(schema)}${parameter.content !== undefined &&
            html`
              <small>as JSON</small>
            `}${prose(parameter.description)}</dd>
        </div>
      `;
    })}</dl>
  `;
}

function bodyView(content: Record<string, MediaTypeObject>, document: OpenAPIDocument): Content {
  const types = Object.keys(content);
  const schema = Object.values(content)[0]?.schema;
  const { schemas } = document.components;
  const struct = structOf(schema, schemas);
  const shown = schema === undefined
    ? html`<p class="type">bytes, as they are</p>`
    : struct !== undefined
    ? html`<p class="type">${typeView(schema)}</p>${fieldsView(struct, schemas)}`
    : schemaView(schema, schemas);
  return html`<h4>Body</h4><p class="types">${
    types.map((type) =>
      html`
        <code>${type}</code>
      `
    )
  }</p>${shown}`;
}

/** More fields than these are behind a fold. */
const MANY = 16;

/** The fields of a struct; folded where there are so many that nothing else would be seen. */
function fieldsView(struct: JSONSchema, schemas: Schemas): Content {
  const count = Object.keys(struct.properties ?? {}).length;
  if (count <= MANY) return schemaView(struct, schemas);
  return html`<details><summary>${count} fields</summary>${schemaView(struct, schemas)}</details>`;
}

function responsesView(responses: OperationObject["responses"], document: OpenAPIDocument): Content {
  const all = Object.entries(responses).map(([status, response]) => [status, resolve(response, document)] as const);
  // Results come before upgrades and redirections.
  const good = ["2", "1", "3"].flatMap((first) => all.filter(([status]) => status.startsWith(first)));
  const failures = all.filter(([status]) => !/^[123]/.test(status) && status !== "default");
  return html`
    <h4>Answers</h4>
    <dl class="fields statuses">${good.map(([status, response]) =>
      html`
        <div>
          <dt><span class="status good">${status}</span></dt>
          <dd>${answerView(response, document)}</dd>
        </div>
      `
    )}</dl>
    <details class="failures">
      <summary>Failures: ${failures.map(([status]) => status).join(", ")}</summary>
      <dl class="fields statuses">${failures.map(([status, response]) =>
        html`
          <div>
            <dt><span class="status bad">${status}</span></dt>
            <dd>${failureType(response, document)}${prose(response.description)}${exampleView(response)}</dd>
          </div>
        `
      )}</dl>
    </details>
  `;
}

function answerView({ description, content = {} }: ResponseObject, document: OpenAPIDocument): Content {
  const [first] = Object.values(content);
  const channel = first?.["x-gantry-channel"] === true;
  const { schemas } = document.components;
  const struct = structOf(first?.schema, schemas);
  return html`${
    first?.schema !== undefined &&
    html`<span class="type">${channel && "a channel of "}${typeView(first.schema)}</span> ${limitsView(first.schema)}`
  }${Object.keys(content).map((type) => [" ", html`<small><code>${type}</code></small>`])}${
    (first?.schema === undefined || channel) && prose(description)
  }${struct !== undefined && html`<details><summary>Fields</summary>${schemaView(struct, schemas)}</details>`}${
    first?.schema !== undefined && sampleView(first.schema, schemas)
  }`;
}

/** A made-up answer; that of a value that is no list and no struct says nothing. */
function sampleView(schema: JSONSchema, schemas: Schemas): Content {
  const sample = sampleOf(schema, schemas);
  if (typeof sample !== "object" || sample === null) return undefined;
  return html`
    <details>
      <summary>Example</summary>
      <pre tabindex="0">${JSON.stringify(sample, null, 2)}</pre>
    </details>
  `;
}

/** The type of a failure that has one of its own, not that of all failures. */
function failureType({ content = {} }: ResponseObject, { components: { schemas } }: OpenAPIDocument): Content {
  const [media] = Object.values(content);
  if (media?.schema === undefined || media.example !== undefined) return undefined;
  const struct = structOf(media.schema, schemas);
  return html`<p class="type">${typeView(media.schema)}</p>${
    struct !== undefined && html`<details><summary>Fields</summary>${schemaView(struct, schemas)}</details>`
  }`;
}

function exampleView({ content = {} }: ResponseObject): Content {
  const example = Object.values(content)[0]?.example;
  return isObject(example) && html`<pre>${JSON.stringify(example, null, 2)}</pre>`;
}

function resolve(response: ResponseObject, document: OpenAPIDocument): ResponseObject {
  const name = response.$ref?.slice("#/components/responses/".length);
  return name === undefined ? response : document.components.responses[name] ?? response;
}
