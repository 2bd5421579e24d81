import { DockerfileError } from "./dockerfile_error.ts";
import { EngineError } from "../../errors.ts";
import type { FromInstruction, Instruction } from "./instructions.ts";
import { parseInstruction } from "./parse_instruction.ts";
import { type ParserDirectives, readInstructions } from "./read_instructions.ts";

/** A stage of a Dockerfile. */
export interface Stage {
  /** Its place among the stages, from 0. */
  index: number;
  from: FromInstruction & Pick<Instruction, "line" | "text">;
  instructions: Instruction[];
}

/** A Dockerfile, understood. */
export interface Dockerfile {
  /** Its name, for messages. */
  file: string;
  directives: ParserDirectives;
  /** `ARG` before the first stage, with their lines. */
  globals: { name: string; value?: string; line: number }[];
  stages: Stage[];
}

/** The most instructions of a Dockerfile. */
const INSTRUCTION_LIMIT = 5000;

/**
 * Reads a Dockerfile into stages. Nothing is looked up, and no variable is put in.
 *
 * @param source The text, with any line ends
 * @param file Its name, for messages
 * @throws {DockerfileError} with the line and what would be right
 */
export function parseDockerfile(source: string, file = "Dockerfile"): Dockerfile {
  const { directives, instructions: raws } = readInstructions(source, file);
  const fail = (why: string, line: number) => new DockerfileError(why, { file, line });
  if (raws.length > INSTRUCTION_LIMIT) {
    throw fail(`more than ${INSTRUCTION_LIMIT} instructions`, raws[INSTRUCTION_LIMIT].line);
  }
  const globals: Dockerfile["globals"] = [];
  const stages: Stage[] = [];
  for (const raw of raws) {
    const instruction = atLine(fail, raw.line, () => parseInstruction(raw, directives.escape));
    const { line } = instruction;
    if (instruction.is === "FROM") {
      if (stages.some(({ from }) => from.name !== undefined && from.name === instruction.name)) {
        throw fail(`duplicate name ${instruction.name}: a stage before has it`, line);
      }
      stages.push({ index: stages.length, from: instruction, instructions: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (stage) stage.instructions.push(instruction);
    else if (instruction.is === "ARG") globals.push(...instruction.arguments.map((one) => ({ ...one, line })));
    else throw fail(`no build stage in current context: ${instruction.is} comes before the first FROM`, line);
  }
  if (stages.length === 0) {
    throw fail("no build stage in current context: there is no FROM", raws[raws.length - 1].line);
  }
  return { file, directives, globals, stages };
}

/** Runs work whose errors lack the place. */
export function atLine<T>(fail: (why: string, line: number) => Error, line: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof DockerfileError) throw error;
    if (error instanceof EngineError || error instanceof SyntaxError) throw fail(error.message, line);
    throw error;
  }
}
