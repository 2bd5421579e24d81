import { CHANGE_FIELD_WORDS } from "./change_field_words.ts";
import { CONTAINER_FIELDS } from "./container_field_words.ts";
import { DOCKER_CONTAINER_FIELDS } from "./docker_field_words.ts";
import { IMAGE_FIELD_WORDS } from "./image_field_words.ts";
import { POD_FIELDS } from "./pod_field_words.ts";

const NETWORK: Readonly<Record<string, string>> = {
  name: "The network's name; the engine makes one up without it.",
  id: "Leave it empty: the engine chooses the ID.",
  driver: "`bridge` (the default), `macvlan` or `ipvlan`.",
  network_interface: "The interface on the host: of the bridge, or the parent of `macvlan` and `ipvlan`.",
  subnets: "The subnets; the engine chooses one without any.",
  "subnets.subnet": "The subnet in CIDR form, such as `10.89.0.0/24`.",
  "subnets.gateway": "The gateway's address; the first of the subnet by default.",
  "subnets.lease_range": "The range that containers get addresses from.",
  "subnets.lease_range.start_ip": "The first address of the range.",
  "subnets.lease_range.end_ip": "The last address of the range.",
  routes: "Routes for the containers.",
  "routes.destination": "The destination in CIDR form.",
  "routes.gateway": "The address that leads there.",
  "routes.metric": "The metric; routes with a lower one come first.",
  "routes.route_type": "The kind of route, such as `unicast` or `blackhole`.",
  created: "Leave it out: the engine sets the time.",
  ipv6_enabled: "Also gives the network a subnet of IPv6.",
  internal: "Leaves the network without a way out.",
  dns_enabled: "Lets containers find each other by name.",
  network_dns_servers: "The DNS servers that names outside of the network are asked of.",
  labels: "The network's labels.",
  options: "Options of the driver, such as `mtu`.",
  ipam_options: "How addresses are given, as `driver`: `host-local`, `dhcp` or `none`.",
};

const DOCKER_NETWORK: Readonly<Record<string, string>> = {
  Name: "The network's name.",
  Driver: "`bridge` (the default), `macvlan` or `ipvlan`.",
  Scope: "`local` or nothing; others are not supported here.",
  EnableIPv4: "Gives the network a subnet of IPv4; the default is `true`.",
  EnableIPv6: "Also gives the network a subnet of IPv6; the default is `false`.",
  IPAM: "How addresses are given.",
  "IPAM.Options": "Options of the driver; they change nothing here.",
  "IPAM.Driver": "`default`, `host-local`, `dhcp` or `none`.",
  "IPAM.Config": "The subnets; the engine chooses one without any.",
  "IPAM.Config.Subnet": "The subnet in CIDR form, such as `10.89.0.0/24`.",
  "IPAM.Config.IPRange": "The part of the subnet that containers get addresses from, in CIDR form.",
  "IPAM.Config.Gateway": "The gateway's address; the first of the subnet by default.",
  "IPAM.Config.AuxiliaryAddresses": "Addresses that no container gets, by name.",
  Internal: "Leaves the network without a way out.",
  Attachable: "Tells that containers may join it, which they may in any case.",
  Ingress: "The network of a swarm's published ports. Not supported here.",
  ConfigOnly: "A network that only holds settings. Not supported here.",
  ConfigFrom: "The network to take settings from. Not supported here.",
  "ConfigFrom.Network": "The network's name.",
  Options: "Options of the driver, such as `com.docker.network.driver.mtu`.",
  Labels: "The network's labels.",
};

const EXEC: Readonly<Record<string, string>> = {
  User: "The user to run as, as `name`, `uid` or `uid:gid`; the container's by default.",
  Privileged: "Gives the process all capabilities.",
  Tty: "Gives the process a terminal.",
  ConsoleSize: "The rows and columns of the terminal, as `[24, 80]`.",
  AttachStdin: "Takes standard input from the client.",
  AttachStdout: "Sends standard output to the client.",
  AttachStderr: "Sends standard error to the client.",
  DetachKeys: "The keys by which a client detaches; the default is `ctrl-p,ctrl-q`.",
  Env: "Environment variables as `NAME=value`, added to those of the container.",
  WorkingDir: "The working directory; the container's by default.",
  Cmd: "The program and its arguments.",
};

const VOLUME: Readonly<Record<string, string>> = {
  Name: "The volume's name; the engine makes one up without it.",
  Driver: "The driver: `local` (the default) or `image`.",
  Label: "The volume's labels, for older clients.",
  Labels: "The volume's labels.",
  Options: "Options of the driver: `type`, `device` and `o`, as for mount(8).",
  IgnoreIfExists: "Answers a volume of that name as it is.",
  UID: "The owner of the volume's root folder.",
  GID: "The group of the volume's root folder.",
};

/** Words about the fields of JSON bodies: by the operation, then by the field's path. */
export const FIELD_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  CreateContainer: CONTAINER_FIELDS,
  CompatCreateContainer: DOCKER_CONTAINER_FIELDS,
  PodCreate: POD_FIELDS,
  CreateNetwork: NETWORK,
  CompatCreateNetwork: DOCKER_NETWORK,
  CreateVolume: VOLUME,
  CompatCreateVolume: {
    Name: VOLUME.Name,
    Driver: VOLUME.Driver,
    Labels: VOLUME.Labels,
    DriverOpts: VOLUME.Options,
    ClusterVolumeSpec: "A volume of a swarm. Not supported here.",
  },
  ...CHANGE_FIELD_WORDS,
  ...IMAGE_FIELD_WORDS,
  ExecCreateHandler: EXEC,
  CompatExecCreateHandler: EXEC,
};
