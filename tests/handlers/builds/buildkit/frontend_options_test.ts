import { assertEquals, assertThrows } from "@std/assert";
import { readFrontendOptions } from "../../../../handlers/builds/buildkit/frontend_options.ts";

Deno.test("readFrontendOptions() reads the options of the frontend, and refuses those that nobody honours by name", () => {
  const { contexts, options, filename, contextFolder, remote } = readFrontendOptions({
    filename: "Other",
    target: "t",
    "label:b": "2",
    "label:a": "1",
    "build-arg:X": "y",
    "no-cache": "",
    platform: "linux/arm64",
    "add-hosts": "a=1.2.3.4,b=::1",
    "force-network-mode": "none",
    ulimit: "nofile=10:20",
    "shm-size": "65536",
    "image-resolve-mode": "pull",
    "context:base": "docker-image://alpine",
    "context:src": "local:src0",
    "context:web::linux/amd64": "https://example.com/x.git",
    "attest:provenance": "mode=min",
  });
  assertEquals([filename, contextFolder, remote], ["Other", "context", undefined]);
  assertEquals(contexts, {
    base: { kind: "image", name: "alpine" },
    src: { kind: "local", folder: "src0" },
    web: { kind: "url", url: "https://example.com/x.git" },
  });
  assertEquals(Object.keys(options.labels ?? {}), ["a", "b"], "the order of the client's map counts for nothing");
  assertEquals([options.target, options.noCache, options.pull, options.buildArgs], ["t", true, "always", { X: "y" }]);
  assertEquals(options.sandbox?.hosts, ["a:1.2.3.4", "b:::1"]);
  assertEquals(options.sandbox?.network, { mode: "none" });
  const elsewhere = readFrontendOptions({ context: "https://example.com/a.tar" });
  assertEquals([elsewhere.contextFolder, elsewhere.remote], [undefined, "https://example.com/a.tar"]);
  const rows: [attributes: Record<string, string>, message: string][] = [
    [{ "context:x": "input:y" }, 'the context "x" (input:y) is not supported'],
    [{ platform: "linux/amd64,linux/arm64" }, "one platform"],
    [{ "force-network-mode": "odd" }, 'the network mode "odd" is not supported'],
    [{ wrong: "1" }, 'the option "wrong" is not supported'],
  ];
  for (const [attributes, message] of rows) assertThrows(() => readFrontendOptions(attributes), Error, message);
});
