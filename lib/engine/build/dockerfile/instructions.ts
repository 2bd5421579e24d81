/**
 * The instructions of a Dockerfile, understood: what each has is checked, and variables are not put in yet.
 *
 * @module
 */
import type { Healthcheck } from "../../../oci/image_config.ts";
import type { Heredoc } from "./heredocs.ts";

/** A command: words as they are, or a text for the stage's shell. */
export type Command = { form: "exec"; words: string[] } | { form: "shell"; text: string; heredocs: Heredoc[] };

/** A mount of one `RUN`. */
export interface RunMount {
  type: "bind" | "cache" | "tmpfs" | "secret" | "ssh";
  target: string;
  /** A stage, image or context name; absent: the build's context. */
  from?: string;
  source?: string;
  readOnly: boolean;
  /** Of a cache or a secret. */
  id?: string;
  sharing?: "shared" | "private" | "locked";
  required?: boolean;
  mode?: number;
  uid?: number;
  gid?: number;
  /** Bytes, of a tmpfs. */
  size?: number;
  /** The variable that a secret is. */
  env?: string;
}

/** `FROM`. */
export interface FromInstruction {
  is: "FROM";
  image: string;
  platform?: string;
  /** The stage's name, in small letters. */
  name?: string;
}

/** `COPY` and `ADD`. */
export interface CopyInstruction {
  is: "COPY" | "ADD";
  sources: string[];
  /** Files that are written in the Dockerfile itself, besides the sources. */
  inline: Heredoc[];
  destination: string;
  from?: string;
  chown?: string;
  chmod?: string;
  link: boolean;
  parents: boolean;
  exclude: string[];
  /** Of what `ADD` fetches. */
  checksum?: string;
  /** Whether `ADD` of a Git repository brings its folder `.git`. */
  keepsHistory: boolean;
  /** Whether `ADD` unpacks archives; absent: those of the context, and no other. */
  unpack?: boolean;
}

/** `RUN`. */
export interface RunInstruction {
  is: "RUN";
  command: Command;
  mounts: RunMount[];
  network: "default" | "none" | "host";
  /** `--security=insecure`: with all the rights of the machine's root. */
  isInsecure: boolean;
}

/** Every instruction but those of which there is an interface of its own. */
export type PlainInstruction =
  | { is: "ARG"; arguments: { name: string; value?: string }[] }
  | { is: "ENV" | "LABEL"; pairs: [string, string][] }
  | { is: "CMD" | "ENTRYPOINT"; command: Command }
  | { is: "SHELL"; words: string[] }
  | { is: "WORKDIR" | "USER" | "STOPSIGNAL" | "MAINTAINER"; value: string }
  | { is: "VOLUME" | "EXPOSE"; values: string[] }
  | { is: "HEALTHCHECK"; check: Healthcheck }
  | { is: "ONBUILD"; trigger: string };

/** Any instruction, with its place and its text. */
export type Instruction =
  & (FromInstruction | CopyInstruction | RunInstruction | PlainInstruction)
  & { /** Counted from 1. */ line: number; /** As progress and history show it. */ text: string };
