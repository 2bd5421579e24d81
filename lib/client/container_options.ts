/**
 * A container to be, in the words of `podman run` and `docker run`. Everything but the image has a default, the image's own where it has one.
 *
 * @example
 * ```ts
 * import type { ContainerOptions } from "./mod.ts";
 * const options: ContainerOptions = { image: "postgres", env: { POSTGRES_PASSWORD: "x" }, ports: { 5432: 0 }, memory: 256 << 20 };
 * ```
 */
export interface ContainerOptions {
  readonly image: string;
  /** The arguments, in place of the image's command. */
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly name?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** Ports of the host by ports of the container, `5432` or `"53/udp"`: 0 for any free one, or `"127.0.0.1:8080"`. */
  readonly ports?: Readonly<Record<number | string, number | string>>;
  /** Volumes by name, or folders of the server's host by absolute path, by the path in the container; `:ro` behind one makes it read-only. */
  readonly volumes?: Readonly<Record<string, string>>;
  /** `bridge`, `none`, `host`, or the name of a network; the server's default by itself, `bridge` before root. */
  readonly network?: string;
  /** The pod that it is in, by name or ID: Podman's tree has pods. */
  readonly pod?: string;
  readonly workdir?: string;
  /** `user`, `user:group` or numbers of both. */
  readonly user?: string;
  readonly hostname?: string;
  /** Give the process a terminal: its output is then one stream. */
  readonly terminal?: boolean;
  /** Keep standard input open, for {@linkcode Container.attach}. */
  readonly stdin?: boolean;
  readonly privileged?: boolean;
  readonly readOnly?: boolean;
  /** Run an init process that reaps children. */
  readonly init?: boolean;
  /** Bytes of memory. */
  readonly memory?: number;
  /** Processors: 0.5 is half of one. */
  readonly cpus?: number;
  /** `no` (the default), `always`, `on-failure` or `unless-stopped`. */
  readonly restart?: string;
  /** When the image is pulled: where it is missing (the default), always, or never. */
  readonly pull?: "missing" | "always" | "never";
}

/** A port of the container that is published. */
export interface PublishedPort {
  readonly container: number;
  readonly protocol: string;
  /** 0 for any free one. */
  readonly host: number;
  /** Empty for every address. */
  readonly address: string;
}

/**
 * Reads the ports of {@linkcode ContainerOptions}.
 *
 * @throws {TypeError} if one does not parse
 */
export function parsePorts(ports: ContainerOptions["ports"] = {}): PublishedPort[] {
  return Object.entries(ports).map(([inside, outside]) => {
    const [, port, protocol = "tcp"] = /^(\d{1,5})(?:\/(tcp|udp|sctp))?$/.exec(inside) ?? [];
    const [, ipv6, ipv4 = "", host] = /^(?:(?:\[([\da-fA-F:]+)\]|([\d.]+)):)?(\d{1,5})$/.exec(String(outside)) ?? [];
    if (!(Number(port) <= 65535) || !(Number(host) <= 65535)) {
      throw new TypeError(`Publish port "${inside}" on "${outside}": expected PORT[/PROTOCOL] and [ADDRESS:]PORT`);
    }
    return { container: Number(port), protocol, host: Number(host), address: ipv6 ?? ipv4 };
  });
}

/** A volume or folder in a container. */
export interface MountedVolume {
  readonly source: string;
  readonly target: string;
  readonly isReadOnly: boolean;
  /** Whether the source is a path of the server's host, and not the name of a volume. */
  readonly isPath: boolean;
}

/** Reads the volumes of {@linkcode ContainerOptions}. */
export function parseVolumes(volumes: ContainerOptions["volumes"] = {}): MountedVolume[] {
  return Object.entries(volumes).map(([target, text]) => {
    const source = text.replace(/:(?:ro|rw)$/, "");
    return { source, target, isReadOnly: text.endsWith(":ro"), isPath: source.startsWith("/") };
  });
}
