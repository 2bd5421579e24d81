import type { QuadletWork } from "../../../lib/engine/quadlets/spec/read_work.ts";
import type { UnitPlan } from "../../../lib/engine/quadlets/spec/unit_plan.ts";

/** A quadlet and the requests that it means. */
export interface SpecRow {
  name?: string;
  text: string;
  others?: Record<string, string>;
  instance?: string;
  work: QuadletWork;
  unit?: string;
  /** Parts of the plan. */
  plan?: Partial<UnitPlan>;
  unhonoured?: string[];
}

/** A container's fields that no quadlet leaves out. */
const CONTAINER: Omit<Extract<QuadletWork, { kind: "container" }>, "request"> = {
  ...{ kind: "container", pull: "missing", registry: {}, envFiles: [] },
};

/** Quadlets of all kinds, and what the engine makes of them. */
export const SPECS: Readonly<Record<string, SpecRow>> = {
  "a web server with much of what a container can have": {
    text: `[Unit]
Description=Web
Requires=db.service
After=db.service network-online.target
[Container]
Image=quay.io/web
ContainerName=web
Environment=A=1 "B=x y"
EnvironmentFile=/etc/web.env
PublishPort=127.0.0.1:8080:80/udp
Volume=data:/data:ro,U
Tmpfs=/tmp:size=64m
Secret=key,type=env,target=KEY
Secret=cert,uid=5,mode=0400
Memory=64m
PidsLimit=10
Ulimit=nofile=10:20
Sysctl=net.core.somaxconn=1
AddDevice=/dev/fuse
HealthCmd=["curl","x"]
HealthInterval=5s
HealthOnFailure=kill
Notify=healthy
StopTimeout=3
LogDriver=k8s-file
LogOpt=max-size=1m
IP=10.89.0.7
Network=front
NetworkAlias=www
AutoUpdate=registry
Exec=serve
[Service]
Restart=always
RestartSec=2
TimeoutStopSec=1min 10s
Slice=web.slice
ExecStartPre=/bin/true
[Install]
WantedBy=default.target multi-user.target
`,
    unit: "web.service",
    work: {
      ...CONTAINER,
      envFiles: ["/etc/web.env"],
      request: {
        name: "web",
        image: "quay.io/web",
        command: ["serve"],
        env: { A: "1", B: "x y" },
        labels: { "io.containers.autoupdate": "registry" },
        ports: [{ hostIP: "127.0.0.1", hostPort: 8080, containerPort: 80, protocol: "udp", range: 1 }],
        mounts: [
          { type: "tmpfs", source: "tmpfs", destination: "/tmp", options: ["size=64m"] },
          { type: "volume", source: "data", destination: "/data", options: ["ro", "U"], anonymous: false },
        ],
        secretEnv: { KEY: "key" },
        secrets: [{ source: "cert", target: undefined, uid: 5, gid: 0, mode: 0o400 }],
        resources: { memory: { limit: 64 << 20 }, pids: { limit: 10 } },
        rlimits: [{ type: "RLIMIT_NOFILE", soft: 10n, hard: 20n }],
        sysctl: { "net.core.somaxconn": "1" },
        devices: [{ source: "/dev/fuse", destination: "/dev/fuse", access: "rwm" }],
        cdiDevices: [],
        health: { check: { test: ["CMD", "curl", "x"], interval: 5000 }, onFailure: "kill" },
        sdNotify: "healthy",
        stopTimeout: 3,
        logDriver: "k8s-file",
        logSizeMax: 1_000_000,
        namespaces: { network: { mode: "bridge" } },
        networks: { front: { aliases: ["www"], staticIPs: ["10.89.0.7"] } },
      },
    },
    plan: {
      requires: ["db.service"],
      after: ["network-online.target", "db.service"],
      wants: ["network-online.target"],
      wantedBy: ["default.target", "multi-user.target"],
      isOneshot: false,
      restart: "always",
      restartDelay: 2000,
      stopTimeout: 70_000,
      startTimeout: 90_000,
    },
    unhonoured: [
      "web.container:36: Slice: [Service] has this for systemd alone",
      "web.container:37: ExecStartPre: [Service] has this for systemd alone",
    ],
  },
  "a job": {
    name: "job.container",
    text:
      "[Container]\nImage=i\nCgroupsMode=split\n[Service]\nType=oneshot\nRemainAfterExit=yes\nSuccessExitStatus=3 4\n",
    work: { ...CONTAINER, request: { name: "systemd-job", image: "i" } },
    plan: { isOneshot: true, remains: true, startTimeout: Infinity, successCodes: [3, 4] },
    unhonoured: [
      'job.container:3: CgroupsMode: "split" divides the cgroup of a systemd unit: the container has a usual one',
    ],
  },
  "an instance that needs another one": {
    name: "web@.container",
    text: "[Unit]\nRequires=db@%i.service\n[Container]\nImage=i\nExec=%p %i\n",
    instance: "blue",
    unit: "web@blue.service",
    work: {
      ...CONTAINER,
      request: { name: "systemd-web_blue", image: "i", command: ["web", "blue"], sdNotify: "conmon" },
    },
    plan: { requires: ["db@blue.service"] },
  },
  "a container of a pod, with arguments of Podman's": {
    text: "[Container]\nImage=i\nPod=p.pod\nPodmanArgs=--privileged --what=1 -it --umask 0027\n",
    others: { "p.pod": "[Pod]\n" },
    work: {
      ...CONTAINER,
      request: {
        ...{ name: "systemd-web", image: "i", pod: "systemd-p", sdNotify: "conmon" },
        ...{ privileged: true, terminal: true, stdin: true, umask: "0027" },
      },
    },
    plan: { bindsTo: ["p-pod.service"], after: ["network-online.target", "p-pod.service"] },
    unhonoured: ["web.container:4: PodmanArgs: --what means nothing to the engine"],
  },
  "a pod": {
    name: "p.pod",
    text:
      "[Pod]\nPodName=pod\nPublishPort=80:80\nNetwork=n.network\nVolume=v:/v\nDNS=1.1.1.1\nUserNS=auto\nStopTimeout=4\n",
    others: { "n.network": "[Network]\nNetworkName=net\n", "a.container": "[Container]\nImage=i\nPod=p.pod\n" },
    unit: "p-pod.service",
    work: {
      kind: "pod",
      stopTimeout: 4,
      request: {
        name: "pod",
        exitPolicy: "stop",
        infra: { name: "pod-infra" },
        container: {
          ports: [{ hostIP: "", hostPort: 80, containerPort: 80, protocol: "tcp", range: 1 }],
          mounts: [{ type: "volume", source: "v", destination: "/v", options: [], anonymous: false }],
          dnsServers: ["1.1.1.1"],
          namespaces: { network: { mode: "bridge" }, user: { mode: "private" } },
          networks: { net: { aliases: [], staticIPs: [] } },
          userMaps: { auto: { uids: [], gids: [] } },
        },
      },
    },
    plan: { wants: ["network-online.target", "a.service"], before: ["a.service"], restart: "on-failure" },
  },
  "a network with ranges": {
    name: "n.network",
    text:
      "[Network]\nSubnet=10.0.0.0/24\nGateway=10.0.0.1\nIPRange=10.0.0.128/25\nSubnet=fd00::/64\nDisableDNS=true\nIPv6=yes\n",
    work: {
      kind: "network",
      removesOnStop: false,
      request: {
        ...{ name: "systemd-n", dns: false, ipv6: true },
        subnets: [
          { subnet: "10.0.0.0/24", gateway: "10.0.0.1", leaseRange: { start: "10.0.0.128", end: "10.0.0.255" } },
          { subnet: "fd00::/64" },
        ],
      },
    },
    plan: { isOneshot: true, remains: true },
  },
  "a volume": {
    name: "v.volume",
    text: "[Volume]\nLabel=a=b\nUID=5\nDevice=tmpfs\nType=tmpfs\nOptions=size=1m\n",
    work: {
      kind: "volume",
      request: {
        ...{ name: "systemd-v", ignoreIfExists: true, uid: 5, labels: { a: "b" } },
        options: { device: "tmpfs", type: "tmpfs", o: "size=1m" },
      },
    },
  },
  "an image": {
    name: "base.image",
    text:
      "[Image]\nImage=quay.io/base\nOS=linux\nVariant=v8\nAllTags=true\nRetryDelay=2s\nDecryptionKey=/k\nAuthFile=/a\n",
    work: {
      kind: "image",
      name: "quay.io/base",
      options: { platform: { os: "linux", variant: "v8" }, allTags: true, retryDelay: 2000 },
    },
    unhonoured: [
      "base.image:8: AuthFile: --authfile means nothing to the engine",
      "base.image:7: DecryptionKey: --decryption-key means nothing to the engine",
    ],
  },
  "an artifact": {
    name: "model.artifact",
    text: "[Artifact]\nArtifact=quay.io/model\nRetry=1\n",
    work: { kind: "artifact", name: "quay.io/model", options: { retries: 1 } },
  },
  "a build": {
    name: "app.build",
    text:
      "[Build]\nImageTag=app\nFile=/src/Containerfile\nSetWorkingDirectory=/src\nTarget=final\nNetwork=host\nEnvironment=A=1\n",
    work: {
      kind: "build",
      context: "/src",
      options: {
        ...{ dockerfiles: ["/src/Containerfile"], names: ["app"], target: "final" },
        sandbox: { network: { mode: "host" }, networks: {} },
      },
    },
    plan: { remains: false },
    unhonoured: ["app.build:7: Environment: --env means nothing to the engine"],
  },
  "a kube": {
    name: "k.kube",
    text:
      "[Kube]\nYaml=k.yaml\nConfigMap=m.yaml\nPublishPort=80:80\nUserNS=auto\nExitCodePropagation=any\nKubeDownForce=true\n",
    work: {
      kind: "kube",
      documents: ["/etc/containers/systemd/k.yaml"],
      configMaps: ["/etc/containers/systemd/m.yaml"],
      options: { replace: true, serviceContainer: true, publish: ["80:80"], users: "auto" },
      downForce: true,
    },
    unhonoured: ["k.kube:6: ExitCodePropagation: --service-exit-code-propagation means nothing to the engine"],
  },
};
