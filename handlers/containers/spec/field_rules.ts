import { RequestError } from "../../request_error.ts";

/** An empty list says nothing. */
export function nonEmptyList(list: readonly string[] | null | undefined): string[] | undefined {
  return list?.length ? [...list] : undefined;
}

/** A path of the host; throws `invalid` naming the field for one that is relative. */
export function absolute(field: string, path: string): string {
  if (path.startsWith("/")) return path;
  throw new RequestError("invalid", `Create container: "${field}" "${path}" is not an absolute path`);
}
