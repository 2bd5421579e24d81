/** How a container's health checks are chosen, from the request and the image. */
import type { Healthcheck } from "../../../oci/image_config.ts";
import type { Host } from "../../ports/host_port.ts";
import type { HealthCheck, HealthLogOptions, HealthPlan, HealthWish } from "../../records/health_plan.ts";
import { invalid } from "../../errors.ts";

/** Milliseconds between two checks where nobody says how many. */
export const DEFAULT_INTERVAL = 30_000;
const DEFAULT_TIMEOUT = 30_000;
const DEFAULT_RETRIES = 3;
export const DEFAULT_HEALTH_LOG: HealthLogOptions = { destination: "local", count: 5, size: 500 };

/**
 * The checks of a container. A test that is asked for stands alone; without one the image's is taken, with the other wishes
 * over it. Throws `invalid` for what makes no sense together.
 */
export function resolveHealth(wish: HealthWish = {}, image?: Healthcheck): HealthPlan {
  const check = resolveCheck(wish.check, image);
  const readiness = check && completeCheck(wish.readiness);
  const onFailure = wish.onFailure ?? "none";
  if (check === undefined && onFailure !== "none") {
    throw invalid(`cannot set on-failure action to ${onFailure} without a health check`);
  }
  const startup = completeCheck(wish.startup);
  if (check === undefined && startup) {
    throw invalid("cannot set a startup healthcheck when there is no regular healthcheck", "invalid argument");
  }
  return {
    check,
    // It may fail as often as it takes, unless something else is asked for.
    startup: startup && { ...startup, retries: wish.startup?.retries ?? 0, successes: wish.startup?.successes ?? 0 },
    ...readiness && { readiness },
    onFailure,
    log: { ...DEFAULT_HEALTH_LOG, ...wish.log },
  };
}

/** Throws `invalid` where outcomes are to be told in a folder that the host does not have. */
export async function checkDestination(
  { files }: Pick<Host, "files">,
  { log: { destination } }: HealthPlan,
): Promise<void> {
  if (destination === "local" || destination === "events_logger") return;
  const text = `HealthCheck Log '${destination}' destination`;
  if (!destination.startsWith("/")) throw invalid(`${text} must be an absolute path`);
  if (!await files.exists(destination)) {
    const sentinel = "no such file or directory";
    throw invalid(`${text} error: stat ${destination}`, sentinel);
  }
  if (!await files.isFolder(destination)) throw invalid(`${text} must be directory`);
}

/** The plan if there is anything to run in it. */
export function activeHealth<P extends HealthPlan>(plan: P | undefined): P & { check: HealthCheck } | undefined {
  const test = plan?.check?.test;
  // The check is there: its test is.
  return test === undefined || isNone(test) ? undefined : plan as P & { check: HealthCheck };
}

/**
 * The question that a test asks by gRPC, `["GRPC", PORT]` or `["GRPC", PORT, SERVICE]`; `undefined` for one that runs a command. It is the
 * engine's own kind of test: Docker and Podman have none for a probe of Kubernetes' kind.
 */
export function grpcQuestion(test: readonly string[]): { port: number; service: string } | undefined {
  const [kind, port, service = "", ...rest] = test;
  if (kind !== "GRPC") return undefined;
  const isPort = /^\d{1,5}$/.test(port ?? "") && Number(port) > 0 && Number(port) < 65536;
  if (!isPort) throw invalid(`the health check's test GRPC needs a port from 1 to 65535; it has "${port ?? ""}"`);
  if (rest.length > 0 || new TextEncoder().encode(service).length > 253) {
    throw invalid("the health check's test GRPC takes a port, and the name of a service of at most 253 bytes");
  }
  return { port: Number(port), service };
}

/** The command a test runs. */
export function probeCommand(test: readonly string[]): string[] {
  const [kind, ...rest] = test;
  if (kind === "CMD") return rest;
  return kind === "CMD-SHELL" ? ["/bin/sh", "-c", rest.join(" ")] : [...test];
}

function resolveCheck(wish: Partial<HealthCheck> | undefined, image: Healthcheck | undefined): HealthCheck | undefined {
  const own = completeCheck(wish);
  if (own || !isTest(image?.Test)) return own;
  const ms = (nanoseconds = 0) => nanoseconds / 1e6;
  const inherited = {
    test: image.Test,
    interval: ms(image.Interval) || DEFAULT_INTERVAL,
    timeout: ms(image.Timeout),
    startPeriod: ms(image.StartPeriod),
    startInterval: ms(image.StartInterval),
    retries: image.Retries,
  };
  const { test: _none, ...changes } = wish ?? {};
  const given = Object.entries(changes).filter(([, value]) => value);
  return completeCheck({ ...inherited, ...Object.fromEntries(given) });
}

/** `undefined` without a test. */
function completeCheck(wish: Partial<HealthCheck> = {}): HealthCheck | undefined {
  const { test, interval = 0, timeout, startPeriod = 0, startInterval = 0, retries } = wish;
  if (!isTest(test)) return undefined;
  if (grpcQuestion(test) === undefined && !isNone(test) && !probeCommand(test)[0]) {
    throw invalid("must define a healthcheck command for all healthchecks");
  }
  if (!(startPeriod >= 0)) throw invalid("healthcheck-start-period must be 0 seconds or greater");
  if (timeout !== undefined && !(timeout >= 0)) throw invalid("healthcheck-timeout must be at least 1 second");
  if (retries !== undefined && !(retries >= 0)) throw invalid("healthcheck-retries must be greater than 0");
  return {
    test,
    // Below zero is what some say for "never".
    interval: Math.max(0, interval),
    timeout: timeout || DEFAULT_TIMEOUT,
    startPeriod,
    startInterval: Math.max(0, startInterval),
    retries: retries || DEFAULT_RETRIES,
  };
}

/** Whether there is a test, be it that there is to be none. */
export function isTest(test: readonly string[] | undefined): test is string[] {
  return test !== undefined && test.length > 0 && test[0] !== "";
}

/** Whether a test says that there is none. */
export function isNone(test: readonly string[] | undefined): boolean {
  return test?.length === 1 && test[0] === "NONE";
}
