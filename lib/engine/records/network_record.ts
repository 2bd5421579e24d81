/** A network as stored. */
export interface NetworkRecord {
  /** 64 hex digits. */
  id: string;
  name: string;
  driver: "bridge";
  /** The bridge's name on the host. */
  interface: string;
  /** ISO 8601. */
  created: string;
  subnets: { subnet: string; gateway: string }[];
  ipv6: boolean;
  internal: boolean;
  /** Names resolve to containers (aardvark-dns). */
  dns: boolean;
  labels: Record<string, string>;
  options: Record<string, string>;
}
