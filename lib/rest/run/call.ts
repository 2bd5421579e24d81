import type { Context, Platform, Upgraded, UpgradeInit } from "../context.ts";
import { requirePart } from "../error.ts";
import { states } from "../middleware/state.ts";
import type { ServerParts } from "./core_server.ts";
import type { AnsweredCall } from "./write_response.ts";

/** One call of a function over HTTP: what the function sees as its context, and what the server keeps of it. */
export class Call implements Context {
  // Declared, not defined: a call is made for each request, and each field would be written twice.
  declare readonly request: Request;
  declare readonly platform: Platform;
  declare readonly name: string;
  declare readonly version: string | undefined;
  declare readonly parts: ServerParts;
  /**
   * For a function that passes calls on: the arguments as they were decoded, before their schemas made others of them, and perhaps the call
   * itself behind them. Undefined where another function is called, which may call one that passes calls on with arguments of its own.
   */
  declare decoded: readonly unknown[] | undefined;
  // The fields below are not even written for most calls.
  declare identity: unknown;
  declare upgraded: Response | undefined;
  /** The headers the function set, if it touched them. */
  declare ownHeaders: Headers | undefined;
  /** Errors that the operation declares, as they go out. */
  declare failures: AnsweredCall["failures"];
  /** Made when the function asks for the signal. */
  declare controller: AbortController | undefined;
  declare private finished: boolean | undefined;
  /** Undoes what lasts until the response is complete. */
  declare forget: (() => void) | undefined;

  constructor(
    request: Request,
    platform: Platform,
    name: string,
    version: string | undefined,
    parts: ServerParts,
  ) {
    this.request = request;
    this.platform = platform;
    this.name = name;
    this.version = version;
    this.parts = parts;
  }

  get headers(): Headers {
    return this.ownHeaders ??= new Headers();
  }

  get state(): object {
    return states.get(this.request) ?? {};
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      const controller = this.controller = new AbortController();
      const { signal } = this.request;
      const abort = () => controller.abort(signal.reason);
      // Deno's own server fires the request's signal after success too, so it is only listened to while the call lasts.
      if (!this.finished) {
        if (signal.aborted) abort();
        else signal.addEventListener("abort", abort);
        this.forget = () => signal.removeEventListener("abort", abort);
      }
    }
    return this.controller.signal;
  }

  /** The response is complete. */
  finish(): void {
    this.finished = true;
    this.forget?.();
  }

  async upgrade(init?: UpgradeInit): Promise<Upgraded> {
    return await requirePart(this.parts.streams, this.name, "streams").upgrade(this, init);
  }
}
