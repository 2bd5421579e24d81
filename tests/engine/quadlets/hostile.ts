/** One quadlet of the corpus that is refused. */
export interface BadRow {
  name?: string;
  text: string;
  others?: Record<string, string>;
  /** The whole text of the error. */
  error: string;
}

const IMAGE = "[Container]\nImage=i\n";

/** Quadlets that are wrong, and the error that names the file, the line and the key. */
export const BAD: Readonly<Record<string, BadRow>> = {
  "an unknown key": {
    text: `${IMAGE}Imgae=j\n`,
    error: "web.container:3: Imgae: unsupported key in section [Container]",
  },
  "a key of another kind": {
    text: `${IMAGE}Subnet=10.0.0.0/8\n`,
    error: "web.container:3: Subnet: unsupported key in section [Container]",
  },
  "an unknown section": {
    text: `${IMAGE}[Contianer]\nUser=1\n`,
    error: "web.container:4: unsupported section [Contianer]",
  },
  "a user of the service": {
    text: `${IMAGE}[Service]\nUser=nobody\n`,
    error: "web.container:4: User: unsupported key in section [Service]",
  },
  "no image": { text: "[Container]\nUser=1\n", error: "web.container: Image: neither Image nor Rootfs is set" },
  "an image and a rootfs": { text: `${IMAGE}Rootfs=/x\n`, error: "web.container:3: Rootfs: set beside Image" },
  "a key before the first section": {
    text: "Image=i\n",
    error: "web.container:1: Image: stands before the first section",
  },
  "a line that is nothing": {
    text: `${IMAGE}what is this\n`,
    error: "web.container:3: neither a section nor KEY=VALUE",
  },
  "a section that is not closed": { text: "[Container\n", error: "web.container:1: neither a section nor KEY=VALUE" },
  "a key with a space": { text: `${IMAGE}A B=c\n`, error: "web.container:3: neither a section nor KEY=VALUE" },
  "a NUL": { text: `${IMAGE}User=\0\n`, error: "web.container:3: a NUL character" },
  "a NUL in a continued line": { text: `${IMAGE}Exec=a \\\n\0\n`, error: "web.container:4: a NUL character" },
  "a file without end": {
    text: IMAGE + "#".repeat(300_000),
    error: "web.container: longer than 262144 characters",
  },
  "lines without end": { text: IMAGE + "\n".repeat(20_000), error: "web.container: more than 10000 lines" },
  "a quote that is not closed": { text: `${IMAGE}Exec=sh "a\n`, error: 'web.container:3: Exec: a " is not closed' },
  "an escaped NUL": { text: `${IMAGE}Exec=a\\x00\n`, error: "web.container:3: Exec: the escape \\x00 is no character" },
  "no boolean": { text: `${IMAGE}ReadOnly=maybe\n`, error: 'web.container:3: ReadOnly: "maybe" is not a boolean' },
  "a pair without a name": {
    text: `${IMAGE}Environment==x\n`,
    error: 'web.container:3: Environment: "=x" has no name before the =',
  },
  "a group without a user": { text: `${IMAGE}Group=2\n`, error: "web.container:3: Group: set without User" },
  "a bad port": {
    text: `${IMAGE}ExposeHostPort=80x\n`,
    error: 'web.container:3: ExposeHostPort: "80x" is not a port or a range of ports',
  },
  "a pod by name": { text: `${IMAGE}Pod=mine\n`, error: 'web.container:3: Pod: "mine" is not the name of a .pod' },
  "a pod that is not there": { text: `${IMAGE}Pod=p.pod\n`, error: "web.container:3: Pod: there is no quadlet p.pod" },
  "a network that is not there": {
    text: `${IMAGE}Network=host\nNetwork=n.network\n`,
    error: "web.container:4: Network: there is no quadlet n.network",
  },
  "options for the network of a container": {
    text: `${IMAGE}Network=db.container:ip=1.2.3.4\n`,
    others: { "db.container": IMAGE },
    error: "web.container:3: Network: the network of another container takes no options",
  },
  "the network of a template": {
    text: `${IMAGE}Network=db@.container\n`,
    others: { "db@.container": IMAGE },
    error: "web.container:3: Network: the name of what db@.container makes is not known before it runs",
  },
  "a dependency that is not there": {
    text: `[Unit]\nAfter=x.volume\n${IMAGE}`,
    error: "web.container:2: After: there is no quadlet x.volume",
  },
  "a bad kill mode": {
    text: `${IMAGE}[Service]\nKillMode=none\n`,
    error: 'web.container:4: KillMode: "none" is neither mixed nor control-group',
  },
  "a bad type of service": {
    text: `${IMAGE}[Service]\nType=simple\n`,
    error: 'web.container:4: Type: "simple" is neither notify nor oneshot',
  },
  "two ways to reload": {
    text: `${IMAGE}ReloadCmd=a\nReloadSignal=HUP\n`,
    error: "web.container:4: ReloadSignal: set beside ReloadCmd",
  },
  "a mount without a source": {
    text: `${IMAGE}Mount=type=bind,dst=/x\n`,
    error: "web.container:3: Mount: a mount of type bind needs a source",
  },
  "old keys of maps beside new ones": {
    text: `${IMAGE}UIDMap=0:1:2\nRemapUsers=auto\n`,
    error: "web.container:4: RemapUsers: a deprecated key beside those that took its place",
  },
  "a fault in a drop-in": {
    text: IMAGE,
    others: { "web.container.d/10-x.conf": "[Container]\n\nNope=1\n" },
    error: "web.container.d/10-x.conf:3: Nope: unsupported key in section [Container]",
  },
  "a gateway without a subnet": {
    name: "n.network",
    text: "[Network]\nGateway=10.0.0.1\n",
    error: "n.network:2: Gateway: more gateways than subnets",
  },
  "a type without a device": {
    name: "v.volume",
    text: "[Volume]\nType=ext4\n",
    error: "v.volume:2: Type: set without Device",
  },
  "a user of a volume by name": {
    name: "v.volume",
    text: "[Volume]\nUser=me\n",
    error: 'v.volume:2: User: "me" is not a number from 0 to 4294967295',
  },
  "kube without a document": { name: "k.kube", text: "[Kube]\n", error: "k.kube: Yaml: not set" },
  "an image without a name": { name: "a.image", text: "[Image]\n", error: "a.image: Image: not set" },
  "a build without a tag": { name: "b.build", text: "[Build]\nFile=/x\n", error: "b.build: ImageTag: not set" },
  "a build from a relative file": {
    name: "b.build",
    text: "[Build]\nImageTag=b\nFile=.\n",
    error: "b.build:3: File: a relative path needs SetWorkingDirectory",
  },
  "a build without a context": {
    name: "b.build",
    text: "[Build]\nImageTag=b\n",
    error: "b.build: SetWorkingDirectory: neither SetWorkingDirectory nor File is set",
  },
  "an artifact without a name": { name: "a.artifact", text: "[Artifact]\n", error: "a.artifact: Artifact: not set" },
  "a name that is no quadlet's": { name: "web.service", text: IMAGE, error: "web.service: not the name of a quadlet" },
  "a name with white space": { name: "a b.container", text: IMAGE, error: "a b.container: not the name of a quadlet" },
};
