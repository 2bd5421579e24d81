/** A refusal that needed no body of its request, in workerd. */
import { bundled } from "../../fixtures/platform/test_cache.ts";
import { checkUnreadUpload } from "../../fixtures/platform/unread_upload.ts";
import { startWorkerd } from "../workerd.ts";

const TOKEN = "a-token-of-a-test";
const script = bundled("lib/platform/entries/workers.ts", "workers");
const PLACES: Record<string, Record<string, string>> = {
  "one engine": { ENGINE: "GantryEngine" },
  "an engine in memory": {},
};

for (const [place, objects] of Object.entries(PLACES)) {
  Deno.test(`${place} in workerd refuses an upload without cutting off its sender`, async (t) => {
    await using workerd = await startWorkerd({ script: await script, bindings: { GANTRY_TOKEN: TOKEN }, objects });
    await checkUnreadUpload(t, Number(new URL(workerd.url).port), TOKEN);
  });
}
