/** Gives words about the parts of a field the field's path in front. */
export function wordsBelow(path: string, words: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(words).map(([name, text]) => [`${path}.${name}`, text]));
}

/** Words about ranges of IDs, by the names that the OCI runtime specification has, and by those of container storage. */
const RANGE: Readonly<Record<string, string>> = {
  containerID: "The first ID in the container.",
  hostID: "The first ID on the host.",
  size: "The number of IDs.",
};
const STORAGE_RANGE: Readonly<Record<string, string>> = {
  container_id: RANGE.containerID,
  host_id: RANGE.hostID,
  size: RANGE.size,
};

/** Words about a rule on devices. */
export const DEVICE_RULE: Readonly<Record<string, string>> = {
  allow: "Whether the devices may be used.",
  type: "`a` for all, `b` for block, `c` for character devices.",
  major: "The major number; -1 stands for all.",
  minor: "The minor number; -1 stands for all.",
  access: "Letters of `r` (read), `w` (write) and `m` (make); the default is all three.",
};

const BLOCK_DEVICE: Readonly<Record<string, string>> = {
  major: "The device's major number.",
  minor: "The device's minor number.",
};

/** Words about what one block device may do in a second, by the list that has it. */
const THROTTLE_LISTS: Readonly<Record<string, string>> = {
  throttleReadBpsDevice: "bytes to read",
  throttleWriteBpsDevice: "bytes to write",
  throttleReadIOPSDevice: "reads",
  throttleWriteIOPSDevice: "writes",
};

const BLOCK_THROTTLES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(THROTTLE_LISTS).flatMap(([list, unit]) => [
    [list, `The most ${unit} in a second, for each block device.`],
    ...Object.entries({ ...BLOCK_DEVICE, rate: `The most ${unit} in a second.` })
      .map(([name, text]) => [`${list}.${name}`, text]),
  ]),
);

/** Words about limits as the OCI runtime specification names them, by their paths. */
export const LIMIT_FIELDS: Readonly<Record<string, string>> = {
  memory: "Limits on memory.",
  "memory.limit": "The most memory in bytes.",
  "memory.reservation": "The memory in bytes that is kept when the host runs short.",
  "memory.swap": "The most memory and swap together in bytes; -1 sets no limit.",
  "memory.swappiness": "How readily the kernel swaps, from 0 to 100.",
  "memory.disableOOMKiller": "Keeps the kernel from killing processes when memory runs out.",
  "memory.kernel": "The most memory of the kernel in bytes; cgroup v1 alone has it.",
  "memory.kernelTCP": "The most memory of the kernel's TCP buffers in bytes; cgroup v1 alone has it.",
  "memory.useHierarchy": "Counts groups below this one, which every kernel does by now.",
  "memory.checkBeforeUpdate": "Refuses a limit that is below what is in use.",
  cpu: "Limits on processor time.",
  "cpu.shares": "The weight against other containers when processors are busy; 1024 is usual.",
  "cpu.quota": "Microseconds of processor time in each period.",
  "cpu.period": "The length of a period in microseconds; the kernel's default is 100000.",
  "cpu.burst": "Microseconds of unused time that a later period may use.",
  "cpu.realtimeRuntime": "Microseconds of real-time scheduling in each period.",
  "cpu.realtimePeriod": "The length of a real-time period in microseconds.",
  "cpu.cpus": "The processors to run on, such as `0-2,4`.",
  "cpu.mems": "The memory nodes to use, such as `0,1`.",
  "cpu.idle": "1 lets it run only when the processors are idle.",
  pids: "The limit on processes.",
  "pids.limit": "The most processes; -1 sets no limit.",
  devices: "Rules on which devices may be used.",
  ...wordsBelow("devices", DEVICE_RULE),
  blockIO: "Limits on disks.",
  "blockIO.weight": "The weight against other containers, from 10 to 1000.",
  "blockIO.leafWeight": "The weight of its own processes against groups below; cgroup v1 alone has it.",
  "blockIO.weightDevice": "Weights on single block devices.",
  ...wordsBelow("blockIO.weightDevice", {
    ...BLOCK_DEVICE,
    weight: "The weight against other containers, from 10 to 1000.",
    leafWeight: "The weight of its own processes against groups below; cgroup v1 alone has it.",
  }),
  ...wordsBelow("blockIO", BLOCK_THROTTLES),
  hugepageLimits: "Limits on huge pages, for each page size.",
  "hugepageLimits.pageSize": "The size of the pages, such as `2MB`.",
  "hugepageLimits.limit": "The most bytes in pages of that size.",
  network: "Marks on the packets that its processes send; cgroup v1 alone has them.",
  "network.classID": "The class of the packets, for rules of tc(8).",
  "network.priorities": "Priorities of the packets, by interface.",
  "network.priorities.name": "The interface's name.",
  "network.priorities.priority": "The priority.",
  rdma: "Limits on RDMA, by the device's name.",
  "rdma.hcaHandles": "The most handles.",
  "rdma.hcaObjects": "The most objects.",
  unified: "Files of cgroup v2 and the text to write to each.",
};

/** Words about fields that the native bodies of containers and pods have in common, by their paths. */
export const SHARED_FIELDS: Readonly<Record<string, string>> = {
  pidns: "The namespace of processes; by default a new one, or that of the pod.",
  "pidns.nsmode": "`private`, `host`, `container`, `path` or `pod`; empty for the default.",
  "pidns.value": "The container's name or ID for `container`, the file for `path`.",
  utsns: "The namespace of the host name; by default a new one, or that of the pod.",
  "utsns.nsmode": "`private`, `host`, `container`, `path` or `pod`; empty for the default.",
  "utsns.value": "The container's name or ID for `container`, the file for `path`.",
  ipcns: "The namespace of shared memory and message queues; by default a new one, or that of the pod.",
  "ipcns.nsmode": "`private`, `shareable`, `host`, `none`, `container`, `path` or `pod`; empty for the default.",
  "ipcns.value": "The container's name or ID for `container`, the file for `path`.",
  netns: "The network namespace; by default a new one on a bridge network, or that of the pod.",
  "netns.nsmode":
    "`bridge`, `private`, `host`, `none`, `pasta`, `slirp4netns`, `container`, `path` or `pod`; empty for the default.",
  "netns.value": "The container's name or ID for `container`, the file for `path`, options for `pasta`.",
  userns: "The user namespace; the default is that of the host.",
  "userns.nsmode": "`host`, `auto`, `keep-id`, `nomap`, `container`, `path` or `pod`, or `private` with `idmappings`.",
  "userns.value": "The container's name or ID, the file, or options such as `uid=1000,gid=1000` for `keep-id`.",
  idmappings: "The IDs of users and groups that a user namespace maps.",
  "idmappings.HostUIDMapping": "Tells that users have the IDs of the host.",
  "idmappings.HostGIDMapping": "Tells that groups have the IDs of the host.",
  "idmappings.UIDMap": "The ranges of user IDs.",
  ...wordsBelow("idmappings.UIDMap", STORAGE_RANGE),
  "idmappings.GIDMap": "The ranges of group IDs.",
  ...wordsBelow("idmappings.GIDMap", STORAGE_RANGE),
  "idmappings.AutoUserNs": "Tells that the engine chooses the ranges; `userns` with `auto` asks for it.",
  "idmappings.AutoUserNsOpts": "The ranges that the engine chooses for `auto`.",
  "idmappings.AutoUserNsOpts.Size": "The number of IDs; 0 lets the engine choose.",
  "idmappings.AutoUserNsOpts.InitialSize": "The number of IDs where `Size` is 0.",
  "idmappings.AutoUserNsOpts.PasswdFile": "A file of users. Not supported here.",
  "idmappings.AutoUserNsOpts.GroupFile": "A file of groups. Not supported here.",
  "idmappings.AutoUserNsOpts.AdditionalUIDMappings": "User IDs to map besides the chosen ones.",
  "idmappings.AutoUserNsOpts.AdditionalGIDMappings": "Group IDs to map besides the chosen ones.",
  ...wordsBelow("idmappings.AutoUserNsOpts.AdditionalUIDMappings", STORAGE_RANGE),
  ...wordsBelow("idmappings.AutoUserNsOpts.AdditionalGIDMappings", STORAGE_RANGE),
  portmappings: "The ports of the host that lead to ports of the container.",
  "portmappings.host_ip": "The address of the host; every address where it is empty.",
  "portmappings.container_port": "The port in the container.",
  "portmappings.host_port": "The port of the host; 0 takes a free one.",
  "portmappings.range": "The number of ports from these on; the default is 1.",
  "portmappings.protocol": "`tcp`, `udp` or `sctp`, several with commas; the default is `tcp`.",
  Networks: "The networks to join, by name; `default` is the default network.",
  "Networks.static_ips": "Fixed addresses in the network, of IPv4 and IPv6.",
  "Networks.aliases": "Further names in the network's DNS.",
  "Networks.static_mac": "A fixed MAC address.",
  "Networks.interface_name": "The interface's name in the container; `eth0` and so on by default.",
  "Networks.options": "Options of the connection. Not supported here.",
  network_options: "Options of `pasta` or `slirp4netns`, by the program's name, where `netns` asks for it.",
  dns_server: "The addresses of DNS servers.",
  dns_search: "The domains in which DNS looks up short names.",
  dns_option: "Options of the resolver, such as `ndots:2`.",
  hostadd: "Lines of `/etc/hosts` as `name:address`; the address may be `host-gateway`.",
  mounts: "Folders of the host, and file systems in memory.",
  "mounts.destination": "The absolute path in the container.",
  "mounts.type":
    "`bind` for a folder or a file of the host, `glob` for all that fit a pattern, `tmpfs`, `ramfs`, `devpts` or `mqueue`.",
  "mounts.source": "The path or the pattern on the host, for `bind` and `glob`.",
  "mounts.options": "Options of the mount, such as `ro`, `z` or `size=64m`.",
  "mounts.uidMappings": "IDs of users on this mount. Not supported here.",
  "mounts.gidMappings": "IDs of groups on this mount. Not supported here.",
  ...wordsBelow("mounts.uidMappings", RANGE),
  ...wordsBelow("mounts.gidMappings", RANGE),
  volumes: "The volumes to mount; the engine makes those that do not exist.",
  "volumes.Name": "The volume's name; empty for an anonymous one.",
  "volumes.Dest": "The absolute path in the container.",
  "volumes.Options": "Options of the mount, such as `ro` or `nocopy`.",
  "volumes.IsAnonymous": "Marks the volume as anonymous, so that it can go with its container.",
  "volumes.SubPath": "The folder within the volume to mount in place of the whole.",
  overlay_volumes: "Folders of the host that the container may change without changing the host's files.",
  "overlay_volumes.destination": "The absolute path in the container.",
  "overlay_volumes.source": "The folder on the host.",
  "overlay_volumes.options": "Options of the mount.",
  image_volumes: "Images whose files are mounted.",
  "image_volumes.Source": "The image's name or ID.",
  "image_volumes.Destination": "The absolute path in the container.",
  "image_volumes.ReadWrite": "Lets the container write there; the image does not change.",
  "image_volumes.subPath": "The folder within the image to mount in place of the whole.",
  volumes_from: "Containers whose mounts to take over, as `name` or `name:ro`.",
  shm_size: "The size of `/dev/shm` in bytes; the default is 65536000.",
  shm_size_systemd: "The size in bytes of each file system in memory that systemd gets.",
  sysctl: "Kernel settings by name, such as `net.ipv4.ip_forward`.",
  restart_policy: "What follows when a container ends: `no`, `always`, `on-failure` or `unless-stopped`.",
  restart_tries: "The most restarts for `on-failure`; 0 sets no limit.",
  cgroup_parent: "The cgroup under which to make the new one.",
  resource_limits: "Limits on memory, processor time, processes and disks.",
  ...wordsBelow("resource_limits", LIMIT_FIELDS),
};
