import { SHARED_FIELDS } from "./shared_field_words.ts";

/** Words about the fields of the body of `PodCreate`, by their paths; most settings are those of the infra container. */
export const POD_FIELDS: Readonly<Record<string, string>> = {
  ...SHARED_FIELDS,
  // A pod cannot take over namespaces of another pod.
  "pidns.nsmode": "`private`, `host`, `container` or `path`; empty for the default.",
  "utsns.nsmode": "`private`, `host`, `container` or `path`; empty for the default.",
  "ipcns.nsmode": "`private`, `shareable`, `host`, `none`, `container` or `path`; empty for the default.",
  "netns.nsmode":
    "`bridge`, `private`, `host`, `none`, `pasta`, `slirp4netns`, `container` or `path`; empty for the default.",
  "userns.nsmode": "`host`, `auto`, `keep-id`, `nomap`, `container` or `path`, or `private` with `idmappings`.",
  name: "The pod's name; the engine makes one up without it.",
  hostname: "The host name; the default is the pod's name.",
  exit_policy: "What follows when the last container ends: `continue` (the default) or `stop`.",
  labels: "The pod's labels.",
  no_infra: "Makes no infra container; its containers then share no namespaces.",
  infra_conmon_pid_file: "The path of a file on the host that gets the process ID of the infra container's supervisor.",
  infra_command: "The infra container's command.",
  infra_image: "The infra container's image; the engine's own program without it.",
  infra_name: "The infra container's name.",
  shared_namespaces:
    "The namespaces to share: `ipc`, `net` and `uts` by default, also `cgroup` and `pid`; an empty list for none.",
  share_parent: "Puts the containers' cgroups under the pod's; the default is `true`.",
  pod_create_command: "The command line that made the pod, for inspection.",
  pod_devices: "Devices of the host for the containers, as `/dev/host:/dev/inside:rwm`.",
  no_manage_resolv_conf: "Leaves `/etc/resolv.conf` as it is in the image.",
  no_manage_hostname: "Leaves `/etc/hostname` as it is in the image.",
  no_manage_hosts: "Leaves `/etc/hosts` as it is in the image.",
  hostsFile: "The file that `/etc/hosts` begins with: a path on the host, `image` or `none`.",
  security_opt: "Options such as `no-new-privileges`, `seccomp=unconfined`, `apparmor=profile` or `label=disable`.",
  serviceContainerID: "The container that stands for the pod, and ends with it.",
};
