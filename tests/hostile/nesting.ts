/** Containers that nest: control groups, mounts, namespaces, processes that outlive their parents. */
import { assertEquals } from "@std/assert";
import type { HostileCase } from "./corpus.ts";

const target = "/libpod/containers/target";

export const nesting: readonly HostileCase[] = [
  {
    name: "a container of systemd's makes control groups thirty deep",
    config: { Cmd: ["/sbin/init"] },
    script: `for root in /sys/fs/cgroup /sys/fs/cgroup/systemd; do cd $root; n=0
      while [ $n -lt 30 ]; do mkdir g 2>/dev/null && cd g || break; n=$((n+1)); done
      sleep 1000 & echo $! > cgroup.procs; done; echo nested; wait`,
    spec: { systemd: "always" },
    ready: "nested",
  },
  {
    name: "a container of systemd's lifts its own limits",
    script: `cd /sys/fs/cgroup; for f in memory.max memory.limit_in_bytes memory/memory.limit_in_bytes pids.max
      do [ -e $f ] && { echo -1 > $f; echo max > $f; } 2>/dev/null && echo "lifted $f"; done
      mkdir memory/own cpu/own pids/own 2>/dev/null && echo "made a group"; echo tried`,
    spec: { systemd: "always", resource_limits: { memory: { limit: 100_000_000 } } },
    prints: /^(?![^]*(lifted|made a group))[^]*tried/,
  },
  {
    name: "a container of systemd's in the host's group namespace writes to groups of others",
    script:
      `for f in $(find /sys/fs/cgroup -name '*.limit_in_bytes' -o -name pids.max -o -name release_agent | head -200)
      do { cat $f > $f; } 2>/dev/null && echo "wrote $f"; done; echo tried`,
    spec: { systemd: "always", cgroupns: { nsmode: "host" } },
    prints: /^(?![^]*wrote)[^]*tried/,
  },
  {
    name: "a container mounts a control group of its own, for a release agent (CVE-2022-0492)",
    script: `unshare -UrmC sh -c 'mount -t cgroup -o memory cgroup /mnt && echo mounted'
      unshare -m sh -c 'mount -t cgroup -o rdma cgroup /mnt && echo mounted'; mount -t tmpfs x /mnt && echo mounted; echo tried`,
    prints: /^(?![^]*mounted)[^]*tried/,
  },
  {
    name: "a privileged container mounts a hundred times within itself",
    script:
      `n=0; while [ $n -lt 100 ]; do mkdir -p /m/$n; mount -t tmpfs m /m/$n && mount --bind / /m/$n/ ; n=$((n+1)); done
      mount --make-rshared /; unshare -m sleep 1000 & echo nested; wait`,
    spec: { privileged: true },
    ready: "nested",
  },
  {
    name: "a container with the right to mount covers what the server looks at",
    script:
      `mount -t tmpfs t /etc; mount -t tmpfs t /proc; mount -t tmpfs t /dev; mount -t tmpfs t /tmp; echo covered; exec sleep 1000`,
    spec: { cap_add: ["SYS_ADMIN"], seccomp_profile_path: "unconfined", apparmor_profile: "" },
    ready: "covered",
    attack: async (stage) => {
      await stage.call("GET", `${target}/top`, undefined, [200, 500]);
      await stage.call("GET", `${target}/archive?path=/etc/passwd`, undefined, [200, 404, 500]);
      await stage.call("GET", `${target}/stats?stream=false`, undefined, [200]);
      const body = { Cmd: ["true"], User: "user", AttachStdout: true };
      await stage.call("POST", `${target}/exec`, body, [201, 400, 404, 500]);
    },
  },
  {
    name: "process namespaces, one in the other, whose processes hear no signal",
    script: `trap '' TERM INT HUP; export n=0; cat > /nest <<'END'
trap '' TERM INT HUP; n=$((n+1)); [ $n -lt 20 ] && exec unshare -p -f sh /nest; echo nested; while :; do sleep 100; done
END
      sh /nest & while :; do sleep 100; done`,
    spec: { cap_add: ["SYS_ADMIN"], seccomp_profile_path: "unconfined" },
    ready: "nested",
    attack: async (stage) => {
      await stage.call("GET", `${target}/top`, undefined, [200]);
      await stage.call("POST", `${target}/stop?timeout=0`, undefined, [204]);
    },
  },
  {
    name: "processes that fork away from who started them, in a process namespace of the host's",
    script:
      `n=0; while [ $n -lt 20 ]; do (setsid sh -c 'trap "" TERM HUP; sleep 1000 & sleep 1000' &) ; n=$((n+1)); done; echo nested; sleep 1000`,
    spec: { pidns: { nsmode: "host" } },
    ready: "nested",
    attack: async (stage) => {
      const { text } = await stage.call("GET", `${target}/top?ps_args=comm`, undefined, [200]);
      assertEquals(text.includes("sleep"), true);
    },
  },
  {
    name: "an exec moves into the namespaces of the host by /proc of a process it sees",
    script: "exec sleep 1000",
    attack: async (stage) => {
      const script =
        "for p in /proc/[0-9]*; do nsenter --mount=$p/ns/mnt --target ${p#/proc/} true && echo entered; ls $p/root/etc/shadow; done";
      const text = await stage.exec("target", script);
      assertEquals([text.includes("entered"), /root\/etc\/shadow\n/.test(text) && !text.includes("No such")], [
        false,
        false,
      ]);
    },
  },
  {
    name: "a process looks for open files and a working folder of the server's (CVE-2024-21626, CVE-2016-9962)",
    script: `for p in /proc/self/fd/* /proc/1/fd/* /proc/1/cwd /proc/self/cwd; do t=$(readlink $p)
      ls $p/../../../../../../etc/shadow 2>/dev/null && [ ! -e /etc/shadow ] && echo "out by $p ($t)"
      case $t in /tmp/gantry*|/sys/fs/cgroup*|/var/lib*) echo "out by $p ($t)";; esac; done; echo tried`,
    prints: /^(?![^]*out by)[^]*tried/,
  },
  {
    name: "working directories are asked for by descriptors (CVE-2024-21626)",
    attack: async (stage) => {
      for (let fd = 3; fd < 12; fd++) {
        const spec = { work_dir: `/proc/self/fd/${fd}`, command: ["sh", "-c", "pwd; ls ../../../../../etc/shadow"] };
        const { status } = await stage.create("victim", spec, [201, 400, 500]);
        if (status !== 201) continue;
        const started = await stage.call("POST", "/libpod/containers/victim/start");
        if (started.status === 204) {
          await stage.call("POST", "/libpod/containers/victim/wait", undefined, [200]);
          const { text } = await stage.call("GET", "/libpod/containers/victim/logs?stdout=true");
          assertEquals(text.includes("shadow"), false, text);
        }
        await stage.call("DELETE", "/libpod/containers/victim?force=true&timeout=0&volumes=true", undefined, [200]);
      }
    },
  },
  {
    name: "a user other than root has no capabilities, in a container and in an exec (CVE-2022-24769)",
    script:
      `id -u; grep -E "Cap(Inh|Prm|Eff|Amb)" /proc/self/status | grep -v ":.0000000000000000" && echo held; sleep 1000`,
    spec: { user: "1000" },
    ready: "1000",
    attack: async (stage) => {
      const caps = await stage.exec("target", "cat /proc/self/status", { User: "65534" });
      const held = [...caps.matchAll(/Cap(Inh|Prm|Eff|Amb):\s*(\w+)/g)].map(([, , mask]) => mask);
      assertEquals(held, Array(4).fill("0000000000000000"));
      const { text } = await stage.call("GET", `${target}/logs?stdout=true`, undefined, [200]);
      assertEquals(text.includes("held"), false, text);
      const root = await stage.exec("target", "grep CapInh /proc/self/status", { User: "0" });
      assertEquals(/CapInh:\s*0000000000000000/.test(root), true, root);
    },
  },
  {
    name: "a user that groups are denied to has its own group among the others (CVE-2022-36109)",
    script: `id -G; echo x > /tmp/denied; chmod 604 /tmp/denied; sleep 1000`,
    spec: { user: "user" },
    ready: "1000",
    attack: async (stage) => {
      const groups = await stage.exec("target", "grep Groups /proc/self/status", { User: "user" });
      assertEquals(/Groups:.*\b1000\b/.test(groups), true, groups);
    },
  },
];
