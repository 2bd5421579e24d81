/**
 * The one place that names the WebSocket library.
 *
 * @module
 */
// @ts-types="./ws_types.d.ts"
export { WebSocket, WebSocketServer } from "npm:ws@8.23.0";
