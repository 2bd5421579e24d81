/**
 * How a page shows the bytes that an operation streams.
 *
 * @example
 * ```ts
 * import { rest, stream, type StreamView } from "../mod.ts";
 * const view: StreamView = { as: "console" };
 * const shell = rest("GET /shell", [], [stream()], { view });
 * console.assert(shell.options.view === view);
 * ```
 */
export interface StreamView {
  /**
   * As text that grows; or as a console over a WebSocket of the same address, which carries bytes both ways in binary messages. An
   * empty message ends the client's part, and the server closes with 1000 at the end of its own.
   */
  readonly as: "text" | "console";
  /**
   * Whether the bytes may come in frames: a byte for the stream (1 output, 2 errors), three zeros, the length in four bytes (the
   * first one is the highest) and so many bytes. Bytes that do not begin like that have none.
   */
  readonly frames?: boolean;
  /**
   * The operation of the same API that is told the size of a console: the values of its path are those of this one, its rows and
   * columns have these names in the query. Where this operation's own query has these names, it is opened with the first size.
   */
  readonly size?: { readonly operation: string; readonly rows: string; readonly columns: string };
}
