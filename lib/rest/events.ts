/**
 * Channels over server-sent events that outlast their connections: sources that can be resumed, and a client that resumes them.
 *
 * @module
 */
export { events, type EventsOptions } from "./channels/receive_events.ts";
export { type Resumable, resumable, type ResumableOptions } from "./channels/resumable.ts";
