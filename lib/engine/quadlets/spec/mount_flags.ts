import type { MemberRequest } from "../../containers/request/container_request.ts";
import { artifactMount, imageMount, orderMounts, plainMount } from "../../containers/request/mount_specs.ts";
import { optionList, parseMount, parseVolume } from "../../containers/request/parse_mounts.ts";
import type { SecretWish } from "../../records/container_record.ts";
import type { MountRequest } from "../../records/mount_spec.ts";
import { readPairs } from "../../text/pairs.ts";
import { type FlagTable, readNumber, takeLast } from "./flag_table.ts";

type Draft = { request: MemberRequest };

/** The flags of volumes, mounts and secrets. */
export const MOUNT_FLAGS: FlagTable<Draft> = {
  volume: { letter: "v", apply: (draft, values) => addMounts(draft, values.map(parseVolume)) },
  mount: { apply: (draft, values) => addMounts(draft, values.map(readMount)) },
  tmpfs: { apply: (draft, values) => addMounts(draft, values.map(readTmpfs)) },
  "volumes-from": { apply: ({ request }, values) => void (request.volumesFrom = values) },
  rootfs: takeLast(({ request }, value) => {
    const [path, mode] = value.split(/:(.*)/s);
    request.rootfs = { path, overlay: mode === "O" };
  }),
  secret: {
    apply: ({ request }, values) => {
      for (const value of values) addSecret(request, value);
    },
  },
};

function addMounts({ request }: Draft, mounts: readonly MountRequest[]): void {
  request.mounts = orderMounts([...request.mounts ?? [], ...mounts]);
}

/** Images and artifacts have no flag but this one. */
function readMount(text: string): MountRequest {
  const words = readPairs(optionList(text));
  const source = words.source ?? words.src ?? "";
  const destination = words.destination ?? words.dst ?? words.target ?? "";
  if (words.type === "image") {
    const writable = words.rw === "true" || words.readwrite === "true";
    return imageMount({ source, destination, writable, subPath: words.subpath });
  }
  if (words.type === "artifact") {
    return artifactMount({ source, destination, title: words.title, digest: words.digest, name: words.name });
  }
  return parseMount(text);
}

function readTmpfs(text: string): MountRequest {
  const [destination, words = ""] = text.split(/:(.*)/s);
  return plainMount({ type: "tmpfs", source: "tmpfs", destination, options: optionList(words) });
}

function addSecret(request: MemberRequest, text: string): void {
  const [source, ...options] = text.split(",");
  const { type = "mount", target, uid = "0", gid = "0", mode = "0444", ...others } = readPairs(options);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new SyntaxError(`secret "${source}": the option "${unknown}" is not known`);
  if (type === "env") {
    request.secretEnv = { ...request.secretEnv, [target ?? source]: source };
    return;
  }
  if (type !== "mount") throw new SyntaxError(`secret "${source}": the type "${type}" is neither mount nor env`);
  if (!/^[0-7]{1,5}$/.test(mode)) throw new SyntaxError(`secret "${source}": the mode "${mode}" is not octal`);
  const secret: SecretWish = {
    ...{ source, target, uid: readNumber(uid), gid: readNumber(gid), mode: parseInt(mode, 8) },
  };
  request.secrets = [...request.secrets ?? [], secret];
}
