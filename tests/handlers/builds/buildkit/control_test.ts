import { assertEquals, assertRejects } from "@std/assert";
import { InfoResponse, SolveRequest } from "../../../../handlers/builds/buildkit/messages.ts";
import { GRPC_CODES, GRPCError } from "../../../../lib/engine/ports/build_port.ts";
import { openTestEngine } from "../../../fixtures/handlers/test_engine.ts";
import { BuildKit } from "../../../../handlers/builds/buildkit/control.ts";
import { Sessions } from "../../../../handlers/builds/buildkit/sessions.ts";

const none = new AbortController().signal;

Deno.test("BuildKit answers what clients ask first, and refuses other services by name", async () => {
  await using test = await openTestEngine();
  const services = new BuildKit(test.engine, new Sessions());
  const ask = async (method: string, message: Uint8Array = new Uint8Array(), metadata = {}) => {
    const sent: Uint8Array[] = [];
    await services.answer({
      ...{ method, metadata, signal: none },
      messages: (async function* () {
        yield message;
      })(),
      send: (piece) => Promise.resolve(void sent.push(piece)),
    });
    return sent;
  };
  const [info] = await ask("/moby.buildkit.v1.Control/Info");
  assertEquals(InfoResponse.decode(info).buildkitVersion?.package, "gantry");
  assertEquals((await ask("/moby.buildkit.v1.Control/ListWorkers")).length, 1);
  assertEquals((await ask("/moby.buildkit.v1.frontend.LLBBridge/Ping")).length, 1);
  for (const method of ["/moby.buildkit.v1.Control/Other", "/x.Y/Z", "/a", "/moby.buildkit.v1.Control/constructor"]) {
    const { code } = await assertRejects(() => ask(method), GRPCError);
    assertEquals(code, GRPC_CODES.unimplemented);
  }
  const request = SolveRequest.encode({ Ref: "one", Frontend: "other.v0" });
  const solve = () => assertRejects(() => ask("/moby.buildkit.v1.Control/Solve", request), GRPCError);
  assertEquals((await solve()).code, GRPC_CODES.unimplemented);
  assertEquals((await solve()).code, GRPC_CODES.alreadyExists, "a name is one build's");
  const nameless = await assertRejects(() => ask("/moby.buildkit.v1.Control/Status"), GRPCError);
  assertEquals(nameless.code, GRPC_CODES.invalidArgument);
});
