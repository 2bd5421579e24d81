import { encodePathValue } from "../../client/module/shared.ts";
import type { FormRequest } from "./code.ts";
import type { PageDocument, PageElement, PageWindow } from "./dom.ts";

/** The reader of forms. */
export interface FormReader {
  /** Returns the request that a form sends. */
  read(form: PageElement): FormRequest;
  /** Returns the headers that go with every request of the page. */
  common(): Record<string, string>;
  /** Returns the address of another operation whose path has the same values as that of a form. */
  beside(form: PageElement, path: string): string;
  /** The address of the API's server. */
  readonly server: string;
}

/** Makes the reader of forms. */
export function formReader(document: PageDocument, window: PageWindow): FormReader {
  const all = (form: PageElement, selector: string) => [...form.querySelectorAll(selector)];
  const lines = (field: PageElement) =>
    field.value.split("\n").map((line) => line.trim()).filter((line) => line !== "");

  /** The text of a control; that of a switch in the middle is empty, and not sent. */
  const textOf = (field: PageElement) =>
    field.dataset.switch === undefined ? field.value : field.indeterminate ? "" : String(field.checked);

  const pathOf = (form: PageElement, template = form.dataset.path!) =>
    all(form, "[data-in=path]").reduce((path, field) => {
      const place = `{${field.name}}`;
      const behind = template.slice(template.indexOf(place) + place.length);
      const form = field.dataset.remainder !== undefined ? "remainder" : /^[^/{]+\{/.test(behind) ? "shared" : "whole";
      const text = encodePathValue(field.value, form);
      if (text === undefined) throw new TypeError(`${field.name}: "${field.value}" cannot stand in a path`);
      return path.replace(place, () => text);
    }, template);

  /** Returns the version in front of a path, for operations that only some versions have. */
  const versionOf = (form: PageElement) => {
    const version = form.querySelector("[data-version]")?.value.trim() ?? "";
    return version === "" ? "" : `/v${encodeURIComponent(version)}`;
  };

  const queryOf = (form: PageElement) => {
    const parts: string[] = [];
    const add = (name: string, value: string) => parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    for (const field of all(form, "[data-in=query]")) {
      if (field.dataset.list !== undefined) { for (const line of lines(field)) add(field.name, line); }
      else if (field.dataset.map !== undefined) {
        for (const line of lines(field)) {
          const [name, ...value] = line.split("=");
          add(name, value.join("="));
        }
      } else if (field.type === "hidden" || textOf(field) !== "") add(field.name, textOf(field));
    }
    return parts.length === 0 ? "" : `?${parts.join("&")}`;
  };

  const partsOf = (form: PageElement) => {
    const parts = new FormData();
    for (const field of all(form, "[data-part]")) {
      for (const file of Array.from(field.files ?? [])) parts.append(field.name, file);
      if (field.type === "file") continue;
      if (field.dataset.list !== undefined) { for (const line of lines(field)) parts.append(field.name, line); }
      else if (textOf(field) !== "") parts.append(field.name, textOf(field));
    }
    return parts;
  };

  const bodyOf = (form: PageElement): { body?: BodyInit; type?: string } => {
    if (form.querySelector("[data-parts]") !== null) return { body: partsOf(form) };
    const file = form.querySelector("[data-file]");
    const chosen = file?.files?.[0];
    if (chosen !== undefined) return { body: chosen, type: file!.dataset.type };
    const text = form.querySelector("[data-body]");
    return text === null || text.value === "" ? {} : { body: text.value, type: text.dataset.type };
  };

  const credentials = (): Record<string, string> => {
    const value = (name: string) => document.getElementById(`page-${name}`)?.value ?? "";
    if (value("token") !== "") return { authorization: `Bearer ${value("token")}` };
    if (value("user") === "") return {};
    const bytes = new TextEncoder().encode(`${value("user")}:${value("password")}`);
    return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
  };

  const common = (): Record<string, string> => {
    const field = document.getElementById("page-headers");
    const given = new Headers();
    for (const line of field ? lines(field) : []) {
      const [, name, value] = /^([^:\s]+)\s*:\s*(.*)$/.exec(line) ?? [];
      if (name === undefined) throw new TypeError(`Headers that go with every request: "${line}" is no "name: value"`);
      given.append(name, value);
    }
    return { ...credentials(), ...Object.fromEntries(given) };
  };

  const server = new URL(document.body.dataset.server ?? "/", window.location.origin).href.replace(/\/$/, "");
  return {
    server,
    common,
    beside: (form, path) => server + versionOf(form) + pathOf(form, path),
    read(form) {
      const { body, type } = bodyOf(form);
      const headers = common();
      if (form.dataset.accept && headers.accept === undefined) headers.accept = form.dataset.accept;
      if (type !== undefined) headers["content-type"] = type;
      for (const field of all(form, "[data-in=header]")) {
        if (textOf(field) !== "") headers[field.name.toLowerCase()] = textOf(field);
      }
      return {
        url: server + versionOf(form) + pathOf(form) + queryOf(form),
        init: { method: form.dataset.method!, headers, body },
      };
    },
  };
}
