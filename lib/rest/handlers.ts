import type { Authenticator } from "./auth.ts";
import type { Handler } from "./context.ts";
import type { Implementation } from "./implement.ts";
export function handlers<Identity = unknown>(
  _auth: Authenticator<Identity> | null,
  _implementation: Implementation<NoInfer<Identity>>,
  _paramFormat: string,
  _remainderFormat: string,
): Iterable<[pattern: string, handler: Handler]> {
  throw new Error("Not there yet");
}
export function endpoints<Identity = unknown>(
  _auth: Authenticator<Identity> | null,
  _implementation: Implementation<NoInfer<Identity>>,
): Record<string, Handler> {
  throw new Error("Not there yet");
}
