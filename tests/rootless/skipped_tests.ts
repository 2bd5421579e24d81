/** The host tests that run a second time with the server of an ordinary user, and those of them that cannot, with the reasons. */

/** Files of the host suite, from the root of the tree. */
export const ROOTLESS_FILES: readonly string[] = [
  "tests/host/networks/networks_test.ts",
  "tests/host/networks/ports_test.ts",
  "tests/host/volumes/volumes_test.ts",
];

/** A test, or a step of one, that is left out. */
export interface SkippedTest {
  /** The name of the test or step, as it stands in its file. */
  readonly name: string;
  readonly reason: string;
}

/** The tests and steps that an ordinary user's server cannot pass, or that look where its things are not. */
export const SKIPPED_TESTS: readonly SkippedTest[] = [
  {
    name:
      "one create places a container in several networks, with users of its own too, and a restart keeps its places",
    reason: "its maps name IDs of the machine's root; rootless_users_test.ts has maps of a user",
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
  {
    name: "SCTP is published beside TCP and UDP of the same number",
    reason: "an ordinary user cannot publish SCTP",
  },
  {
    name: "tmpfs: with its options, shared by those who run, new for the next",
    reason: "it looks for mounts in the machine's mount namespace: those of a user are in another one",
  },
  {
    name: "a device that cannot be mounted fails the start with the reason, and leaves nothing",
    reason: "the kernel gives a user another reason: no device at all can be mounted",
  },
  {
    name: "a root that was copied elsewhere brings its volumes, containers and logs along",
    reason: "the copy is root's: a user's server may not open it",
  },
];
