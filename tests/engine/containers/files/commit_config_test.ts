import { assertEquals, assertThrows } from "@std/assert";
import type { ContainerRecord, ContainerSpec } from "../../../../lib/engine/records/container_record.ts";
import { committedConfig, type ConfigChanges } from "../../../../lib/engine/containers/files/commit_config.ts";

const IMAGE = { Entrypoint: ["/entry"], Cmd: ["image"], Env: ["PATH=/bin", "A=image"], Labels: { of: "image" } };

function config(spec: Partial<ContainerSpec>, changes: ConfigChanges = {}) {
  const record = {
    spec: { env: {}, labels: {}, exposed: [], ...spec },
    process: { user: "", workdir: "/work" },
    mounts: [
      { type: "volume", destination: "/anonymous", anonymous: true },
      { type: "volume", destination: "/named" },
    ],
    ports: [{ containerPort: 80, range: 2, protocol: "tcp" }],
    // Only this much of a record is looked at.
  } as unknown as ContainerRecord;
  return committedConfig(record, IMAGE, changes);
}

Deno.test("committedConfig() is how the container was created, over its image", () => {
  assertEquals(config({ env: { A: "own", B: "2" }, labels: { own: "1" } }), {
    Entrypoint: ["/entry"],
    Cmd: ["image"],
    Env: ["PATH=/bin", "A=own", "B=2"],
    Labels: { of: "image", own: "1" },
    ExposedPorts: { "80/tcp": {}, "81/tcp": {} },
    Volumes: { "/anonymous": {} },
    WorkingDir: "/work",
  });
});

Deno.test("committedConfig() keeps entrypoint and command together as a user means them", () => {
  const both = (spec: Partial<ContainerSpec>, changes?: ConfigChanges) => {
    const { Entrypoint, Cmd } = config(spec, changes);
    return [Entrypoint, Cmd];
  };
  assertEquals(both({ command: ["own"] }), [["/entry"], ["own"]]);
  assertEquals(both({ entrypoint: ["/own"] }), [["/own"], undefined]);
  assertEquals(both({}, { changes: ['CMD ["new"]'] }), [["/entry"], ["new"]]);
  assertEquals(both({}, { changes: ['ENTRYPOINT ["/new"]'] }), [["/new"], undefined]);
  assertEquals(both({}, { changes: ['CMD ["new"]', 'ENTRYPOINT ["/new"]'] }), [["/new"], ["new"]]);
  assertEquals(both({}, { override: { Cmd: ["new"] } }), [["/entry"], ["new"]]);
  assertEquals(both({}, { override: { Entrypoint: ["/new"] } }), [["/new"], undefined]);
  assertEquals(both({}, { override: { Entrypoint: ["/new"], Cmd: [] } }), [["/new"], undefined]);
});

Deno.test("committedConfig() adds what overrides and changes name, and leaves out what was unset", () => {
  const override = { Env: ["A=over"], ExposedPorts: { "9/udp": {} }, Labels: { more: "1" }, User: "5" };
  const found = config({ unsetEnv: ["PATH"] }, { override, changes: ["ENV C=3 D=4", "LABEL x=y"] });
  assertEquals(found.Env, ["A=over", "C=3", "D=4"]);
  assertEquals(Object.keys(found.ExposedPorts ?? {}), ["80/tcp", "81/tcp", "9/udp"]);
  assertEquals([found.Labels, found.User], [{ of: "image", more: "1", x: "y" }, "5"]);
  assertEquals(config({ unsetEnv: true }).Env, undefined);
  assertThrows(() => config({}, { changes: ["COPY a b"] }), Error, "invalid instruction COPY");
});
