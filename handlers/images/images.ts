import type { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import { byArrival } from "../../lib/engine/records/image_record.ts";
import type { Implementation } from "../../lib/rest/mod.ts";
import { streamChanges } from "../files/changes.ts";
import { implementFamily } from "../implement_family.ts";
import { imagesAPI } from "./api.ts";
import { exportImage, exportImages, importImage, loadImages, loadLocal } from "./archives.ts";
import { keepUntilChange } from "../keep_answer.ts";
import { keepList, listImages, summaryOf } from "./list.ts";
import { pruneImages } from "./prune.ts";
import { pullImage } from "./pull.ts";
import { pushImage } from "./push.ts";
import { removeImage, removeImages } from "./remove.ts";
import { searchImages } from "./search.ts";
import { tagImage } from "./tag.ts";
import { imageTree } from "./tree.ts";
import { imageData, imageHistory } from "./view.ts";
import { RequestError } from "../request_error.ts";

/** The native image operations over an engine. */
export function implementImages(engine: Engine): Implementation {
  const { images } = engine;
  return implementFamily(imagesAPI, {
    ImagesPull: (query, context) => pullImage(engine, query, context),
    PushImage: (name, query, context) => pushImage(engine, name, query, context),
    ExportImages: (query) => exportImages(engine, query),
    ExportImage: (name, query) => exportImage(engine, name, query),
    ImagesLoad: (body, context) => loadImages(engine, body, context),
    ImagesLocalLoad: ({ path = "" }, context) => loadLocal(engine, path, context),
    ImagesImport: (query, body, context) => importImage(engine, query, body, context),
    ImageScp: async (name, { destination = "" }, { signal }) => ({
      Id: await images.archives.copy(name, destination, { signal }),
    }),
    ImageResolve: (name) => ({ Names: images.resolveNames(name) }),
    GetImages: (query, context) => {
      keepList(engine, context, query);
      // Clients of the native tree sort as they like.
      return listImages(engine, query).sort(byArrival).map(summaryOf(engine));
    },
    SearchImages: (query, context) => searchImages(engine, query, context),
    PruneImages: (query) => pruneImages(engine, query),
    ImagesBatchRemove: ({ images = [], all, force, ignore, noprune, lookupManifest: onlyLists }) =>
      removeImages(engine, images, { all, force, ignore, onlyLists, noPrune: noprune }),
    ImagesRemove: (name, { force, ignore, lookupManifest: onlyLists }) =>
      removeImage(engine, name, { force, ignore, onlyLists }),
    GetImage: (name, context) => {
      keepUntilChange(engine, context);
      return imageData(images.resolve(name), images.relations);
    },
    ImageExists: (name) => {
      if (!images.exists(name)) throw notFound(name);
    },
    ImageTree: (name, { whatrequires = false }) => ({ Tree: imageTree(engine, name, whatrequires) }),
    Changes: (name, query) => streamChanges(engine, name, query),
    HistoryImage: (name) => imageHistory(images.resolve(name), images.relations, (diffID) => images.layerSize(diffID)),
    TagImage: (name, query) => tagImage(engine, name, query),
    UntagImage: async (name, { repo = "", tag = "" }) => {
      if (repo === "" && tag !== "") throw new RequestError("malformed", "repo parameter is required to tag an image");
      await images.untag(name, repo === "" ? [] : [tag === "" ? repo : `${repo}:${tag}`]);
    },
  });
}

function notFound(name: string): EngineError {
  return new EngineError("no_such_image", `failed to find image ${name}`);
}
