/** The style of text after the numbers of a sequence `ESC [ … m` (ECMA-48, section 8.3.117): class names. */
export function styleAfter(style: string, numbers: readonly number[]): string {
  let names = new Set(style.split(" ").filter((name) => name !== ""));
  const colour = (name: string | undefined) => {
    names = new Set([...names].filter((one) => !/^c\d$/.test(one)));
    if (name !== undefined) names.add(name);
  };
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at];
    if (number === 0) names.clear();
    else if (number === 1) names.add("bold");
    else if (number === 7) names.add("inverse");
    else if (number === 22) names.delete("bold");
    else if (number === 27) names.delete("inverse");
    else if (number === 39) colour(undefined);
    else if (number === 38 || number === 48) {
      // A colour of 256, or of three parts: the first sixteen are known, others stay as they are.
      const [kind, value] = [numbers[at + 1], numbers[at + 2]];
      if (number === 38 && kind === 5 && value < 16) colour(`c${value % 8}`);
      at += kind === 2 ? 4 : 2;
    } else if (number >= 30 && number <= 37) colour(`c${number - 30}`);
    else if (number >= 90 && number <= 97) colour(`c${number - 90}`);
  }
  return [...names].join(" ");
}
