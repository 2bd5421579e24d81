/** The server's own proxy, with the password in it, and who gets to see it. */
import { assert, assertEquals } from "@std/assert";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

const SECRET = "proxy-password";
const proxyEnv = {
  http_proxy: `http://ann:${SECRET}@proxy.example:3128`,
  HTTPS_PROXY: `http://ann:${SECRET}@proxy.example:3128`,
  no_proxy: "localhost",
};

Deno.test("a container of Docker's tree gets nothing of the server's proxy, in neither tree's inspection nor its process", async () => {
  await using test = await openTestEngine({ proxyEnv });
  const body = { Image: TINY_NAME, Env: ["OWN=1"] };
  const { Id } = await (await test.send("POST", "/containers/create?name=docker", body)).json();
  for (const path of [`/containers/${Id}/json`, `/libpod/containers/${Id}/json`]) {
    const text = await (await test.send("GET", path)).text();
    assertEquals([text.includes("OWN=1"), text.includes(SECRET), /_proxy/i.test(text)], [true, false, false], path);
  }
  const { process } = test.engine.containers.resolve(Id);
  assert(process.env.includes("OWN=1") && !process.env.some((entry) => /_proxy=/i.test(entry)));
  assert(!(await (await test.send("GET", "/info")).text()).includes(SECRET));
});

Deno.test("a container of the native tree gets the server's proxy unless it is refused, as in Podman", async () => {
  await using test = await openTestEngine({ proxyEnv });
  for (const [httpproxy, gets] of [[true, true], [undefined, true], [false, false]]) {
    const reply = await test.send("POST", "/libpod/containers/create", { image: TINY_NAME, httpproxy });
    const { Id } = await reply.json();
    const { process } = test.engine.containers.resolve(Id);
    assertEquals(process.env.includes(`http_proxy=${proxyEnv.http_proxy}`), gets, String(httpproxy));
  }
});
