import { DOCKER_CONFIG_FIELDS } from "./docker_field_words.ts";

/** The fields of a commit's body that the image gets; the others are of a container's creation. */
const COMMITTED = [
  ...["User", "ExposedPorts", "Env", "Cmd", "Healthcheck", "ArgsEscaped", "Volumes", "WorkingDir", "Entrypoint"],
  ...["OnBuild", "Labels", "StopSignal", "StopTimeout", "Shell"],
];

const OF_IMAGE: Readonly<Record<string, string>> = {
  User: "The user that containers of the image run as, as `name`, `uid` or `uid:gid`.",
  ExposedPorts: 'Ports that containers of the image expose, added to the container\'s, as `{"80/tcp": {}}`.',
  Env: "Environment variables as `NAME=value`, added to the container's.",
  Cmd: "The arguments of the entrypoint, or the whole command where there is none, in place of the container's.",
  Healthcheck: "The health check, in place of the container's.",
  Volumes: 'Paths that get anonymous volumes, added to the container\'s, as `{"/data": {}}`.',
  WorkingDir: "The working directory, in place of the container's.",
  Entrypoint: "The program and its first arguments, in place of the container's.",
  OnBuild: "Instructions that run in builds that begin with the image.",
  Labels: "The image's labels, added to the container's.",
  StopSignal: "The signal that stops containers of the image.",
  StopTimeout: "Seconds between the stop signal and the kill.",
  Shell: 'The shell of `RUN` in builds that begin with the image, as `["/bin/bash", "-c"]`.',
};

const COMMIT: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(DOCKER_CONFIG_FIELDS).map(([path, text]) => {
    const isOfImage = COMMITTED.includes(path.split(".", 1)[0]);
    return [
      path,
      OF_IMAGE[path] ?? (isOfImage ? text : "A setting of containers, which no image has; it changes nothing here."),
    ];
  }),
);

/** Words about an entry of a manifest list, and about the list. */
const ENTRY: Readonly<Record<string, string>> = {
  all: "Adds every image of a list that is named, in place of the one for this machine.",
  images: "The images to add, by name or ID.",
  annotation: "Annotations of the entries as `key=value`, where `annotations` has none.",
  annotations: "Annotations of the entries.",
  arch: "The architecture to write down, such as `arm64`, in place of the image's.",
  features: "The features of the processor to write down.",
  os: "The operating system to write down, in place of the image's.",
  os_features: "The features of the operating system to write down.",
  os_version: "The version of the operating system to write down.",
  variant: "The variant of the architecture to write down, such as `v8`.",
  index_annotation: "Annotations of the list as `key=value`, where `index_annotations` has none.",
  index_annotations: "Annotations of the list.",
  subject: "The image or manifest that the list is about, by name or digest.",
};

const OF_MODIFY = "A setting of `ManifestModify`; a create leaves it out.";

const MANIFEST_CREATE: Readonly<Record<string, string>> = {
  ...ENTRY,
  images: "The images to add besides those of the query, by name or ID.",
  operation: OF_MODIFY,
  artifact_type: OF_MODIFY,
  artifact_layer_type: OF_MODIFY,
  artifact_config_type: OF_MODIFY,
  artifact_config: OF_MODIFY,
  artifact_exclude_titles: OF_MODIFY,
  artifact_annotations: OF_MODIFY,
  artifact_subject: OF_MODIFY,
  artifact_files: OF_MODIFY,
};

const AUTH: Readonly<Record<string, string>> = {
  username: "The user's name.",
  password: "The user's password, or a token that the registry takes for one.",
  auth: "Name and password with a colon between, in base64, in place of both fields.",
  serveraddress: "The registry, as `registry.example.com:5000`; the default is `docker.io`.",
  identitytoken: "A token that was given for a login, in place of a password.",
  registrytoken: "A token that is sent as it is, in place of a password.",
};

/** Words about the fields of bodies that are about images: by the operation, then by the field's path. */
export const IMAGE_FIELD_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  CommitContainer: COMMIT,
  CompatCommitContainer: COMMIT,
  ManifestCreate: MANIFEST_CREATE,
  ManifestCreateV3: MANIFEST_CREATE,
  ManifestAddV3: {
    ...ENTRY,
    TLSVerify: "Clients send it; the query's `tlsVerify` says whether certificates are checked.",
  },
  Auth: AUTH,
  CompatAuth: AUTH,
};
