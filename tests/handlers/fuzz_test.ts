import { assert } from "@std/assert";
import { registryCredentials } from "../../handlers/images/registry_auth.ts";
import { CreateContainerConfig } from "../../handlers/wire/compat/container_create.ts";
import { decode, DecodeError } from "../../handlers/wire/decode.ts";
import { filters } from "../../handlers/wire/query.ts";
import { SpecGenerator } from "../../handlers/wire/containers/spec_generator.ts";
import { parseDuration } from "../../lib/engine/text/duration.ts";
import { parseMoment } from "../../lib/engine/text/moment.ts";
import { EngineError } from "../../lib/engine/errors.ts";
import { seeded } from "../fixtures/engine/fake_engine.ts";
import { dockerSpec, nativeSpec } from "../fixtures/handlers/spec_difference.ts";
import { captured } from "./clients/requests.ts";
import { RequestError } from "../../handlers/request_error.ts";

const ROUNDS = 4000;
const PIECES = [
  "null",
  "-1",
  "1e999",
  "18446744073709551616",
  '""',
  "[]",
  "{}",
  "true",
  '"\\u0000"',
  "9".repeat(400),
  ":",
  ",",
  "}",
];

/** Changes a text in a few places. */
function mutate(text: string, random: () => number): string {
  for (let change = 0; change < 1 + random() * 4; change++) {
    const at = Math.floor(random() * text.length);
    const length = Math.floor(random() * 12);
    const piece = random() < 0.6 ? PIECES[Math.floor(random() * PIECES.length)] : String.fromCharCode(random() * 256);
    text = text.slice(0, at) + piece + text.slice(at + length);
  }
  return text;
}

/** Puts another value where a JSON value stands: what stays JSON gets further in. */
function swapValue(text: string, random: () => number): string {
  const values = [...text.matchAll(/(?<=:)(?:"[^"]*"|-?\d+|true|false|null|\[\]|\{\})/g)];
  const chosen = values[Math.floor(random() * values.length)];
  const piece = PIECES[Math.floor(random() * 9)];
  return text.slice(0, chosen.index) + piece + text.slice(chosen.index + chosen[0].length);
}

function run(act: () => unknown, known: readonly (new (...args: never[]) => Error)[], input: string): void {
  try {
    act();
  } catch (error) {
    assert(known.some((kind) => error instanceof kind), `${error} for ${input.slice(0, 300)}`);
  }
}

Deno.test("create requests of any shape are read or refused, never a defect", () => {
  const random = seeded(7);
  const podman = Object.values(captured("podman_4_3_1"));
  const docker = Object.values(captured("docker_28_2_2"));
  for (let round = 0; round < ROUNDS; round++) {
    const change = round % 2 === 0 ? mutate : swapValue;
    const native = change(podman[round % podman.length].body, random);
    run(() => nativeSpec(decode(SpecGenerator, native)), [DecodeError, EngineError, RequestError], native);
    const compat = change(docker[round % docker.length].body, random);
    const translate = () => dockerSpec(decode(CreateContainerConfig, compat));
    run(translate, [DecodeError, EngineError, RequestError], compat);
  }
});

Deno.test("credentials, filters and times of any shape are read or refused, never a defect", () => {
  const random = seeded(11);
  const auth = btoa('{"quay.io":{"username":"a","password":"b"}}');
  for (let round = 0; round < ROUNDS; round++) {
    const value = mutate(auth, random).replace(/[^\x20-\x7e]/g, "");
    const headers = new Headers({ "X-Registry-Auth": value });
    run(() => registryCredentials(headers)?.("quay.io", "team/app", true), [RequestError], value);
    const filter = mutate('{"label":["a=b"],"status":{"running":true}}', random);
    run(() => filters.safeParse(filter), [], filter);
    const moment = mutate("2026-05-06T07:08:09.123+02:00", random);
    run(() => parseMoment(moment, 0), [SyntaxError], moment);
    const duration = mutate("1h2m3.5s", random);
    run(() => parseDuration(duration), [SyntaxError], duration);
  }
});
