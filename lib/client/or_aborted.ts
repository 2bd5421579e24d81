/** The result, or the reason of an abort that comes before. */
export function orAborted<T>(result: T | Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    Promise.resolve(result).then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
