import type { HistoryEntry } from "../../../oci/image_config.ts";
import type { ImageRecord } from "../../records/image_record.ts";

/**
 * Which image was built on which. Nothing records it: a parent has the child's layers but at most the last, and its history but
 * the last step.
 */
export class Relations {
  readonly #images: readonly Readonly<ImageRecord>[];
  readonly #byPlace = new Map<string, Readonly<ImageRecord>[]>();
  /** Digests of manifests that lists here name. */
  readonly #listed: ReadonlySet<string>;
  #parents?: Set<string>;

  constructor(images: readonly Readonly<ImageRecord>[]) {
    // Manifest lists are built on nothing.
    this.#images = images.filter(({ list }) => list === undefined);
    this.#listed = new Set(images.flatMap(({ list }) => list?.entries.map(({ digest }) => digest) ?? []));
    for (const image of this.#images) {
      const key = placeOf(image.config.rootfs.diff_ids, image.config.history?.length ?? 0);
      const others = this.#byPlace.get(key);
      if (others) others.push(image);
      else this.#byPlace.set(key, [image]);
    }
  }

  /** The image it was built on, if that is here. */
  parentOf(image: ImageRecord): Readonly<ImageRecord> | undefined {
    const { rootfs: { diff_ids: layers }, history = [] } = image.config;
    if (history.length === 0 || image.list) return undefined;
    const places = [layers, layers.slice(0, -1)].map((layers) => placeOf(layers, history.length - 1));
    return [...new Set(places)].flatMap((place) => this.#byPlace.get(place) ?? []).find((other) => {
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
      const others = image.list ? [] : this.#byPlace.get(placeAt(made, layers[made - 1], index + 1)) ?? [];
      return others.find((other) => other.id !== image.id && isParent(other, image));
    });
  }

  /** Whether an image here was built on it. */
  hasChildren(id: string): boolean {
    this.#parents ??= new Set(this.#images.flatMap((image) => this.parentOf(image)?.id ?? []));
    return this.#parents.has(id);
  }

  /** Without a name, without children and in no manifest list: of use to nobody. */
  isDangling({ id, names, digest }: Pick<ImageRecord, "id" | "names" | "digest">): boolean {
    return names.length === 0 && !this.hasChildren(id) && !this.#listed.has(digest);
  }

  /** Without a name, but needed by an image built on it. */
  isIntermediate({ id, names }: Pick<ImageRecord, "id" | "names">): boolean {
    return names.length === 0 && this.hasChildren(id);
  }
}

/** Returns the key of an image's place among others: images with another key are no candidates. */
function placeOf(layers: readonly string[], steps: number): string {
  return placeAt(layers.length, layers.at(-1), steps);
}

function placeAt(layers: number, last: string | undefined, steps: number): string {
  return `${layers} ${last} ${steps}`;
}

function isParent(parent: ImageRecord, child: ImageRecord): boolean {
  const layers = child.config.rootfs.diff_ids;
  const history = child.config.history ?? [];
  return parent.config.rootfs.diff_ids.every((diffID, i) => diffID === layers[i]) &&
    (parent.config.history ?? []).every((step, i) => isSameStep(step, history[i]));
}

function isSameStep(a: HistoryEntry, b: HistoryEntry): boolean {
  const same = (key: "created_by" | "author" | "comment") => (a[key] ?? "") === (b[key] ?? "");
  const time = ({ created }: HistoryEntry) => created === undefined ? undefined : Date.parse(created);
  return same("created_by") && same("author") && same("comment") && time(a) === time(b) &&
    (a.empty_layer ?? false) === (b.empty_layer ?? false);
}
