/** Names that stand for something else in a module, or in the client's own. */
const RESERVED = new Set(
  ("arguments await break case catch class const continue debugger default delete do else enum eval export extends false " +
    "finally for function if implements import in instanceof interface let new null package private protected public " +
    "return static super switch this throw true try typeof undefined var void while with yield").split(" "),
);
const OWN = new Set(["APIError", "connect"]);

/** How an operation, or a namespace, is exported. */
export interface ModuleName {
  /** Its name within the module. */
  readonly local: string;
  /** Its exported name: a word that is reserved can be exported, if not be declared. */
  readonly as: string;
}

/** The exports of a client module. Other names, and the module's own, are reached through `connect` and `default` only. */
export function moduleNames(ids: readonly string[]): ModuleName[] {
  const names = new Set(ids.map((id) => id.split(".", 1)[0]));
  return [...names].flatMap((as, index) => {
    if (!/^[A-Za-z_$][\w$]*$/.test(as) || OWN.has(as) || as === "default") return [];
    return [{ local: RESERVED.has(as) || INNER.has(as) ? `operation${index}_` : as, as }];
  });
}

/** The names that the text of the module declares. */
const INNER = new Set("operations structs channels makeClient origin client".split(" "));
