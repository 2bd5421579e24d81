import { assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { openUnitManager } from "../../../../lib/platform/linux/unit_manager.ts";

/** Stands in for systemctl, since systemd does not run the machines that these tests run on. */
const SYSTEMCTL = `#!/bin/sh
echo "$@" >>"$0.calls"
case "$1" in
show) printf 'Id=web.service\\nLoadState=loaded\\nActiveState=active\\nSubState=running\\n\\n'
  printf 'Id=none.service\\nLoadState=not-found\\nActiveState=inactive\\nSubState=dead\\n' ;;
start) [ "$3" = web.service ] || { echo "Unit $3 not found." >&2; exit 5; } ;;
esac
`;

Deno.test("openUnitManager() finds systemd by its folder and speaks with systemctl", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const program = `${folder}/systemctl`;
    await Deno.writeTextFile(program, SYSTEMCTL, { mode: 0o755 });
    assertEquals(await openUnitManager({ booted: `${folder}/none`, program }), undefined);
    const manager = await openUnitManager({ booted: folder, program });
    if (manager === undefined) throw new Error("systemd was not found");
    await manager.reload();
    await manager.start("web.service");
    await manager.stop("web.service");
    await manager.restart("web.service");
    assertEquals(
      await manager.states(["web.service", "none.service"]),
      new Map([
        ["web.service", "active/running"],
        ["none.service", "Not loaded"],
      ]),
    );
    assertEquals(await manager.states([]), new Map());
    const error = await assertRejects(() => manager.start("none.service"), EngineError);
    assertEquals([error.code, error.message], [
      "state",
      "systemctl start -- none.service: Unit none.service not found.",
    ]);
    assertEquals((await Deno.readTextFile(`${program}.calls`)).split("\n"), [
      "daemon-reload",
      "start -- web.service",
      "stop -- web.service",
      "restart -- web.service",
      "show --property=Id,LoadState,ActiveState,SubState -- web.service none.service",
      "start -- none.service",
      "",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
