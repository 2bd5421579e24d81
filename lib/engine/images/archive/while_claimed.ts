import type { Claim } from "../content.ts";

/** The stream, which ends the claim when it ends, fails or is let go of. */
export function whileClaimed(claim: Claim, stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value } = await reader.read();
        if (value !== undefined) return controller.enqueue(value);
      } catch (error) {
        await claim.end("delete");
        throw error;
      }
      await claim.end("delete");
      controller.close();
    },
    async cancel(reason) {
      await reader.cancel(reason).catch(() => {});
      await claim.end("delete");
    },
  }, { highWaterMark: 0 });
}
