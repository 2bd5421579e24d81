import { compatBuildsAPI } from "../../../handlers/compat/builds/api.ts";
import { compatContainersAPI } from "../../../handlers/compat/containers/api.ts";
import { compatExecAPI } from "../../../handlers/compat/exec/api.ts";
import { compatFilesAPI } from "../../../handlers/compat/files/api.ts";
import { compatImagesAPI } from "../../../handlers/compat/images/api.ts";
import { API_OPTIONS } from "../../../handlers/wire/api_options.ts";
import type { CreateContainerConfig } from "../../../handlers/wire/compat/container_create.ts";
import type { Sparse } from "../../../handlers/wire/emit.ts";
import { z } from "../../../handlers/wire/zod.ts";
import { api, chan, type Client, link } from "../../rest/mod.ts";
import { ClientError } from "../client_error.ts";
import { type ContainerOptions, parsePorts, parseVolumes } from "../container_options.ts";
import { buildQuery } from "./build_query.ts";
import type { Dialect } from "./dialect.ts";
import { dockerResources } from "./resources/docker_resources.ts";
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

const containers = compatContainersAPI.operations;
const images = compatImagesAPI.operations;
const exec = compatExecAPI.operations;
const files = compatFilesAPI.operations;

/** The operations in use, with the results that the client reads. */
const definition = api("http://localhost", {
  Create: { ...containers.CompatCreateContainer, results: [CreatedView] as const },
  Start: containers.CompatStartContainer,
  Stop: containers.CompatStopContainer,
  Restart: containers.CompatRestartContainer,
  Kill: containers.CompatKillContainer,
  Pause: containers.CompatPauseContainer,
  Unpause: containers.CompatUnpauseContainer,
  Remove: containers.CompatRemoveContainer,
  Wait: containers.CompatWaitContainer,
  Inspect: { ...containers.CompatGetContainer, results: [ContainerView] as const },
  List: { ...containers.CompatListContainers, results: [z.array(ListedContainer)] as const },
  Logs: containers.CompatLogsFromContainer,
  Attach: containers.CompatAttachContainer,
  Resize: containers.CompatResizeTTY,
  CreateExec: exec.CompatExecCreateHandler,
  StartExec: exec.CompatExecStartHandler,
  InspectExec: { ...exec.CompatExecInspectHandler, results: [ExecView] as const },
  ResizeExec: exec.CompatExecResizeTTY,
  ReadArchive: files.CompatContainerArchive,
  WriteArchive: files.CompatPutContainerArchive,
  Pull: { ...images.CompatCreateImageFromImage, results: [chan(StepView)] as const },
  Push: { ...images.CompatPushImage, results: [chan(StepView)] as const },
  Images: { ...images.CompatGetImages, results: [z.array(ListedImage)] as const },
  InspectImage: { ...images.CompatGetImage, results: [ImageView] as const },
  RemoveImage: { ...images.CompatRemoveImage, results: [z.array(Told)] as const },
  TagImage: images.CompatTagImage,
  SaveImage: images.CompatExportImage,
  LoadImages: { ...images.CompatLoadImages, results: [chan(StepView)] as const },
  Build: { ...compatBuildsAPI.operations.CompatBuildImage, results: [chan(StepView)] as const },
}, API_OPTIONS);

/** The tree of Docker, without a version in its paths: the server's newest. */
export function dockerDialect(client: Client): Dialect {
  const base = "http://localhost";
  const api = link(definition, base, client);
  return {
    resources: dockerResources(client, base),
    create: async (options, call) => (await api.Create(configOf(options), { name: options.name }, call)).Id,
    start: (id, call) => api.Start(id, {}, call),
    stop: (id, t, call) => api.Stop(id, { t }, call),
    restart: (id, t, call) => api.Restart(id, { t }, call),
    kill: (id, signal, call) => api.Kill(id, { signal }, call),
    pause: (id, call) => api.Pause(id, call),
    unpause: (id, call) => api.Unpause(id, call),
    remove: (id, { force, volumes }, call) => api.Remove(id, { force, v: volumes }, call),
    async wait(id, call) {
      const { StatusCode } = Waited.parse(await new Response(await api.Wait(id, {}, call)).json());
      return StatusCode;
    },
    inspect: (id, call) => api.Inspect(id, {}, call),
    list: (query, call) => api.List(query, call),
    logs: (id, options, call) => api.Logs(id, options, call),
    attach: (via, id, options, call) => link(definition, base, via).Attach(id, options, call),
    resize: (id, size, call) => api.Resize(id, size, call),
    createExec: async (id, { command, env, user, workdir, terminal, stdin, privileged }, call) => {
      const config = { Cmd: command, Env: env, User: user, WorkingDir: workdir, Tty: terminal, Privileged: privileged };
      const streams = { AttachStdin: stdin, AttachStdout: true, AttachStderr: true };
      return (await api.CreateExec(id, { ...config, ...streams }, call)).Id;
    },
    startExec: (via, exec, Tty, call) => link(definition, base, via).StartExec(exec, { Detach: false, Tty }, call),
    execExit: async (exec, call) => {
      const { Running, ExitCode } = await api.InspectExec(exec, call);
      return Running ? undefined : ExitCode ?? undefined;
    },
    resizeExec: (exec, size, call) => api.ResizeExec(exec, size, call),
    readArchive: (id, path, call) => api.ReadArchive(id, { path }, call),
    writeArchive: (id, path, tar, call) => api.WriteArchive(id, { path, noOverwriteDirNonDir: true }, tar, call),
    pull: (fromImage, platform, call) => api.Pull({ fromImage, platform }, call),
    push: (image, call) => api.Push(image, {}, call),
    images: (all, call) => api.Images({ all }, call),
    inspectImage: (image, call) => api.InspectImage(image, call),
    removeImage: async (image, force, call) => void await api.RemoveImage(image, { force }, call),
    tagImage: (image, target, call) => api.TagImage(image, target, call),
    saveImage: (image, call) => api.SaveImage(image, call),
    loadImages: async (tar, call) => {
      for await (const { error } of await api.LoadImages({}, tar, call)) if (error) throw new Error(error);
    },
    build: (options, tar, call) => api.Build(buildQuery(options), tar, call),
  };
}

const Waited = z.looseObject({ StatusCode: z.number() });

/** The create request of the tree. */
function configOf(options: ContainerOptions): Sparse<CreateContainerConfig> {
  if (options.pod !== undefined) {
    const action = `Create a container in pod "${options.pod}"`;
    throw new ClientError("unsupported", `${action}: Docker's tree has no pods`);
  }
  const ports = parsePorts(options.ports);
  const bindings = Object.groupBy(ports, ({ container, protocol }) => `${container}/${protocol}`);
  return {
    Image: options.image,
    Cmd: options.command,
    Entrypoint: options.entrypoint,
    Env: Object.entries(options.env ?? {}).map(([name, value]) => `${name}=${value}`),
    Labels: options.labels,
    WorkingDir: options.workdir,
    User: options.user,
    Hostname: options.hostname,
    Tty: options.terminal,
    OpenStdin: options.stdin,
    StdinOnce: options.stdin,
    AttachStdin: options.stdin,
    AttachStdout: true,
    AttachStderr: true,
    ExposedPorts: Object.fromEntries(Object.keys(bindings).map((port) => [port, {}])),
    HostConfig: {
      NetworkMode: options.network,
      Binds: parseVolumes(options.volumes).map(({ source, target, isReadOnly }) =>
        `${source}:${target}${isReadOnly ? ":ro" : ""}`
      ),
      PortBindings: Object.fromEntries(
        Object.entries(bindings).map(([port, places]) => [
          port,
          places?.map(({ address, host }) => ({ HostIp: address, HostPort: String(host) })),
        ]),
      ),
      Privileged: options.privileged,
      ReadonlyRootfs: options.readOnly,
      Init: options.init,
      Memory: options.memory,
      NanoCpus: options.cpus === undefined ? undefined : Math.round(options.cpus * 1e9),
      RestartPolicy: { Name: options.restart ?? "no" },
    },
  };
}
