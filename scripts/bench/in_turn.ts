/** How often each line of the engine is measured; its median is what counts. */
export const ROUNDS = 3;
/** Rounds before those that count, for what has to become warm. */
export const WARM_ROUNDS = 2;

/**
 * The median rate of each peer over many short rounds: all meet the same machine, and no single good or bad moment counts. Rounds begin with
 * another peer each, as one meets what the one before left to the garbage collector.
 */
export async function inTurn<P, Name extends string>(
  peers: Record<Name, P>,
  rounds: number,
  measure: (peer: P) => Promise<number>,
  /** Rounds before those that count. */
  warmRounds = WARM_ROUNDS,
): Promise<Record<Name, number>> {
  // The keys are those of the record.
  const all = Object.entries(peers) as [Name, P][];
  const rates: Record<string, number[]> = Object.fromEntries(all.map(([name]) => [name, []]));
  for (let round = -warmRounds; round < rounds; round++) {
    const first = (round + warmRounds) % all.length;
    for (const [name, peer] of [...all.slice(first), ...all.slice(0, first)]) {
      const rate = await measure(peer);
      if (round >= 0) rates[name].push(rate);
    }
  }
  const medians = all.map(([name]) => [name, rates[name].toSorted((a, b) => a - b)[rounds >> 1]]);
  // One for each of the names.
  return Object.fromEntries(medians) as Record<Name, number>;
}
