/**
 * Sessions: connections on which the client is called back, for its files, secrets, agents and credentials.
 *
 * @module
 */
import {
  type GRPC,
  GRPC_CODES,
  type GRPCClient,
  GRPCError,
  type IncomingCall,
  type SocketConnection,
} from "../../../lib/engine/ports/build_port.ts";
import type { CredentialSource } from "../../../lib/engine/ports/credential_source.ts";
import {
  AgentRequest,
  BytesMessage,
  CredentialsRequest,
  CredentialsResponse,
  SecretRequest,
  SecretResponse,
} from "./messages.ts";

/** Milliseconds that a build waits for its session, which comes by another connection. */
const PATIENCE = 20_000;
/** Sessions at a time. */
const MOST_SESSIONS = 1000;

/** The sessions of a server, by the names that clients chose: nobody can guess them. */
export class Sessions {
  readonly #open = new Map<string, Session>();
  readonly #waiting = new Map<string, Set<(session: Session) => void>>();

  /** Adds a session, and resolves when its connection has ended. Throws {@linkcode GRPCError} for a name that is taken. */
  async add(id: string, facts: SessionFacts, client: GRPCClient): Promise<void> {
    if (this.#open.has(id)) throw new GRPCError(GRPC_CODES.failedPrecondition, "there is a session of that name");
    if (this.#open.size >= MOST_SESSIONS) throw new GRPCError(GRPC_CODES.resourceExhausted, "too many sessions");
    const session = new Session(facts, client);
    this.#open.set(id, session);
    for (const resolve of this.#waiting.get(id) ?? []) resolve(session);
    try {
      await client.closed;
    } finally {
      this.#open.delete(id);
    }
  }

  /** Adds a session that is carried by a call, whose messages are its bytes. Resolves when it has ended. */
  async addWithin(call: IncomingCall, grpc: GRPC): Promise<void> {
    const {
      "x-docker-expose-session-uuid": id = "",
      "x-docker-expose-session-sharedkey": sharedKey = "",
      "x-docker-expose-session-grpc-method": methods = [],
    } = call.metadata;
    if (id === "") throw new GRPCError(GRPC_CODES.invalidArgument, "the session has no name");
    const client = grpc.connect(tunnelOf(call));
    const close = () => client.close();
    call.signal.addEventListener("abort", close, { once: true });
    try {
      await this.add(String(id), { methods: [methods].flat(), sharedKey: String(sharedKey) }, client);
    } finally {
      call.signal.removeEventListener("abort", close);
      client.close();
    }
  }

  /** Finds a session, and waits a while for one that is on its way. Throws {@linkcode GRPCError}. */
  async find(id: string, signal: AbortSignal): Promise<Session> {
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    const found = Promise.withResolvers<Session>();
    const waiting = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiting.add(found.resolve));
    const give = () => found.reject(new GRPCError(GRPC_CODES.notFound, `there is no session ${id}`));
    const timer = setTimeout(give, PATIENCE);
    signal.addEventListener("abort", give, { once: true });
    try {
      return await found.promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", give);
      waiting.delete(found.resolve);
      if (waiting.size === 0) this.#waiting.delete(id);
    }
  }
}

/** The facts that a client tells of itself when it begins a session. */
export interface SessionFacts {
  /** The methods that it has: `/moby.filesync.v1.Auth/Credentials`. */
  methods: readonly string[];
  /** Its name of the folder that it builds from: sessions that share it show the same folder. Empty for none. */
  sharedKey: string;
}

/** A client that can be called back. */
export class Session {
  readonly client: GRPCClient;
  readonly sharedKey: string;
  readonly #methods: ReadonlySet<string>;

  constructor({ methods, sharedKey }: SessionFacts, client: GRPCClient) {
    this.client = client;
    this.sharedKey = sharedKey;
    this.#methods = new Set(methods.map((method) => method.toLowerCase()));
  }

  /** The client's credentials for a registry, where it has any. */
  readonly credentials: CredentialSource = async (registry) => {
    const method = "/moby.filesync.v1.Auth/Credentials";
    if (!this.#has(method)) return undefined;
    const answer = await this.#ask(method, CredentialsRequest.encode({ Host: registry }));
    const { Username: username, Secret: secret } = CredentialsResponse.decode(answer);
    if (secret === "") return undefined;
    return username === "" ? { identityToken: secret } : { username, password: secret };
  };

  /** Reads a secret; `undefined` where the client has none of that name. */
  async readSecret(id: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const method = "/moby.buildkit.secrets.v1.Secrets/GetSecret";
    if (!this.#has(method)) return undefined;
    try {
      return SecretResponse.decode(await this.#ask(method, SecretRequest.encode({ ID: id }), signal)).data;
    } catch (error) {
      if (error instanceof GRPCError && error.code === GRPC_CODES.notFound) return undefined;
      throw error;
    }
  }

  /** Connects to an SSH agent of the client; `undefined` where it has none of that name. */
  async openAgent(id: string): Promise<SocketConnection | undefined> {
    const service = "/moby.sshforward.v1.SSH";
    if (!this.#has(`${service}/ForwardAgent`)) return undefined;
    try {
      await this.#ask(`${service}/CheckAgent`, AgentRequest.encode({ ID: id }));
    } catch (error) {
      if (error instanceof GRPCError && error.code !== GRPC_CODES.unavailable) return undefined;
      throw error;
    }
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
      transform: (data, controller) => controller.enqueue(BytesMessage.encode({ data })),
    });
    const metadata = { "buildkit.ssh.id": id };
    const answers = this.client.call(`${service}/ForwardAgent`, readable, { metadata });
    return {
      writable,
      readable: new ReadableStream({
        async pull(controller) {
          const { done, value } = await answers.next();
          if (done || value === undefined) controller.close();
          else controller.enqueue(BytesMessage.decode(value).data);
        },
        cancel: async () => void await answers.return(undefined),
      }, { highWaterMark: 0 }),
    };
  }

  #has(method: string): boolean {
    return this.#methods.has(method.toLowerCase());
  }

  async #ask(method: string, message: Uint8Array, signal?: AbortSignal): Promise<Uint8Array> {
    for await (const answer of this.client.call(method, [message], { signal })) return answer;
    throw new GRPCError(GRPC_CODES.unknown, `${method} has no answer`);
  }
}

/** The connection that a call's messages make. */
function tunnelOf({ messages, send }: IncomingCall): SocketConnection {
  const incoming = messages[Symbol.asyncIterator]();
  return {
    readable: new ReadableStream({
      async pull(controller) {
        const { done, value } = await incoming.next();
        if (done) controller.close();
        else controller.enqueue(BytesMessage.decode(value).data.slice());
      },
      cancel: async () => void await incoming.return?.(),
    }, { highWaterMark: 0 }),
    writable: new WritableStream({ write: (data) => send(BytesMessage.encode({ data })) }),
  };
}
