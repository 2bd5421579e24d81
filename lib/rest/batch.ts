/**
 * Calls that travel together: a client that gathers them into one request, and a server that answers each.
 *
 * @module
 */
export { batchCalls, type BatchCallsOptions } from "./batch/batch_client.ts";
export { answerBatches, type BatchOptions } from "./batch/batch_server.ts";
