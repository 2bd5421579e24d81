import { assertEquals, assertThrows } from "@std/assert";
import { mountsFrom, parseVolumesFrom } from "../../../../lib/engine/containers/create/volumes_from.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import type { MountSpec } from "../../../../lib/engine/records/mount_spec.ts";

Deno.test("parseVolumesFrom() reads a container and options, and no others", () => {
  assertEquals(parseVolumesFrom("c"), { container: "c", options: [] });
  assertEquals(parseVolumesFrom("c:ro,z"), { container: "c", options: ["ro", "z"] });
  const rows = [["c:nosuid", 'invalid option "nosuid"'], ["c:z,z", ":z more than once"], ["c:ro,rw", "more than once"]];
  for (const [text, error] of rows) assertThrows(() => parseVolumesFrom(text), EngineError, error);
});

Deno.test("mountsFrom() takes folders and volumes, which stay the other container's", () => {
  const mounts: MountSpec[] = [
    { type: "bind", source: "/s", destination: "/b", options: ["rw", "rprivate"] },
    { type: "volume", source: "v", destination: "/v", options: ["nosuid"], anonymous: true },
    { type: "tmpfs", source: "tmpfs", destination: "/t", options: [] },
  ];
  assertEquals(mountsFrom({ mounts }, []), [mounts[0], {
    type: "volume",
    source: "v",
    destination: "/v",
    options: ["nosuid"],
  }]);
  assertEquals(mountsFrom({ mounts }, ["ro", "z"]).map(({ options }) => options), [["rprivate", "ro"], [
    "nosuid",
    "ro",
  ]]);
});
