/** The inputs and results of the operations on quadlets. */
import type { EngineError } from "../errors.ts";

/** A quadlet in a list. */
export interface QuadletEntry {
  name: string;
  /** Its unit: `web.service`; empty for a file that is none. */
  unitName: string;
  /** Its file; its name alone where the engine's own store has it. */
  path: string;
  /** Its unit's state in systemd's words (`active/running`), why there is none, or what is wrong with the file. */
  status: string;
  /** The `.pod` of a container. */
  pod: string;
}

/** The outcome of a removal. */
export interface QuadletRemoval {
  removed: string[];
  errors: Map<string, EngineError>;
}

/** How a quadlet is installed. */
export interface InstallOptions {
  /** One that is there gives way. */
  replace?: boolean;
  /** `false`: systemd does not read its units anew, and the engine does not start the unit. */
  reload?: boolean;
}

/** How quadlets are removed. */
export interface QuadletRemovalOptions {
  /** One that is not there is no error. */
  ignore?: boolean;
  /** Stop those whose units run; else they stay, with an error. */
  force?: boolean;
  /** `false`: systemd does not read its units anew. */
  reload?: boolean;
}
