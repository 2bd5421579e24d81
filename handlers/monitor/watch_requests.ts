import type { Metrics } from "../../lib/engine/metrics/metrics.ts";
import type { FunctionTable, Handler, HandlerOptions, Implementation } from "../../lib/rest/mod.ts";

/** A request whose answer has begun. */
export interface RequestEntry {
  readonly method: string;
  /** Without the query, which may hold secrets. */
  readonly path: string;
  /** The name of the operation; absent where the request reached none. */
  readonly operation?: string;
  readonly status: number;
  /** Milliseconds until the answer began. */
  readonly duration: number;
  /** The reason of an answer that says something failed. */
  readonly error?: unknown;
}

/** Counts the requests of a handler, and tells of each if somebody asks. */
export class RequestWatch {
  readonly #metrics: Metrics;
  readonly #tell?: (entry: RequestEntry) => void;
  readonly #operations = new WeakMap<Request, string>();
  readonly #errors = new WeakMap<Request, unknown>();

  constructor(metrics: Metrics, tell?: (entry: RequestEntry) => void) {
    this.#metrics = metrics;
    this.#tell = tell;
  }

  /** Notes why a request fails; to be told of it before its answer begins. Absent where nobody wants the reasons. */
  get onError(): HandlerOptions["onError"] {
    return this.#tell && ((error, { request }) => void this.#errors.set(request, error));
  }

  /** The same implementation, whose functions note that they were reached. */
  named({ definition, functions }: Implementation): Implementation {
    const operations = this.#operations;
    const table = Object.entries(functions).map(([name, run]): [string, FunctionTable[string]] => {
      // Families have no namespaces.
      if (typeof run !== "function") return [name, run];
      const noted = function (this: unknown, ...values: never[]): unknown {
        const { request } = values[values.length - 1] as { request: Request };
        operations.set(request, name);
        return Reflect.apply(run, this, values);
      };
      return [name, noted];
    });
    return { definition, functions: Object.fromEntries(table) };
  }

  around(serve: Handler): Handler {
    return (request, platform) => {
      const began = performance.now();
      return serve(request, platform).then((response) => {
        this.#note(request, response, performance.now() - began);
        platform?.onReuse?.(this.#noterOf(request, response));
        return response;
      });
    };
  }

  /** Returns the function that notes one more answer like this. It holds nothing of the request itself. */
  #noterOf(request: Request, { status }: Response): () => void {
    const operation = this.#operations.get(request);
    const { method, url } = request;
    return () => {
      this.#count(operation, status, 0);
      this.#tell?.({ method, path: new URL(url).pathname, operation, status, duration: 0 });
    };
  }

  #count(operation = "none", status: number, duration: number): void {
    this.#metrics.requests.add({ operation, status: String(status) });
    this.#metrics.requestTimes.add({ operation }, duration / 1000);
  }

  #note(request: Request, { status }: Response, duration: number): void {
    const operation = this.#operations.get(request);
    this.#count(operation, status, duration);
    this.#tell?.({
      ...{ method: request.method, path: new URL(request.url).pathname, operation, status, duration },
      error: this.#errors.get(request),
    });
  }
}
