import type { Engine } from "../../lib/engine/engine.ts";
import { RequestError } from "../request_error.ts";

/** Gives an image one more name. Without a tag it is `latest`, or what the repository's text says. */
export async function tagImage(
  engine: Engine,
  name: string,
  { repo = "", tag = "" }: { repo?: string; tag?: string },
): Promise<void> {
  if (repo === "") throw new RequestError("malformed", "repo parameter is required to tag an image");
  const colon = repo.lastIndexOf(":");
  const inRepo = tag === "" && colon > repo.lastIndexOf("/");
  if (inRepo) await engine.images.tag(name, repo.slice(0, colon), repo.slice(colon + 1));
  else await engine.images.tag(name, repo, tag === "" ? undefined : tag);
}
