/** The numbers of a list such as `0-3,8`, as cpuset(7) has it; `undefined` for a text that is none. */
export function parseCPUList(text: string): Set<number> | undefined {
  const numbers = new Set<number>();
  for (const part of text.split(",").filter((part) => part !== "")) {
    const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part.trim()) ?? [];
    if (first === undefined || Number(last) < Number(first)) return undefined;
    for (let number = Number(first); number <= Number(last); number++) numbers.add(number);
  }
  return numbers;
}
