import type { HostCheck } from "./host_check.ts";
import { CHECKPOINTS, type Family, INSTALLERS, type Need, NEEDS, WAY_OUT } from "./needs.ts";

/** One line of a diagnosis. */
export interface Finding {
  /** `fails`: no container runs. `lacks`: containers run, and something else does not. */
  readonly state: "works" | "lacks" | "fails";
  readonly text: string;
}

/** The result of {@linkcode diagnoseHost}. */
export interface Diagnosis {
  readonly findings: readonly Finding[];
  /** Commands that install what is missing, one, or one for each family where the distribution is not known. */
  readonly install: readonly string[];
  /** Whether containers can run. */
  readonly runs: boolean;
}

/** Less than this is soon full of images. */
const LITTLE_SPACE = 2 ** 30;

/** Judges a machine by its facts. */
export function diagnoseHost(host: HostCheck): Diagnosis {
  const missing = host.os === "linux" ? missingOf(host.found) : [];
  const findings = [
    ...judgeSystem(host),
    ...missing.map((need): Finding => ({
      state: need.required === false ? "lacks" : "fails",
      text: `${need.use}: ${need.probe} is missing`,
    })),
    ...judgeSpace(host),
  ];
  // The trial would only repeat in the engine's words what was found already.
  const hasFailed = findings.some(({ state }) => state === "fails");
  if (host.trial !== undefined && !hasFailed) findings.push({ state: "fails", text: host.trial });
  const runs = !findings.some(({ state }) => state === "fails");
  // Without containers nothing of theirs works, whatever is installed for it.
  if (runs) findings.unshift({ state: "works", text: "containers" }, ...worksOf(host));
  return { findings: sortFindings(findings), install: installCommands(host, missing), runs };
}

function judgeSystem(host: HostCheck): Finding[] {
  const { os, hasOverlay, found, cgroups, withoutLimits, brokenCRIU, closedTun, hasSQLite, runtime } = host;
  if (os !== "linux") return [{ state: "fails", text: `containers: they need Linux, and this is ${os}` }];
  const findings: Finding[] = [];
  if (!hasSQLite) {
    findings.push({ state: "fails", text: `the server: ${runtime} has no SQLite; use Node 24 or Deno` });
  }
  if (closedTun) {
    findings.push({ state: "lacks", text: `${WAY_OUT}: this user may not use /dev/net/tun; root can chmod it to 666` });
  }
  if (cgroups === "none") {
    findings.push({ state: "fails", text: "containers: no cgroup hierarchy is mounted on /sys/fs/cgroup" });
  }
  if (withoutLimits) {
    const text = "limits of containers, pause and stats: an ordinary user's server gets no control groups";
    findings.push({ state: "lacks", text }, { state: "lacks", text: `${CHECKPOINTS}: criu needs root` });
  }
  if (!withoutLimits && brokenCRIU !== undefined) {
    findings.push({ state: "lacks", text: `${CHECKPOINTS}: ${brokenCRIU}` });
  }
  if (!hasOverlay) {
    // Programs may not even be there to try it with.
    const state = found.has("mount") ? "lacks" : "fails";
    findings.push({ state, text: "layers: the kernel has not loaded overlay; modprobe overlay shows whether it can" });
  }
  return findings;
}

function judgeSpace({ space }: HostCheck): Finding[] {
  if (space === undefined || space.free >= LITTLE_SPACE) return [];
  const free = Math.floor(space.free / 2 ** 20);
  return [{ state: "lacks", text: `space: ${free} MiB are free for images and containers in ${space.folder}` }];
}

/** The things that every need of theirs is there for. */
function worksOf({ os, found, withoutLimits, brokenCRIU, closedTun }: HostCheck): Finding[] {
  if (os !== "linux") return [];
  const uses = [...new Set(NEEDS.filter(({ required }) => required === false).map(({ use }) => use))];
  const whole = uses.filter((use) => NEEDS.every((need) => need.use !== use || found.has(need.probe)));
  const works = whole.filter((use) =>
    use === CHECKPOINTS ? !withoutLimits && brokenCRIU === undefined : use !== WAY_OUT || !closedTun
  );
  return works.map((use) => ({ state: "works", text: use }));
}

/** The needs of which nothing was found. One runtime is enough: without any the first is named. */
export function missingOf(found: ReadonlySet<string>): Need[] {
  const runtimes = NEEDS.filter(({ required }) => required === "runtime");
  const hasRuntime = runtimes.some(({ probe }) => found.has(probe));
  return NEEDS.filter((need) =>
    !found.has(need.probe) && (need.required !== "runtime" || (!hasRuntime && need === runtimes[0]))
  );
}

function sortFindings(findings: readonly Finding[]): Finding[] {
  const order = ["fails", "lacks", "works"];
  return findings.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
}

/** The commands that install what is missing on a distribution: one, or one for each family where the distribution is not known. */
export function installCommands(
  { distribution }: Pick<HostCheck, "distribution">,
  missing: readonly Pick<Need, "packages">[],
): string[] {
  if (missing.length === 0) return [];
  const family = familyOf(distribution);
  const families = family === undefined ? Object.keys(INSTALLERS) as Family[] : [family];
  return families.map((name) => {
    const packages = new Set(missing.map((need) => need.packages[name]));
    return `${INSTALLERS[name]} ${[...packages].join(" ")}`;
  });
}

/** The family that a distribution belongs to, by os-release(5); undefined for one that is not known. */
export function familyOf({ id, like }: HostCheck["distribution"]): Family | undefined {
  const words = [id, ...like.split(" ")];
  const families: Record<Family, readonly string[]> = {
    debian: ["debian", "ubuntu"],
    fedora: ["fedora", "rhel", "centos"],
    alpine: ["alpine"],
    arch: ["arch"],
  };
  return (Object.keys(families) as Family[]).find((family) => families[family].some((name) => words.includes(name)));
}
