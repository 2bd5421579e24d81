/**
 * Words about the operations for the documents that describe them: what each does, what its parameters and
 * the fields of its body say, and a body that works.
 *
 * @module
 */
import type { OperationWords } from "../../lib/rest/surfaces.ts";
import { REFUSED_PARAMETERS } from "../builds/refuse_parameters.ts";
import { BODY_EXAMPLES, PARAMETER_EXAMPLES } from "./body_examples.ts";
import { CONTAINER_WORDS } from "./container_words.ts";
import { FIELD_WORDS } from "./field_words.ts";
import { IMAGE_WORDS } from "./image_words.ts";
import { PARAMETER_WORDS } from "./parameter_words.ts";
import { SYSTEM_WORDS } from "./system_words.ts";

/** Words by the names of operations; those of Docker's tree (`Compat…`) have their own where they do something else. */
export const OPERATION_WORDS: Readonly<Record<string, string>> = {
  ...CONTAINER_WORDS,
  ...IMAGE_WORDS,
  ...SYSTEM_WORDS,
};

/** The words about an operation; `undefined` for one that has none. */
export function wordsOf(id: string): OperationWords | undefined {
  const description = lookUp(OPERATION_WORDS, id) ?? lookUp(OPERATION_WORDS, id.replace(/^Compat/, ""));
  if (description === undefined) return undefined;
  return {
    description,
    parameter: (name) => {
      const text = lookUp(PARAMETER_WORDS, `${id}.${name}`) ?? lookUp(PARAMETER_WORDS, name);
      return isRefused(id, name) ? `${text ?? ""} Not supported here.` : text;
    },
    field: fieldsOf(id),
    example: Object.hasOwn(BODY_EXAMPLES, id) ? BODY_EXAMPLES[id] : undefined,
    values: Object.hasOwn(PARAMETER_EXAMPLES, id) ? PARAMETER_EXAMPLES[id] : undefined,
  };
}

/** Whether no image is built with a parameter. Docker's clients send a session beside the second version. */
function isRefused(id: string, name: string): boolean {
  if (id === "CompatBuildImage" && ["session", "version"].includes(name)) return false;
  return id.endsWith("BuildImage") && REFUSED_PARAMETERS.has(name);
}

/** The words about the fields of an operation's body, by their paths. */
function fieldsOf(id: string): OperationWords["field"] {
  if (!Object.hasOwn(FIELD_WORDS, id)) return undefined;
  return (path) => lookUp(FIELD_WORDS[id], path);
}

function lookUp(words: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(words, key) ? words[key] : undefined;
}
