import { assert, assertEquals, assertThrows } from "@std/assert";
import { convertQuadlets, unitText } from "../../../lib/engine/quadlets/convert/convert_quadlets.ts";
import { QuadletError } from "../../../lib/engine/quadlets/quadlet_error.ts";
import type { QuadletFile } from "../../../lib/engine/quadlets/unit_file.ts";
import { GOOD } from "./corpus.ts";
import { BAD } from "./hostile.ts";

function filesOf(others: Readonly<Record<string, string>> = {}): QuadletFile[] {
  return Object.entries(others).map(([name, text]) => ({ name, text }));
}

for (const [title, { name, text, others, start, lines = [], without = [] }] of Object.entries(GOOD)) {
  Deno.test(`unitText: ${title}`, () => {
    const unit = unitText({ name, text }, filesOf(others)).split("\n");
    assertEquals(unit.filter((line) => line.startsWith("ExecStart=")), [`ExecStart=/usr/bin/podman ${start}`]);
    for (const line of lines) assert(unit.includes(line), `${line}\n\n${unit.join("\n")}`);
    for (const line of without) assert(!unit.includes(line), `${line}\n\n${unit.join("\n")}`);
  });
}

for (const [title, { name = "web.container", text, others, error }] of Object.entries(BAD)) {
  Deno.test(`unitText refuses ${title}`, () => {
    const { message } = assertThrows(() => unitText({ name, text }, filesOf(others)), QuadletError);
    assertEquals(message, error);
  });
}

Deno.test("unitText gives the whole unit, the quadlet's own sections first", () => {
  const text = "[Unit]\nDescription=Web\n\n[Container]\nImage=quay.io/web\n\n[Install]\nWantedBy=default.target\n";
  const options = { folder: "/home/me/q", podman: "/opt/podman", isUser: true };
  assertEquals(
    unitText({ name: "web.container", text }, [], options),
    `[Unit]
Wants=podman-user-wait-network-online.service
After=podman-user-wait-network-online.service
Description=Web
SourcePath=/home/me/q/web.container
RequiresMountsFor=%t/containers

[X-Container]
Image=quay.io/web

[Install]
WantedBy=default.target

[Service]
Environment=PODMAN_SYSTEMD_UNIT=%n
KillMode=mixed
Type=notify
NotifyAccess=all
SyslogIdentifier=%N
ExecStop=/opt/podman rm -v -f -i systemd-%N
ExecStopPost=-/opt/podman rm -v -f -i systemd-%N
Delegate=yes
ExecStart=/opt/podman run --name systemd-%N --replace --rm --cgroups=split --sdnotify=conmon -d quay.io/web
`,
  );
});

Deno.test("a device with a minus is left out where it is absent", () => {
  const file = { name: "web.container", text: "[Container]\nImage=i\nAddDevice=-/dev/a:/dev/b\nAddDevice=/dev/c\n" };
  const asked: string[] = [];
  const text = unitText(file, [], { hasPath: (path) => (asked.push(path), false) });
  assert(text.includes("-d --device /dev/c i\n"), text);
  assertEquals(asked, ["/dev/a"]);
});

Deno.test("convertQuadlets names the units and refuses two quadlets of one name", () => {
  const files = filesOf({
    ...{ "a@.container": "[Container]\nImage=i\n", "v@.volume": "", "p.pod": "[Pod]\nServiceName=mine\n" },
    ...{ "n.network": "", "k.kube": "[Kube]\nYaml=/k\n" },
  });
  const names = convertQuadlets(files).map(({ name }) => name);
  assertEquals(names, ["a@.service", "v-volume@.service", "mine.service", "n-network.service", "k.service"]);
  const { message } = assertThrows(() => convertQuadlets([...files, files[0]]), QuadletError);
  assertEquals(message, "a@.container: given twice");
});
