/**
 * YAML as Kubernetes' tools read it: version 1.2 with merge keys and octal numbers as in `0644`. The npm package `yaml` parses; the
 * bounds are set here, before and after it, because a document may come from anybody who may play one.
 *
 * @module
 */
import {
  Document,
  isAlias,
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  parseAllDocuments,
  type ScalarTag,
  visit,
} from "../../text/yaml_package.ts";
import { EngineError } from "../../errors.ts";
import { messageOf } from "../../../oci/message_of.ts";

/** Bounds on a YAML text. */
export interface YAMLLimits {
  /** Characters of all documents: Kubernetes takes at most a mebibyte for one object, too. */
  length: number;
  /** Mappings and lists within each other. */
  depth: number;
  /** Aliases (`*name`) of one document. */
  aliases: number;
  /** Documents of one text. */
  documents: number;
}

/** The bounds that hold where none are given. */
export const YAML_LIMITS: YAMLLimits = { length: 1 << 20, depth: 64, aliases: 100, documents: 1000 };

/** Go's reader takes a leading zero for an octal number, as YAML 1.1 does: file modes are written so. */
const OCTAL: ScalarTag = {
  tag: "tag:yaml.org,2002:int",
  default: true,
  test: /^[-+]?0[0-7]+$/,
  resolve: (text) => parseInt(text, 8),
};

const OPENERS = new Set(["flow-map-start", "flow-seq-start"]);
const NESTERS = new Set(["seq-item-ind", "explicit-key-ind"]);

/**
 * Reads the documents of a YAML text as plain values; empty ones are `null`. Throws `invalid` with document and line for what is no YAML,
 * and `limit` for what passes the bounds.
 */
export function readYAML(text: string, limits: YAMLLimits = YAML_LIMITS): unknown[] {
  if (text.length > limits.length) throw tooMuch(`longer than ${limits.length} characters`);
  checkTokens(text, limits);
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    // The package compares each key with all others.
    uniqueKeys: false,
    merge: true,
    lineCounter: lines,
    logLevel: "silent",
    customTags: (tags) => [OCTAL, ...tags],
  });
  if (documents.length > limits.documents) throw tooMuch(`more than ${limits.documents} documents`);
  return [...documents].map((document, index) => readDocument(document, `document ${index + 1}`, lines, limits));
}

/** Looks for nesting before the parser does, which calls itself for each level. */
function checkTokens(text: string, { depth }: YAMLLimits): void {
  let open = 0;
  let inLine = 0;
  for (const token of new Lexer().lex(text)) {
    const type = tokenKind(token);
    if (type === "newline") inLine = 0;
    else if (NESTERS.has(type)) inLine++;
    else if (OPENERS.has(type)) open++;
    else if (type === "close") open--;
    if (open > depth || inLine > depth) throw tooDeep(depth);
  }
}

function tokenKind(token: string): string {
  switch (token) {
    case "{":
      return "flow-map-start";
    case "[":
      return "flow-seq-start";
    case "}":
    case "]":
      return "close";
    case "-":
      return "seq-item-ind";
    case "?":
      return "explicit-key-ind";
    case "\n":
    case "\r\n":
      return "newline";
    default:
      return "";
  }
}

function readDocument(document: Document, name: string, lines: LineCounter, limits: YAMLLimits): unknown {
  const [error] = document.errors;
  // The package's text goes on with a picture of the place.
  if (error) throw new EngineError("invalid", `${name}: ${error.message.split("\n")[0].replace(/:$/, "")}`);
  let aliases = 0;
  visit(document, (_key, node, path) => {
    if (path.length > 3 * limits.depth) throw tooDeep(limits.depth);
    if (isAlias(node) && ++aliases > limits.aliases) throw tooMuch(`${name}: more than ${limits.aliases} aliases`);
    if (!isMap(node)) return;
    const keys = new Set<unknown>();
    for (const { key } of node.items) {
      const word = isScalar(key) ? key.value : key;
      if (keys.has(word) && word !== "<<") {
        const line = isScalar(key) && key.range ? lines.linePos(key.range[0]).line : 0;
        throw new EngineError("invalid", `${name}: line ${line}: the key "${word}" is there twice: leave one out`);
      }
      keys.add(word);
    }
  });
  const value = plainValue(document, name, limits);
  if (depthOf(value, limits.depth) > limits.depth) throw tooDeep(limits.depth);
  return value;
}

function plainValue(document: Document, name: string, { aliases }: YAMLLimits): unknown {
  try {
    return document.toJS({ maxAliasCount: aliases });
  } catch (error) {
    if (error instanceof ReferenceError && /excessive alias/i.test(error.message)) {
      throw tooMuch(`${name}: its aliases stand for too much`);
    }
    throw new EngineError("invalid", `${name}: ${messageOf(error)}`);
  }
}

/** Aliases of aliases make a value deeper than its text. Stops looking at the bound. */
function depthOf(value: unknown, bound: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (bound < 0) return 1;
  let most = 0;
  for (const item of Object.values(value)) most = Math.max(most, depthOf(item, bound - 1));
  return most + 1;
}

function tooDeep(depth: number): EngineError {
  return tooMuch(`nested more than ${depth} levels deep`);
}

function tooMuch(why: string): EngineError {
  return new EngineError("limit", `The YAML text is refused: ${why}`);
}

/** Texts that every reader of YAML, of any version, takes for texts without quotes. */
const PLAIN = /^(?!(?:true|false|yes|no|on|off|null|y|n)$)[A-Za-z/_](?:[\w./@ -]*[\w./@-])?(?::[\w./@-]+)*$/i;

/** Writes a value as a YAML document, texts in quotes wherever some reader could take them for something else. */
export function writeYAML(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(key, node) {
      if (typeof node.value !== "string" || PLAIN.test(node.value)) return;
      node.type = key !== "key" && /^[^\t\r]*[^\s][^\t\r]*\n$/.test(node.value) && isPrintable(node.value)
        ? "BLOCK_LITERAL"
        : "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** Lines that a block may hold as they are. */
function isPrintable(text: string): boolean {
  return !/^[ ]|[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/.test(text);
}
