/**
 * Channels over server-sent events that outlast their connections: sources that can be resumed, a window that lets any source be, and a client
 * that resumes them.
 *
 * @module
 */
export { events, type EventsOptions } from "./channels/receive_events.ts";
export { type ReplayOptions, type ReplayWindow, replayWindow } from "./channels/replay_window.ts";
export { type Resumable, resumable, type ResumableOptions } from "./channels/resumable.ts";
