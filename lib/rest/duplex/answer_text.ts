import { type AnswerLine, packBody, readLine, responseOf } from "../batch/batch_lines.ts";

/** Writes an answer as a line of a batch has it, but for its cookies, which a script must not see. */
export async function answerText(response: Response): Promise<string> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const headers = [...response.headers].filter(([name]) => name !== "set-cookie" && name !== "content-length");
  return JSON.stringify({ status: response.status, headers, ...packBody(bytes) });
}

/**
 * Reads such an answer.
 *
 * @throws {Error} if it is none
 */
export function answerOfText(text: string): Response {
  // Its status is looked at when the response is made, and its body when it is unpacked.
  const line = readLine(text) as AnswerLine | undefined;
  const response = line && responseOf(line);
  if (!response) throw new Error("Read an answer: it is none");
  return response;
}
