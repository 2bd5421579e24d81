import type { Subnet } from "../records/network_record.ts";
import { findSubnet } from "./ip.ts";

/** Subnets of one family, by their first addresses. */
interface Family {
  /** In the order of their first addresses; one for each text. */
  readonly sorted: Subnet[];
  /** How many have each length. */
  readonly lengths: Map<number, number>;
}

/**
 * Subnets and single addresses, which may overlap. A question looks at those that it is about, and not at all: a host may have tens of thousands.
 */
export class SubnetSet {
  readonly #families: Record<4 | 6, Family> = {
    4: { sorted: [], lengths: new Map() },
    6: { sorted: [], lengths: new Map() },
  };
  /** Each text that is in the set, and how often it was added. */
  readonly #texts = new Map<string, { subnet: Subnet; count: number }>();

  /** @param texts In CIDR notation, or single addresses; anything else is passed over */
  constructor(texts: Iterable<string> = []) {
    for (const text of texts) this.add(text);
  }

  /** Adds a subnet, once more if it is there: as many removals take it away. */
  add(text: string): void {
    const known = this.#texts.get(text);
    if (known !== undefined) return void known.count++;
    const subnet = findSubnet(text);
    if (subnet === undefined) return;
    this.#texts.set(text, { subnet, count: 1 });
    const { sorted, lengths } = this.#families[subnet.version];
    sorted.splice(placeOf(sorted, subnet.first), 0, subnet);
    lengths.set(subnet.prefix, (lengths.get(subnet.prefix) ?? 0) + 1);
  }

  /** Takes back one addition of a subnet, by the text that was added. */
  delete(text: string): void {
    const known = this.#texts.get(text);
    if (known === undefined || --known.count > 0) return;
    this.#texts.delete(text);
    const { subnet } = known;
    const { sorted, lengths } = this.#families[subnet.version];
    sorted.splice(sorted.indexOf(subnet, placeOf(sorted, subnet.first)), 1);
    const left = lengths.get(subnet.prefix)! - 1;
    if (left > 0) lengths.set(subnet.prefix, left);
    else lengths.delete(subnet.prefix);
  }

  /** Whether any of them shares an address with the subnet. */
  overlaps(subnet: Subnet): boolean {
    return !this.within(subnet).next().done;
  }

  /** The subnets that share addresses with this one, in the order of their first addresses. */
  *within(subnet: Subnet): IterableIterator<Subnet> {
    const { sorted, lengths } = this.#families[subnet.version];
    // Two subnets overlap where one is in the other: one that begins before this one has a known beginning for each length.
    for (const prefix of [...lengths.keys()].sort((a, b) => a - b)) {
      if (prefix >= subnet.prefix) break;
      const size = subnet.size << BigInt(subnet.prefix - prefix);
      const first = subnet.first - subnet.first % size;
      if (first === subnet.first) continue;
      for (let at = placeOf(sorted, first); sorted[at]?.first === first; at++) {
        if (sorted[at]!.prefix === prefix) yield sorted[at]!;
      }
    }
    const end = subnet.first + subnet.size;
    for (let at = placeOf(sorted, subnet.first); at < sorted.length && sorted[at]!.first < end; at++) yield sorted[at]!;
  }
}

/** The place of the first subnet that begins at an address or behind it. */
function placeOf(sorted: readonly Subnet[], first: bigint): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]!.first < first) low = middle + 1;
    else high = middle;
  }
  return low;
}
