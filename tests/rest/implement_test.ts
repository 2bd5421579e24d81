import { assertEquals, assertThrows } from "@std/assert";
import {
  api,
  DefinitionError,
  endpoints,
  type Functions,
  handler,
  handlers,
  implement,
  implementPart,
  int64,
  namespace,
  rest,
} from "../../lib/rest/mod.ts";

const shop = api("x", {
  Count: rest("GET /count", [], [int64]),
  Orders: namespace({ Add: rest("POST /orders"), Clear: rest("DELETE /orders") }),
});

Deno.test("implement() wants a function for every operation, by its types and when it is served", () => {
  // @ts-expect-error an operation and a namespace have no function
  const nothing = implement(shop, {});
  // @ts-expect-error one within a namespace has none
  const some = implement(shop, { Count: () => 7n, Orders: { Add() {} } });
  const wrong = (made: typeof some) => assertThrows(() => handler(null, made), DefinitionError).problems;
  assertEquals(wrong(nothing), [
    'Implement "Count": it has no function, see implementPart(): "GET /count"',
    'Implement "Orders.Add": it has no function, see implementPart(): "POST /orders"',
    'Implement "Orders.Clear": it has no function, see implementPart(): "DELETE /orders"',
  ]);
  assertEquals(wrong(some), [
    'Implement "Orders.Clear": it has no function, see implementPart(): "DELETE /orders"',
  ]);
  for (const serve of [() => endpoints(null, some), () => handlers(null, some, ":%s", "*")]) {
    assertThrows(serve, DefinitionError, '"Orders.Clear": it has no function');
  }
});

Deno.test("implement() wants a function where there is another value", () => {
  const functions = { Count: 7, Orders: { Add() {}, Clear() {} } } as unknown as Functions<typeof shop.operations>;
  assertThrows(() => handler(null, implement(shop, functions)), DefinitionError, '"Count": it has no function');
});

Deno.test("implementPart() answers 501 to the operations that it leaves out", async () => {
  const serve = handler(null, implementPart(shop, { Count: () => 7n, Orders: { Add() {} } }));
  const status = async (method: string, path: string) =>
    (await serve(new Request(`http://localhost${path}`, { method }))).status;
  assertEquals(await status("GET", "/count"), 200);
  assertEquals(await status("POST", "/orders"), 204);
  assertEquals(await status("DELETE", "/orders"), 501);
  // @ts-expect-error there is no such operation
  implementPart(shop, { Sum: () => 7n });
});
