/** Where the cases of the corpus are played: a server under attack, an idle one beside it, a registry, canaries. */
import { assert, assertEquals } from "@std/assert";
import { type BuiltImage, busyboxImage, pushImage } from "../fixtures/images/image_builder.ts";
import { memoryOf, STREAM_ROOM } from "../fixtures/memory.ts";
import { makeAccount } from "../fixtures/ordinary_user.ts";
import { Server } from "../fixtures/server.ts";
import { Session, until } from "../fixtures/session.ts";
import { openFiles, traces } from "../fixtures/traces.ts";
import { hostDigest, makeCanaries, SECRET, VARIABLE } from "./host_digest.ts";
import { Responsive } from "./responsive.ts";

/** How long a container may take to print what it prints at last; one that ends without it is not waited for. */
const PATIENCE = 300_000;
/** Open files that a server may have more than before: a database's journal, a watch, a kept connection. */
const MORE_FILES = 4;

/** The stage. */
export class Stage implements AsyncDisposable {
  private constructor(
    readonly session: Session,
    readonly idle: Server,
    /** A folder of the host with files that nobody may read, change or add to. */
    readonly canaries: string,
  ) {}

  /** The command lines of the server's own helpers that name its folders. */
  #helpers: string[] = [];

  static async start(runtime: string): Promise<Stage> {
    // Other parts of a run make it where there is none, which would be a change of the host in the middle of a case.
    await makeAccount();
    const [session, idle] = await Promise.all([
      Session.start({ args: [`--runtime=${runtime}`], env: { [VARIABLE]: SECRET } }),
      Server.start(),
    ]);
    const stage = new Stage(session, idle, await makeCanaries(session.server.folder));
    await stage.#warmUp();
    return stage;
  }

  get server(): Server {
    return this.session.server;
  }

  /** The path of the canaries as a container must write it to get out by `..`. */
  get wayOut(): string {
    return "../".repeat(24) + this.canaries.slice(1);
  }

  /** The first life of a container makes what stays on purpose: a bridge's notes, helpers, compiled code. */
  async #warmUp(): Promise<void> {
    await this.pull(this.session.image);
    const netns = { nsmode: "bridge" };
    // The helper for logs that begin anew.
    const log_configuration = { driver: "k8s-file", size: 1_000_000 };
    // The second container on a bridge that has its rules: what stands in for iptables is written for it.
    await this.create("first", { command: ["sleep", "1000"], netns });
    await this.call("POST", "/libpod/containers/first/start", undefined, [204]);
    for (const more of [{}, { log_configuration }, { netns }]) {
      await this.create("warm", { command: ["true"], ...more });
      await this.call("POST", "/libpod/containers/warm/start", undefined, [204]);
      await this.call("POST", "/libpod/containers/warm/wait", undefined, [200]);
      await this.call("DELETE", "/libpod/containers/warm?force=true&timeout=0", undefined, [200]);
    }
    // The socket at which supervisors of exec sessions connect.
    const { text } = await this.call("POST", "/libpod/containers/first/exec", { Cmd: ["true"], AttachStdout: true }, [
      201,
    ]);
    await this.call("POST", `/libpod/exec/${JSON.parse(text).Id}/start`, {}, [200]);
    await this.call("DELETE", "/libpod/containers/first?force=true&timeout=0", undefined, [200]);
    // The document and the page are made once, which takes its time.
    for (const path of ["/openapi.json", "/docs.html"]) await this.call("GET", path, undefined, [200]);
    // Its supervisors have ended; the helper stays as long as the server.
    await until(() => {
      this.#helpers = traces(this.server.folder).processes;
      return Promise.resolve(assertEquals(this.#helpers.length, 1));
    });
  }

  /**
   * Sends one request and returns status and text. Throws where the status is none of `allowed`. Where every answer is allowed, so
   * is one that breaks off (status 0): a stream that fails on its way has no other way to say so.
   */
  async call(method: string, path: string, body?: unknown, allowed?: readonly number[]) {
    const sent = this.server.request(method, path, body === undefined ? {} : { body });
    if (allowed === undefined) {
      const reply = await sent.catch((error) => String(error));
      if (typeof reply === "string") return { status: 0, text: reply };
      return { status: reply.status, text: await reply.text() };
    }
    const reply = await sent;
    const text = await reply.text();
    const fits = allowed.includes(reply.status);
    assert(fits, `${method} ${path.slice(0, 200)} answered ${reply.status}: ${text.slice(0, 500)}`);
    return { status: reply.status, text };
  }

  /** Pulls, as often as the server tries by itself but without its pauses; gives everything it said. */
  async pull(image: string, query = ""): Promise<string> {
    return (await this.call(
      "POST",
      `/libpod/images/pull?retrydelay=10ms&reference=${encodeURIComponent(image)}${query}`,
    )).text;
  }

  /** Pushes an image under a name of its own into the registry and pulls it; gives the name. */
  async have(name: string, image: BuiltImage = busyboxImage()): Promise<string> {
    const reference = `${this.session.registry.host}/hostile/${name}:latest`;
    await pushImage(this.session.registry.url, `hostile/${name}:latest`, image);
    await this.pull(reference);
    return reference;
  }

  /** Creates a container, without a network unless one is asked for. */
  create(name: string, spec: Record<string, unknown>, allowed: readonly number[] = [201]) {
    const body = { name, image: this.session.image, netns: { nsmode: "none" }, ...spec };
    return this.call("POST", "/libpod/containers/create", body, allowed);
  }

  /** Runs `sh -c` in a container to its end; gives what it printed. */
  async exec(container: string, script: string, options: Record<string, unknown> = {}): Promise<string> {
    const body = { Cmd: ["sh", "-c", script], AttachStdout: true, AttachStderr: true, ...options };
    const { text } = await this.call("POST", `/libpod/containers/${container}/exec`, body, [201]);
    return (await this.call("POST", `/libpod/exec/${JSON.parse(text).Id}/start`, {}, [200])).text;
  }

  /** Waits until a container has printed a text, whatever it prints before and after it. */
  async printed(container: string, text: string): Promise<void> {
    const path = `/libpod/containers/${container}/logs?stdout=true&stderr=true&follow=true`;
    await this.server.seen(path, text, AbortSignal.timeout(PATIENCE));
  }

  /**
   * Plays one case, and asserts what must hold whatever happens in it. One that takes too much memory is played again: what a case
   * truly takes it takes each time, and what a collector that had no turn on a busy machine left lying it does not.
   */
  async play(work: () => Promise<void>): Promise<void> {
    const memory = await this.#playOnce(work);
    if (memory < STREAM_ROOM) return;
    const again = await this.#playOnce(work);
    assert(again < STREAM_ROOM, `the server took ${memory} MB above idle, and ${again} MB when it was played again`);
  }

  /** Returns the most memory that the server took meanwhile, in MB. */
  async #playOnce(work: () => Promise<void>): Promise<number> {
    const { server } = this;
    const host = hostDigest(this.canaries);
    const left = await this.#remains();
    const files = openFiles(server.pid);
    const ids: string[] = [];
    let failures: string[] = [];
    const memory = await memoryOf(server.pid, async () => {
      await using responsive = new Responsive(server, this.idle);
      failures = responsive.failures;
      try {
        await work();
      } finally {
        ids.push(...await this.#clear());
      }
      await responsive.check();
    });
    assertEquals(changes(host, hostDigest(this.canaries)), []);
    assertEquals(failures.slice(0, 3), []);
    await until(async () => {
      const none = { processes: this.#helpers, mounts: [], namespaces: [], cgroups: [], interfaces: [] };
      assertEquals(traces(server.folder, ids), none);
      assertEquals((await this.#remains()).filter((path) => !left.includes(path)), []);
      const open = openFiles(server.pid);
      assert(open <= files + MORE_FILES, `open files rose from ${files} to ${open}`);
    }, 60_000);
    return memory;
  }

  /** Removes what a case made: containers, volumes, images but the session's own; gives the IDs of the containers. */
  async #clear(): Promise<string[]> {
    const found = new Set<string>();
    // One that others depend on goes after them.
    await until(async () => {
      const { text } = await this.call("GET", "/libpod/containers/json?all=true", undefined, [200]);
      const ids: string[] = JSON.parse(text).map(({ Id }: { Id: string }) => Id);
      for (const id of ids) {
        found.add(id);
        await this.call("DELETE", `/libpod/containers/${id}?force=true&timeout=0&volumes=true`, undefined, [
          200,
          404,
          409,
        ]);
      }
      assertEquals(ids, []);
    });
    const images = JSON.parse((await this.call("GET", "/libpod/images/json", undefined, [200])).text);
    for (const { Id, Names } of images as { Id: string; Names?: string[] }[]) {
      if (Names?.includes(this.session.image)) continue;
      await this.call("DELETE", `/libpod/images/${Id}?force=true`, undefined, [200, 404]);
    }
    await this.call("POST", "/libpod/images/prune", undefined, [200]);
    return [...found];
  }

  /** What lies in the folders of the server, three levels down. */
  async #remains(folder = this.server.folder, depth = 3): Promise<string[]> {
    const found: string[] = [];
    try {
      for await (const { name, isDirectory } of Deno.readDir(folder)) {
        const path = `${folder}/${name}`;
        if (path === this.canaries || /-(wal|shm|journal|reserve)$|^kept-/.test(name)) continue;
        // Made when they are first needed; what is in them goes.
        if (!["empty", "shared"].includes(name)) found.push(path);
        if (isDirectory && depth > 1) found.push(...await this.#remains(path, depth - 1));
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.idle[Symbol.asyncDispose]();
    await this.session[Symbol.asyncDispose]();
  }
}

function changes(before: Map<string, string>, after: Map<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path))
    .map((path) => `${path}: ${before.get(path)} -> ${after.get(path)}`);
}
