/**
 * The code that the client module and the page have in common. It is one text, which both carry: so the surfaces hold it once.
 *
 * @module
 */
export { lineChannel, openSocket, protocolsOf, socketChannel, textChannel } from "./channels.ts";
export { eventChannel } from "./events.ts";
export { encodePathValue } from "./path_value.ts";
