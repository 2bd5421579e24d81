import type { EngineEvent } from "../../lib/engine/store/events.ts";
import { hasLabel } from "../../lib/engine/text/list_filters.ts";
import type { Filters } from "../wire/query.ts";
import { dockerAction } from "../wire/system/docker_action.ts";
import { RequestError } from "../request_error.ts";

type Test = (event: EngineEvent, value: string) => boolean;

/** Objects go by their name, their ID or its beginning. */
function nameTest(type: string): Test {
  return (event, value) => event.type === type && (event.name === value || event.id.startsWith(value));
}

/** An action goes by the engine's word, which is Podman's, and by Docker's. */
const action: Test = (event, value) => event.action === value || dockerAction(event) === value;

const TESTS: Record<string, Test> = {
  type: (event, value) => event.type === value,
  event: action,
  status: action,
  container: nameTest("container"),
  pod: (event, value) => nameTest("pod")(event, value) || event.attributes.podId?.startsWith(value) === true,
  volume: nameTest("volume"),
  network: nameTest("network"),
  artifact: nameTest("artifact"),
  image: (event, value) =>
    event.type === "image"
      ? nameTest("image")(event, value) || sameImage(event.name, value)
      : sameImage(event.image, value),
  label: ({ attributes }, value) => hasLabel(attributes, value),
};

const never: Test = () => false;

/** The filters that Docker has besides: all events are of this machine, and the other things are a swarm's, or do not happen here. */
const DOCKER_TESTS: Record<string, Test> = {
  ...TESTS,
  scope: (_, value) => value === "local",
  secret: nameTest("secret"),
  ...Object.fromEntries(["config", "daemon", "node", "plugin", "service"].map((type) => [type, never])),
};

/** The filters whose events are about an object of a name or an ID that begins so, and nothing else. */
const SUBJECTS: readonly string[] = ["container", "volume", "network", "artifact"];

/** The names and beginnings of IDs of which every event that passes the filters has one; `undefined` where they say nothing of it. */
export function eventSubjects(filters: Filters = {}): readonly string[] | undefined {
  return Object.entries(filters).find(([key, values]) => values.length > 0 && SUBJECTS.includes(key.toLowerCase()))
    ?.[1];
}

/** All labels must be there; of other keys, any of the values. Each API has keys of its own. */
export function eventFilter(
  filters: Filters = {},
  api: "docker" | "podman" = "podman",
): ((event: EngineEvent) => boolean) | undefined {
  const known = api === "docker" ? DOCKER_TESTS : TESTS;
  const entries = Object.entries(filters).filter(([, values]) => values.length > 0);
  if (entries.length === 0) return undefined;
  const tests = entries.map(([key, values]) => {
    const name = key.toLowerCase();
    // The key is a client's: it may be the name of something every object has.
    const test = Object.hasOwn(known, name) ? known[name] : undefined;
    if (test === undefined) throw new RequestError("malformed", `invalid filter key "${key}": invalid argument`);
    const one = (event: EngineEvent) => (value: string) => test(event, value);
    return key === "label"
      ? (event: EngineEvent) => values.every(one(event))
      : (event: EngineEvent) => values.some(one(event));
  });
  return (event) => tests.every((test) => test(event));
}

/** `busybox` means `docker.io/library/busybox:latest` too. */
function sameImage(name: string | undefined, value: string): boolean {
  if (name === undefined) return false;
  const [bare] = name.split("@");
  const untagged = bare.replace(/:[^/:]*$/, "");
  return [name, bare, untagged].some((form) => form === value || form.endsWith(`/${value}`));
}
