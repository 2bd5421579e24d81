import { ClientError } from "../client_error.ts";

/** Waits for a removal; an object that is gone already is no error. */
export async function unlessMissing(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== "not_found") throw error;
  }
}
