/**
 * Probes as health checks: a program of the container's own image is run in it, or its program is asked by gRPC.
 *
 * @module
 */
import type { HealthCheck, HealthWish } from "../../records/health_plan.ts";
import type { Fields } from "./fields.ts";

const SECOND = 1000;

/** The ports of a container that have a name. */
export type NamedPorts = readonly { name?: string; containerPort: number }[];

/**
 * Reads the probes of a container. The liveness probe is its health check, after which the readiness probe runs; where there is none,
 * the readiness probe is the check, and a failure only shows. A container that is found unhealthy is started again where `restarts`
 * says so.
 */
export function readProbes(container: Fields, ports: NamedPorts, restarts: boolean): HealthWish | undefined {
  const liveness = readProbe(container, "livenessProbe", ports);
  const startup = readProbe(container, "startupProbe", ports);
  const readiness = readProbe(container, "readinessProbe", ports);
  if (liveness && readiness && readiness.check.interval !== liveness.check.interval) {
    container.inner("readinessProbe")?.note(
      "periodSeconds",
      "it is not honoured beside a liveness probe, after which it runs",
    );
  }
  const check = liveness?.check ?? readiness?.check;
  if (check === undefined && startup === undefined) return undefined;
  const passes: Partial<HealthCheck> = { ...startup?.check, test: ["CMD-SHELL", "exit 0"] };
  return {
    check: check ?? passes,
    ...liveness && readiness && { readiness: readiness.check },
    ...startup && { startup: { ...startup.check, successes: startup.successes } },
    onFailure: restarts && (liveness ?? startup) !== undefined ? "restart" : "none",
  };
}

function readProbe(container: Fields, key: string, ports: NamedPorts) {
  const probe = container.inner(key);
  if (probe === undefined) return undefined;
  const test = readTest(probe, ports);
  const seconds = (field: string, usual: number) => (probe.number(field) || usual) * SECOND;
  const check: Partial<HealthCheck> = {
    interval: seconds("periodSeconds", 10),
    timeout: seconds("timeoutSeconds", 1),
    startPeriod: seconds("initialDelaySeconds", 0),
    retries: probe.number("failureThreshold") || 3,
    test,
  };
  const successes = probe.number("successThreshold") ?? 0;
  if (key !== "startupProbe" && successes > 1) {
    probe.note("successThreshold", "it is not honoured: one success is enough");
  }
  return test === undefined ? undefined : { check, successes };
}

function readTest(probe: Fields, ports: NamedPorts): string[] | undefined {
  const exec = probe.inner("exec");
  if (exec) {
    const command = exec.texts("command");
    if (command.length === 0) throw exec.fail("command", "is missing");
    return ["CMD", ...command];
  }
  const http = probe.inner("httpGet");
  if (http) return ["CMD-SHELL", httpCommand(http, ports)];
  const socket = probe.inner("tcpSocket");
  if (socket) {
    const host = socket.text("host") || "localhost";
    return ["CMD-SHELL", `nc -z -v ${shellWord(host)} ${portNumber(socket, ports)} || exit 1`];
  }
  const grpc = probe.inner("grpc");
  if (grpc === undefined) return undefined;
  const service = grpc.text("service") ?? "";
  const port = grpc.number("port", 1, 65535);
  if (port === undefined) throw grpc.fail("port", "is missing");
  return ["GRPC", String(port), ...service === "" ? [] : [service]];
}

/** Returns the line for a shell that makes an `httpGet` action's request, by the `curl` of the container's image. */
export function httpCommand(http: Fields, ports: NamedPorts): string {
  return `curl -f ${httpArguments(http, ports)} || exit 1`;
}

function httpArguments(http: Fields, ports: NamedPorts): string {
  const scheme = (http.word("scheme", ["HTTP", "HTTPS"]) ?? "HTTP").toLowerCase();
  const host = http.text("host") || "localhost";
  const path = http.text("path") || "/";
  const port = portNumber(http, ports);
  const headers = http.list("httpHeaders").map((header) => {
    return `-H ${shellWord(`${header.needText("name")}: ${header.text("value") ?? ""}`)} `;
  });
  const url = `${scheme}://${host}:${port}${path.startsWith("/") ? "" : "/"}${path}`;
  // Kubernetes asks for no certificate that it knows.
  return `${scheme === "https" ? "-k " : ""}${headers.join("")}${shellWord(url)}`;
}

function portNumber(action: Fields, ports: NamedPorts): number {
  const port = action.portName("port");
  if (port === undefined) throw action.fail("port", "is missing");
  if (typeof port === "number") return port;
  const named = ports.find(({ name }) => name === port);
  if (named) return named.containerPort;
  throw action.fail("port", `is "${port}", which no port of the container is called`);
}

/** Texts of a document never become words of the shell's own. */
function shellWord(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
