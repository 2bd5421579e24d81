/** The one image of all examples: they work after it was pulled. */
const ALPINE = "docker.io/library/alpine:latest";

const POD_DOCUMENT = `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
    - name: hello
      image: ${ALPINE}
      command: [sleep, "1000"]
`;

/** Bodies that work, for the forms of the API's page: the image and the names in them are to be there. */
export const BODY_EXAMPLES: Readonly<Record<string, unknown>> = {
  CreateContainer: {
    image: ALPINE,
    name: "hello",
    command: ["sh", "-c", "while true; do date; sleep 1; done"],
    env: { GREETING: "hello" },
    labels: { made: "by-hand" },
  },
  CompatCreateContainer: {
    Image: ALPINE,
    Cmd: ["sh", "-c", "while true; do date; sleep 1; done"],
    Env: ["GREETING=hello"],
    HostConfig: { PortBindings: {}, RestartPolicy: { Name: "no" } },
  },
  UpdateContainer: { memory: { limit: 268_435_456 } },
  CompatUpdateContainer: { Memory: 268_435_456, MemorySwap: 536_870_912 },
  ExecCreateHandler: { AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: true, Cmd: ["sh"] },
  CompatExecCreateHandler: { AttachStdout: true, AttachStderr: true, Cmd: ["ls", "-l", "/"] },
  ExecStartHandler: { Detach: false, Tty: false },
  CompatExecStartHandler: { Detach: false, Tty: false },
  ExecRemoveHandler: { Force: false },
  CommitContainer: {},
  CompatCommitContainer: { Labels: { made: "by-hand" } },
  PodCreate: { name: "shop", portmappings: [{ container_port: 80, host_port: 8080 }] },
  CreateNetwork: { name: "backend", driver: "bridge", dns_enabled: true },
  CompatCreateNetwork: { Name: "backend", Driver: "bridge" },
  UpdateNetwork: { adddnsservers: ["9.9.9.9"], removednsservers: [] },
  Connect: { container: "hello", aliases: ["web"] },
  CompatConnect: { Container: "hello", EndpointConfig: { Aliases: ["web"] } },
  Disconnect: { Container: "hello", Force: false },
  CompatDisconnect: { Container: "hello", Force: false },
  CreateVolume: { Name: "data", Labels: { app: "shop" } },
  CompatCreateVolume: { Name: "data", Labels: { app: "shop" } },
  CompatUpdateSecret: { Name: "password", Labels: { app: "shop" } },
  CreateSecret: "s3cret",
  AddArtifact: "a text that is kept beside images\n",
  PlayKube: POD_DOCUMENT,
  KubePlay: POD_DOCUMENT,
  PlayKubeDown: POD_DOCUMENT,
  KubePlayDown: POD_DOCUMENT,
  KubeApply: POD_DOCUMENT,
  CompatCreateSecret: { Name: "password", Data: "czNjcmV0" },
  Auth: { username: "me", password: "secret", serveraddress: "registry.example.com" },
  CompatAuth: { username: "me", password: "secret", serveraddress: "registry.example.com" },
  ManifestCreate: { operation: "update", images: [ALPINE] },
  ManifestCreateV3: { images: [ALPINE] },
  ManifestModify: { operation: "update", images: [ALPINE] },
  ManifestAddV3: { images: [ALPINE] },
};

const BOTH_OUTPUTS = { stdout: true, stderr: true };

/** Values that forms begin with, where an operation does nothing without any. */
export const PARAMETER_EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  LogsFromContainer: { ...BOTH_OUTPUTS, follow: true },
  CompatLogsFromContainer: { ...BOTH_OUTPUTS, follow: true },
  CompatAttachContainer: { ...BOTH_OUTPUTS, stream: true },
  CompatAttachWebSocket: { ...BOTH_OUTPUTS, stream: true, stdin: true },
  ImagesPull: { reference: ALPINE },
  CompatCreateImageFromImage: { fromImage: "docker.io/library/alpine", tag: "latest" },
};
