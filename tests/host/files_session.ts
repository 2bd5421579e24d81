import { ok } from "../fixtures/run.ts";
import { Session } from "./session.ts";

/** A session with a running container `up`, a stopped one `down`, and a folder of files to copy. */
export async function startWithFiles() {
  const session = await Session.start();
  const { server, image } = session;
  ok(await server.podman("pull", image));
  const options = (volume: string) => ["--network=none", "-v", `${volume}:/volume`, "--tmpfs", "/scratch"];
  ok(await server.podman("run", "-d", "--name", "up", ...options("one"), image, "sleep", "1000"));
  ok(await server.podman("create", "--name", "down", ...options("two"), image, "sleep", "1000"));
  const files = `${server.folder}/files`;
  await Deno.mkdir(`${files}/tree/sub`, { recursive: true });
  await Deno.writeTextFile(`${files}/plain`, "plain");
  await Deno.writeTextFile(`${files}/tree/a`, "a");
  await Deno.writeTextFile(`${files}/tree/sub/b`, "b");
  await Deno.symlink("a", `${files}/tree/link`);
  return { session, server, image, files };
}

/** The clients by the names of the server's methods. */
export const CLIENTS = ["podman", "docker"] as const;
