/**
 * How a container's output travels to clients: as it is from a terminal, else in frames of one byte stream number, three
 * zeros and the length as four bytes, big-endian.
 *
 * @module
 */
import { isBefore } from "../path_version.ts";
import type { Piece } from "./gather.ts";

/** The content types of both forms. */
export const RAW_STREAM = "application/vnd.docker.raw-stream";
export const MULTIPLEXED_STREAM = "application/vnd.docker.multiplexed-stream";

/** Frame numbers. */
const STREAM = { stdout: 1, stderr: 2 } as const;

/** Adds the eight bytes before a frame's data: stream number, three zeros, length. */
export function addFrameHeader(piece: Piece, stream: keyof typeof STREAM, length: number): void {
  // The number and three zeros, in one.
  piece.addUint32(STREAM[stream] << 24);
  piece.addUint32(length);
}

/**
 * The content type of a stream: clients older than the type itself know only the raw one.
 *
 * @param framed The stream has frames
 * @param version The version in the path
 * @param since The first version that knows the type of framed streams
 */
export function streamType(framed: boolean, version: string | undefined, since: readonly [number, number]): string {
  return framed && !isBefore(version, ...since) ? MULTIPLEXED_STREAM : RAW_STREAM;
}
