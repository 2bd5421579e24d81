/** A range of addresses in CIDR notation; the server chooses its gateway where that is left out. */
export interface NetworkSubnet {
  readonly subnet: string;
  readonly gateway?: string;
}

/** How a network is made: a bridge with a free range of addresses, unless told otherwise. */
export interface NetworkOptions {
  readonly driver?: string;
  readonly subnets?: readonly NetworkSubnet[];
  /** Containers in it reach each other only. */
  readonly internal?: boolean;
  readonly ipv6?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  /** The driver's options: `{ mtu: "1400" }`. */
  readonly options?: Readonly<Record<string, string>>;
}

/** The facts about a network. */
export interface NetworkDetails {
  readonly id: string;
  readonly name: string;
  readonly driver: string;
  readonly created: Date | undefined;
  readonly subnets: readonly NetworkSubnet[];
  readonly internal: boolean;
  readonly ipv6: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string>>;
  /** The containers in it, from `inspect` only. Podman 4 does not tell them in its own tree. */
  readonly containers: readonly { readonly id: string; readonly name: string }[];
}
