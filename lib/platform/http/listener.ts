import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Handler } from "../../rest/context.ts";
import { type Address, formatAddress, isLoopback, parseAddress } from "./address.ts";
import { type Admission, processBudget } from "./connection_limit.ts";
import { serveNodeExchange } from "./exchange/node_exchange.ts";
import { type Hijacks, readFirstRequest } from "./first_request.ts";
import { hostRefusal, type HostRules } from "./host_rules.ts";
import { IdleWatch } from "./idle_watch.ts";
import { KeptAnswers } from "./exchange/kept_answers.ts";
import { serveRaw } from "./exchange/raw_exchange.ts";
import type { Serving } from "./answer.ts";
import { keepListening } from "./keep_listening.ts";
import { Pipelines } from "./pipeline.ts";
import { addressOfDescriptor, parseDescriptor } from "./passed_socket.ts";
import { listenUnix } from "./unix_socket.ts";
import { checkCertificates, type CheckedCertificates, secureSockets, type TLSCertificates } from "./tls_sockets.ts";
import { soFar } from "./websocket/upgrade_event.ts";
import { serveWebSocket } from "./websocket/websocket.ts";

/**
 * Options of {@linkcode listen}.
 *
 * @example
 * ```ts
 * import type { ListenOptions } from "./serve.ts";
 * const options: ListenOptions = { hosts: ["api.example.com"], connections: 1000, onError: console.error };
 * ```
 */
export interface ListenOptions extends HostRules {
  /** Every request is authenticated by the handler: TCP off loopback is allowed then, as it is with certificates of clients. */
  readonly authenticated?: boolean;
  /** TLS on TCP, and clients' certificates where they are asked for. The names in the server's certificate may stand in `Host`. */
  readonly tls?: TLSCertificates;
  /** Serves anybody who gets as far, under any name and for pages of any origin: for handlers that mean no harm to the machine they run on. */
  readonly open?: boolean;
  /**
   * Requests that may take their connection over without an `Upgrade` header. Without this they still may, as long as the
   * client sends nothing raw before it has the answer.
   */
  readonly hijacks?: Hijacks;
  /** Milliseconds a peer has to send the head of a request it has begun, or of its first; 60,000 by default. */
  readonly patience?: number;
  /** Milliseconds without a byte of a body that is waited for, until it is given up; 60,000 by default. */
  readonly bodyPatience?: number;
  /** Milliseconds a WebSocket's peer may be silent, though it is pinged, until it is taken for gone; 60,000 by default. */
  readonly socketPatience?: number;
  /**
   * Connections of this listener at once; more are closed as they come. All listeners of a process share its open files in any
   * case: where these run short, the oldest connections without a request make room.
   */
  readonly connections?: number;
  /**
   * Sends answers again, without a call of the handler, that its operations promised are still right (`platform.keepWhile`). Only for a handler
   * whose authenticator looks at nothing but the head of a request.
   */
  readonly keptAnswers?: boolean;
  /** The most bytes of body of a request that takes its connection over; 4 MiB by default. */
  readonly upgradeBodyLimit?: number;
  /** Told of errors no client can be told of: a handler that throws, a body that fails halfway. */
  onError?(error: unknown): void;
}

/**
 * A listener that is open.
 *
 * @example
 * ```ts
 * import { listen, type Listener } from "./serve.ts";
 * const listener: Listener = await listen("tcp://127.0.0.1:0", () => Promise.resolve(new Response("hello")));
 * console.assert(/^tcp:\/\/127\.0\.0\.1:\d+$/.test(listener.address));
 * await listener.close();
 * ```
 */
export interface Listener extends AsyncDisposable {
  /** `unix:///path` or `tcp://host:port`, with the port that was given, and the host too where none was named. */
  readonly address: string;
  /** Takes no more connections, lets requests under way end for `grace` milliseconds (1000 by default), and ends the rest. */
  close(grace?: number): Promise<void>;
}

/**
 * Serves a handler over HTTP/1.1 on a Unix socket (`unix:///path`, for its owner only), TCP (`tcp://host:port`) or a socket that the
 * process was given and that listens already (`fd://3`), on Deno and on Node: streams both ways, WebSocket, raw upgrades and connections that a client takes over.
 *
 * @throws {SyntaxError} if the address does not parse
 * @throws {Error} if it is taken, or off loopback without an authenticator, or if a certificate does not parse or has another key
 *
 * @example
 * ```ts
 * import { listen } from "./serve.ts";
 * await using listener = await listen("tcp://127.0.0.1:0", () => Promise.resolve(new Response("hello")));
 * console.assert(await (await fetch(listener.address.replace("tcp:", "http:"))).text() === "hello");
 * ```
 */
export async function listen(addr: string, handler: Handler, options: ListenOptions = {}): Promise<Listener> {
  const descriptor = parseDescriptor(addr);
  const address = descriptor === undefined ? parseAddress(addr) : await addressOfDescriptor(descriptor);
  const tls = address.kind === "unix" || options.tls === undefined ? undefined : checkCertificates(options.tls);
  const isGuarded = options.authenticated || options.open || tls?.clientCA !== undefined;
  if (address.kind === "tcp" && !isLoopback(address.host) && !isGuarded) {
    throw new Error(
      `Listen on "${addr}": off loopback callers must be authenticated, by a token or by certificates of their own`,
    );
  }
  const rules: HostRules = tls === undefined ? options : { ...options, hosts: [...options.hosts ?? [], ...tls.names] };
  const idle = new IdleWatch(options.bodyPatience ?? 60_000);
  const serving: Serving = {
    handler,
    idle,
    scheme: tls === undefined ? "http" : "https",
    authority: address.kind === "unix" ? "localhost" : undefined,
    refuse: address.kind === "unix" || options.open
      ? undefined
      : (headers, local) => hostRefusal(headers, local, rules),
    socketPatience: options.socketPatience ?? 60_000,
    upgradeBodyLimit: options.upgradeBodyLimit ?? 4 * 1024 * 1024,
    kept: options.keptAnswers ? new KeptAnswers() : undefined,
    onError: options.onError ?? (() => {}),
  };
  const server = makeServer(serving, options, address.kind, tls);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const bound = await bindServer(server, address, descriptor);
  // Deno tells here of a connection it could not take (no files left, say), and an event without a listener ends the process.
  server.on("error", serving.onError);
  let closing: Promise<void> | undefined;
  // A socket that was passed on cannot be had again: its manager starts the service anew.
  const keeper = descriptor === undefined
    ? keepListening(server, bound, () => bindServer(server, bound), serving.onError)
    : { [Symbol.dispose]() {} };
  const close = (grace = 1000) => {
    keeper[Symbol.dispose]();
    return closing ??= closeServer(server, sockets, grace).finally(() => idle[Symbol.dispose]());
  };
  return { address: formatAddress(bound), close, [Symbol.asyncDispose]: () => close() };
}

/** Milliseconds of silence after which TCP asks whether the peer is there. */
const KEEP_ALIVE = 60_000;

function makeServer(
  serving: Serving,
  { hijacks, patience = 60_000, connections }: ListenOptions,
  door: Address["kind"],
  tls: CheckedCertificates | undefined,
): Server {
  const settings = {
    headersTimeout: patience,
    connectionsCheckingInterval: Math.min(patience / 2, 30_000),
    // Registry credentials for many registries travel in one header.
    maxHeaderSize: 128 * 1024,
    // Longer than the 90 s for which Go's clients keep an idle connection: the client is the one to close it.
    keepAliveTimeout: 120_000,
    // Uploads and streams may last.
    requestTimeout: 0,
    // Anything else (h2c, say) is a wish that may be left alone. Known to Node and Deno, not to the types.
    shouldUpgradeCallback: (message: { headers: { upgrade?: string } }) =>
      /^(?:tcp|websocket)$/i.test(message.headers.upgrade ?? ""),
  };
  const server = createServer(settings);
  if (connections !== undefined) server.maxConnections = connections;
  const secure = tls && secureSockets(tls, patience);
  const admissions = new WeakMap<Socket, Admission>();
  const pipelines = new Pipelines();
  const serve = (message: IncomingMessage, out: ServerResponse, waiting?: boolean) => {
    const admission = admissions.get(message.socket);
    pipelines.add(message.socket, out, () => {
      admission?.busy();
      out.on("close", () => admission?.idle());
      void serveNodeExchange(serving, message, out, waiting);
    });
  };
  server.on("request", (message, out) => serve(message, out));
  server.on("checkContinue", (message, out) => serve(message, out, true));
  server.on("upgrade", (message, duplex, ahead) => {
    // Connections come from net: a Socket is what node:http hands on.
    const socket = duplex as Socket;
    admissions.get(socket)?.busy();
    // Cockpit names it for a connection of plain bytes, with POST and without the key that a WebSocket has.
    const isPlain = message.method === "POST" && message.headers["sec-websocket-key"] === undefined;
    const isWebSocket = !isPlain && message.headers.upgrade?.toLowerCase() === "websocket";
    if (isWebSocket) void serveWebSocket(serving, message, socket, ahead);
    else void serveRaw(serving, socket, soFar(message, ahead));
  });
  // node:http's own listener runs after ours, when the first head is not for us.
  const [accept] = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    const admission = processBudget.admit(socket, door, serving.onError);
    if (admission === undefined) return;
    // A peer that has vanished, and to which there is nothing to send, is asked for by TCP itself: a stream may be silent for hours.
    socket.setKeepAlive(true, KEEP_ALIVE);
    const begin = (socket: Socket) => {
      admissions.set(socket, admission);
      readFirstRequest(socket, {
        pass: (socket) => void accept.call(server, socket),
        take(socket, raw) {
          // Its body comes before anybody has asked who sends it: until then it waits as a half-open one does.
          const begun: Serving = {
            ...serving,
            handler(request, platform) {
              admission.busy();
              return serving.handler(request, platform);
            },
          };
          void serveRaw(begun, socket, raw);
        },
        hijacks,
        patience,
      });
    };
    if (secure === undefined) begin(socket);
    else secure(socket, begin);
  });
  return server;
}

async function bindServer(server: Server, address: Address, fd?: number): Promise<Address> {
  if (fd !== undefined) {
    await startListening(server, (ready) => server.listen({ fd }, ready));
    return address;
  }
  if (address.kind === "unix") {
    await listenUnix(server, address.path);
    return address;
  }
  await startListening(server, (ready) => server.listen(address.port, address.host, ready));
  const bound = server.address();
  if (typeof bound !== "object" || bound === null) return address;
  // Without a host it is all addresses of the machine, in the words of the runtime: `::`, or `0.0.0.0` where there is no IPv6.
  return { ...address, host: address.host || bound.address, port: bound.port };
}

function startListening(server: Server, listen: (ready: () => void) => void): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    listen(() => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

async function closeServer(server: Server, sockets: Set<Socket>, grace: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, grace);
  await closed;
  clearTimeout(timer);
}
