import process from "node:process";

/**
 * Ends the process with the exit code that a command resolves with, or with 1 and the error when it throws. A program that does not wait for
 * it at the top of its module can be bundled as CommonJS, which cannot wait there.
 */
export function exitWith(command: Promise<number>): void {
  command.then((code) => process.exit(code), (error) => {
    console.error(error);
    process.exit(1);
  });
}
