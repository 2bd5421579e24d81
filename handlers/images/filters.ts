import { fitsGlob } from "../../lib/engine/text/glob.ts";
import type { Relations } from "../../lib/engine/images/store/relations.ts";
import type { ImageRecord } from "../../lib/engine/records/image_record.ts";
import type { Filters } from "../wire/query.ts";
import { messageOf } from "../../lib/oci/message_of.ts";
import { hasLabel, parseBoolean, readUntil } from "../../lib/engine/text/list_filters.ts";
import { createdSeconds } from "./view.ts";
import { RequestError } from "../request_error.ts";

/** The engine's facts that image filters need. */
export interface FilterScope {
  now: number;
  relations: Pick<Relations, "isDangling" | "isIntermediate">;
  resolve(nameOrID: string): ImageRecord;
  /** How many containers are made of an image. */
  containers(id: string): number;
}

type Test = (image: ImageRecord) => boolean;
type MakeTest = (value: string, scope: FilterScope) => Test;

const TESTS: Record<string, MakeTest> = {
  after: (value, scope) => newerThan(resolveOther("after", value, scope)),
  since: (value, scope) => newerThan(resolveOther("since", value, scope)),
  before: (value, scope) => {
    const other = createdSeconds(resolveOther("before", value, scope));
    return (image) => createdSeconds(image) < other;
  },
  containers: (value, scope) => {
    // No other program has containers in this store.
    if (value === "external") return () => false;
    if (value === "true" || value === "false") return ({ id }) => (scope.containers(id) > 0) === (value === "true");
    throw new RequestError("invalid", `unsupported value "${value}" for containers filter`);
  },
  dangling: (value, { relations }) => booleanTest("dangling", value, (image) => relations.isDangling(image)),
  id: (value) => ({ id }) => id.startsWith(value.replace(/^sha256:/, "")),
  digest: (value) => ({ digest }) => digest.startsWith(value.startsWith("sha256:") ? value : `sha256:${value}`),
  intermediate: (value, { relations }) =>
    booleanTest("intermediate", value, (image) => relations.isIntermediate(image)),
  // Nothing here is read-only.
  readonly: (value) => booleanTest("readonly", value, () => false),
  manifest: (value) => booleanTest("manifest", value, ({ list }) => list !== undefined),
  label: (value) => ({ config }) => hasLabel(config.config?.Labels ?? {}, value),
  // An image that lost its last name is found by its digest alone.
  reference: (value) => {
    const fits = matcherOf(value);
    return ({ names, repoDigests }) =>
      [...names, ...names.length > 0 || value.includes("@") ? repoDigests : []].some(fits);
  },
  until: (value, scope) => {
    const until = filterMoment(value, scope.now);
    return (image) => createdSeconds(image) * 1000 < until;
  },
};

/** Keys whose values contradict each other where they differ. */
const SINGLE = new Set(["containers", "dangling", "intermediate", "readonly", "manifest"]);

/**
 * Makes a test of filters; `key!` negates each value of a key. Several labels must all hold, and so must all negations; of
 * several values of another key, one. Throws `RequestError("invalid")`, in Podman's words, for a key there is not and for values
 * that make no sense.
 */
export function imageFilter(filters: Filters, scope: FilterScope): Test {
  const tests = Object.entries(filters).map(([asked, values]): Test => {
    const isNegated = asked.endsWith("!");
    const key = isNegated ? asked.slice(0, -1) : asked;
    // The key is a client's: it may be the name of something every object has.
    const make = Object.hasOwn(TESTS, key) ? TESTS[key] : undefined;
    if (make === undefined) {
      throw new RequestError(
        "invalid",
        `invalid image filter "${key}": must be in the format "filter=value or filter!=value"`,
      );
    }
    if (SINGLE.has(key) && new Set(values).size > 1) {
      const text = `specifying "${key}" filter more than once with different values is not supported`;
      throw new RequestError("invalid", text);
    }
    const each = values.map((value) => make(value, scope));
    if (isNegated) return (image) => !each.some((test) => test(image));
    return key === "label" ? (image) => each.every((test) => test(image)) : (image) => each.some((test) => test(image));
  });
  return (image) => tests.every((test) => test(image));
}

function resolveOther(key: string, name: string, { resolve }: FilterScope): ImageRecord {
  try {
    return resolve(name);
  } catch (error) {
    const text = `could not find local image for filter "${key}"="${name}": ${messageOf(error)}`;
    throw new RequestError("invalid", text, { cause: error });
  }
}

function newerThan(other: ImageRecord): Test {
  const created = createdSeconds(other);
  return (image) => createdSeconds(image) > created;
}

function booleanTest(key: string, value: string, test: Test): Test {
  const wanted = parseBoolean(value);
  if (wanted === undefined) {
    const why = `strconv.ParseBool: parsing "${value}": invalid syntax`;
    throw new RequestError("invalid", `non-boolean value "${value}" for ${key} filter: ${why}`);
  }
  return (image) => test(image) === wanted;
}

function filterMoment(value: string, now: number): number {
  try {
    return readUntil([value], now);
  } catch (error) {
    throw new RequestError("invalid", messageOf(error), { cause: error });
  }
}

/** Whether a name fits a pattern with `*` and `?`: the whole name, or its end from a slash on, with or without the tag. */
export function matcherOf(pattern: string): (name: string) => boolean {
  const depth = pattern.split("/").length;
  // Its longest part without a sign: most names do not have it, which takes no time to tell.
  const [literal] = pattern.split(/[*?]/).toSorted((a, b) => b.length - a.length);
  return (name) => {
    if (!name.includes(literal)) return false;
    const end = name.split("/").slice(-depth).join("/");
    if (fitsGlob(pattern, end)) return true;
    const marks = [...end.slice(end.lastIndexOf("/") + 1).matchAll(/[:@]/g)];
    return marks.some(({ index }) => fitsGlob(pattern, end.slice(0, end.lastIndexOf("/") + 1 + index)));
  };
}
