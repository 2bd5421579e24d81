import type { PushOptions } from "../../lib/engine/images/types.ts";
import { badParameter } from "../errors.ts";
import type { PushQuery } from "../wire/images/image_query.ts";
import { parseDuration } from "../../lib/engine/text/duration.ts";
import { RequestError } from "../request_error.ts";

const FORMATS: Record<string, PushOptions["format"]> = { "": undefined, oci: "oci", v2s2: "docker", docker: "docker" };

/** Returns the options of a push's query. Throws a 400 that names an option that is not supported. */
export function pushOptions(
  { all, compressionFormat, compressionLevel, forceCompressionFormat, format = "", retry, retryDelay, tlsVerify }:
    & Pick<PushQuery, "all" | "compressionFormat" | "compressionLevel" | "forceCompressionFormat" | "format">
    & Pick<PushQuery, "retry" | "retryDelay" | "tlsVerify">,
): PushOptions {
  if (!Object.hasOwn(FORMATS, format)) {
    const why = format === "v2s1" ? "Docker's schema 1 is not written" : `unknown format "${format}"`;
    throw new RequestError("malformed", `${why}: choose one of the supported formats: 'oci' or 'v2s2'`);
  }
  return {
    all,
    format: FORMATS[format],
    compression: compressionOf(compressionFormat),
    compressionLevel,
    forceCompression: forceCompressionFormat,
    tlsVerify,
    retries: retry,
    retryDelay: retryDelay === undefined ? undefined : parseMilliseconds("retryDelay", retryDelay),
  };
}

/** A duration of a query, in milliseconds. */
export function parseMilliseconds(name: string, text: string): number {
  try {
    const duration = parseDuration(text);
    if (duration < 0) throw new RangeError("it is negative");
    return duration;
  } catch (error) {
    throw badParameter(name, text, error);
  }
}

/** A compression by its name; nothing for no name. Throws a 400 that names what there is not. */
export function compressionOf(name = ""): PushOptions["compression"] {
  if (name === "") return undefined;
  if (name === "gzip" || name === "zstd") return name;
  const known = ["zstd:chunked", "bzip2", "xz"].includes(name);
  const why = known ? `compression format "${name}" is not written` : `cannot find compressor for "${name}"`;
  throw new RequestError("malformed", `${why}: choose gzip or zstd`);
}
