import { assertEquals } from "@std/assert";
import { writeMetrics } from "../../../handlers/wire/monitor/open_metrics.ts";

Deno.test("writeMetrics() writes OpenMetrics, whatever stands in labels", () => {
  const text = writeMetrics([
    {
      ...{ name: "a_seconds", type: "gauge", unit: "seconds", help: 'Says "a\\b"\nand more.' },
      samples: [{ labels: { name: 'x"y\\z\nw' }, value: 1.5 }, { value: Infinity }],
    },
    { name: "b", type: "counter", help: "B.", samples: [{ suffix: "_total", value: 3 }] },
  ]);
  assertEquals(
    text,
    [
      "# TYPE a_seconds gauge",
      "# UNIT a_seconds seconds",
      '# HELP a_seconds Says \\"a\\\\b\\"\\nand more.',
      'a_seconds{name="x\\"y\\\\z\\nw"} 1.5',
      "a_seconds +Inf",
      "# TYPE b counter",
      "# HELP b B.",
      "b_total 3",
      "# EOF",
      "",
    ].join("\n"),
  );
});
