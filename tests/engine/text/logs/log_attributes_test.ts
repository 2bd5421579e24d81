import { assertEquals } from "@std/assert";
import {
  logAttributes,
  logTag,
  syslogTag,
  type TaggedRecord,
} from "../../../../lib/engine/text/logs/log_attributes.ts";

function taggedRecord(logOptions: Record<string, string>, defaults?: "docker"): TaggedRecord {
  return {
    id: "0123456789abcdef".repeat(4),
    name: "web",
    imageID: "f".repeat(64),
    imageName: "docker.io/library/busybox:latest",
    process: { args: ["sh", "-c", "x"], env: ["PATH=/bin", "MODE=a=b"] },
    spec: { logOptions, labels: { team: "red", tier: "1" }, defaults },
  };
}

Deno.test("logAttributes() are the tag, labels and variables that the options name, in order", () => {
  const options = { tag: "{{.Name}}", labels: "team,none", env: "MODE", "labels-regex": "^ti" };
  assertEquals(logAttributes(taggedRecord(options)), [["MODE", "a=b"], ["tag", "web"], ["team", "red"], ["tier", "1"]]);
  assertEquals(logAttributes(taggedRecord({})), []);
});

Deno.test("logTag() shortens an ID for Docker's clients, as Docker does", () => {
  assertEquals(logTag(taggedRecord({ tag: "{{.ID}}" }, "docker")), "0123456789ab");
  assertEquals(logTag(taggedRecord({ tag: "{{.ID}}" })), "0123456789abcdef".repeat(4));
  assertEquals(logTag(taggedRecord({ tag: "{{.Command}}" })), "sh -c x");
  assertEquals(logTag(taggedRecord({})), undefined);
});

Deno.test("syslogTag() is of one line, and short, whatever the image's command is", () => {
  const record = taggedRecord({ tag: "{{.Command}}" });
  const command = (...args: string[]) => syslogTag({ ...record, process: { ...record.process, args } });
  assertEquals(command("sh", "-c", "a\n<0>b"), "sh -c a_<0>b");
  assertEquals(command("x".repeat(100_000)), "x".repeat(1024));
  assertEquals(syslogTag(taggedRecord({})), "0123456789ab");
});
