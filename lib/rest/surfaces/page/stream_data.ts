import type { StreamView } from "../../plan/stream_view.ts";
import type { OpenAPIDocument } from "../openapi_types.ts";
import { type HTML, html } from "./html.ts";

/** The attributes of a form that tell the page's script how its stream is shown. */
export function streamData({ as, frames, size }: StreamView, document: OpenAPIDocument): HTML {
  const told = size === undefined ? undefined : placeOf(size.operation, document);
  return html`data-view="${as}" ${frames && html`data-frames`} ${
    size !== undefined && told !== undefined &&
    html`data-size-path="${told.path}" data-size-method="${told.method}" data-rows="${size.rows}" data-columns="${size.columns}"`
  }`;
}

function placeOf(id: string, document: OpenAPIDocument): { path: string; method: string } | undefined {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, { operationId }] of Object.entries(item)) {
      if (operationId === id) return { path: path.replace(/[?#].*$/, ""), method: method.toUpperCase() };
    }
  }
  return undefined;
}
