import { EngineError } from "../../errors.ts";
import { isHeredoc } from "./heredocs.ts";
import { InstructionFlags } from "./instruction_flags.ts";
import type { Command, CopyInstruction, FromInstruction, Instruction, RunInstruction } from "./instructions.ts";
import type { PlainInstruction } from "./instructions.ts";
import { parseHealthcheck } from "./parse_healthcheck.ts";
import { parseRunMount } from "./parse_run_mount.ts";
import type { RawInstruction } from "./read_instructions.ts";
import { parseTextList } from "../../../oci/json.ts";
import { scanWords } from "./words.ts";

type Parsed = FromInstruction | CopyInstruction | RunInstruction | PlainInstruction;
/** Takes one kind of instruction apart. */
type Parser = (raw: RawInstruction, flags: InstructionFlags, escape: string) => Parsed;

/** The names of stages. */
const STAGE_NAME = /^[a-z][a-z0-9-_.]*$/;

const PARSERS: Record<string, Parser> = {
  FROM: parseFrom,
  RUN: parseRun,
  COPY: parseCopy,
  ADD: parseCopy,
  ARG({ text }, _flags, escape) {
    const words = scanWords(text, escape);
    if (words.length === 0) throw invalidInstruction("ARG requires at least one argument");
    return {
      is: "ARG",
      arguments: words.map((word) => {
        const at = word.indexOf("=");
        const name = at < 0 ? word : word.slice(0, at);
        if (name === "") throw invalidInstruction("ARG names can not be blank");
        return at < 0 ? { name } : { name, value: word.slice(at + 1) };
      }),
    };
  },
  ENV: ({ text }, _flags, escape) => ({ is: "ENV", pairs: parsePairs("ENV", text, escape) }),
  LABEL: ({ text }, _flags, escape) => ({ is: "LABEL", pairs: parsePairs("LABEL", text, escape) }),
  CMD: (raw) => ({ is: "CMD", command: commandOf(raw) }),
  ENTRYPOINT(raw) {
    requireText(raw);
    return { is: "ENTRYPOINT", command: commandOf(raw) };
  },
  SHELL({ text }) {
    const words = parseTextList(text);
    if (words === undefined) {
      throw invalidInstruction('SHELL requires the arguments to be in JSON form: SHELL ["/bin/sh", "-c"]');
    }
    if (words.length === 0) throw invalidInstruction("SHELL requires at least one argument");
    return { is: "SHELL", words };
  },
  WORKDIR: (raw) => ({ is: "WORKDIR", value: requireText(raw, "exactly") }),
  USER: (raw, _flags, escape) => ({ is: "USER", value: requireWord(raw, escape) }),
  STOPSIGNAL: (raw, _flags, escape) => ({ is: "STOPSIGNAL", value: requireWord(raw, escape) }),
  MAINTAINER: (raw) => ({ is: "MAINTAINER", value: requireText(raw, "exactly") }),
  VOLUME(raw, _flags, escape) {
    const values = parseTextList(requireText(raw)) ?? scanWords(raw.text, escape);
    if (values.includes("")) throw invalidInstruction("VOLUME specified can not be an empty string");
    return { is: "VOLUME", values };
  },
  EXPOSE: (raw, _flags, escape) => ({ is: "EXPOSE", values: scanWords(requireText(raw), escape) }),
  HEALTHCHECK: ({ text }, flags) => ({ is: "HEALTHCHECK", check: parseHealthcheck(text, flags) }),
  ONBUILD(raw) {
    const trigger = requireText(raw);
    const keyword = trigger.split(/\s/, 1)[0].toUpperCase();
    if (keyword === "ONBUILD") throw invalidInstruction("Chaining ONBUILD via `ONBUILD ONBUILD` isn't allowed");
    if (keyword === "FROM" || keyword === "MAINTAINER") {
      throw invalidInstruction(`${keyword} isn't allowed as an ONBUILD trigger`);
    }
    if (!Object.hasOwn(PARSERS, keyword)) throw unknownInstruction(keyword);
    const heredocs = raw.heredocs.map(({ name, content }) => `\n${content}${name}`);
    return { is: "ONBUILD", trigger: [trigger, ...heredocs].join("") };
  },
};

/**
 * Understands one instruction. Variables stay as they are written.
 *
 * @throws {EngineError} `invalid`, in the words of Docker's builder
 */
export function parseInstruction(raw: RawInstruction, escape: string): Instruction {
  const { keyword, line } = raw;
  if (!Object.hasOwn(PARSERS, keyword)) throw unknownInstruction(keyword);
  const flags = new InstructionFlags(keyword, raw.flags);
  const parsed = PARSERS[keyword](raw, flags, escape);
  flags.requireNone();
  return { ...parsed, line, text: showInstruction(raw) };
}

/** The instruction in one line, as progress shows it. */
function showInstruction({ keyword, flags, text, heredocs }: RawInstruction): string {
  const shown = [keyword, ...flags, text].filter((part) => part !== "").join(" ");
  return heredocs.length === 0 ? shown : `${shown} (${heredocs.map(({ name }) => name).join(", ")})`;
}

function parseFrom({ text }: RawInstruction, flags: InstructionFlags, escape: string): FromInstruction {
  const words = scanWords(text, escape);
  const [image, as, given] = words;
  if (words.length !== 1 && !(words.length === 3 && as.toUpperCase() === "AS")) {
    throw invalidInstruction("FROM requires either one or three arguments: FROM image [AS name]");
  }
  const name = given?.toLowerCase();
  if (name !== undefined && !STAGE_NAME.test(name)) {
    throw invalidInstruction(
      `invalid name for build stage: "${given}", name can't start with a number or contain symbols`,
    );
  }
  const platform = flags.text("platform");
  return { is: "FROM", image, ...platform && { platform }, ...name && { name } };
}

function parseRun(raw: RawInstruction, flags: InstructionFlags): RunInstruction {
  const mounts = flags.list("mount").map(parseRunMount);
  const network = flags.text("network") ?? "default";
  if (network !== "default" && network !== "none" && network !== "host") {
    throw invalidInstruction(`network mode "${network}" is not supported: it is default, none or host`);
  }
  const security = flags.text("security") ?? "sandbox";
  if (security !== "sandbox" && security !== "insecure") {
    throw invalidInstruction(`security mode "${security}" is not valid: it is sandbox or insecure`);
  }
  requireText(raw);
  return { is: "RUN", command: commandOf(raw), mounts, network, isInsecure: security === "insecure" };
}

function parseCopy(raw: RawInstruction, flags: InstructionFlags, escape: string): CopyInstruction {
  const is = raw.keyword === "ADD" ? "ADD" : "COPY";
  const words = parseTextList(raw.text) ?? scanWords(raw.text, escape);
  if (words.length === 0) throw invalidInstruction(`${is} requires at least two arguments`);
  if (words.length === 1) {
    const detail = "Destination could not be determined";
    throw invalidInstruction(`${is} requires at least two arguments, but only one was provided. ${detail}`);
  }
  const destination = words[words.length - 1];
  const sources = words.slice(0, -1).filter((word) => raw.heredocs.length === 0 || !isHeredoc(word));
  if (raw.heredocs.length > 0 && isHeredoc(destination)) {
    throw invalidInstruction(`${is} cannot accept a heredoc as a destination`);
  }
  const chmod = flags.text("chmod");
  const from = is === "COPY" ? flags.text("from") : undefined;
  const [checksum, unpack] = is === "ADD" ? [flags.text("checksum"), flags.isSet("unpack")] : [];
  const chown = flags.text("chown");
  return {
    is,
    sources,
    inline: raw.heredocs,
    destination,
    ...from !== undefined && { from },
    ...chown !== undefined && { chown },
    ...chmod !== undefined && { chmod },
    ...checksum !== undefined && { checksum },
    ...unpack !== undefined && { unpack },
    link: flags.isSet("link") ?? false,
    parents: is === "COPY" && (flags.isSet("parents") ?? false),
    exclude: flags.list("exclude"),
    keepsHistory: is === "ADD" && (flags.isSet("keep-git-dir") ?? false),
  };
}

function commandOf({ text, heredocs }: RawInstruction): Command {
  const words = parseTextList(text);
  return words === undefined ? { form: "shell", text, heredocs } : { form: "exec", words };
}

/** `NAME=value NAME=value`, or the older `NAME the whole value`. */
function parsePairs(keyword: string, text: string, escape: string): [string, string][] {
  const words = scanWords(text, escape);
  if (words.length === 0) throw invalidInstruction(`${keyword} requires at least one argument`);
  if (!words[0].includes("=")) {
    const [, name, value] = /^(\S+)\s+(.+)$/s.exec(text) ?? [];
    if (name === undefined) throw invalidInstruction(`${keyword} must have two arguments`);
    return [[name, value]];
  }
  return words.map((word) => {
    const at = word.indexOf("=");
    if (at < 0) throw invalidInstruction(`Syntax error - can't find = in "${word}". Must be of the form: name=value`);
    if (at === 0) throw invalidInstruction(`${keyword} names can not be blank`);
    return [word.slice(0, at), word.slice(at + 1)];
  });
}

function requireText({ keyword, text }: RawInstruction, many: "at least" | "exactly" = "at least"): string {
  if (text === "") throw invalidInstruction(`${keyword} requires ${many} one argument`);
  return text;
}

function requireWord(raw: RawInstruction, escape: string): string {
  if (scanWords(raw.text, escape).length !== 1) {
    throw invalidInstruction(`${raw.keyword} requires exactly one argument`);
  }
  return raw.text;
}

function unknownInstruction(keyword: string): EngineError {
  const near = Object.keys(PARSERS).find((known) => isNear(known, keyword));
  return invalidInstruction(`unknown instruction: ${keyword}${near === undefined ? "" : ` (did you mean ${near}?)`}`);
}

/** Whether two words differ in one letter that is another, missing or too much, or in two that changed places. */
function isNear(known: string, word: string): boolean {
  if (Math.abs(known.length - word.length) > 1 || word.length > 20) return false;
  let start = 0;
  while (start < known.length && known[start] === word[start]) start++;
  let end = 0;
  const most = Math.min(known.length, word.length) - start;
  while (end < most && known.at(-1 - end) === word.at(-1 - end)) end++;
  const [left, right] = [known.slice(start, known.length - end), word.slice(start, word.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && left === [...right].reverse().join("");
}

function invalidInstruction(why: string): EngineError {
  return new EngineError("invalid", why);
}
