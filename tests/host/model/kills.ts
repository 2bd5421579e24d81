/** Kills of a server amid the work of several clients. */
import type { Server } from "../../fixtures/server.ts";

/** A client of the model, as far as kills look at it. */
interface Worker {
  /** Operations asked for so far, answered or not. */
  readonly asked: number;
  /** Requests that a dying server left without an answer. */
  readonly cut: number;
}

/** Milliseconds within which a server dies after a client asked it for something. */
const WITHIN = 700;

/**
 * Kills the server so many times, and starts it again, each time at a random moment after a further operation was asked for: a loaded
 * machine's server would only start and die otherwise. Where no kill has met a request, it goes on, at most tenfold. `work` is what the
 * clients do; it is not waited for, but its failure is thrown.
 */
export async function killAmid(
  server: Server,
  clients: readonly Worker[],
  work: Promise<unknown>,
  kills: number,
  random: () => number,
): Promise<void> {
  const failed = work.then(() => {});
  const pass = (ms: number) => Promise.race([new Promise<void>((resolve) => setTimeout(resolve, ms)), failed]);
  const asked = () => clients.reduce((sum, client) => sum + client.asked, 0);
  const isMet = () => clients.some(({ cut }) => cut > 0);
  for (let kill = 0; kill < kills || (!isMet() && kill < kills * 10); kill++) {
    for (const before = asked(); asked() === before;) await pass(10);
    await pass(random() * WITHIN);
    await server.crash();
  }
  if (!isMet()) throw new Error("No kill met a request");
}
