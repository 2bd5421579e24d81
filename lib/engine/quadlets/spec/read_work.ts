import { messageOf } from "../../../oci/message_of.ts";
import type { BuildOptions } from "../../build/build_options.ts";
import { isAddress } from "../convert/shared.ts";
import type { ContainerRequest, MemberRequest } from "../../containers/request/container_request.ts";
import type { PullOptions, PullPolicy, RegistryAccess } from "../../images/types.ts";
import { logFields } from "../../kube/play/log_options.ts";
import type { PlayOptions } from "../../kube/play/play_options.ts";
import type { NetworkWish } from "../../networks/create_network.ts";
import type { PodRequest } from "../../pods/pod_request.ts";
import type { VolumeRequest } from "../../volumes/volumes.ts";
import type { Conversion } from "../convert/conversion.ts";
import { extensionOf } from "../quadlet_kinds.ts";
import { CONTAINER_FLAGS, type ContainerDraft } from "./container_flags.ts";
import { placeOfFlag } from "./flag_keys.ts";
import { applyFlags, type FlagTable } from "./flag_table.ts";
import { emptyPlace, networkFields, type PlaceWords, userFields } from "./namespace_flags.ts";
import {
  BUILD_FLAGS,
  type BuildDraft,
  joinSubnets,
  NETWORK_FLAGS,
  type NetworkDraft,
  PLAY_FLAGS,
  type PlayDraft,
  PULL_FLAGS,
  VOLUME_FLAGS,
} from "./object_flags.ts";
import { POD_FLAGS, type PodDraft } from "./pod_flags.ts";

/** The requests that make what a quadlet says. */
export type QuadletWork =
  | {
    kind: "container";
    request: MemberRequest;
    /** When the image is pulled, and how. */
    pull: PullPolicy;
    registry: RegistryAccess;
    /** Files of the host with variables, one a line, that those of the request come before. */
    envFiles: string[];
  }
  | { kind: "pod"; request: PodRequest; /** Seconds that a stop may take. */ stopTimeout: number }
  | { kind: "network"; request: NetworkWish; /** It goes when the unit stops. */ removesOnStop: boolean }
  | { kind: "volume"; request: VolumeRequest }
  | { kind: "image" | "artifact"; name: string; options: PullOptions }
  | { kind: "build"; options: BuildOptions; /** The context: a folder of the host, or an address. */ context: string }
  | {
    kind: "kube";
    /** Files of the host. */
    documents: string[];
    configMaps: string[];
    options: PlayOptions;
    /** Taking it down removes volumes too. */
    downForce: boolean;
  };

interface Source {
  conversion: Conversion;
  /** The words of a command behind the program's own ones. */
  command(key: string): string[];
  unknown: string[];
}

const READERS: Readonly<Record<string, (source: Source) => QuadletWork>> = {
  ...{ container: readContainer, pod: readPod, network: readNetwork, volume: readVolume, build: readBuild },
  ...{ image: readPull, artifact: readPull, kube: readKube },
};

/** Reads the command of a converted quadlet, with the flags in it that nothing here knows. Throws `QuadletError`. */
export function readWork(
  conversion: Conversion,
  command: (key: string) => string[],
): { work: QuadletWork; unknown: string[] } {
  const source: Source = { conversion, command, unknown: [] };
  const work = READERS[extensionOf(conversion.quadlet.name)](source);
  return { work, unknown: source.unknown };
}

/** Applies the flags that stand behind a command's verbs; the words before those are the program's own. */
function applyCommand<T>(
  source: Source,
  key: string,
  verbs: readonly string[],
  table: FlagTable<T>,
  target: T,
): string[] {
  const words = source.command(key);
  const at = words.findIndex((_, i) => verbs.every((verb, j) => words[i + j] === verb));
  const fault = (flag: string, error: unknown) => placeOfFlag(source.conversion, flag, messageOf(error));
  const { rest, unknown } = applyFlags(words.slice(at + verbs.length), table, target, fault);
  source.unknown.push(...unknown);
  return rest;
}

/** Runs what joins several flags; its errors are about the first key given. */
function joinFlags<T>({ conversion }: Source, flag: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw placeOfFlag(conversion, flag, messageOf(error));
  }
}

function placeFields(source: Source, draft: PlaceWords): ContainerRequest {
  const network = joinFlags(source, "network", () => networkFields(draft));
  const flag = ["userns", "uidmap", "gidmap"].find((_, at) => [draft.users, draft.uids[0], draft.gids[0]][at]);
  const users = joinFlags(source, flag ?? "userns", () => userFields(draft));
  const isPlaced = network.namespaces !== undefined || users.namespaces !== undefined;
  return { ...network, ...users, ...isPlaced && { namespaces: { ...network.namespaces, ...users.namespaces } } };
}

function readContainer(source: Source): QuadletWork {
  const request: MemberRequest = {};
  const draft: ContainerDraft = {
    ...emptyPlace(),
    ...{ request, pull: "missing", registry: {}, envFiles: [], logOptions: [] },
  };
  const rest = applyCommand(source, "ExecStart", ["run"], CONTAINER_FLAGS, draft);
  const [image, ...command] = request.rootfs === undefined ? rest : ["", ...rest];
  const { logDriver, logOptions, pull, registry, envFiles } = draft;
  const { namespaces, ...place } = placeFields(source, draft);
  return {
    kind: "container",
    request: {
      ...request,
      image,
      ...command.length > 0 && { command },
      ...place,
      ...(namespaces || request.namespaces) && { namespaces: { ...request.namespaces, ...namespaces } },
      ...joinFlags(source, "log-opt", () => withoutEmpty(logFields({ logDriver, logOptions }))),
    },
    ...{ pull, registry, envFiles },
  };
}

function withoutEmpty({ logOptions = {}, ...fields }: MemberRequest): MemberRequest {
  return { ...fields, ...Object.keys(logOptions).length > 0 && { logOptions } };
}

function readPod(source: Source): QuadletWork {
  const request: PodRequest = {};
  const draft: PodDraft = { ...emptyPlace(), request, container: {}, infra: {} };
  applyCommand(source, "ExecStartPre", ["pod", "create"], POD_FLAGS, draft);
  const place = placeFields(source, draft);
  return {
    kind: "pod",
    request: { ...request, infra: draft.infra, container: { ...draft.container, ...place } },
    stopTimeout: source.conversion.quadlet.number("Pod", "StopTimeout") ?? 10,
  };
}

function readNetwork(source: Source): QuadletWork {
  const draft: NetworkDraft = { wish: {}, subnets: [], gateways: [], ranges: [] };
  const [name] = applyCommand(source, "ExecStart", ["network", "create"], NETWORK_FLAGS, draft);
  const subnets = joinFlags(source, "ip-range", () => joinSubnets(draft));
  return {
    kind: "network",
    // A network of Podman's command line answers names, unless it shall not.
    request: { dns: true, ...draft.wish, name, ...subnets.length > 0 && { subnets } },
    removesOnStop: source.conversion.flag("NetworkDeleteOnStop") ?? false,
  };
}

function readVolume(source: Source): QuadletWork {
  const request: VolumeRequest = { ignoreIfExists: true };
  const [name] = applyCommand(source, "ExecStart", ["volume", "create"], VOLUME_FLAGS, request);
  return { kind: "volume", request: { ...request, name } };
}

function readPull(source: Source): QuadletWork {
  const kind = source.conversion.kind.section === "Image" ? "image" : "artifact";
  const options: PullOptions = {};
  const [name] = applyCommand(source, "ExecStart", [kind, "pull"], PULL_FLAGS, options);
  return { kind, name, options };
}

function readBuild(source: Source): QuadletWork {
  const draft: BuildDraft = { dockerfiles: [], registry: {}, sandbox: {} };
  const [context] = applyCommand(source, "ExecStart", ["build"], BUILD_FLAGS, draft);
  const folder = source.conversion.service.value("Service", "WorkingDirectory") ?? "";
  const { registry, sandbox, ...options } = draft;
  return {
    kind: "build",
    options: {
      ...options,
      ...Object.keys(registry).length > 0 && { registry },
      ...Object.keys(sandbox).length > 0 && { sandbox },
    },
    context: placeOfContext(context, folder, draft.dockerfiles[0] ?? ""),
  };
}

/** The context as `podman build` finds it: where none is named it is the folder of the Dockerfile, or else the working folder. */
function placeOfContext(context: string | undefined, folder: string, dockerfile: string): string {
  const place = context ?? (dockerfile.startsWith("/") ? dockerfile.replace(/(.)\/[^/]*$/, "$1") : ".");
  if (place.startsWith("/") || isAddress(place)) return place;
  return place === "." ? folder : `${folder}/${place.replace(/^\.\//, "")}`;
}

function readKube(source: Source): QuadletWork {
  const draft: PlayDraft = { options: {}, configMaps: [] };
  const documents = applyCommand(source, "ExecStart", ["kube", "play"], PLAY_FLAGS, draft);
  return { kind: "kube", documents, ...draft, downForce: source.conversion.flag("KubeDownForce") ?? false };
}
