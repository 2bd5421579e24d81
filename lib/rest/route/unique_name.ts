/** Makes a name that is not taken yet, by a number behind the wanted one, and takes it. */
export function uniqueName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted}_${n}`;
  taken.add(name);
  return name;
}
