import { hexText } from "../../oci/bytes/bytes.ts";
import { EngineError } from "../errors.ts";
import type { Random } from "../ports/ports.ts";

/** The pattern of names of containers, volumes, networks and pods. */
export const NAME_PATTERN = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;

const MAX_NAME = 1024;
/** The longest name of what is a folder by that name. */
export const MAX_FOLDER_NAME = 255;

/** Throws `EngineError("invalid")` unless the text, of at most `longest` letters, can name an object. */
export function checkName(name: string, longest = MAX_NAME): void {
  if (name.length <= longest && NAME_PATTERN.test(name)) return;
  // Clients match on this sentence.
  const text = "names must match [a-zA-Z0-9][a-zA-Z0-9_.-]*: invalid argument";
  throw new EngineError("invalid", text, { sentinel: "invalid argument" });
}

/** Takes off the slash that Docker's clients write before a container's name. */
export function plainName(name: string): string {
  return name.replace(/^\//, "");
}

/** A new ID: 64 hex digits. Never all digits in its first 12, which would read as a number in a host name. */
export function randomID(random: Random): string {
  for (;;) {
    const id = hexText(random.bytes(32));
    if (!/^[0-9]{12}/.test(id)) return id;
  }
}

/** A name nobody has taken, such as `calm_heron`. */
export function randomName(random: Random, isTaken: (name: string) => boolean): string {
  for (let attempt = 0; attempt < 64; attempt++) {
    const [first, second, digit] = random.bytes(3);
    const name = `${ADJECTIVES[first % ADJECTIVES.length]}_${NOUNS[second % NOUNS.length]}`;
    // Short names while there are plenty of them, then with a number.
    const candidate = attempt < 4 ? name : `${name}${digit}`;
    if (!isTaken(candidate)) return candidate;
  }
  return `c_${randomID(random).slice(0, 16)}`;
}

const ADJECTIVES = [
  "amber",
  "bold",
  "brave",
  "brisk",
  "calm",
  "clever",
  "cosy",
  "crisp",
  "deft",
  "eager",
  "early",
  "fair",
  "fleet",
  "fond",
  "free",
  "frosty",
  "gentle",
  "glad",
  "golden",
  "grand",
  "green",
  "happy",
  "hardy",
  "humble",
  "jolly",
  "keen",
  "kind",
  "light",
  "lively",
  "loyal",
  "lucky",
  "lunar",
  "mellow",
  "merry",
  "mild",
  "misty",
  "neat",
  "nimble",
  "noble",
  "patient",
  "plucky",
  "proud",
  "quick",
  "quiet",
  "rapid",
  "ready",
  "robust",
  "rosy",
  "sage",
  "sharp",
  "silent",
  "silver",
  "smooth",
  "snowy",
  "solar",
  "solid",
  "spry",
  "steady",
  "stout",
  "sunny",
  "swift",
  "tidy",
  "warm",
  "witty",
];

const NOUNS = [
  "acorn",
  "alder",
  "anchor",
  "aspen",
  "badger",
  "beacon",
  "birch",
  "bison",
  "bobcat",
  "boulder",
  "brook",
  "canyon",
  "cedar",
  "cliff",
  "clover",
  "comet",
  "coral",
  "cove",
  "crane",
  "delta",
  "dune",
  "eagle",
  "elm",
  "ember",
  "falcon",
  "fern",
  "finch",
  "fjord",
  "fox",
  "garnet",
  "glacier",
  "grove",
  "harbour",
  "hazel",
  "heron",
  "hill",
  "ibis",
  "island",
  "juniper",
  "kestrel",
  "lagoon",
  "lake",
  "lark",
  "lynx",
  "maple",
  "marten",
  "meadow",
  "mesa",
  "moose",
  "oak",
  "orchid",
  "otter",
  "owl",
  "pebble",
  "pine",
  "plover",
  "quartz",
  "raven",
  "reef",
  "ridge",
  "river",
  "robin",
  "rowan",
  "spruce",
];
