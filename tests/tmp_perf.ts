import { openTestEngine, TINY_NAME } from "./handlers/test_engine.ts";
const t = await openTestEngine();
for (let i = 0; i < 500; i++) { const r = await t.send("POST", "/libpod/containers/create", { image: TINY_NAME, command: ["true"], netns: { nsmode: "none" } }); if (r.status !== 201) throw await r.text(); else await r.text(); }
const { Id } = JSON.parse(await (await t.send("GET", "/libpod/containers/json?all=true&limit=1")).text())[0];
for (const path of ["/v4.0.0/libpod/containers/json?all=true", `/v4.0.0/libpod/containers/${Id}/json`, "/containers/json?all=true"]) {
  const n = path.includes(Id) ? 2000 : 100;
  for (let i = 0; i < n; i++) await (await t.send("GET", path)).arrayBuffer();
  const from = performance.now(); let size = 0;
  for (let i = 0; i < n; i++) size = (await (await t.send("GET", path)).arrayBuffer()).byteLength;
  console.log(path.slice(0, 40), size, ((performance.now() - from) / n).toFixed(3), "ms");
  const value = JSON.parse(await (await t.send("GET", path)).text());
  const f2 = performance.now(); for (let i = 0; i < n; i++) JSON.stringify(value); console.log("  stringify", ((performance.now() - f2) / n).toFixed(3));
  const text = JSON.stringify(value);
  const f3 = performance.now(); for (let i = 0; i < n; i++) new TextEncoder().encode(text); console.log("  encode", ((performance.now() - f3) / n).toFixed(3));
}
await t[Symbol.asyncDispose]();
