import { type Content, type HTML, html } from "./html.ts";

/**
 * A switch for a boolean. Unless it is needed it begins in the middle, which is not sent; the page's script puts it there, and back.
 *
 * @param example The value to begin with
 * @param data The attributes that the script reads the form by
 */
export function switchView(
  { control, name, data, needed, example }: {
    control: string;
    name: string;
    data: HTML;
    needed: boolean;
    example?: unknown;
  },
): Content {
  return html`
    <div
      class="switch"><input type="checkbox" id="${control}" ${data} data-switch ${needed &&
        html`data-needed`} ${typeof example === "boolean" &&
        html`data-begins="${String(example)}"`}><label for="${control}">${name}${needed &&
        html`<span class="required">*</span>`}</label><small data-state></small>${!needed &&
        html`<button type="button" class="small quiet" data-unset hidden>Do not send</button>`}</div>
  `;
}
