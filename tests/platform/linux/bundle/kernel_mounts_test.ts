import { assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import type { ContainerRecord, ContainerSpec } from "../../../../lib/engine/records/container_record.ts";
import { kernelMounts } from "../../../../lib/platform/linux/bundle/mounts/kernel_mounts.ts";

const own = { mode: "private" as const };
const groups = { unified: true, delegates: true };

function mounts(spec: Partial<ContainerSpec>, systemd = false): Record<string, string> {
  const namespaces = { network: own, pid: own, ipc: own, uts: own, cgroup: own };
  // Only this much of a record is asked for.
  const record = { spec: { namespaces, ...spec }, systemd } as ContainerRecord;
  return Object.fromEntries(
    kernelMounts(record, groups, "/lent").map(({ destination, type, source, options }) => {
      return [destination, `${type} ${source} ${options?.join()}`];
    }),
  );
}

Deno.test("kernelMounts() gives systemd its folders, and a cgroup to write to", () => {
  const scratch = "tmpfs tmpfs rw,rprivate,nosuid,nodev,tmpcopyup";
  const plain = mounts({});
  assertEquals([plain["/run"], plain["/sys/fs/cgroup"]], [
    undefined,
    "cgroup cgroup rprivate,nosuid,noexec,nodev,relatime,ro",
  ]);
  const systemd = mounts({}, true);
  for (const place of ["/run", "/run/lock", "/tmp", "/var/log/journal"]) assertEquals(systemd[place], scratch);
  assertEquals(systemd["/sys/fs/cgroup"], "cgroup cgroup rprivate,nosuid,noexec,nodev,relatime,rw");
  assertEquals(mounts({ systemdShmSize: 4096 }, true)["/run/lock"], `${scratch},size=4096`);
});

Deno.test("kernelMounts() shares memory with the means of communication", () => {
  const shm = (mode: "private" | "shareable" | "host" | "none" | "container") => {
    const namespaces = { network: own, pid: own, ipc: { mode }, uts: own, cgroup: own };
    // Only the container's own namespace has the other's memory lent to it.
    return mounts({ namespaces, shmSize: 5 })["/dev/shm"];
  };
  assertEquals(shm("none"), undefined);
  assertEquals(shm("host"), "bind /dev/shm rbind,nosuid,noexec,nodev");
  assertEquals(shm("container"), "bind /lent rbind,nosuid,noexec,nodev");
});

Deno.test("kernelMounts() shows the host's processes to users of a namespace as the host has them", () => {
  const host = { mode: "host" as const };
  const namespaces = { network: own, pid: host, ipc: host, uts: own, cgroup: own };
  const idMaps = { uids: [{ container: 0, host: 1, size: 1 }], gids: [{ container: 0, host: 1, size: 1 }] };
  // Only this much of a record is asked for.
  const found = kernelMounts({ spec: { namespaces }, idMaps } as unknown as ContainerRecord, groups);
  const seen = Object.fromEntries(found.map(({ destination, type, source }) => [destination, `${type} ${source}`]));
  const queues = existsSync("/dev/mqueue") ? "bind /dev/mqueue" : undefined;
  assertEquals([seen["/proc"], seen["/dev/mqueue"]], ["bind /proc", queues]);
  assertEquals(mounts({ namespaces })["/proc"], "proc proc nosuid,noexec,nodev");
});
