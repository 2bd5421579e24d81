import { assertEquals } from "@std/assert";
import type { ContainerStatus } from "../../../lib/engine/records/container_record.ts";
import { podStatus } from "../../../lib/engine/pods/pod_status.ts";
import { FRESH_STATE } from "../../../lib/engine/containers/create/create.ts";
import { emptySpec } from "../../../lib/engine/records/empty_spec.ts";
import { storedSpec } from "../../../lib/engine/records/stored_spec.ts";

/** Containers in these states; one that begins with `init:` is an init container. */
function members(words: string) {
  return words.split(" ").filter(Boolean).map((word) => {
    const status = word.replace("init:", "") as ContainerStatus;
    const initContainer = word.startsWith("init:") ? "always" as const : undefined;
    return { spec: { ...storedSpec(emptySpec()), initContainer }, state: { ...FRESH_STATE, status } };
  });
}

Deno.test("podStatus() makes the state of a pod of those of its containers", () => {
  const rows: [containers: string, state: string][] = [
    ["", "Created"],
    ["created", "Created"],
    ["created created", "Created"],
    ["initialized created", "Created"],
    ["running", "Running"],
    ["running running", "Running"],
    ["running created", "Degraded"],
    ["running exited", "Degraded"],
    ["running paused", "Degraded"],
    ["running stopping", "Degraded"],
    ["running removing exited", "Degraded"],
    ["paused", "Paused"],
    ["paused paused", "Paused"],
    ["paused created", "Created"],
    ["paused exited", "Stopped"],
    ["exited", "Exited"],
    ["exited exited", "Exited"],
    ["exited created", "Stopped"],
    ["exited stopping", "Stopped"],
    ["stopping", "Error"],
    ["stopping created", "Error"],
    ["removing removing", "Error"],
    ["init:exited", "Created"],
    ["init:exited running", "Running"],
    ["init:running created", "Created"],
    ["init:exited exited", "Exited"],
  ];
  for (const [containers, state] of rows) assertEquals(podStatus(members(containers)), state, containers || "none");
});
