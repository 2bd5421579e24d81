/** Four digits and a unit of 1000: `2.139MB`. */
export function humanSize(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let size = bytes;
  let unit = 0;
  for (; size >= 1000 && unit < units.length - 1; unit++) size /= 1000;
  return `${Number(size.toPrecision(4))}${units[unit]}`;
}
