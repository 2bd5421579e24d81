import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError, reworded } from "../../../lib/engine/errors.ts";
import type { ImageRecord } from "../../../lib/engine/records/image_record.ts";
import type { Implementation } from "../../../lib/rest/mod.ts";
import { parseFilters } from "../../parse_filters.ts";
import { implementFamily } from "../../implement_family.ts";
import { matcherOf } from "../../images/filters.ts";
import { keepList, listImages } from "../../images/list.ts";
import { keepUntilChange } from "../../keep_answer.ts";
import { prune } from "../../images/prune.ts";
import { searchImages } from "../../images/search.ts";
import { tagImage } from "../../images/tag.ts";
import { emit } from "../../wire/emit.ts";
import { type ImageSearchReport, ImageSearchResult } from "../../wire/images/image.ts";
import { compatImagesAPI } from "./api.ts";
import { exportImage, exportImages, importImage, loadImages } from "./archives.ts";
import { createImage } from "./create_image.ts";
import { pushImage } from "./push_image.ts";
import { dockerHistory } from "./history.ts";
import { imageInspect } from "./inspect.ts";
import { dockerName, localName, nameShower } from "./docker_name.ts";
import { dockerSummaryOf } from "./summary.ts";

/** The image operations of Docker's tree over an engine. */
export function compatImages(engine: Engine): Implementation {
  const { images } = engine;
  return implementFamily(compatImagesAPI, {
    CompatCreateImageFromImage: (query, context) => createImage(engine, query, context),
    CompatCreateImageFromSrc: (query, body, context) => importImage(engine, query, body, context),
    CompatExportImages: ({ names }) => exportImages(engine, names),
    CompatExportImage: (name) => exportImage(engine, name),
    CompatLoadImages: (_query, body, context) => loadImages(engine, body, context),
    CompatPushImage: (name, query, context) => pushImage(engine, name, query, context),
    CompatGetImages: (query, context) => {
      const { version } = context;
      keepList(engine, context, query);
      const shared = query["shared-size"] ? sharedSizes(engine) : () => -1;
      const images = listImages(engine, query).filter(({ list }) => list === undefined);
      return images.map(namesAskedFor(query)).map(dockerSummaryOf(engine, version, shared));
    },
    CompatSearchImages: async (query, context) => {
      const found = await searchImages(engine, query, context, { trustLoopback: true });
      if (found.length > 0) return found.map((report) => searchResult(report));
      throw new EngineError("no_such_image", `failed to find image ${query.term}: image not known`);
    },
    CompatPruneImages: async (query) => {
      const filters = parseFilters(query.filters) ?? {};
      const pruned = await prune(engine, "dangling" in filters ? filters : { ...filters, dangling: ["true"] });
      return {
        ImagesDeleted: pruned.map(({ id }) => ({ Deleted: `sha256:${id}` })),
        SpaceReclaimed: pruned.reduce((sum, { size }) => sum + size, 0),
      };
    },
    CompatRemoveImage: async (name, { force, ignore, noprune }, { version }) => {
      const options = { force, ignore, noPrune: noprune, keepRunning: true };
      const { untagged, deleted } = await images.remove(localName(engine, name), options);
      return [
        ...untagged.map(nameShower(engine, version)).map((Untagged) => ({ Untagged })),
        ...deleted.map((id) => ({ Deleted: id.startsWith("sha256:") ? id : `sha256:${id}` })),
      ];
    },
    CompatGetImage: (name, context) => {
      keepUntilChange(engine, context);
      return imageInspect(engine, findImage(engine, name), context.version);
    },
    CompatHistoryImage: (name, { version }) => dockerHistory(engine, findImage(engine, name), version),
    // What Docker's clients give a name to is Docker Hub's, where it names no registry.
    CompatTagImage: (name, { repo = "", tag }) => {
      return tagImage(engine, localName(engine, name), { repo: repo && dockerName(engine, repo), tag });
    },
  });
}

/** Leaves an image the names that were asked for: a client that removes what is listed is not to meet others. */
function namesAskedFor(
  { filters, filter }: { filters?: string; filter?: string },
): (image: ImageRecord) => ImageRecord {
  const patterns = [...parseFilters(filters)?.reference ?? [], ...filter === undefined ? [] : [filter]];
  if (patterns.length === 0) return (image) => image;
  const tests = patterns.map(matcherOf);
  const fits = (name: string) => tests.some((test) => test(name));
  return (image) => ({ ...image, names: image.names.filter(fits), repoDigests: image.repoDigests.filter(fits) });
}

/** Docker's own clients look for these words in the message. */
function findImage(engine: Engine, name: string): ImageRecord {
  try {
    return engine.images.resolve(localName(engine, name));
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "no_such_image") throw error;
    const why = error.message.replaceAll("image not known", "No such image");
    throw reworded(error, `failed to find image ${name}: ${why}`);
  }
}

/** Bytes of an image's layers that other images have too. */
function sharedSizes({ images }: Engine): (image: ImageRecord) => number {
  return ({ layers }) =>
    layers.filter(({ diffID }) => images.sharers(diffID) > 1)
      .reduce((sum, { diffID, size }) => sum + (images.layerSize(diffID) ?? size), 0);
}

/** Adds Docker's own fields to Podman's report. */
function searchResult(report: ImageSearchReport): ImageSearchResult {
  return emit(ImageSearchResult, {
    ...report,
    name: report.Name,
    description: report.Description,
    star_count: report.Stars,
    is_official: report.Official !== "",
    is_automated: report.Automated !== "",
  });
}
