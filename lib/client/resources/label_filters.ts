/** The filters for labels, as JSON; nothing where no label is asked for. */
export function labelFilters(labels: Readonly<Record<string, string>> = {}): string | undefined {
  const wanted = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return wanted.length === 0 ? undefined : JSON.stringify({ label: wanted });
}
