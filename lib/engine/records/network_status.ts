/** The result of connecting one container to its networks. */
export interface NetworkStatus {
  /** Path of the network namespace. */
  netns: string;
  /** By network name. */
  interfaces: Record<
    string,
    { name: string; mac: string; addresses: { address: string; prefix: number; gateway?: string }[] }
  >;
  dnsServers: string[];
  searchDomains: string[];
}
