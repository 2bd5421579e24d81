/** A measured line beside one peer. */
export interface RatioRow {
  what: string;
  unit: string;
  gantry: number;
  peer: string;
  theirs: number;
  /** How many times as good as the peer's ours is. */
  ratio: number;
  /** The ratio that is aimed at. */
  aim?: number;
}

/** Writes rows as a table, the one that is furthest behind first: in columns for a terminal, or in Markdown. */
export function ratioTable(rows: readonly RatioRow[], markdown: boolean): string {
  const sorted = [...rows].sort((a, b) => a.ratio - b.ratio);
  const cells = [
    ["ratio", "aim", "line", "Gantry", "peer", "theirs", "unit"],
    ...sorted.map(({ what, unit, gantry, peer, theirs, ratio, aim }) => {
      return [
        ratio.toFixed(2),
        aim === undefined ? "" : String(aim),
        what,
        shortNumber(gantry),
        peer,
        shortNumber(theirs),
        unit,
      ];
    }),
  ];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const lines = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column])));
  if (!markdown) return lines.map((row) => row.join("  ").trimEnd()).join("\n") + "\n";
  const rule = widths.map((width) => "-".repeat(width));
  return [lines[0], rule, ...lines.slice(1)].map((row) => `| ${row.join(" | ")} |`).join("\n") + "\n";
}

/** Writes a figure with as many digits as mean something. */
export function shortNumber(value: number): string {
  return value >= 1000 ? value.toFixed(0) : value.toPrecision(3);
}
