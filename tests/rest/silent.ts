/** A source that never has a value, until `return` is called. */
export function silent(): { source: AsyncIterable<unknown>; returned: Promise<void> } {
  let end!: () => void;
  const returned = new Promise<void>((resolve) => end = resolve);
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<IteratorResult<unknown>>(() => {}),
      return: () => {
        end();
        return Promise.resolve({ done: true as const, value: undefined });
      },
    }),
  };
  return { source, returned };
}
