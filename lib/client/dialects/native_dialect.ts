import { buildsAPI } from "../../../handlers/builds/api.ts";
import { containersAPI } from "../../../handlers/containers/api.ts";
import { execAPI } from "../../../handlers/exec/api.ts";
import { filesAPI } from "../../../handlers/files/api.ts";
import { imagesAPI } from "../../../handlers/images/api.ts";
import { API_OPTIONS } from "../../../handlers/wire/api_options.ts";
import type { Sparse } from "../../../handlers/wire/emit.ts";
import type { SpecGenerator } from "../../../handlers/wire/containers/spec_generator.ts";
import { z } from "../../../handlers/wire/zod.ts";
import { api, chan, type Client, link } from "../../rest/mod.ts";
import { type ContainerOptions, parsePorts, parseVolumes } from "../container_options.ts";
import type { Dialect } from "./dialect.ts";
import { buildQuery } from "./build_query.ts";
import { inLibpod } from "./in_libpod.ts";
import { networkWish, portWishes } from "./native_wishes.ts";
import { nativePods } from "./resources/native_pods.ts";
import { nativeResources } from "./resources/native_resources.ts";
import {
  ContainerView,
  CreatedView,
  ExecView,
  ImageView,
  ListedContainer,
  ListedImage,
  StepView,
  Told,
} from "./views.ts";

const containers = containersAPI.operations;
const images = imagesAPI.operations;
const exec = execAPI.operations;
const files = filesAPI.operations;

/** The operations in use, under the one name of the tree that Podman has too, with the results that the client reads. */
const definition = api(
  "http://localhost",
  inLibpod({
    CreateContainer: { ...containers.CreateContainer, results: [CreatedView] as const },
    StartContainer: containers.StartContainer,
    StopContainer: containers.StopContainer,
    RestartContainer: containers.RestartContainer,
    KillContainer: containers.KillContainer,
    PauseContainer: containers.PauseContainer,
    UnpauseContainer: containers.UnpauseContainer,
    // Podman answers a removal with a report or with nothing, by its age.
    RemoveContainer: { ...containers.RemoveContainer, results: [z.array(Told).nullish()] as const },
    WaitContainer: containers.WaitContainer,
    GetContainer: { ...containers.GetContainer, results: [ContainerView] as const },
    ListContainers: { ...containers.ListContainers, results: [z.array(ListedContainer)] as const },
    LogsFromContainer: containers.LogsFromContainer,
    AttachContainer: containers.AttachContainer,
    ResizeTTY: containers.ResizeTTY,
    ExecCreateHandler: exec.ExecCreateHandler,
    ExecStartHandler: exec.ExecStartHandler,
    ExecInspectHandler: { ...exec.ExecInspectHandler, results: [ExecView] as const },
    ExecResizeTTY: exec.ExecResizeTTY,
    ContainerArchive: files.ContainerArchive,
    PutContainerArchive: files.PutContainerArchive,
    ImagesPull: { ...images.ImagesPull, results: [chan(StepView)] as const },
    PushImage: { ...images.PushImage, results: [chan(StepView)] as const },
    GetImages: { ...images.GetImages, results: [z.array(ListedImage)] as const },
    GetImage: { ...images.GetImage, results: [ImageView] as const },
    ImagesRemove: { ...images.ImagesRemove, results: [Told] as const },
    TagImage: images.TagImage,
    ExportImage: images.ExportImage,
    ImagesLoad: { ...images.ImagesLoad, results: [Told] as const },
    BuildImage: { ...buildsAPI.operations.BuildImage, results: [chan(StepView)] as const },
  }),
  API_OPTIONS,
);

/**
 * The tree of Podman and Gantry. Paths carry the server's own version: Podman has no paths of this tree without one.
 *
 * @param version `Libpod-API-Version` of the server
 * @param isGantry Whether the server attaches and runs further processes over WebSockets, too
 */
export function nativeDialect(client: Client, version: string, isGantry: boolean): Dialect {
  const base = `http://localhost/v${version.replace(/-.*$/, "")}`;
  const api = link(definition, base, client);
  return {
    resources: nativeResources(client, base),
    pods: nativePods(client, base),
    create: async (options, call) => (await api.CreateContainer(specOf(options), call)).Id,
    start: (id, call) => api.StartContainer(id, {}, call),
    stop: (id, timeout, call) => api.StopContainer(id, { timeout }, call),
    restart: (id, timeout, call) => api.RestartContainer(id, { timeout }, call),
    kill: (id, signal, call) => api.KillContainer(id, { signal }, call),
    pause: (id, call) => api.PauseContainer(id, call),
    unpause: (id, call) => api.UnpauseContainer(id, call),
    // No time to stop: a removal by force is a kill.
    remove: async (id, { force, volumes }, call) =>
      void await api.RemoveContainer(id, { force, volumes, ...force && { timeout: 0 } }, call),
    // Podman looks every quarter of a second by itself.
    wait: async (id, call) =>
      Number(await new Response(await api.WaitContainer(id, { interval: "20ms" }, call)).text()),
    inspect: (id, call) => api.GetContainer(id, {}, call),
    list: (query, call) => api.ListContainers(query, call),
    logs: (id, options, call) => api.LogsFromContainer(id, options, call),
    attach: (via, id, options, call) => link(definition, base, via).AttachContainer(id, options, call),
    ...isGantry && {
      attachPath: (id) => `/libpod/containers/${encodeURIComponent(id)}/attach/ws`,
      execPath: (exec) => `/libpod/exec/${encodeURIComponent(exec)}/start/ws`,
    },
    resize: (id, size, call) => api.ResizeTTY(id, size, call),
    createExec: async (id, { command, env, user, workdir, terminal, stdin, privileged }, call) => {
      const config = { Cmd: command, Env: env, User: user, WorkingDir: workdir, Tty: terminal, Privileged: privileged };
      const streams = { AttachStdin: stdin, AttachStdout: true, AttachStderr: true };
      return (await api.ExecCreateHandler(id, { ...config, ...streams }, call)).Id;
    },
    startExec: (via, exec, Tty, call) =>
      link(definition, base, via).ExecStartHandler(exec, { Detach: false, Tty }, call),
    execExit: async (exec, call) => {
      const { Running, ExitCode } = await api.ExecInspectHandler(exec, call);
      return Running ? undefined : ExitCode ?? undefined;
    },
    resizeExec: (exec, size, call) => api.ExecResizeTTY(exec, size, call),
    readArchive: (id, path, call) => api.ContainerArchive(id, { path }, call),
    writeArchive: (id, path, tar, call) => api.PutContainerArchive(id, { path, noOverwriteDirNonDir: true }, tar, call),
    pull: (reference, platform, call) => {
      const [OS, Arch, Variant] = platform?.split("/") ?? [];
      return api.ImagesPull({ reference, policy: "always", pullProgress: true, OS, Arch, Variant }, call);
    },
    push: (image, call) => api.PushImage(image, { quiet: false }, call),
    images: (all, call) => api.GetImages({ all }, call),
    inspectImage: (image, call) => api.GetImage(image, call),
    removeImage: async (image, force, call) => void await api.ImagesRemove(image, { force }, call),
    tagImage: (image, target, call) => api.TagImage(image, target, call),
    saveImage: (image, call) => api.ExportImage(image, { format: "oci-archive" }, call),
    loadImages: async (tar, call) => void await api.ImagesLoad(tar, call),
    build: (options, tar, call) => api.BuildImage(buildQuery(options), tar, call),
  };
}

/** The create request of the tree. */
function specOf(options: ContainerOptions): Sparse<SpecGenerator> {
  const { memory, cpus, network, volumes } = options;
  const mounts = parseVolumes(volumes);
  return {
    image: options.image,
    name: options.name,
    command: options.command,
    entrypoint: options.entrypoint,
    env: options.env,
    labels: options.labels,
    work_dir: options.workdir,
    user: options.user,
    hostname: options.hostname,
    terminal: options.terminal,
    stdin: options.stdin,
    privileged: options.privileged,
    read_only_filesystem: options.readOnly,
    init: options.init,
    restart_policy: options.restart,
    pod: options.pod,
    ...networkWish(network),
    portmappings: portWishes(parsePorts(options.ports)),
    volumes: mounts.filter(({ isPath }) => !isPath).map(({ source, target, isReadOnly }) => ({
      Name: source,
      Dest: target,
      Options: isReadOnly ? ["ro"] : [],
    })),
    mounts: mounts.filter(({ isPath }) => isPath).map(({ source, target, isReadOnly }) => ({
      type: "bind",
      source,
      destination: target,
      options: ["rbind", ...isReadOnly ? ["ro"] : []],
    })),
    ...(memory !== undefined || cpus !== undefined) && {
      resource_limits: {
        ...memory !== undefined && { memory: { limit: memory } },
        ...cpus !== undefined && { cpu: { period: PERIOD, quota: Math.round(cpus * PERIOD) } },
      },
    },
  };
}

/** Microseconds over which processors are shared out: the kernel's default. */
const PERIOD = 100_000;
