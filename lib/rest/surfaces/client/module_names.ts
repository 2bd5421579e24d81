/** Names that no declaration in a module may have. */
import { isIdentifier } from "../property_name.ts";

const RESERVED = new Set(
  ("arguments await break case catch class const continue debugger default delete do else enum eval export extends false " +
    "finally for function if implements import in instanceof interface let new null package private protected public " +
    "return static super switch this throw true try typeof undefined var void while with yield").split(" "),
);
/** The names that the text of the module, or of its types, declares. */
const OWN = new Set(["APIError", "connect", "outcomeOf"]);

/** How an operation, or a namespace, is exported. */
export interface ModuleName {
  /**
   * Its name within the module: one that hides nothing there. An operation may be called `Error`, `Date` or `fetch`, which the module's own
   * text needs.
   */
  readonly local: string;
  /** Its exported name. */
  readonly as: string;
  /** Whether a declaration may have that name: a word that is reserved can be exported only. */
  readonly declarable: boolean;
}

/** The exports of a client module. Other names, and the module's own, are reached through `connect` and `default` only. */
export function moduleNames(ids: readonly string[]): ModuleName[] {
  const names = new Set(ids.map((id) => id.split(".", 1)[0]));
  return [...names].flatMap((as, index) => {
    if (!isIdentifier(as) || OWN.has(as) || as === "default") return [];
    return [{ local: `$${index}`, as, declarable: !RESERVED.has(as) }];
  });
}
