/** The name of a capability as capabilities(7) has it, `CAP_NET_ADMIN`, or `ALL`; clients leave the prefix out, and write small letters. */
export function capabilityName(name: string): string {
  const plain = name.toUpperCase().replace(/^CAP_/, "");
  return plain === "ALL" ? plain : `CAP_${plain}`;
}
