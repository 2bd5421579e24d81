import { assert, assertEquals, assertRejects } from "@std/assert";
import { createServer } from "node:net";
import { once } from "node:events";
import { EngineError } from "../../../../../lib/engine/errors.ts";
import {
  changeSetting,
  findIndex,
  inNamespace,
  LinkError,
  LinkHelper,
  sendMessages,
  tryPort,
  writeSetting,
} from "../../../../../lib/platform/linux/networks/links/link_helper.ts";
import { deletionSteps } from "../../../../../lib/platform/linux/networks/links/connect_links.ts";
import { newBridge } from "../../../../../lib/platform/linux/networks/links/link_messages.ts";
import { joinMessages } from "../../../../../lib/platform/linux/networks/links/netlink.ts";
import { runOk } from "../../../../fixtures/run.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;

/** Runs with a helper in a namespace that is the test's own, kept by a process. */
async function withHelper(run: (helper: LinkHelper, netns: string) => Promise<void>): Promise<void> {
  const keeper = new Deno.Command("unshare", { args: ["--net", "sleep", "1000"], stdin: "null" }).spawn();
  const netns = `/proc/${keeper.pid}/ns/net`;
  const own = await Deno.readLink("/proc/self/ns/net");
  while (await Deno.readLink(netns) === own) await new Promise((done) => setTimeout(done, 5));
  const helper = new LinkHelper(netns);
  try {
    await run(helper, netns);
  } finally {
    await helper.close();
    keeper.kill("SIGKILL");
    await keeper.status;
  }
}

Deno.test({
  name: "LinkHelper.run() stops at the first step that fails, says why, and goes on with the next request",
  ignore,
}, () =>
  withHelper(async (helper, netns) => {
    const bridge = (name: string) =>
      sendMessages("route", joinMessages(newBridge(name, "02:00:00:00:00:01", undefined)));
    const requests = [
      helper.run(bridge("gx0")),
      assertRejects(() => helper.run(findIndex("gx0"), bridge("gx0"), bridge("gx1")), LinkError, "File exists"),
      assertRejects(() => helper.run(inNamespace("/nowhere"), bridge("gx1")), LinkError, "No such file"),
      assertRejects(() => helper.run(inNamespace("/dev/null"), bridge("gx1")), LinkError, "Invalid argument"),
      assertRejects(() => helper.run(bridge("name-of-more-than-15")), LinkError),
      assertRejects(() => helper.run(bridge("a/b")), LinkError),
      helper.run(writeSetting("net/ipv6/conf/none/accept_dad", "0")),
      assertRejects(
        () => helper.run(changeSetting("net/ipv6/conf/none/accept_dad", "0")),
        LinkError,
        "/proc/sys/net/ipv6/conf/none/accept_dad is not a sysctl file",
      ),
    ];
    const error = await requests[1] as LinkError;
    assertEquals([error.step, error.code], [1, 17]);
    await Promise.all(requests);
    // Where it is after a failure in another namespace: at home.
    await helper.run(bridge("gx2"));
    const listed = await runOk(["nsenter", `--net=${netns}`, "ip", "-brief", "link"]);
    assertEquals(listed.match(/gx\d/g), ["gx0", "gx2"]);
    await Promise.all([helper.runAside(...deletionSteps("gx0")), helper.runAside(...deletionSteps("gx2"))]);
    await helper.runAside(...deletionSteps("gx0"));
    assert(!(await runOk(["nsenter", `--net=${netns}`, "ip", "-brief", "link"])).includes("gx"));
  }));

Deno.test({ name: "LinkHelper tries ports, and starts anew after it was lost", ignore }, async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const helper = new LinkHelper();
  try {
    const error = await assertRejects(
      () => helper.run(tryPort("udp", "7f000001", port), tryPort("tcp", "7f000001", port)),
      LinkError,
    ) as LinkError;
    assertEquals([error.step, error.code], [1, 98]);
    assertEquals(
      (await assertRejects(() => helper.run(tryPort("tcp", "cb007109", 80)), LinkError) as LinkError).code,
      99,
    );
    // A step that no helper knows is a defect of this program: it is told, not passed over.
    await assertRejects(() => helper.run(["jump"]), EngineError, "unknown step jump");
    await helper.run(tryPort("tcp", "7f000002", port));
  } finally {
    await helper.close();
    await new Promise((done) => server.close(done));
  }
});
