import { assert, assertEquals, assertThrows } from "@std/assert";
import { quadletSpec, type QuadletSpecOptions } from "../../../lib/engine/quadlets/spec/quadlet_spec.ts";
import { QuadletError } from "../../../lib/engine/quadlets/quadlet_error.ts";
import { GOOD } from "./corpus.ts";
import { BAD } from "./hostile.ts";
import { SPECS } from "./spec_corpus.ts";

function specOf(
  { name = "web.container", text, others = {} }: {
    name?: string;
    text: string;
    others?: Readonly<Record<string, string>>;
  },
  options?: QuadletSpecOptions,
) {
  return quadletSpec({ name, text }, Object.entries(others).map(([name, text]) => ({ name, text })), options);
}

for (const [title, { work, unit, plan = {}, unhonoured = [], instance, ...row }] of Object.entries(SPECS)) {
  Deno.test(`quadletSpec: ${title}`, () => {
    const spec = specOf(row, { instance });
    assertEquals(spec.work, work);
    if (unit !== undefined) assertEquals(spec.unit, unit);
    assertEquals({ ...spec.plan, ...plan }, spec.plan);
    assertEquals(spec.unhonoured, unhonoured);
  });
}

/** Quadlets that convert, and whose values the engine cannot have. */
const REFUSED: Readonly<Record<string, string>> = {
  "the older keys of user maps":
    'web.container:3: RemapUsers: initializing ID mappings: "1" is not container:host:size',
};

for (const [title, row] of Object.entries(GOOD)) {
  Deno.test(`quadletSpec reads the corpus: ${title}`, () => {
    const refused = REFUSED[title];
    if (refused !== undefined) {
      assertEquals(assertThrows(() => specOf(row), QuadletError).message, refused);
      return;
    }
    const { work } = specOf(row, { instance: "blue" });
    const kind = row.name.slice(row.name.lastIndexOf(".") + 1);
    assertEquals<string>(work.kind, kind);
  });
}

for (const [title, row] of Object.entries(BAD)) {
  Deno.test(`quadletSpec refuses ${title}`, () => {
    assertEquals(assertThrows(() => specOf(row), QuadletError).message, row.error);
  });
}

/** Values that systemd or Podman would refuse only when the unit starts. */
const WRONG_VALUES: readonly [lines: string, error: string][] = [
  ["PublishPort=99999:80", 'web.container:3: PublishPort: invalid port "99999:80": ports are from 1 to 65535'],
  ["Memory=much", "web.container:3: Memory: "],
  ["StopSignal=SIGWHAT", "web.container:3: StopSignal: invalid signal: SIGWHAT"],
  ["Pull=sometimes", 'web.container:3: Pull: "sometimes" is none of always, missing, newer and never'],
  ["HealthCmd=true\nHealthInterval=5x", "web.container:4: HealthInterval: "],
  ["Ulimit=nofile=9:1", "web.container:3: Ulimit: "],
  ["Secret=s,mode=9", 'web.container:3: Secret: secret "s": the mode "9" is not octal'],
  ["Environment=HOME", 'web.container:3: Environment: "HOME" has no value'],
  ["UIDMap=1", 'web.container:3: UIDMap: initializing ID mappings: "1" is not container:host:size'],
  ["Network=a\nNetwork=b\nIP=10.0.0.1", "web.container:4: Network: an address of its own needs exactly one network"],
  ["Exec=echo %z", "web.container: the specifier %z is not known here"],
  ["PodmanArgs=--cpus x", 'web.container:3: PodmanArgs: "x" is not a number of processors'],
  ["[Service]\nRestart=maybe", 'web.container:4: Restart: "maybe" is no rule of restarts'],
  ["[Service]\nTimeoutStartSec=soon", 'web.container:4: TimeoutStartSec: "soon" is no span of time'],
];

Deno.test("quadletSpec names file, line and key of a value that the engine cannot have", () => {
  for (const [lines, error] of WRONG_VALUES) {
    const text = `[Container]\nImage=i\n${lines}\n`;
    const { message } = assertThrows(() => specOf({ text }), QuadletError);
    assert(message.startsWith(error), `${message}\n${error}`);
  }
});

Deno.test("quadletSpec needs the instance of a template, and takes its default one", () => {
  const text = "[Container]\nImage=i\nExec=serve %i\n";
  const { message } = assertThrows(() => specOf({ name: "web@.container", text }), QuadletError);
  assertEquals(message, "web@.container: a template runs as an instance only: name one");
  const usual = specOf({ name: "web@.container", text: `${text}[Install]\nDefaultInstance=main\n` });
  assertEquals(usual.unit, "web@main.service");
});

Deno.test("quadletSpec replaces specifiers and variables as systemd does", () => {
  const text = "[Container]\nImage=i\nExec=a %% %n %h %H ${WHO}-x $LIST $$HOME ${NONE}\n" +
    '[Service]\nEnvironment=WHO=me "LIST=1 2"\n';
  const { work } = specOf({ text }, { specifiers: { h: "/home/me", H: "node1" } });
  assert(work.kind === "container");
  assertEquals(work.request.command, ["a", "%", "web.service", "/home/me", "node1", "me-x", "1", "2", "$HOME", ""]);
});

Deno.test("quadletSpec reads who says that a container is ready", () => {
  const modes = ["yes", "no", "healthy"].map((value) => {
    const { work, unhonoured } = specOf({ text: `[Container]\nImage=i\nHealthCmd=true\nNotify=${value}\n` });
    assert(work.kind === "container");
    assertEquals(unhonoured, []);
    return work.request.sdNotify;
  });
  assertEquals(modes, ["container", "conmon", "healthy"]);
});
