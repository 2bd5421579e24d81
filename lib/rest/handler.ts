import type { Authenticator } from "./auth.ts";
import type { Handler, Platform } from "./context.ts";
import type { HeaderContext } from "./definition.ts";
import type { Implementation } from "./implement.ts";

/** Options of {@linkcode handler}. */
export interface HandlerOptions {
  /** Asked when no route fits the path, instead of answering 404. */
  fallback?: Handler;
  /** Told of every error that goes out, before it does. */
  onError?(error: unknown, context: HeaderContext & { readonly platform: Platform }): void;
}

export function handler<Identity = unknown>(
  _auth: Authenticator<Identity> | null,
  _implementations: Implementation<NoInfer<Identity>> | readonly Implementation<NoInfer<Identity>>[],
  _options: HandlerOptions = {},
): Handler {
  throw new Error("Not there yet");
}
