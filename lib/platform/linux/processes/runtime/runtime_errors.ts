import { EngineError } from "../../../../engine/errors.ts";

/** Podman's words, by which its clients choose the exit code: 127, 126 and 125. */
const NOT_FOUND = "OCI runtime attempted to invoke a command that was not found";
const DENIED = "OCI permission denied";
const FAILED = "OCI runtime error";

const NOT_FOUND_TEXT = /executable file not found in|no such file or directory|open executable/i;
const DENIED_TEXT = /permission denied|operation not permitted/i;

/**
 * Makes the engine's error of what a runtime said on its standard error or in its log.
 *
 * @param runsCommand Whether a command was to be run, which may have been missing; other files' absence is an error like any
 */
export function runtimeError(runtimeName: string, output: string, runsCommand = true): EngineError {
  const text = messageOf(output);
  if (!runsCommand) return runtimeFailure("internal", runtimeName, text || "no message", FAILED);
  const line = (pattern: RegExp) => text.split("\n").find((line) => pattern.test(line))?.trim();
  const denied = line(DENIED_TEXT);
  if (denied !== undefined) return runtimeFailure("command_not_executable", runtimeName, denied, DENIED);
  const missing = line(NOT_FOUND_TEXT);
  if (missing !== undefined) return runtimeFailure("command_not_found", runtimeName, missing, NOT_FOUND);
  return runtimeFailure("internal", runtimeName, text || "no message", FAILED);
}

function runtimeFailure(code: EngineError["code"], runtimeName: string, detail: string, sentinel: string): EngineError {
  return new EngineError(code, `${runtimeName}: ${detail}: ${sentinel}`, { sentinel });
}

/** runc logs `time=… level=error msg="…"`, both can log JSON, crun prints plain text. */
function messageOf(output: string): string {
  const messages = output.split("\n").filter((line) => line.trim() !== "").map((line) => {
    const quoted = /^time=\S+ level=\S+ msg=("(?:[^"\\]|\\.)*")/.exec(line)?.[1];
    if (quoted !== undefined) return { text: unquoteText(quoted), isError: / level=(error|fatal) /.test(line) };
    return { text: inWordsOfRunc(line.replace(/^\d{4}-\d\d-\d\dT\S+: /, "")), isError: true };
  });
  const errors = messages.filter(({ isError }) => isError);
  return (errors.length > 0 ? errors : messages).map(({ text }) => text).join("\n").trim();
}

/** Docker's CLI chooses its exit code by what runc, written in Go, says; crun has the C library's words. */
function inWordsOfRunc(text: string): string {
  return text
    .replace(/^executable file `(.*)` not found in \$PATH: No such file or directory$/, (_, name: string) => {
      const why = name.includes("/") ? `stat ${name}: no such file or directory` : "executable file not found in $PATH";
      return `exec: ${JSON.stringify(name)}: ${why}`;
    })
    .replace(/: (No such file or directory|Permission denied)$/, (end) => end.toLowerCase());
}

function unquoteText(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    // Go quotes a few bytes in ways JSON does not know.
    return quoted.slice(1, -1).replaceAll('\\"', '"');
  }
}
