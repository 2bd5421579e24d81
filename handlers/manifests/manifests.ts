import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import type { Implementation } from "../../lib/rest/mod.ts";
import { registryCredentials } from "../images/registry_auth.ts";
import { removeImage } from "../images/remove.ts";
import { implementFamily } from "../implement_family.ts";
import { entryOf, listOf } from "./annotations.ts";
import { manifestsAPI } from "./api.ts";
import { createManifest } from "./create.ts";
import { modifyManifest } from "./modify.ts";
import { pushManifest, pushManifestV3 } from "./push.ts";
import { listData } from "./view.ts";
import { RequestError } from "../request_error.ts";
import { isSHA256 } from "../../lib/oci/digest.ts";

/** The manifest list operations over an engine. */
export function implementManifests(engine: Engine): Implementation {
  const { lists } = engine.images;
  return implementFamily(manifestsAPI, {
    ManifestCreate: (name, query, body, context) => createManifest(engine, name, query, body, context),
    ManifestCreateV3: (query, body, context) => createManifest(engine, query.name ?? "", query, body, context),
    ManifestExists: (name) => {
      if (!lists.exists(name)) throw new EngineError("no_such_image", "manifest not found");
    },
    ManifestInspect: async (name, { tlsVerify }, { request, signal }) => {
      const access = { tlsVerify, credentials: registryCredentials(request.headers), signal };
      const { list, mediaType } = await lists.inspect(name, access);
      return listData(list, mediaType);
    },
    ManifestModify: (name, query, body, context) => modifyManifest(engine, name, query, body, context),
    ManifestDelete: async (name, { ignore }) => {
      if (!ignore || lists.exists(name)) lists.find(name);
      return await removeImage(engine, name, { ignore });
    },
    ManifestPush: (name, destination, query, context) => pushManifest(engine, name, destination, query, context),
    ManifestAddV3: async (name, { tlsVerify }, body, { request, signal }) => {
      const { images, all } = body;
      if (images.length === 0) throw new RequestError("malformed", "manifest add requires at least one image");
      const credentials = registryCredentials(request.headers);
      const said = { entry: entryOf(body), list: listOf(body) };
      return { Id: await lists.add(name, images, { all, ...said, tlsVerify, credentials, signal }) };
    },
    ManifestRemoveDigestV3: async (name, { digest = "" }) => {
      lists.find(name);
      if (!isSHA256(digest)) {
        throw new RequestError("malformed", `invalid image digest "${digest}"`);
      }
      return { Id: await lists.removeEntry(name, digest) };
    },
    ManifestPushV3: (name, query, context) => pushManifestV3(engine, name, query, context),
  });
}
