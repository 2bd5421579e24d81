import { assertEquals, assertThrows } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { applyChanges } from "../../../../lib/engine/images/store/config_changes.ts";

Deno.test("applyChanges() reads what commit and import are told to change", () => {
  const base = { Env: ["A=1", "PATH=/bin"], Cmd: ["sh"], Labels: { old: "1" } };
  const changes = [
    "CMD=/bin/echo hi",
    'ENTRYPOINT ["/a", "b"]',
    "env A=2",
    'ENV "B"="x y"',
    "ENV C",
    "EXPOSE 80",
    "EXPOSE=53/UDP",
    "LABEL new=a=b",
    "USER 1:2",
    'VOLUME ["/v", "/w"]',
    "VOLUME /x /y",
    "WORKDIR /a/b",
    "WORKDIR ../c",
    " STOPSIGNAL SIGINT ",
    "ONBUILD RUN x",
  ];
  assertEquals(applyChanges(base, changes), {
    Env: ["PATH=/bin", "A=2", "B=x y", "C="],
    Cmd: ["/bin/sh", "-c", "/bin/echo hi"],
    Entrypoint: ["/a", "b"],
    ExposedPorts: { "80/tcp": {}, "53/udp": {} },
    Labels: { old: "1", new: "a=b" },
    User: "1:2",
    Volumes: { "/v": {}, "/w": {}, "/x": {}, "/y": {} },
    WorkingDir: "/a/c",
    StopSignal: "2",
    OnBuild: ["RUN x"],
  });
  assertEquals(base.Labels, { old: "1" });
  assertEquals(applyChanges({ WorkingDir: "/tmp" }, ["WORKDIR /root"]).WorkingDir, "/root");
  const broken = applyChanges({}, ["CMD echo \\\n hi"]);
  assertEquals(broken.Cmd, ["/bin/sh", "-c", "echo \\\n hi"], "a line break belongs to the value");
  assertEquals(applyChanges({}, ['CMD ["a"]', "ENTRYPOINT "]), { Cmd: ["a"], Entrypoint: [] });
});

Deno.test("applyChanges() refuses what it does not know, and says which", () => {
  const wrong = [
    ["CMD", "must be formatted as KEY VALUE"],
    ["RUN ls", "invalid instruction RUN"],
    ["constructor x", "invalid instruction CONSTRUCTOR"],
    ["USER ", "must provide a value to USER"],
    ["EXPOSE 0", "EXPOSE port must be a valid port number"],
    ["EXPOSE 1-2", "EXPOSE port must be an integer"],
    ["EXPOSE 1/sctp", "EXPOSE protocol must be TCP or UDP"],
    ["EXPOSE 1/tcp/2", "EXPOSE port must be formatted as PORT[/PROTO]"],
    ["ENV =1", "ENV must have at least one argument"],
    ["LABEL x", "LABEL must be formatted key=value"],
    ["LABEL =x", "LABEL must have a non-empty key"],
    ["VOLUME /a  /b", "VOLUME paths must not be empty"],
    ["WORKDIR ", "must provide a non-empty WORKDIR"],
    ["ONBUILD ", "ONBUILD must be given an argument"],
  ];
  for (const [change, why] of wrong) {
    const error = assertThrows(() => applyChanges({}, [change]), EngineError);
    assertEquals([error.code, error.message], ["invalid", `invalid change "${change}" - ${why}`]);
  }
  assertThrows(() => applyChanges({}, ["STOPSIGNAL nonsense"]), EngineError, "KILLSIGNAL must be given a valid signal");
});
