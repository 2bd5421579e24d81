/**
 * Connections into and out of network namespaces.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { runCommand } from "../../../lib/platform/linux/command.ts";

/** Answers each connection with a line naming it, from inside a namespace. */
const SERVER = `use IO::Socket::INET; $| = 1;
my $s = IO::Socket::INET->new(LocalPort => $ARGV[0], Listen => 9, ReuseAddr => 1) or die; print "ready\\n";
while (my $c = $s->accept) { print $c "answer from $ARGV[0]\\n"; close $c }`;

/** Starts a server in a namespace; ready when it resolves. */
export async function serveIn(netns: string, port: number): Promise<ChildProcess> {
  const child = spawn("nsenter", [`--net=${netns}`, "perl", "-e", SERVER, `${port}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout!, "data");
  return child;
}

/** Ends a server. */
export async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  child.stdout?.destroy();
}

/** Connects from the host and returns what comes. */
export async function ask(host: string, port: number): Promise<string> {
  const socket = connect({ host, port, timeout: 2000 });
  socket.once("timeout", () => socket.destroy(new Error("timeout")));
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text.trim();
}

/** Connects from a namespace and returns what comes; an empty text when nothing does. */
export async function askFrom(netns: string, host: string, port: number): Promise<string> {
  const script = `exec 3<>/dev/tcp/${host}/${port}; cat <&3`;
  const { stdout } = await runCommand("nsenter", [`--net=${netns}`, "timeout", "2", "bash", "-c", script], {
    accept: [0, 1, 124],
  });
  return stdout.trim();
}

/** A port nobody has, and hopefully nobody takes. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on an address and port has such an address.
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
