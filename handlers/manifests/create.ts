import type { Engine } from "../../lib/engine/engine.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { registryCredentials } from "../images/registry_auth.ts";
import type { ManifestCreateQuery, ManifestModifyOptions } from "../wire/manifests/manifest.ts";
import { annotationsOf, entryOf, listOf, saysAnything } from "./annotations.ts";
import { RequestError } from "../request_error.ts";

/** Makes a manifest list of what the query and the body name; all of it, or nothing. */
export async function createManifest(
  engine: Engine,
  name: string,
  { images = [], image = [], all, amend, annotation = [], annotations = {} }: ManifestCreateQuery,
  body: ManifestModifyOptions,
  { request, signal }: Context,
): Promise<{ Id: string }> {
  if (name === "") throw new RequestError("malformed", "no name specified for creating a manifest list");
  const { lists } = engine.images;
  const credentials = registryCredentials(request.headers);
  const own = annotationsOf(annotation, annotations);
  const said = listOf(body);
  const Id = await lists.create(name, {
    images: [...image, ...images],
    all,
    amend,
    annotations: own,
    credentials,
    signal,
  });
  if (saysAnything(said)) await lists.annotate(Id, said, { credentials });
  if (body.images.length > 0) {
    await lists.add(Id, body.images, { all: body.all, entry: entryOf(body), credentials, signal });
  }
  return { Id };
}
