/**
 * The one place that names the YAML package (`docs/decisions/yaml_package.md`). Whoever feeds it sets the bounds.
 *
 * @module
 */
export {
  Document,
  isAlias,
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  parse,
  parseAllDocuments,
  type ScalarTag,
  visit,
} from "npm:yaml@2.9.1";
