/** Returns the message of a thrown value, of whatever type it is. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
