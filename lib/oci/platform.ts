/**
 * Platforms and the choice among an index's manifests, OCI image-spec "image-index".
 *
 * @module
 */
import type { Descriptor } from "./descriptor.ts";
import type { JSONObject } from "./json.ts";

/** The platform of an image, in Go's words (`linux`, `arm64`, `v8`). */
export interface Platform {
  os: string;
  architecture: string;
  variant?: string;
  "os.version"?: string;
  "os.features"?: string[];
  /** Of the processor; only Docker's lists have them. */
  features?: string[];
}

/** The requested platform; a missing variant means the architecture's usual one. */
export interface PlatformWish {
  os: string;
  architecture: string;
  variant?: string;
}

/** Variants that run on each variant, best first. */
const COMPATIBLE: Record<string, readonly string[]> = {
  "arm/v8": ["v8", "v7", "v6", "v5"],
  "arm/v7": ["v7", "v6", "v5"],
  "arm/v6": ["v6", "v5"],
  "arm/v5": ["v5"],
  "amd64/v4": ["v4", "v3", "v2", "v1"],
  "amd64/v3": ["v3", "v2", "v1"],
  "amd64/v2": ["v2", "v1"],
  "amd64/v1": ["v1"],
  "arm64/v8": ["v8"],
};
const USUAL: Record<string, string> = { arm: "v7", arm64: "v8", amd64: "v1" };
const ARCHITECTURES: Record<string, string> = {
  x86_64: "amd64",
  "x86-64": "amd64",
  aarch64: "arm64",
  armhf: "arm",
  armel: "arm",
  i386: "386",
};

/** Reads a platform object leniently: what is missing is `""`. */
export function parsePlatform(value: JSONObject): Platform {
  const text = (key: string) => typeof value[key] === "string" ? String(value[key]) : "";
  const platform: Platform = { os: text("os"), architecture: text("architecture") };
  if (text("variant") !== "") platform.variant = text("variant");
  if (text("os.version") !== "") platform["os.version"] = text("os.version");
  for (const key of ["os.features", "features"] as const) {
    const list = value[key];
    if (Array.isArray(list)) platform[key] = list.filter((item) => typeof item === "string");
  }
  return platform;
}

/** The platform that an image config says it is for. */
export function platformOf(config: Platform): Platform {
  const { os, architecture, variant, "os.version": version, "os.features": features } = config;
  return {
    os,
    architecture,
    ...(variant ? { variant } : {}),
    ...(version ? { "os.version": version } : {}),
    ...(features?.length ? { "os.features": features } : {}),
  };
}

/** The wish with Go's spelling of its architecture: `x86_64` is `amd64`, `aarch64` is `arm64`, `armhf` is `arm` v7. */
function normalisePlatform(wish: PlatformWish): PlatformWish {
  const architecture = ARCHITECTURES[wish.architecture] ?? wish.architecture;
  const variant = wish.variant || (wish.architecture === "armel" ? "v6" : undefined);
  return { os: wish.os, architecture, ...(variant === undefined ? {} : { variant }) };
}

/** The index's manifest that suits the platform best; the first of equals. `undefined` when none suits. */
export function choosePlatform(
  index: { readonly manifests: readonly Descriptor[] },
  wish: PlatformWish,
): Descriptor | undefined {
  const wanted = normalisePlatform(wish);
  let best: { descriptor: Descriptor; rank: number } | undefined;
  for (const descriptor of index.manifests) {
    const rank = rankPlatform(descriptor.platform, wanted);
    if (rank !== undefined && (best === undefined || rank < best.rank)) best = { descriptor, rank };
  }
  return best?.descriptor;
}

/** Whether an image of this platform is what was wished for, or runs on it. */
export function platformMatches(platform: Platform, wish: PlatformWish): boolean {
  return rankPlatform(platform, normalisePlatform(wish)) !== undefined;
}

/** 0 is exact; higher is worse; `undefined` does not run there. */
function rankPlatform(platform: Platform | undefined, wanted: PlatformWish): number | undefined {
  if (platform === undefined || platform.os !== wanted.os) return undefined;
  const offered = normalisePlatform(platform);
  if (offered.architecture !== wanted.architecture) return undefined;
  if ((offered.variant ?? "") === (wanted.variant ?? "")) return 0;
  const usual = USUAL[wanted.architecture];
  const order = COMPATIBLE[`${wanted.architecture}/${wanted.variant ?? usual}`];
  if (order === undefined) return offered.variant === undefined ? 1 : undefined;
  // An offer without variant is the architecture's oldest: it runs everywhere but is the last choice.
  if (offered.variant === undefined) return order[0] === usual ? 1 : order.length + 1;
  const position = order.indexOf(offered.variant);
  return position < 0 ? undefined : position + 1;
}
