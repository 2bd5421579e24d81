/** The source of a channel's texts. */
export interface Texts {
  readonly opened: Promise<void>;
  /** The next text, or undefined at the end. */
  next(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Starts to receive the texts of a channel. */
export type Receive = (request: Request, fetch: (request: Request) => Promise<Response>) => Texts;

/** Opens a WebSocket to a request's address, with its headers where that can be. */
export type OpenWebSocket = (request: Request, protocols: string[]) => WebSocket;
