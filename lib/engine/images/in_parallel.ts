/**
 * Does work on every item, at most so many at once, and gives the results in order. After a failure nothing more is begun; it
 * is thrown when what was begun has ended.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, i: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  const failures: unknown[] = [];
  const waiting = items.entries();
  const worker = async () => {
    // All workers take from one iterator.
    for (const [i, item] of waiting) {
      if (failures.length > 0) return;
      try {
        results[i] = await work(item, i);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}
