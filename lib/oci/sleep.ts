/** The longest wait of a timer, in milliseconds; a timer that is set to a longer one fires at once. */
const LONGEST = 2 ** 31 - 1;

/** Waits for so many milliseconds, however many. Rejects with the signal's reason when it aborts, and leaves no timer then. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let rest = milliseconds;
  for (; rest > LONGEST; rest -= LONGEST) await waitForTimer(LONGEST, signal);
  await waitForTimer(rest, signal);
}

function waitForTimer(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
