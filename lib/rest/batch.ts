/**
 * Calls that travel together: a client that gathers them into one request, and a server that answers each.
 *
 * @module
 */
export { batchCalls, type BatchCallsOptions } from "./batch/batch_client.ts";
export { answerBatches, type BatchOptions } from "./batch/batch_server.ts";
export { socketCalls, type SocketCallsOptions, type SocketClient } from "./batch/socket_client.ts";
export { answerSocketCalls, type SocketAnswerOptions } from "./batch/socket_server.ts";
