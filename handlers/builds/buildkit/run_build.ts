/**
 * A build for a client of BuildKit: its folders, secrets and agents come by its session, and its steps go into a log.
 *
 * @module
 */
import { CommandFailure } from "../../../lib/engine/build/run_step.ts";
import type { BuildOptions, BuildProgress, NamedContext } from "../../../lib/engine/build/build_options.ts";
import type { RemoteFolder } from "../../../lib/engine/build/folders/remote_folder.ts";
import type { Engine } from "../../../lib/engine/engine.ts";
import { GRPC_CODES, GRPCError } from "../../../lib/engine/ports/build_port.ts";
import { platformPrefix } from "../build_messages.ts";
import { concatBytes } from "../../../lib/oci/bytes/bytes.ts";
import { messageOf } from "../../../lib/oci/message_of.ts";
import { dockerName, localName } from "../../compat/images/docker_name.ts";
import type { BuildLog, BuildStep } from "./build_log.ts";
import { type FolderWish, openClientFolder } from "./file_sync.ts";
import { type FrontendOptions, readFrontendOptions } from "./frontend_options.ts";
import { BytesMessage } from "./messages.ts";
import type { Session } from "./sessions.ts";
import { RequestError } from "../../request_error.ts";

/** Bytes of a Dockerfile, or of a file of patterns. */
const TEXT_LIMIT = 1 << 20;
/** The address of a context that the client uploads in its session. */
const UPLOAD = /^http:\/\/buildkit-session(\/.*)$/;

/** The parts of a build for a client. */
export interface ClientBuild {
  engine: Engine;
  session: Session;
  log: BuildLog;
  /** The options of the frontend. */
  attributes: Readonly<Record<string, string>>;
  /** Results of other builds that are contexts of this one: IDs of images. */
  results?: Readonly<Record<string, string>>;
  cache?: Pick<BuildOptions, "cacheFrom" | "cacheTo" | "inlineCache">;
  allowInsecure: boolean;
  signal: AbortSignal;
}

/** Builds an image without a name, and returns its ID. Throws `EngineError`. */
export async function runClientBuild(build: ClientBuild): Promise<string> {
  const { engine, session, log, attributes, signal } = build;
  const frontend = readFrontendOptions(attributes, build.results);
  const inputs = await readInputs(build, frontend);
  const steps = engine.builds.build({
    ...frontend.options,
    ...build.cache,
    ...inputs,
    contexts: namedContexts(build, frontend),
    format: "docker",
    registry: { credentials: session.credentials, trustLoopback: true },
    findName: (name) => localName(engine, name),
    fullName: (name) => dockerName(engine, name),
    readSecret: (id, signal) => session.readSecret(id, signal),
    openAgent: (id) => session.openAgent(id),
    allowInsecure: build.allowInsecure,
    signal,
  });
  return await logSteps(steps, log);
}

async function logSteps(steps: AsyncIterable<BuildProgress>, log: BuildLog): Promise<string> {
  const running = new Map<number, BuildStep>();
  let notes: BuildStep | undefined;
  const stepOf = (event: BuildProgress) => {
    return (event.step === undefined ? undefined : running.get(event.step)) ??
      (notes ??= log.begin("[internal] notes"));
  };
  try {
    for await (const event of steps) {
      switch (event.kind) {
        case "step":
          // A base image makes nothing: its step is over when the next one of its stage begins.
          running.get(event.number - 1)?.end();
          running.set(
            event.step ?? event.number,
            log.begin(`[${event.number}/${event.total}] ${platformPrefix(event)}${event.text}`),
          );
          break;
        case "cached":
          stepOf(event).end({ cached: true });
          break;
        case "output":
        case "note":
          stepOf(event).print(event.text);
          break;
        case "made":
          stepOf(event).end();
          break;
        case "done":
          for (const step of running.values()) step.end();
          notes?.end();
          return event.id;
      }
    }
    throw new GRPCError(GRPC_CODES.internal, "the build ended without an image");
  } catch (error) {
    // In BuildKit's words, which its clients show as they are.
    const failure = error instanceof CommandFailure
      ? new RequestError(
        "invalid",
        `process ${JSON.stringify(error.command)} did not complete successfully: exit code: ${error.exitCode}`,
        { cause: error },
      )
      : error;
    for (const step of [...running.values(), ...notes ? [notes] : []]) step.end({ error: messageOf(failure) });
    throw failure;
  }
}

type Inputs = Pick<BuildOptions, "context" | "contextFiles" | "remote" | "exclude" | "dockerfiles" | "dockerfileTexts">;

async function readInputs(build: ClientBuild, frontend: FrontendOptions): Promise<Inputs> {
  const { session, signal } = build;
  const { filename, contextFolder, dockerfileFolder, remote = "" } = frontend;
  const upload = UPLOAD.exec(remote)?.[1];
  if (contextFolder === undefined && upload === undefined) return { remote, dockerfiles: [filename] };
  if (upload !== undefined) {
    return { context: readUpload(session, upload, signal), dockerfiles: [filename] };
  }
  const own = `${filename}.dockerignore`;
  const step = build.log.begin(`[internal] load build definition from ${filename}`);
  const texts = await readTexts(session, dockerfileFolder, [filename, own], signal);
  step.end();
  const text = texts.get(filename);
  if (text === undefined) {
    throw new RequestError("invalid", `failed to read dockerfile: open ${filename}: no such file or directory`);
  }
  const name = ".dockerignore";
  const patterns = texts.get(own) ?? (await readTexts(session, contextFolder!, [name], signal)).get(name) ?? "";
  const exclude = patterns.split(/\r?\n/).map((line) => line.trim()).filter((line) =>
    line !== "" && !line.startsWith("#")
  );
  const contextFiles = countedFolder(build, { name: contextFolder!, exclude }, "[internal] load build context");
  return { contextFiles, exclude, dockerfiles: [], dockerfileTexts: [{ name: filename, text }] };
}

function namedContexts(build: ClientBuild, { contexts }: FrontendOptions): Record<string, NamedContext> {
  return Object.fromEntries(
    Object.entries(contexts).map(([name, context]): [string, NamedContext] => {
      if (context.kind !== "local") return [name, context];
      const folder = countedFolder(build, { name: context.folder }, `[context ${name}] load from client`);
      return [name, { kind: "files", folder }];
    }),
  );
}

/** A folder of the client, with a step that counts the bytes that are sent. */
function countedFolder({ session, log }: ClientBuild, wish: FolderWish, title: string): RemoteFolder {
  const { sharedKey, client } = session;
  const { name, exclude = [], follow = [] } = wish;
  return {
    name,
    ...sharedKey !== "" && { key: JSON.stringify([sharedKey, name, exclude, follow]) },
    async open(signal) {
      const step = log.begin(title);
      const open = await openClientFolder(client, wish, signal).catch((error) => {
        step.end({ error: messageOf(error) });
        throw error;
      });
      let bytes = 0;
      return {
        files: open.files,
        async *read(numbers) {
          let told = 0;
          for await (const piece of open.read(numbers)) {
            bytes += piece.bytes.length;
            if (bytes - told > 1 << 20) step.count("transferring context:", told = bytes);
            yield piece;
          }
        },
        async [Symbol.asyncDispose]() {
          step.count("transferring context:", bytes, true);
          step.end();
          await open[Symbol.asyncDispose]();
        },
      };
    },
  };
}

async function readTexts(
  { client }: Session,
  folder: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  await using open = await openClientFolder(client, { name: folder, follow: names }, signal);
  const texts = open.files.flatMap(({ path, kind, size }, number) => {
    if (kind !== "file" || !names.includes(path)) return [];
    if (size > TEXT_LIMIT) throw new RequestError("invalid", `Read ${path}: larger than ${TEXT_LIMIT} bytes`);
    return [{ path, number, pieces: [] as Uint8Array[] }];
  });
  // Of a path that is listed again and again, the last one counts.
  const byPath = new Map(texts.map((text) => [text.path, text]));
  const byNumber = new Map(Array.from(byPath.values(), (text) => [text.number, text]));
  for await (const { number, bytes } of open.read([...byNumber.keys()])) byNumber.get(number)!.pieces.push(bytes);
  return new Map(
    Array.from(byNumber.values(), ({ path, pieces }) => [path, new TextDecoder().decode(concatBytes(pieces))]),
  );
}

/** The archive that a client uploads, of its standard input say. */
function readUpload({ client }: Session, path: string, signal: AbortSignal): ReadableStream<Uint8Array> {
  const metadata = { urlpath: path, urlhost: "buildkit-session" };
  const answers = client.call("/moby.upload.v1.Upload/Pull", [], { metadata, signal });
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await answers.next();
      if (done || value === undefined) controller.close();
      else controller.enqueue(BytesMessage.decode(value).data.slice());
    },
    cancel: async () => void await answers.return(undefined),
  }, { highWaterMark: 0 });
}
