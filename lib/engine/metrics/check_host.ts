import { type Core, hostOf } from "../core.ts";
import { EngineError } from "../errors.ts";
import { messageOf } from "../../oci/message_of.ts";

/** Milliseconds that the host has to tell of itself. */
const PATIENCE = 10_000;

/**
 * Resolves if the host answers, or there is none.
 *
 * @throws {EngineError} `unavailable`
 */
export async function checkHost(core: Pick<Core, "ports" | "clock">): Promise<void> {
  const host = hostOf(core);
  if (host === undefined) return;
  const answered = new AbortController();
  const tooLate = core.clock.sleep(PATIENCE, answered.signal).then(() => {
    throw new EngineError("unavailable", `The host has not answered for ${PATIENCE / 1000} seconds`);
  });
  try {
    await Promise.race([host.info(), tooLate]);
  } catch (error) {
    if (error instanceof EngineError && error.code === "unavailable") throw error;
    throw new EngineError("unavailable", `The host does not answer: ${messageOf(error)}`, { cause: error });
  } finally {
    answered.abort();
    tooLate.catch(() => {});
  }
}
