/**
 * Metrics as text: OpenMetrics 1.0 (openmetrics.io), which Prometheus and its kind read.
 *
 * @module
 */

/** One value of a metric. */
export interface Sample {
  /** Behind the name of the metric: `_total` of counters, `_bucket`, `_count` and `_sum` of histograms. */
  readonly suffix?: "_total" | "_bucket" | "_count" | "_sum" | "_info";
  /** By name (`[a-zA-Z_][a-zA-Z0-9_]*`); values are any text. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with all of its values. */
export interface Metric {
  /** As `gantry_http_requests`; the unit is its end where there is one. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram" | "info";
  readonly unit?: "seconds" | "bytes";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** The media type of {@linkcode writeMetrics}. */
export const METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** Writes metrics as OpenMetrics text, in the order given. */
export function writeMetrics(metrics: Iterable<Metric>): string {
  const lines: string[] = [];
  for (const { name, type, unit, help, samples } of metrics) {
    lines.push(`# TYPE ${name} ${type}`);
    if (unit !== undefined) lines.push(`# UNIT ${name} ${unit}`);
    lines.push(`# HELP ${name} ${escapeText(help)}`);
    for (const { suffix = "", labels = {}, value } of samples) {
      lines.push(`${name}${suffix}${writeLabels(labels)} ${writeNumber(value)}`);
    }
  }
  return `${[...lines, "# EOF"].join("\n")}\n`;
}

function writeLabels(labels: NonNullable<Sample["labels"]>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeText(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}

function writeNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

function escapeText(text: string): string {
  return text.replace(/[\\"\n]/g, (character) => character === "\n" ? "\\n" : `\\${character}`);
}
