/** Kubernetes documents of our own making, ordinary ones and hostile ones, each with what becomes of it. */

/** A document, and what becomes of it. */
export interface Case {
  name: string;
  yaml: string;
  /** Part of the error's text; absent: it is played. */
  error?: string;
  /** The error's code; `invalid` by default. */
  code?: string;
  /** The names of the pods and of their containers, without infra containers. */
  pods?: Record<string, string[]>;
  /** The settings that are not honoured, without the object's name. */
  notes?: string[];
  volumes?: string[];
}

/** A pod with one container, as one line of YAML each. */
function pod(spec: string, container = ""): string {
  return `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {${spec}${
    spec && ", "
  }containers: [{name: c, image: IMAGE${container && ", "}${container}}]}}`;
}

/** A pod with one volume that its container mounts. */
function volume(source: string, mount = ""): string {
  return pod(`volumes: [{name: v, ${source}}]`, `volumeMounts: [{name: v, mountPath: /v${mount && `, ${mount}`}}]`);
}

const P = { p: ["p-c"] };

/** Documents that are played. */
export const ORDINARY: readonly Case[] = [
  { name: "a pod", yaml: pod(""), pods: P },
  {
    name: "several documents, an empty one among them",
    yaml: `---\n${pod("")}\n---\n---\n${pod("").replace("name: p}", "name: q}")}\n`,
    pods: { p: ["p-c"], q: ["q-c"] },
  },
  { name: "a list", yaml: `{kind: List, apiVersion: v1, items: [${pod("")}]}`, pods: P },
  {
    name: "JSON",
    yaml: '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":IMAGE}]}}',
    pods: P,
  },
  {
    name: "anchors and merge keys",
    yaml:
      "x: &c {name: c, image: IMAGE}\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{<<: *c, tty: true}]}",
    pods: P,
    notes: ["x: it is not honoured"],
  },
  {
    name: "a deployment with replicas",
    yaml:
      `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: 2, selector: {}, template: {spec: {containers: [{name: c, image: IMAGE}]}}}}`,
    pods: { "d-pod": ["d-pod-c"], "d-pod-1": ["d-pod-1-c"] },
  },
  {
    name: "no replicas",
    yaml:
      `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: 0, template: {spec: {containers: [{name: c, image: IMAGE}]}}}}`,
    pods: {},
  },
  {
    name: "a daemon set",
    yaml:
      `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {template: {spec: {containers: [{name: c, image: IMAGE}]}}}}`,
    pods: { "d-pod": ["d-pod-c"] },
  },
  {
    name: "a job",
    yaml:
      `{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {completions: 2, parallelism: 1, backoffLimit: 4, template: {spec: {restartPolicy: Never, containers: [{name: c, image: IMAGE}]}}}}`,
    pods: { "j-pod": ["j-pod-c"], "j-pod-1": ["j-pod-1-c"] },
  },
  {
    name: "a job of as many pods as run together, that know their index",
    yaml:
      `{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {parallelism: 2, completionMode: Indexed, activeDeadlineSeconds: 9, template: {spec: {restartPolicy: OnFailure, containers: [{name: c, image: IMAGE}]}}}}`,
    pods: { "j-pod": ["j-pod-c"], "j-pod-1": ["j-pod-1-c"] },
    notes: ["spec.activeDeadlineSeconds: it is not honoured"],
  },
  {
    name: "a claim alone",
    yaml: "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce]}}",
    pods: {},
    volumes: ["data"],
  },
  {
    name: "a mode in octal",
    yaml: `{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {k: v}}\n---\n${
      volume("configMap: {name: m, defaultMode: 0600}")
    }`,
    pods: P,
    volumes: ["m"],
  },
  { name: "a config map that may be missing", yaml: volume("configMap: {name: m, optional: true}"), pods: P },
  { name: "an image that is a volume", yaml: volume("image: {reference: IMAGE, pullPolicy: IfNotPresent}"), pods: P },
  {
    name: "files from several places",
    yaml: `{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {k: v}}\n---\n${
      volume(
        "projected: {sources: [{configMap: {name: m}}, {downwardAPI: {items: [{path: who, fieldRef: {fieldPath: metadata.name}}]}}, {serviceAccountToken: {path: t}}]}",
      )
    }`,
    pods: P,
    notes: ["spec.volumes[0].projected.sources[2].serviceAccountToken: it is not honoured"],
    volumes: ["p-v"],
  },
  {
    name: "what a scheduler would read",
    yaml: pod("nodeName: n, tolerations: [{key: a}], schedulerName: s", "terminationMessagePath: /x"),
    pods: P,
    notes: [
      "spec.nodeName: it is not honoured",
      "spec.tolerations: it is not honoured",
      "spec.schedulerName: it is not honoured",
      "spec.containers[0].terminationMessagePath: it is not honoured",
    ],
  },
  {
    name: "hooks that nobody runs, and gRPC probes",
    yaml: pod(
      "",
      "lifecycle: {preStop: {exec: {command: [exit, '0']}}, postStart: {tcpSocket: {port: 1}}}, livenessProbe: {grpc: {port: 9}}, readinessProbe: {grpc: {port: 9, service: s}, periodSeconds: 3}",
    ),
    pods: P,
    notes: [
      "spec.containers[0].lifecycle.postStart.tcpSocket: it is not honoured: Kubernetes itself runs no such hook",
      "spec.containers[0].readinessProbe.periodSeconds: it is not honoured beside a liveness probe, after which it runs",
    ],
  },
  {
    name: "an object of another kind beside a pod",
    yaml: `{apiVersion: v1, kind: Namespace, metadata: {name: n}}\n---\n${pod("")}`,
    pods: P,
    notes: ['document 1, Namespace "n": objects of this kind are not played'],
  },
  {
    name: "a config map and a secret of one name",
    yaml: `{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {k: v}}
---
{apiVersion: v1, kind: Secret, metadata: {name: m}, stringData: {s: hush}}
---
${
      pod(
        "volumes: [{name: a, configMap: {name: m}}, {name: b, secret: {secretName: m}}]",
        "volumeMounts: [{name: a, mountPath: /a}, {name: b, mountPath: /b}]",
      )
    }`,
    pods: P,
    volumes: ["m", "p-b"],
  },
  { name: "host namespaces", yaml: pod("hostNetwork: true, hostPID: true, hostIPC: true"), pods: P },
];

/** Documents that are refused, and leave nothing. */
export const HOSTILE: readonly Case[] = [
  {
    name: "an alias bomb",
    yaml: [
      "a: &a [x,x,x,x,x,x,x,x,x,x]",
      ..."bcdefghi".split("").map((key, index) =>
        `${key}: &${key} [${Array(10).fill(`*${"abcdefghi"[index]}`).join(",")}]`
      ),
    ].join("\n"),
    error: "aliases stand for too much",
    code: "limit",
  },
  { name: "an alias of itself", yaml: "&a {kind: Pod, spec: *a}", error: "nested more than", code: "limit" },
  { name: "deep nesting", yaml: "[".repeat(100_000), error: "nested more than 64 levels", code: "limit" },
  { name: "deep nesting of blocks", yaml: "- ".repeat(100_000), error: "nested more than 64 levels", code: "limit" },
  { name: "a text that is too long", yaml: `#${"x".repeat(1 << 20)}`, error: "longer than", code: "limit" },
  {
    name: "too many documents",
    yaml: "---\n{kind: x}\n".repeat(1001),
    error: "more than 1000 documents",
    code: "limit",
  },
  { name: "no YAML", yaml: "kind: [Pod", error: "document 1: " },
  {
    name: "a key twice",
    yaml: "kind: Pod\nmetadata:\n  name: a\n  name: b\n",
    error: 'line 4: the key "name" is there twice',
  },
  {
    name: "nothing to play",
    yaml: "{kind: Namespace, apiVersion: v1}",
    error: "does not contain any supported kube kind",
  },
  {
    name: "only a config map",
    yaml: "{kind: ConfigMap, apiVersion: v1, metadata: {name: m}}",
    error: "ConfigMaps in podman are not a standalone object",
  },
  { name: "a text as document", yaml: "just words", error: 'document 1: it must be a mapping; it is "just words"' },
  {
    name: "the wrong version",
    yaml: "{kind: Deployment, apiVersion: v2, metadata: {name: d}}",
    error: '"v2" has no objects of kind Deployment',
  },
  { name: "no name", yaml: "{kind: Pod, apiVersion: v1, spec: {containers: []}}", error: "pod does not have a name" },
  { name: "no image", yaml: pod("").replace(", image: IMAGE", ""), error: "spec.containers[0].image is missing" },
  {
    name: "two containers of one name",
    yaml: pod("initContainers: [{name: c, image: IMAGE}]"),
    error: 'duplicate container name "c" detected',
  },
  { name: "two pods of one name", yaml: `${pod("")}\n---\n${pod("")}`, error: 'two pods called "p"' },
  {
    name: "two volumes of one name",
    yaml: pod("volumes: [{name: v, emptyDir: {}}, {name: v, emptyDir: {}}]"),
    error: '"v" is the name of another volume',
  },
  {
    name: "a volume of two kinds",
    yaml: pod("volumes: [{name: v, emptyDir: {}, hostPath: {path: /}}]"),
    error: "must be of one kind",
  },
  { name: "a volume of no kind here", yaml: pod("volumes: [{name: v, nfs: {server: s}}]"), error: "it has nfs" },
  {
    name: "a mount without its volume",
    yaml: pod("", "volumeMounts: [{name: v, mountPath: /v}]"),
    error: "volume mount v specified for container but not configured",
  },
  {
    name: "a subPath that leads out",
    yaml: volume("emptyDir: {}", "subPath: a/../../b"),
    error: 'subPath must not lead out with ".."',
  },
  { name: "an absolute subPath", yaml: volume("emptyDir: {}", "subPath: /etc"), error: "subPath must be relative" },
  {
    name: "a file that leads out",
    yaml: volume("configMap: {name: m, items: [{key: k, path: ../../etc/x}]}"),
    error: 'path must not lead out with ".."',
  },
  {
    name: "a key that is no file name",
    yaml: `{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {"../x": v}}\n---\n${
      volume("configMap: {name: m}")
    }`,
    error: 'the key "../x" of "m" is no file name',
  },
  { name: "a relative path of the host", yaml: volume("hostPath: {path: etc}"), error: "path must be absolute" },
  {
    name: "a number for a text",
    yaml: pod("", "env: [{name: A, value: 5}]"),
    error: "env[0].value must be a text (put it in quotes); it is 5",
  },
  {
    name: "a port that is none",
    yaml: pod("", "ports: [{containerPort: 70000}]"),
    error: "containerPort must be a whole number from 0 to 65535; it is 70000",
  },
  {
    name: "a huge amount",
    yaml: pod("", "resources: {limits: {memory: 1e99}}"),
    error: "limits.memory is more than there can be",
  },
  {
    name: "an amount that is none",
    yaml: pod("", "resources: {limits: {memory: lots}}"),
    error: 'limits.memory must be an amount as "500m" or "1Gi"; it is "lots"',
  },
  {
    name: "a number beyond all bounds",
    yaml: pod("terminationGracePeriodSeconds: 99999999999999999999"),
    error: "must be a whole number from 0",
  },
  {
    name: "too many replicas",
    yaml:
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: 1000000, template: {spec: {containers: []}}}}",
    error: "spec.replicas must be a whole number from 0 to 100",
  },
  {
    name: "an init container with a probe",
    yaml: pod("initContainers: [{name: i, image: IMAGE, livenessProbe: {exec: {command: [x]}}}]"),
    error: "cannot create an init container that has either of lifecycle",
  },
  {
    name: "a config map that is not there",
    yaml: pod("", "envFrom: [{configMapRef: {name: m}}]"),
    error: "configmap m not found",
  },
  {
    name: "a secret that is not there",
    yaml: pod("", "env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]"),
    error: 'no secret with name or id "s"',
  },
  {
    name: "root, which must not be",
    yaml: pod("securityContext: {runAsNonRoot: true}"),
    error: "has runAsNonRoot, and would run as root",
  },
  {
    name: "a secret that is no base64",
    yaml: "{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {k: '*'}}",
    error: "data.k must be base64",
  },
  {
    name: "keys of a prototype",
    yaml: '{"__proto__": {kind: Pod}, constructor: {kind: Pod}}',
    error: "document 1: kind is missing",
  },
  {
    name: "a seccomp profile that leads out",
    yaml: pod("", "securityContext: {seccompProfile: {type: Localhost, localhostProfile: ../../x}}"),
    error: 'has ".." in it',
  },
  {
    name: "a device with a strange annotation",
    yaml: pod("").replace("name: p}", "name: p, annotations: {io.podman.annotations.ulimit: 'nofile=x'}}"),
    error: 'must be "name=soft:hard"; it is "nofile=x"',
  },
];
