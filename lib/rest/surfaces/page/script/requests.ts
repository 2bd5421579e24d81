import type { PageDocument, PageElement, PageWindow } from "./dom.ts";

/** The request that a form sends. */
export interface FormRequest {
  readonly url: string;
  readonly init: RequestInit & { headers: Record<string, string> };
  /** The same for a shell. */
  readonly curl: string;
}

/** What {@linkcode formReader} makes. */
export type ReadForm = (form: PageElement) => FormRequest;

/** Makes the reader of forms, which gives the request of each. */
export function formReader(document: PageDocument, window: PageWindow): ReadForm {
  const all = (form: PageElement, selector: string) => [...form.querySelectorAll(selector)];
  const lines = (field: PageElement) =>
    field.value.split("\n").map((line) => line.trim()).filter((line) => line !== "");

  const pathOf = (form: PageElement) =>
    all(form, "[data-in=path]").reduce((path, field) => {
      const text = field.dataset.remainder === undefined ? encodeURIComponent(field.value) : encodeURI(field.value);
      return path.replace(`{${field.name}}`, () => text);
    }, form.dataset.path!);

  const queryOf = (form: PageElement) => {
    const parts: string[] = [];
    const add = (name: string, value: string) => parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    for (const field of all(form, "[data-in=query]")) {
      if (field.dataset.list !== undefined) { for (const line of lines(field)) add(field.name, line); }
      else if (field.dataset.map !== undefined) {
        for (const line of lines(field)) add(line.split("=")[0], line.slice(line.indexOf("=") + 1));
      } else if (field.value !== "") add(field.name, field.value);
    }
    return parts.length === 0 ? "" : `?${parts.join("&")}`;
  };

  const partsOf = (form: PageElement) => {
    const parts = new FormData();
    for (const field of all(form, "[data-part]")) {
      for (const file of Array.from(field.files ?? [])) parts.append(field.name, file);
      if (field.type === "file") continue;
      if (field.dataset.list !== undefined) { for (const line of lines(field)) parts.append(field.name, line); }
      else if (field.value !== "") parts.append(field.name, field.value);
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
    const value = (id: string) => document.getElementById(id)?.value ?? "";
    if (value("token") !== "") return { authorization: `Bearer ${value("token")}` };
    if (value("user") === "") return {};
    const bytes = new TextEncoder().encode(`${value("user")}:${value("password")}`);
    return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
  };

  /** The headers that the page sends with every request. */
  const common = (): Record<string, string> => {
    const field = document.getElementById("headers");
    const pairs = (field ? lines(field) : []).map((line) => /^([^:\s]+)\s*:\s*(.*)$/.exec(line));
    return Object.fromEntries(pairs.flatMap((pair) => pair ? [[pair[1].toLowerCase(), pair[2]]] : []));
  };

  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

  return (form) => {
    const base = document.body.dataset.server ?? "/";
    const url = new URL(base, window.location.origin).href.replace(/\/$/, "") + pathOf(form) + queryOf(form);
    const { body, type } = bodyOf(form);
    const headers: Record<string, string> = { ...credentials(), ...common() };
    if (form.dataset.accept && headers.accept === undefined) headers.accept = form.dataset.accept;
    if (type !== undefined) headers["content-type"] = type;
    const method = form.dataset.method!;
    const shown = Object.entries(headers).map(([name, text]) => ` -H ${quote(`${name}: ${text}`)}`).join("");
    const data = body === undefined
      ? ""
      : body instanceof FormData
      ? [...body].map(([name, part]) => ` -F ${quote(`${name}=${typeof part === "string" ? part : `@${part.name}`}`)}`)
        .join("")
      : typeof body === "string"
      ? ` --data-raw ${quote(body)}`
      : " --data-binary @FILE";
    return { url, init: { method, headers, body }, curl: `curl -X ${method} ${quote(url)}${shown}${data}` };
  };
}
