/** What a page of another site sends, against a listener as a browser would reach it. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { listen } from "../../../lib/platform/http/listener.ts";
import type { Handler } from "../../../lib/rest/context.ts";
import { client } from "../../fixtures/platform/raw_client.ts";

/** Heads of a page that reached this machine by a name of its own, or from afar. */
const FOREIGN: Record<string, string> = {
  "a one-word name with the same origin": "Host: evil\r\nOrigin: http://evil\r\n",
  "a one-word name": "Host: evil:2375\r\n",
  "Podman's name with the same origin": "Host: d\r\nOrigin: http://d\r\n",
  "Docker's name with the same origin": "Host: docker\r\nOrigin: http://docker\r\n",
  "another site without an origin": "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n",
  "another port's page without an origin": "Host: localhost\r\nSec-Fetch-Site: same-site\r\n",
};

/** Ways in which a request is read. */
const KINDS: Record<string, string> = {
  "a request": "GET /x HTTP/1.1\r\nConnection: close\r\n",
  "a WebSocket": "GET /x HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
  "a raw upgrade": "POST /x HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n",
  "a request that may take the connection": "POST /attach HTTP/1.1\r\nContent-Length: 0\r\n",
};

for (const authenticated of [false, true]) {
  for (const [kind, line] of Object.entries(KINDS)) {
    const who = authenticated ? "that asks for a token" : "without a token";
    Deno.test(`defect: a listener ${who} refuses ${kind} of a page that has pointed a name here`, async () => {
      let calls = 0;
      const handler: Handler = () => {
        calls++;
        return Promise.resolve(new Response("ok"));
      };
      const hijacks = (_method: string, path: string) => path === "/attach";
      await using listener = await listen("tcp://127.0.0.1:0", handler, {
        authenticated,
        hijacks,
        clientHosts: ["d", "docker"],
      });
      const port = Number(listener.address.split(":").at(-1));
      const ask = async (head: string) => {
        await using peer = await client(port);
        peer.write(`${line}${head}\r\n`);
        return await peer.response();
      };
      for (const [name, head] of Object.entries(FOREIGN)) {
        const { status, body } = await ask(head);
        assertEquals(status, 403, name);
        assertStringIncludes(body, "Refuse the request", name);
      }
      assertEquals(calls, 0);
      // Podman's and Docker's own clients, and a page of this very server.
      const own = `Host: localhost:${port}\r\nOrigin: http://localhost:${port}\r\nSec-Fetch-Site: same-origin\r\n`;
      for (const head of ["Host: d\r\n", "Host: docker\r\n", `Host: 127.0.0.1:${port}\r\n`, own]) {
        assertEquals((await ask(head)).status, 200, head);
      }
    });
  }
}
