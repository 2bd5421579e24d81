import type { StreamView } from "../../lib/rest/mod.ts";

/** The output of a program: text, in frames unless it comes from a terminal. */
export const FRAMED_TEXT: StreamView = { as: "text", frames: true };
