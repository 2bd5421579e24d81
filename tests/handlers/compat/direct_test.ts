/** Defects that Docker's create request had while it went through Podman's JSON. */
import { assertEquals } from "@std/assert";
import type { ContainerSpec } from "../../../lib/engine/records/container_record.ts";
import { openTestEngine, type TestEngineOptions, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

/** Sends a create request; gives its status with the container's spec, or with the error's text. */
async function create(
  body: object,
  options: TestEngineOptions = {},
): Promise<[number, Partial<ContainerSpec>, string]> {
  await using test = await openTestEngine(options);
  // Limits of more than 53 bits stand in the text only.
  const text = JSON.stringify({ Image: TINY_NAME, ...body }).replace(/"(\d{17,})n"/g, "$1");
  const reply = await test.send("POST", "/containers/create", text);
  const { Id, message = "" } = await reply.json();
  return [reply.status, Id === undefined ? {} : test.engine.containers.resolve(Id).spec, message];
}

Deno.test("CompatCreateContainer() takes a device whose path has colons", async () => {
  const PathOnHost = "/dev/disk/by-path/pci-0000:00:1f.2";
  const [status, { devices }] = await create({ HostConfig: { Devices: [{ PathOnHost, CgroupPermissions: "r" }] } });
  assertEquals([status, devices], [201, [{ source: PathOnHost, destination: PathOnHost, access: "r" }]]);
});

Deno.test("CompatCreateContainer() takes a hardware address with dashes, and none in another form", async () => {
  const [status, { networks }] = await create({ MacAddress: "02-00-00-00-00-09", ...endpoint({}) });
  assertEquals([status, networks?.podman.mac], [201, "02:00:00:00:00:09"]);
  assertEquals(
    (await create(endpoint({ MacAddress: btoa("\x02\0\0\0\0\x09") })))[2],
    "address AgAAAAAJ: invalid MAC address",
  );
});

function endpoint(settings: object) {
  return { NetworkingConfig: { EndpointsConfig: { default: settings } } };
}

Deno.test("CompatCreateContainer() counts limits past 53 bits without an internal error", async () => {
  const [status, { resources }] = await create({ HostConfig: { Memory: 5e15 } });
  assertEquals([status, resources?.memory], [201, { limit: 5e15, swap: Number.MAX_SAFE_INTEGER }]);
  const Ulimits = [{ Name: "as", Soft: 1, Hard: "18446744073709551616n" }];
  const refused = '"HostConfig.Ulimits": limit "as" is of more than 64 bits';
  const [code, , message] = await create({ HostConfig: { Ulimits } });
  assertEquals([code, message], [400, refused]);
  const LogConfig = { Config: { "max-size": "99999999999g" } };
  assertEquals((await create({ HostConfig: { LogConfig } })).slice(0, 1), [400]);
});

Deno.test("CompatCreateContainer() refuses a published port that is no number", async () => {
  for (const port of ["abc/tcp", "80-90/tcp", "70000"]) {
    const [status, , message] = await create({ HostConfig: { PortBindings: { [port]: [{ HostPort: "1" }] } } });
    assertEquals([status, message], [400, `"HostConfig.PortBindings": invalid port specification: "${port}"`]);
  }
});

Deno.test("CompatCreateContainer() joins all networks that the owner chose", async () => {
  const [status, , message] = await create({}, { defaults: { netns: "podman,other" } });
  // There is one network here: the second name is what cannot be found.
  assertEquals([status, message], [500, "unable to find network with name or ID other: network not found"]);
});

Deno.test("CompatCreateContainer() knows no namespace by the name of a property that every object has", async () => {
  for (const mode of ["constructor", "toString"]) {
    const [status, , message] = await create({ HostConfig: { IpcMode: mode } });
    const text = `Create container: "HostConfig.IpcMode" is not supported yet: mode "${mode}"`;
    assertEquals([status, message], [501, text]);
  }
});
