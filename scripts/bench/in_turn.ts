/**
 * The median rate of each peer over many short rounds: all meet the same machine, and no single good or bad moment counts. Rounds begin with
 * another peer each, as one meets what the one before left to the garbage collector.
 */
export async function inTurn<P>(
  peers: Record<string, P>,
  rounds: number,
  measure: (peer: P) => Promise<number>,
): Promise<Record<string, number>> {
  const all = Object.entries(peers);
  const rates: Record<string, number[]> = Object.fromEntries(all.map(([name]) => [name, []]));
  // The first two rounds warm up.
  for (let round = -2; round < rounds; round++) {
    const first = (round + all.length) % all.length;
    for (const [name, peer] of [...all.slice(first), ...all.slice(0, first)]) {
      const rate = await measure(peer);
      if (round >= 0) rates[name].push(rate);
    }
  }
  return Object.fromEntries(
    Object.entries(rates).map(([name, of]) => [name, of.toSorted((a, b) => a - b)[rounds >> 1]]),
  );
}
