import { assert } from "@std/assert";
import { sizes } from "../../scripts/size.ts";

Deno.test("sizes() stay within their budgets", async () => {
  for (const { name, gzip, budget } of await sizes()) {
    if (budget !== undefined) assert(gzip <= budget, `${name} weighs ${gzip} bytes of ${budget}`);
  }
});
