import type { HistoryEntry } from "../../../oci/image_config.ts";
import type { ImageRecord } from "../../records/image_record.ts";
import type { Index, Table } from "../../store/table.ts";

/**
 * Which image was built on which. Nothing records it: a parent has the child's layers but at most the last, and its history but
 * the last step.
 */
export class Relations {
  readonly #byPlace: Index<ImageRecord>;
  /** Images by the places that the one they were built on may have. */
  readonly #byOrigin: Index<ImageRecord>;
  /** Manifest lists by the digests of manifests that they name. */
  readonly #lists: Index<ImageRecord>;

  /** Follows a table of images, so that each answer is of what is there then. Manifest lists are built on nothing. */
  constructor(table: Pick<Table<ImageRecord>, "index">) {
    this.#byPlace = table.index((image) => image.list ? [] : [placeOf(image)]);
    this.#byOrigin = table.index(originsOf);
    this.#lists = table.index(({ list }) => list?.entries.map(({ digest }) => digest) ?? []);
  }

  /** The image it was built on, if that is here. */
  parentOf(image: ImageRecord): Readonly<ImageRecord> | undefined {
    return [...originsOf(image)].flatMap((place) => this.#byPlace.all(place)).find((other) => {
      return other.id !== image.id && isParent(other, image);
    });
  }

  /** The images that the first step of another's history made, the first two, and so on; `undefined` for each that is not here. */
  ancestorsOf(image: ImageRecord): (Readonly<ImageRecord> | undefined)[] {
    const { rootfs: { diff_ids: layers }, history = [] } = image.config;
    // An image from elsewhere may have many steps: each is looked at once.
    let made = 0;
    return history.map(({ empty_layer: isEmpty = false }, index) => {
      if (!isEmpty && made < layers.length) made++;
      const others = image.list ? [] : this.#byPlace.all(placeAt(layers, made, history, index + 1));
      return others.find((other) => other.id !== image.id && isParent(other, image));
    });
  }

  /** Whether an image here was built on it. */
  hasChildren(image: ImageRecord): boolean {
    if (image.list) return false;
    return this.#byOrigin.all(placeOf(image)).some((other) => {
      // Most are no children of it, and that is known sooner than their parent.
      return isParent(image, other) && this.parentOf(other)?.id === image.id;
    });
  }

  /** Without a name, without children and in no manifest list: of use to nobody. */
  isDangling(image: ImageRecord): boolean {
    return image.names.length === 0 && !this.hasChildren(image) && this.#lists.get(image.digest) === undefined;
  }

  /** Without a name, but needed by an image built on it. */
  isIntermediate(image: ImageRecord): boolean {
    return image.names.length === 0 && this.hasChildren(image);
  }
}

/** Returns the key of an image's place among others: images with another key are no candidates. */
function placeOf({ config: { rootfs: { diff_ids: layers }, history = [] } }: Readonly<ImageRecord>): string {
  return placeAt(layers, layers.length, history, history.length);
}

/** Returns the places that the image may have which this one was built on: its last step made a layer, or none. */
function originsOf(
  { list, config: { rootfs: { diff_ids: layers }, history = [] } }: Readonly<ImageRecord>,
): Set<string> {
  if (list || history.length === 0) return new Set();
  const [made, steps] = [layers.length, history.length - 1];
  return new Set([made, Math.max(0, made - 1)].map((made) => placeAt(layers, made, history, steps)));
}

/**
 * Returns the key of an image of the first `made` layers and the first `steps` of these. The last step tells images apart that were built again
 * and again, with other words about the same layers.
 */
function placeAt(layers: readonly string[], made: number, history: readonly HistoryEntry[], steps: number): string {
  const last = history[steps - 1];
  const step = last && `${timeOf(last)} ${last.created_by?.length ?? 0}`;
  return `${made} ${layers[made - 1]} ${steps} ${step}`;
}

function isParent(parent: ImageRecord, child: ImageRecord): boolean {
  const layers = child.config.rootfs.diff_ids;
  const history = child.config.history ?? [];
  return parent.config.rootfs.diff_ids.every((diffID, i) => diffID === layers[i]) &&
    (parent.config.history ?? []).every((step, i) => isSameStep(step, history[i]));
}

function isSameStep(a: HistoryEntry, b: HistoryEntry): boolean {
  const same = (key: "created_by" | "author" | "comment") => (a[key] ?? "") === (b[key] ?? "");
  return same("created_by") && same("author") && same("comment") && timeOf(a) === timeOf(b) &&
    (a.empty_layer ?? false) === (b.empty_layer ?? false);
}

function timeOf({ created }: HistoryEntry): number | undefined {
  return created === undefined ? undefined : Date.parse(created);
}
