import { WIDE } from "./wide_corpus.ts";

/** One quadlet of the corpus that converts. */
export interface GoodRow {
  name: string;
  text: string;
  /** Other quadlets and drop-ins. */
  others?: Record<string, string>;
  /** The text after `ExecStart=/usr/bin/podman `, whole. */
  start: string;
  /** Lines that the unit has besides. */
  lines?: string[];
  /** Lines that it has not. */
  without?: string[];
}

/** The start of the command of a `.container`; its name and everything before the options. */
const RUN = "run --name systemd-%N --replace --rm --cgroups=split";
const TAIL = "--sdnotify=conmon -d";

/** Quadlets that convert: ordinary ones first, then the edges of the syntax. */
export const GOOD: Readonly<Record<string, GoodRow>> = {
  "smallest container": {
    name: "web.container",
    text: "[Container]\nImage=quay.io/web\n",
    start: `${RUN} ${TAIL} quay.io/web`,
    lines: [
      "After=network-online.target",
      "SourcePath=/etc/containers/systemd/web.container",
      "RequiresMountsFor=%t/containers",
      "ExecStop=/usr/bin/podman rm -v -f -i systemd-%N",
      "ExecStopPost=-/usr/bin/podman rm -v -f -i systemd-%N",
      "Type=notify",
      "KillMode=mixed",
      "[X-Container]",
    ],
    without: ["[Container]"],
  },
  "a template's container": {
    name: "web@.container",
    text: "[Container]\nImage=i\nExec=sleep %i\n",
    start: "run --name systemd-%p_%i --replace --rm --cgroups=split --sdnotify=conmon -d i sleep %i",
  },
  "an instance, with drop-ins of its template and its own": {
    name: "web@blue.container",
    text: "[Container]\nImage=i\n",
    others: {
      "web@.container.d/10-env.conf": "[Container]\nEnvironment=A=1\n",
      "web@blue.container.d/20-env.conf": "[Container]\nEnvironment=B=2\n",
      "web@red.container.d/20-env.conf": "[Container]\nEnvironment=C=3\n",
    },
    start: "run --name systemd-%p_%i --replace --rm --cgroups=split --sdnotify=conmon -d --env A=1 --env B=2 i",
  },
  "drop-ins of a kind, a prefix and a name, where the special one hides the general": {
    name: "a-b.container",
    text: "[Container]\nImage=i\n",
    others: {
      "container.d/10.conf": "[Container]\nLabel=from=kind\n",
      "a-.container.d/10.conf": "[Container]\nLabel=from=prefix\n",
      "a-b.container.d/20.conf": "[Container]\nLabel=name=yes\n",
    },
    start: `${RUN} ${TAIL} --label from=prefix --label name=yes i`,
  },
  "an empty assignment takes back what stands before": {
    name: "web.container",
    text: "[Container]\nImage=i\nPublishPort=80\nPublishPort=\nPublishPort=81:81\n",
    start: `${RUN} ${TAIL} --publish 81:81 i`,
  },
  "a value over several lines with comments between": {
    name: "web.container",
    text: "[Container]\nImage=i\nExec=sh \\\n# why\n  ; and why\n  -c 'a  b' \\\n  c\n",
    start: `${RUN} ${TAIL} i sh -c "a  b" c`,
  },
  "quotes and escapes in words": {
    name: "web.container",
    text: '[Container]\nImage=i\nEnvironment="A=x y" B=\\x41 C=\\u00e9 "D=a\\tb" E=\\q F=\\101\n',
    start: `${RUN} ${TAIL} --env "A=x y" --env B=A --env C=é --env "D=a\\tb" --env "E=\\\\q" --env F=A i`,
  },
  "windows line ends, a byte order mark and comments": {
    name: "web.container",
    text: "\ufeff# first\r\n[Container]\r\n; second\r\n  Image = i  \r\n",
    start: `${RUN} ${TAIL} i`,
  },
  "sections that repeat": {
    name: "web.container",
    text: "[Container]\nImage=i\n[Unit]\nDescription=x\n[Container]\nHostName=h\n",
    start: `${RUN} --hostname h ${TAIL} i`,
  },
  "every reference of a container": {
    name: "web.container",
    text: "[Container]\nImage=base.image\nNetwork=n.network:ip=10.0.0.2\nVolume=v.volume:/data:ro\nPod=p.pod\n",
    others: {
      "base.image": "[Image]\nImage=quay.io/base\n",
      "n.network": "[Network]\n",
      "v.volume": "[Volume]\nVolumeName=mine\n",
      "p.pod": "[Pod]\nPodName=pod\n",
    },
    start: `${RUN} --network systemd-n:ip=10.0.0.2 ${TAIL} -v mine:/data:ro --pod pod quay.io/base`,
    lines: [
      ...["Requires=base-image.service", "After=base-image.service", "Requires=n-network.service"],
      ...["Requires=v-volume.service", "BindsTo=p-pod.service", "After=p-pod.service"],
    ],
  },
  "an image that is built, under a service name of its own": {
    name: "web.container",
    text: "[Container]\nImage=app.build\n",
    others: { "app.build": "[Build]\nImageTag=localhost/app\nServiceName=make-app\nFile=/src/Containerfile\n" },
    start: `${RUN} ${TAIL} localhost/app`,
    lines: ["Requires=make-app.service"],
  },
  "the network of another container": {
    name: "web.container",
    text: "[Container]\nImage=i\nNetwork=db.container\n",
    others: { "db.container": "[Container]\nImage=i\n" },
    start: `${RUN} --network container:systemd-db ${TAIL} i`,
  },
  "dependencies on quadlets by their file names": {
    name: "web.container",
    text: "[Unit]\nAfter=db.container other.service\nWants=p.pod\n[Container]\nImage=i\n",
    others: { "db.container": "[Container]\nImage=i\n", "p.pod": "[Pod]\n" },
    start: `${RUN} ${TAIL} i`,
    lines: ["After=db.service other.service", "Wants=p-pod.service"],
  },
  "relative paths and specifiers": {
    name: "web.container",
    text: "[Container]\nImage=i\nVolume=./data:/data\nVolume=%h/x:/x\nEnvironmentFile=../env\nVolume=/anonymous\n",
    start:
      `${RUN} ${TAIL} -v /etc/containers/systemd/data:/data -v %h/x:/x -v /anonymous --env-file /etc/containers/env i`,
    lines: ["RequiresMountsFor=/etc/containers/systemd/data"],
  },
  "a path with a space": {
    name: "web.container",
    text: "[Container]\nImage=i\nVolume=/my data:/data\n",
    start: `${RUN} ${TAIL} -v "/my data:/data" i`,
    lines: ["RequiresMountsFor=/my\\x20data"],
  },
  "users and their maps": {
    name: "web.container",
    text: "[Container]\nImage=i\nUser=1\nGroup=2\nUIDMap=0:1:2 3:4:5\nSubGIDMap=sub\n",
    start: `${RUN} ${TAIL} --user 1:2 --uidmap 0:1:2 --uidmap 3:4:5 --subgidname sub i`,
  },
  "the older keys of user maps": {
    name: "web.container",
    text: "[Container]\nImage=i\nRemapUsers=auto\nRemapUid=1\nRemapUidSize=9\n",
    start: `${RUN} ${TAIL} --userns auto:uidmapping=1,size=9 i`,
  },
  "security": {
    name: "web.container",
    text:
      "[Container]\nImage=i\nNoNewPrivileges=on\nSeccompProfile=/s\nAddCapability=NET_ADMIN CHOWN\nMask=/a:/b\nReadOnly=no\n",
    start:
      `${RUN} ${TAIL} --security-opt=no-new-privileges --security-opt seccomp=/s --cap-add net_admin --cap-add chown ` +
      "--read-only=false --security-opt mask=/a:/b i",
  },
  "health and notification": {
    name: "web.container",
    text: "[Container]\nImage=i\nNotify=healthy\nHealthCmd=curl -f x\nHealthRetries=3\n",
    start: `${RUN} --sdnotify=healthy -d --health-cmd "curl -f x" --health-retries 3 i`,
  },
  "a oneshot service": {
    name: "job.container",
    text: "[Container]\nImage=i\n[Service]\nType=oneshot\nKillMode=control-group\n",
    start: `${RUN} i`,
    lines: ["Type=oneshot", "KillMode=control-group"],
    without: ["NotifyAccess=all"],
  },
  "mounts": {
    name: "web.container",
    text: "[Container]\nImage=i\nMount=type=bind,src=./a,dst=/a\nMount=type=tmpfs,dst=/t\n" +
      'Mount=type=image,source=base.image,dst=/i\nMount="type=volume,src=v.volume,dst=/v,opt=x y"\n',
    others: { "base.image": "[Image]\nImage=quay.io/base\n", "v.volume": "[Volume]\n" },
    start: `${RUN} ${TAIL} --mount type=bind,source=/etc/containers/systemd/a,dst=/a --mount type=tmpfs,dst=/t ` +
      '--mount type=image,source=quay.io/base,dst=/i --mount "type=volume,source=systemd-v,dst=/v,opt=x y" i',
  },
  "an entrypoint that is taken back, a reload and global arguments": {
    name: "web.container",
    text:
      "[Container]\nImage=i\nEntrypoint=\nReloadCmd=/reload now\nGlobalArgs=--log-level debug\nPodmanArgs=--cpus 2\n" +
      "ContainersConfModule=/m.conf\n",
    start: `--module=/m.conf --log-level debug ${RUN} --entrypoint= ${TAIL} --cpus 2 i`,
    lines: ["ExecReload=/usr/bin/podman --module=/m.conf --log-level debug exec systemd-%N /reload now"],
  },
  "no default dependencies": {
    name: "web.container",
    text: "[Container]\nImage=i\n[Quadlet]\nDefaultDependencies=false\n",
    start: `${RUN} ${TAIL} i`,
    lines: ["[X-Quadlet]"],
    without: ["After=network-online.target"],
  },
  "a pod with its containers": {
    name: "p.pod",
    text: "[Pod]\nPublishPort=8080:80\nStopTimeout=3\n",
    others: {
      "a.container": "[Container]\nImage=i\nPod=p.pod\n",
      "b.container": "[Container]\nImage=i\nPod=p.pod\nStartWithPod=no\n",
      "c@.container": "[Container]\nImage=i\nPod=p.pod\n",
    },
    start: "pod start systemd-p",
    lines: [
      ...["Wants=a.service", "Before=a.service", "Type=forking", "PIDFile=%t/%N.pid", "Restart=on-failure"],
      "ExecStop=/usr/bin/podman pod stop --ignore --time=3 systemd-p",
      "ExecStopPost=/usr/bin/podman pod rm --ignore --force systemd-p",
      "ExecStartPre=/usr/bin/podman pod create --infra-conmon-pidfile=%t/%N.pid --replace --exit-policy stop " +
      "--publish 8080:80 --infra-name systemd-p-infra --name systemd-p",
    ],
    without: ["Wants=b.service", "Wants=c@.service"],
  },
  "kube": {
    name: "k.kube",
    text: "[Kube]\nYaml=deploy.yaml /b.yaml\nConfigMap=m.yaml\nAutoUpdate=registry web/local\nKubeDownForce=yes\n",
    start: "kube play --replace --service-container=true --annotation=io.containers.autoupdate=registry " +
      "--annotation=io.containers.autoupdate/web=local --configmap /etc/containers/systemd/m.yaml " +
      "/etc/containers/systemd/deploy.yaml /b.yaml",
    lines: ["ExecStopPost=/usr/bin/podman kube down --force /etc/containers/systemd/deploy.yaml /b.yaml"],
  },
  "kube beside its document": {
    name: "k.kube",
    text: "[Kube]\nYaml=/srv/app/deploy.yaml\nSetWorkingDirectory=yaml\n",
    start: "kube play --replace --service-container=true /srv/app/deploy.yaml",
    lines: ["WorkingDirectory=/srv/app"],
  },
  "network": {
    name: "n.network",
    text:
      "[Network]\nSubnet=10.0.0.0/24\nSubnet=10.0.1.0/24\nGateway=10.0.0.1\nInternal=true\nOptions=mtu=9000\nLabel=a=b\n" +
      "NetworkDeleteOnStop=true\n",
    start:
      "network create --ignore --internal --subnet 10.0.0.0/24 --gateway 10.0.0.1 --subnet 10.0.1.0/24 --opt mtu=9000 " +
      "--label a=b systemd-n",
    lines: ["ExecStopPost=/usr/bin/podman network rm systemd-n", "RemainAfterExit=yes"],
  },
  "an empty volume": { name: "v.volume", text: "", start: "volume create --ignore systemd-v", lines: ["Type=oneshot"] },
  "a template's volume": { name: "v@.volume", text: "[Volume]\n", start: "volume create --ignore systemd-v-%i" },
  "a volume of a device": {
    name: "v.volume",
    text: "[Volume]\nDevice=/srv/x\nType=bind\nOptions=rw,nodev\nUser=5\nGroup=6\nCopy=no\n",
    start:
      "volume create --ignore --opt nocopy --opt device=/srv/x --opt type=bind --opt o=uid=5,gid=6,rw,nodev systemd-v",
    lines: ["RequiresMountsFor=/srv/x"],
  },
  "a volume of an image": {
    name: "v.volume",
    text: "[Volume]\nDriver=image\nImage=base.image\n",
    others: { "base.image": "[Image]\nImage=quay.io/base\n" },
    start: "volume create --ignore --driver image --opt image=quay.io/base systemd-v",
    lines: ["After=base-image.service"],
  },
  "image": {
    name: "base.image",
    text: "[Image]\nImage=quay.io/base\nArch=arm64\nTLSVerify=false\nRetry=2\nPolicy=always\n",
    start: "image pull --arch arm64 --policy always --retry 2 --tls-verify=false quay.io/base",
  },
  "build": {
    name: "app.build",
    text:
      "[Build]\nImageTag=localhost/app\nImageTag=localhost/app:1\nSetWorkingDirectory=unit\nBuildArg=A=1\nPull=never\n",
    start: "build --pull=never --tag localhost/app --tag localhost/app:1 --build-arg A=1 /etc/containers/systemd",
    lines: ["WorkingDirectory=/etc/containers/systemd"],
    without: ["RemainAfterExit=yes"],
  },
  "a build from an address": {
    name: "app.build",
    text: "[Build]\nImageTag=app\nSetWorkingDirectory=https://example.com/app.git\nFile=Containerfile\n",
    start: "build --tag app --file Containerfile https://example.com/app.git",
  },
  "artifact": {
    name: "model.artifact",
    text: "[Artifact]\nArtifact=quay.io/model\nQuiet=true\n",
    start: "artifact pull --quiet quay.io/model",
  },
  ...WIDE,
};
