import { assertEquals, assertThrows } from "@std/assert";
import { requestedUsers } from "../../../handlers/containers/spec/users.ts";
import { nameFields, NATIVE_NAMES } from "../../../handlers/containers/spec/name_fields.ts";
import { accept } from "../../../handlers/wire/decode.ts";
import { SpecGenerator } from "../../../handlers/wire/containers/spec_generator.ts";
import { EngineError } from "../../../lib/engine/errors.ts";

function users(body: Record<string, unknown>) {
  return nameFields(NATIVE_NAMES, () => requestedUsers(accept(SpecGenerator, { image: "x", ...body })));
}

const map = (container_id: number, host_id: number, size: number) => ({ container_id, host_id, size });

Deno.test("requestedUsers() reads every mode", () => {
  const idmappings = { UIDMap: [map(0, 1000, 5)] };
  const maps = [{ container: 0, host: 1000, size: 5 }];
  const own = { mode: "private" as const };
  assertEquals(users({}), {});
  assertEquals(users({ userns: { nsmode: "host" } }), { mode: { mode: "host" } });
  assertEquals(users({ userns: { nsmode: "private" }, idmappings }), {
    mode: own,
    userMaps: { uids: maps, gids: maps },
  });
  assertEquals(users({ userns: { nsmode: "keep-id", value: "uid=5,gid=6,size=7" } }), {
    mode: own,
    userMaps: { keepID: { uid: 5, gid: 6, size: 7 } },
  });
  assertEquals(users({ userns: { nsmode: "nomap" } }), { mode: own, userMaps: { noMap: true } });
  assertEquals(users({ userns: { nsmode: "container", value: "c" } }), { mode: { mode: "container", value: "c" } });
  assertEquals(users({ userns: { nsmode: "path", value: "/p" } }), { mode: { mode: "path", value: "/p" } });
  assertEquals(users({ userns: { nsmode: "auto", value: "size=9,uidmapping=0:1:2" } }).userMaps, {
    auto: { size: 9, uids: [{ container: 0, host: 1, size: 2 }], gids: [] },
  });
});

Deno.test("requestedUsers() refuses what cannot be, in Podman's words", () => {
  const rows: [mode: string, value: string, text: string][] = [
    ["private", "", "must provide at least one UID or GID mapping"],
    ["keep-id", "odd=1", 'unknown option specified: "odd"'],
    ["keep-id", "uid", 'invalid option specified: "uid"'],
    ["keep-id", "uid=x", "no user or group ID"],
    ["auto", "uidmapping=1:2", "not container:host:size"],
    ["container", "", "needs a value"],
    ["odd", "", '"userns" is not supported yet'],
  ];
  for (const [nsmode, value, text] of rows) {
    assertThrows(() => users({ userns: { nsmode, value } }), EngineError, text);
  }
});
