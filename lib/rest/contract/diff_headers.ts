import type { HeaderObject, JSONSchema, ResponseObject } from "../surfaces/openapi_types.ts";

/**
 * Compares the headers and cookies of two responses. One that is gone breaks callers even if it was not always sent: whoever reads it never
 * gets it again.
 *
 * @param check Lists why a value of the new header does not fit the old one's schema
 */
export function compareHeaders(
  old: ResponseObject,
  now: ResponseObject,
  status: string,
  tell: (breaking: boolean, text: string) => void,
  check: (old: JSONSchema, now: JSONSchema) => string[],
): void {
  const [had, has] = [old, now].map(headersOf);
  for (const [key, { name, required, schema }] of had) {
    const found = has.get(key);
    const what = `the header "${name}" of ${status}`;
    if (found === undefined) tell(true, `${what} is not sent any more`);
    else {
      if (required && !found.required) tell(true, `${what} may be left out`);
      for (const reason of check(schema ?? {}, found.schema ?? {})) tell(true, `${what} ${reason}`);
    }
  }
  for (const [key, { name }] of has) if (!had.has(key)) tell(false, `the header "${name}" of ${status} is sent now`);
  const [set, sets] = [old, now].map(cookiesOf);
  if (set === undefined || sets === undefined) {
    if (sets?.length === 0) tell(true, `cookies of ${status} are not set any more`);
    return;
  }
  for (const name of set) if (!sets.includes(name)) tell(true, `the cookie "${name}" of ${status} is not set any more`);
  for (const name of sets) if (!set.includes(name)) tell(false, `the cookie "${name}" of ${status} is set now`);
}

/** Headers by their names in lower case, without that of cookies. */
function headersOf({ headers = {} }: ResponseObject): Map<string, HeaderObject & { readonly name: string }> {
  const all = Object.entries(headers).map(([name, header]) => [name.toLowerCase(), { ...header, name }] as const);
  return new Map(all.filter(([key]) => key !== "set-cookie"));
}

/** The names of cookies; undefined where a document, of another program or an older one, has the header without them. */
function cookiesOf({ headers = {} }: ResponseObject): readonly string[] | undefined {
  const found = Object.entries(headers).find(([name]) => /^set-cookie$/i.test(name));
  return found === undefined ? [] : found[1]["x-gantry-cookies"];
}
