import { AGENT_COMPARE } from "./agent_compare.ts";
import { AGENT_GROUND } from "./agent_ground.ts";
import { AGENT_PROCESSES } from "./agent_processes.ts";
import { AGENT_READ } from "./agent_read.ts";
import { AGENT_WRITE } from "./agent_write.ts";

/** Which operation is meant, and what it is given. */
const DISPATCH = String.raw`
if ($operation eq 'changes') { changes(@arguments) }
if ($operation eq 'differences') { differences(@arguments) }
if ($operation eq 'processes') { processes(@arguments) }
my ($tree, $pid, @rest) = @arguments;
enter($tree, $pid);
if ($operation eq 'stat') { find(@rest); exit 0 }
if ($operation eq 'get') { get(@rest) }
if ($operation eq 'put') { put(@rest) }
use_maps(@rest);
$is_layer = $operation eq 'layer';
whole_tree();
`;

/** The tree agent, whole. */
export const AGENT_SCRIPT = [AGENT_GROUND, AGENT_READ, AGENT_WRITE, AGENT_COMPARE, AGENT_PROCESSES, DISPATCH].join("");

type Numbers = Record<
  | "openat2"
  | "statx"
  | "setns"
  | "unshare"
  | "mount"
  | "flistxattr"
  | "fgetxattr"
  | "fsetxattr"
  | "mknodat"
  | "linkat"
  | "fchownat"
  | "utimensat",
  number
>;

/** The system call numbers shared by processors that came to Linux late. */
const GENERIC: Numbers = {
  openat2: 437,
  statx: 291,
  setns: 268,
  unshare: 97,
  mount: 40,
  flistxattr: 13,
  fgetxattr: 10,
  fsetxattr: 7,
  mknodat: 33,
  linkat: 37,
  fchownat: 54,
  utimensat: 88,
};

/** The numbers of the system calls the agent makes, by the names of `os.arch()`; the 64-bit ones only. */
export const SYSTEM_CALLS: Record<string, Numbers> = {
  x64: {
    openat2: 437,
    statx: 332,
    setns: 308,
    unshare: 272,
    mount: 165,
    flistxattr: 196,
    fgetxattr: 193,
    fsetxattr: 190,
    mknodat: 259,
    linkat: 265,
    fchownat: 260,
    utimensat: 280,
  },
  arm64: GENERIC,
  riscv64: GENERIC,
  loong64: GENERIC,
};
