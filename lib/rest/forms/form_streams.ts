import { HTTPError } from "../error.ts";
import { listIssues, type Validated } from "../plan/schema.ts";
import type { Call } from "../run/call.ts";
import type { ServerParts } from "../run/core_server.ts";
import { isForward } from "../run/forwarded.ts";
import { argumentName } from "../run/read_arguments.ts";
import { multipartStreams } from "./multipart_streams.ts";
import { formError, formOf, type StreamedForm, streamedNames } from "./streamed_form.ts";

/**
 * Adds forms with parts that are streams to the parts of a server. The function is called when the fields before them have come, 4 MiB at the most,
 * and reads each stream from the wire; what it leaves when it has answered is cancelled.
 *
 * @example
 * ```ts
 * import { api, formStreams, handlerWith, implement, rest, stream } from "../server.ts";
 * import { z } from "npm:zod@4.6.7";
 * const album = api("album.example.com", {
 *   Add: rest("POST(multipart/form-data) /photos (title,file)", [z.string(), stream()], [z.string()]),
 * });
 * const functions = implement(album, {
 *   async Add(title, file) {
 *     let size = 0;
 *     for await (const piece of file) size += piece.length;
 *     return `${title}: ${size} bytes`;
 *   },
 * });
 * const serve = handlerWith(formStreams({}), null, functions);
 * const body = new FormData();
 * body.append("title", "Sea");
 * body.append("file", new Blob(["12345"]));
 * const response = await serve(new Request("http://localhost/photos", { method: "POST", body }));
 * console.assert(await response.text() === "Sea: 5 bytes");
 * ```
 */
export function formStreams(parts: ServerParts): ServerParts {
  return {
    ...parts,
    codecs: [multipartStreams, ...parts.codecs ?? []],
    places(plan, read) {
      const inner = parts.places?.(plan, read) ?? read;
      const names = streamedNames(plan.body?.kind);
      if (names.length === 0) return inner;
      return (captures, query, values, request) => {
        inner(captures, query, values, request);
        const form = formOf(values);
        if (!form) return;
        for (const index of plan.body!.arguments) {
          const { schema } = plan.arguments[index];
          // A promise has no issues: it is waited for with all others.
          const { issues } = values[index] === undefined
            ? schema["~standard"].validate(undefined) as Partial<Validated<unknown>>
            : {};
          if (!issues) continue;
          const name = argumentName(plan, index);
          const error = new HTTPError(
            400,
            `Read "${name}": it is missing: the fields of a form come before its streamed part "${names[0]}"`,
            { kind: "body", issues: listIssues(issues, name) },
          );
          form.leave(error);
          throw error;
        }
      };
    },
    around(plan, run, codecs) {
      const inner = parts.around?.(plan, run, codecs) ?? run;
      if (streamedNames(plan.body?.kind).length === 0 || isForward(inner)) return inner;
      const lasts = /^(stream|channel)$/.test(plan.result.shape);
      return async function (this: unknown, ...args: unknown[]): Promise<unknown> {
        // The last argument of every function is its call.
        const call = args.at(-1) as Call;
        watchCall(call, formOf(args));
        try {
          const result: unknown = await inner.apply(this, args);
          // A response that the function makes itself may have a part of the form as its body.
          if (!lasts && !(result instanceof Response)) call.finish();
          return result;
        } catch (error) {
          call.finish();
          throw error;
        }
      };
    },
  };
}

/** Leaves a form when its caller goes away, or has its answer. */
function watchCall(call: Call, form: StreamedForm | undefined): void {
  const { signal } = call;
  // Its caller's loss is no fault of the server.
  const lose = () => form?.leave(formError(signal.reason));
  if (signal.aborted) return lose();
  signal.addEventListener("abort", lose, { once: true });
  const { forget } = call;
  call.forget = () => {
    forget?.();
    signal.removeEventListener("abort", lose);
    form?.leave();
  };
}
