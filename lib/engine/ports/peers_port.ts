/**
 * Other engines, as a host reaches them.
 *
 * @module
 */

/** Another engine's API. */
export interface Peer extends Disposable {
  /** Sends a request, whatever host its URL names. */
  fetch(request: Request): Promise<Response>;
}

/** Engines by the names of connections, or by `unix://` and `tcp://` addresses. */
export interface Peers {
  /** Throws `EngineError`: `invalid` for a connection that is not known, `unsupported` for one of another kind (`ssh`). */
  connect(name: string): Promise<Peer>;
}
