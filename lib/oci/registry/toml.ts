/**
 * The one place that names the TOML library.
 *
 * @module
 */
export { parse as parseTOML } from "npm:smol-toml@1.9.1";
