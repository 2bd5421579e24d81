import { findSubnet, type Subnet } from "../text/ip.ts";

/** Texts that are kept: more than a host has subnets. Beyond them, all would be read anew at each choice. */
const MOST = 65_536;

/** Reads subnets, each once: a choice of a free one looks at all that are taken, and most of them are those of the choice before. */
export class SubnetMemo {
  readonly #known = new Map<string, Subnet | undefined>();

  /** Like {@linkcode findSubnet}. */
  readonly read = (text: string): Subnet | undefined => {
    const known = this.#known.get(text);
    if (known !== undefined || this.#known.has(text)) return known;
    if (this.#known.size >= MOST) this.#known.clear();
    const found = findSubnet(text);
    this.#known.set(text, found);
    return found;
  };
}
