/** The host tests that run a second time with the server of an ordinary user, and those of them that cannot, with the reasons. */

import type { HostFile } from "../fixtures/leave_out.ts";

/** Reasons that several entries have. */
const OTHER_IDS = "its maps name IDs of the machine's root; rootless_users_test.ts has maps of a user";
const NOTHING_PAUSED =
  "without a control group that is delegated nothing can be paused; rootless_cgroups_test.ts has one";
const NO_LIMITS = "without a control group that is delegated no limits are kept; rootless_cgroups_test.ts has one";

/** The files that run in each run of the step `rootless`. */
export const ROOTLESS_FILES: readonly HostFile[] = [
  {
    path: "tests/host/networks/networks_test.ts",
    skipped: [
      {
        name:
          "one create places a container in several networks, with users of its own too, and a restart keeps its places",
        reason: OTHER_IDS,
      },
      {
        name: "DNS servers are a container's, a network's, and change while containers run",
        reason: "its name servers listen on the machine's loopback, which no container of a user reaches",
      },
      {
        name: "networks survive a server that is killed, and a removal leaves no interface and no rule",
        reason: "it looks for bridges and rules in the machine's network namespace: those of a user are in another one",
      },
      {
        name: "a container in a network namespace of the host tells that namespace's addresses",
        reason: "the namespace belongs to the machine's root, and nobody else may enter it",
      },
    ],
  },
  {
    path: "tests/host/networks/ports_test.ts",
    skipped: [
      {
        name: "SCTP is published beside TCP and UDP of the same number",
        reason: "an ordinary user cannot publish SCTP",
      },
    ],
  },
  {
    path: "tests/host/volumes/volumes_test.ts",
    skipped: [
      {
        name: "tmpfs: with its options, shared by those who run, new for the next",
        reason: "it looks for mounts in the machine's mount namespace: those of a user are in another one",
      },
      {
        name: "by the container's own IDs",
        reason: "it maps IDs of the machine: a user's server has its own range",
      },
      {
        name: "a device that cannot be mounted fails the start with the reason, and leaves nothing",
        reason: "the kernel gives a user another reason: no device at all can be mounted",
      },
      {
        name: "a root that was copied elsewhere brings its volumes, containers and logs along",
        reason: "the copy is root's: a user's server may not open it",
      },
    ],
  },
];

/**
 * The files that run with an ordinary user's server in long runs only: a short one has no time for them. Others of their folders are
 * left out as a whole: they open the engine in the test's own process, which is root's, or nearly all of what they test is a matter of control
 * groups, of checkpoints or of IDs that a user does not have.
 */
export const LONG_ROOTLESS_FILES: readonly HostFile[] = [
  {
    path: "tests/host/containers/artifact_mounts_test.ts",
    skipped: [
      {
        name: "several lie below it, or the one that is chosen, and are seen with mapped users too",
        reason: OTHER_IDS,
      },
    ],
  },
  { path: "tests/host/containers/cdi_test.ts", skipped: [] },
  {
    path: "tests/host/containers/exec_test.ts",
    skipped: [
      { name: "exec sessions of a paused container are refused", reason: NOTHING_PAUSED },
    ],
  },
  {
    path: "tests/host/containers/health_test.ts",
    skipped: [
      { name: "a paused or stopped container is not probed", reason: NOTHING_PAUSED },
    ],
  },
  { path: "tests/host/containers/hooks_test.ts", skipped: [] },
  {
    path: "tests/host/containers/lifecycle_test.ts",
    skipped: [
      { name: "paused", reason: NOTHING_PAUSED },
      { name: "running", reason: NOTHING_PAUSED },
      { name: "many operations on one container at once neither hang nor leave it half-way", reason: NOTHING_PAUSED },
      {
        name: "a container that is killed while it has no time left to run is not frozen before it has died",
        reason: NOTHING_PAUSED,
      },
    ],
  },
  { path: "tests/host/containers/log_options_test.ts", skipped: [] },
  { path: "tests/host/containers/ps_test.ts", skipped: [] },
  { path: "tests/host/containers/restart_test.ts", skipped: [] },
  {
    path: "tests/host/containers/secrets_test.ts",
    skipped: [
      { name: "a container with users of its own owns what it mounts", reason: OTHER_IDS },
    ],
  },
  {
    path: "tests/host/containers/spec_test.ts",
    skipped: [
      {
        name: "U gives a folder to the container's user, and no folder the host lives by",
        reason: "it looks for the container's IDs on the machine, where they are the user's subordinate ones",
      },
      { name: "a user namespace shows the image's files and volumes as its users'", reason: OTHER_IDS },
      { name: "either runtime pauses a container, and lets it go on", reason: NOTHING_PAUSED },
    ],
  },
  { path: "tests/host/containers/streams_test.ts", skipped: [] },
  { path: "tests/host/containers/terminal_test.ts", skipped: [] },
  {
    path: "tests/host/hostile/top_test.ts",
    skipped: [
      { name: "podman: users of a container that has its own", reason: OTHER_IDS },
    ],
  },
  {
    path: "tests/host/containers/warm_test.ts",
    skipped: [
      {
        name: "one has the limits that were asked for",
        reason: NO_LIMITS,
      },
    ],
  },
  {
    path: "tests/host/files/commit_test.ts",
    skipped: [
      { name: "a container that is paused meanwhile goes on", reason: NOTHING_PAUSED },
      {
        name: "SIGKILL of the server in the middle of a commit leaves no image, no mount and no frozen container",
        reason: NOTHING_PAUSED,
      },
    ],
  },
  {
    path: "tests/host/files/files_test.ts",
    skipped: [
      { name: "files keep their owners in a container with users of its own", reason: OTHER_IDS },
      {
        name: "a folder of the host as a root has files to copy, and no image to be compared with or made",
        reason: "the machine's root makes the folder: a user's server may not write to it",
      },
    ],
  },
  { path: "tests/host/files/sparse_files_test.ts", skipped: [] },
  {
    path: "tests/host/files/trees_test.ts",
    skipped: [
      {
        name: "mounts of trees are counted, outlast the engine, and go with the container",
        reason: "it writes to mounts in the machine's mount namespace: those of a user are in another one",
      },
    ],
  },
  { path: "tests/host/images/archives_test.ts", skipped: [] },
  { path: "tests/host/images/guarded_registry_test.ts", skipped: [] },
  { path: "tests/host/images/images_store_test.ts", skipped: [] },
  { path: "tests/host/images/large_image_test.ts", skipped: [] },
  { path: "tests/host/images/manifest_test.ts", skipped: [] },
  { path: "tests/host/images/push_test.ts", skipped: [] },
  { path: "tests/host/images/registry_access_test.ts", skipped: [] },
  { path: "tests/host/images/scp_test.ts", skipped: [] },
  { path: "tests/host/images/zstd_window_test.ts", skipped: [] },
  { path: "tests/host/pods/killed_test.ts", skipped: [] },
  {
    path: "tests/host/pods/pods_test.ts",
    skipped: [
      {
        name: "podman --remote pod stats, pause, unpause",
        reason:
          "without a control group that is delegated nothing can be paused, and nothing counts; rootless_cgroups_test.ts has one",
      },
      { name: "containers of a pod share its limits", reason: NO_LIMITS },
    ],
  },
  { path: "tests/host/build/adopted_layers_test.ts", skipped: [] },
  { path: "tests/host/build/attributes_test.ts", skipped: [] },
  { path: "tests/host/build/buildkit_test.ts", skipped: [] },
  { path: "tests/host/build/buildx_driver_test.ts", skipped: [] },
  { path: "tests/host/build/docker_build_test.ts", skipped: [] },
  { path: "tests/host/build/hostile_build_test.ts", skipped: [] },
  { path: "tests/host/build/libraries_test.ts", skipped: [] },
  { path: "tests/host/build/platforms_test.ts", skipped: [] },
  { path: "tests/host/build/podman_build_test.ts", skipped: [] },
  {
    path: "tests/host/compose/compose_test.ts",
    skipped: [
      { name: "pause and unpause", reason: NOTHING_PAUSED },
      { name: "down -v takes everything along, a paused container too", reason: NOTHING_PAUSED },
      { name: "limits of memory, processes and processors", reason: NO_LIMITS },
    ],
  },
  { path: "tests/host/compose/reaper_test.ts", skipped: [] },
  { path: "tests/host/kube/hostile_volumes_test.ts", skipped: [] },
  { path: "tests/host/kube/killed_test.ts", skipped: [] },
  {
    path: "tests/host/kube/kube_test.ts",
    skipped: [
      { name: "limits of a document are its container's", reason: NO_LIMITS },
    ],
  },
  { path: "tests/host/kube/pod_lives_test.ts", skipped: [] },
];
