import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { platformMatches, type PlatformWish } from "../../../lib/oci/platform.ts";

/** Reads `linux/arm64/v8`, of which the end may be left out; nothing asks for nothing. */
export function parsePlatform(text: string): Partial<PlatformWish> | undefined {
  if (text === "") return undefined;
  const [os, architecture, variant] = text.split("/");
  return { ...(os && { os }), ...(architecture && { architecture }), ...(variant && { variant }) };
}

/**
 * Throws `no_such_image` for an image of another platform than a client asks for: Docker's then pulls the one it wants.
 * Parts that the platform leaves open are not compared, and nothing is compared with an image that is not there.
 *
 * @param name The image's name, as {@linkcode localName} gives it
 */
export function requirePlatform({ images }: Engine, name: string, platform: Partial<PlatformWish> | undefined): void {
  if (platform === undefined || !images.exists(name)) return;
  const { config } = images.resolve(name);
  const { os, architecture, variant } = config;
  if (platformMatches(config, { os, architecture, ...variant && { variant }, ...platform })) return;
  const wanted = Object.values(platform).join("/");
  const text = `image with reference ${name} was found but its platform (${os}/${architecture}) is not ${wanted}`;
  throw new EngineError("no_such_image", `no such image: ${text}`, { sentinel: "image not known" });
}
