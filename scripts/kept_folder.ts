/**
 * The folders of what tests and the bench make once and keep, since it takes minutes to make: each has its place by its recipe.
 *
 * @module
 */

/** The folder around them. */
const FOLDER = "/var/cache/gantry-test";

/** The place of what a recipe makes, and whether it is there; a changed recipe has another place. The folder around it is made. */
export async function keptFolder(
  name: string,
  recipe: readonly string[],
): Promise<{ place: string; isThere: boolean }> {
  const bytes = new TextEncoder().encode(recipe.join("\n"));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const place = `${FOLDER}/${name}-${digest.toHex().slice(0, 16)}`;
  await Deno.mkdir(FOLDER, { recursive: true });
  return { place, isThere: await Deno.stat(place).then(() => true, () => false) };
}
