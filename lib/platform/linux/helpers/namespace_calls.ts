import { arch } from "node:os";
import { EngineError } from "../../../engine/errors.ts";

/** The numbers of system calls that make namespaces and mounts in them. */
export interface NamespaceCalls {
  unshare: number;
  mount: number;
  umount2: number;
}

const GENERIC = { unshare: 97, mount: 40, umount2: 39 };

/** By the names of `os.arch()`. */
const NUMBERS: Record<string, NamespaceCalls> = {
  x64: { unshare: 272, mount: 165, umount2: 166 },
  arm64: GENERIC,
  riscv64: GENERIC,
  loong64: GENERIC,
  ppc64: { unshare: 282, mount: 21, umount2: 52 },
  s390x: { unshare: 303, mount: 21, umount2: 52 },
  arm: { unshare: 337, mount: 21, umount2: 52 },
  ia32: { unshare: 310, mount: 21, umount2: 52 },
};

/** Gives those of this machine, for Perl, which knows them by number only. Throws `EngineError("unsupported")`. */
export function namespaceCalls(): NamespaceCalls {
  const numbers = NUMBERS[arch()];
  if (numbers === undefined) throw new EngineError("unsupported", `Open host: not available on ${arch()}`);
  return numbers;
}
