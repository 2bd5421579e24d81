import type { Engine } from "../../lib/engine/engine.ts";
import { type ImageRecord, repoTags } from "../../lib/engine/records/image_record.ts";
import { humanSize } from "../human_size.ts";

/** A layer as it stands on the layers below it, with the images it is the last one of. */
interface LayerNode {
  diffID: string;
  size: number;
  tags: string[];
  parent?: LayerNode;
  children: LayerNode[];
}

/** A text with branches, as `podman image tree` prints them. */
interface Branch {
  text: string;
  items: Branch[];
}

/**
 * An image's layers as text, the base first.
 *
 * @param whatRequires Tell of the layers of other images that are stacked on its last one, instead of those below
 */
export function imageTree(engine: Engine, name: string, whatRequires: boolean): string {
  const { images } = engine;
  const image = images.resolve(name);
  const { top, nodes } = layerNodes(images.list(), (diffID) => images.layerSize(diffID), image);
  const root: Branch = { text: treeHeader(image), items: [] };
  if (whatRequires) { if (top) addWithChildren(top, root); }
  else root.items = nodes.map((node) => ({ text: describeLayer(node), items: [] }));
  return printTree(root);
}

function treeHeader(image: ImageRecord): string {
  const layers = image.layers.length === 0 ? "No Image Layers" : "Image Layers";
  return [
    `Image ID: ${image.id.slice(0, 12)}`,
    `Tags:     [${repoTags(image).join(" ")}]`,
    `Size:     ${humanSize(image.size)}`,
    layers,
  ].join("\n");
}

/** The nodes of the image's own layers from base to top, within the tree of all layers. */
function layerNodes(
  all: readonly ImageRecord[],
  sizeOf: (diffID: string) => number | undefined,
  image: ImageRecord,
): { top?: LayerNode; nodes: LayerNode[] } {
  const root = new Map<string, Branching>();
  let own: LayerNode[] = [];
  for (const other of all) {
    let level = root;
    const path: LayerNode[] = [];
    for (const { diffID, size } of other.layers) {
      const parent = path.at(-1);
      let branching = level.get(diffID);
      if (!branching) {
        branching = {
          node: { diffID, size: sizeOf(diffID) ?? size, tags: [], parent, children: [] },
          above: new Map(),
        };
        parent?.children.push(branching.node);
        level.set(diffID, branching);
      }
      path.push(branching.node);
      level = branching.above;
    }
    path.at(-1)?.tags.push(...repoTags(other));
    if (other.id === image.id) own = path;
  }
  return { top: own.at(-1), nodes: own };
}

interface Branching {
  node: LayerNode;
  above: Map<string, Branching>;
}

/** A layer's only child goes below it in line; several get branches of their own. */
function addWithChildren(node: LayerNode, parent: Branch): void {
  const branch: Branch = { text: describeLayer(node), items: [] };
  parent.items.push(branch);
  const isAlone = node.parent === undefined || node.parent.children.length <= 1;
  for (const child of node.children) addWithChildren(child, isAlone ? parent : branch);
}

function describeLayer({ diffID, size, tags }: LayerNode): string {
  const top = tags.length === 0 ? "" : ` Top Layer of: [${tags.join(" ")}]`;
  return `ID: ${diffID.slice("sha256:".length, "sha256:".length + 12)} Size: ${humanSize(size).padStart(7)}${top}`;
}

function printTree(root: Branch): string {
  return `${root.text}\n${branchLines(root.items, "").join("")}`;
}

function branchLines(items: readonly Branch[], indent: string): string[] {
  return items.flatMap(({ text, items: below }, i) => {
    const isLast = i === items.length - 1;
    return [
      `${indent}${isLast ? "└── " : "├── "}${text}\n`,
      ...branchLines(below, indent + (isLast ? "    " : "│   ")),
    ];
  });
}
