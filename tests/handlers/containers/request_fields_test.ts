import { assertEquals } from "@std/assert";
import { accept } from "../../../handlers/wire/decode.ts";
import { SpecGenerator } from "../../../handlers/wire/containers/spec_generator.ts";
import type { ContainerSpec } from "../../../lib/engine/records/container_record.ts";
import { difference, nativeSpec } from "../../fixtures/handlers/spec_difference.ts";

function native(body: unknown): ContainerSpec {
  return nativeSpec(accept(SpecGenerator, body));
}

Deno.test("containerRequest() reads users, files, processes and profiles", () => {
  const asked = {
    env_host: true,
    envmerge: ["A=${B}"],
    passwd_entry: "x:$UID",
    group_entry: "g:$GID",
    hostusers: ["root"],
    base_hosts_file: "/h",
    use_image_hostname: true,
    chroot_directories: ["/c"],
    init_path: "/init",
    personality: { domain: "LINUX32" },
    procfs_opts: ["hidepid=2"],
    oci_runtime: "crun",
    conmon_pid_file: "/p",
    systemd: "always",
    sdnotifyMode: "conmon",
    dependencyContainers: ["a"],
    removeImage: true,
    apparmor_profile: "mine",
    selinux_opts: ["type:t"],
    label_nested: true,
    seccomp_policy: "image",
    seccomp_profile_path: "/s",
    image_volume_mode: "tmpfs",
    rootfs_propagation: "shared",
    volumes_from: ["c:ro"],
  };
  assertEquals(difference(native({ image: "busybox", ...asked })), {
    envHost: true,
    envMerge: ["A=${B}"],
    passwdEntry: "x:$UID",
    groupEntry: "g:$GID",
    hostUsers: ["root"],
    baseHosts: "/h",
    noHostname: true,
    chrootFolders: ["/c"],
    initPath: "/init",
    personality: { domain: "LINUX32" },
    procOptions: ["hidepid=2"],
    runtime: "crun",
    conmonPidFile: "/p",
    systemd: "always",
    sdNotify: "conmon",
    requires: ["a"],
    removeImage: true,
    apparmor: "mine",
    selinux: ["type:t"],
    labelNested: true,
    seccompPolicy: "image",
    seccomp: "/s",
    imageVolumes: "tmpfs",
    rootPropagation: "shared",
    volumesFrom: ["c:ro"],
  });
});

Deno.test("containerRequest() reads mounts of every kind", () => {
  const { mounts } = native({
    image: "x",
    mounts: [
      { type: "bind", source: "/s", destination: "/b", options: ["chown=true", "subpath=p", "z"] },
      { type: "ramfs", destination: "/r" },
      { type: "devpts", destination: "/d", options: ["gid=5"] },
      { type: "glob", source: "/g/*", destination: "", options: ["ro"] },
    ],
    artifact_volumes: [{ source: "a", destination: "/a", title: "t", name: "n" }],
    volumes: [{ Name: "v", Dest: "/v", Options: ["O", "U=false"], SubPath: "s" }],
    overlay_volumes: [{ source: "/o", destination: "/oo", options: ["O", "upperdir=/u", "workdir=/w"] }],
    image_volumes: [{ Source: "i", Destination: "/i", subPath: "etc" }, {
      Source: "i",
      Destination: "/w",
      ReadWrite: true,
    }],
  });
  assertEquals(mounts, [
    { type: "bind", source: "/s", destination: "/b", options: ["U", "z"], subPath: "p" },
    { type: "ramfs", source: "ramfs", destination: "/r", options: [] },
    { type: "devpts", source: "devpts", destination: "/d", options: ["gid=5"] },
    { type: "bind", source: "/g/*", destination: "", options: ["ro"], glob: true },
    { type: "volume", source: "v", destination: "/v", options: ["O"], anonymous: false, subPath: "s" },
    { type: "overlay", source: "/o", destination: "/oo", options: ["upperdir=/u", "workdir=/w"] },
    { type: "image", source: "i", destination: "/i", options: ["ro"], subPath: "etc" },
    { type: "image", source: "i", destination: "/w", options: [] },
    { type: "artifact", source: "a", destination: "/a", options: ["ro"], artifact: { title: "t", name: "n" } },
  ]);
});
