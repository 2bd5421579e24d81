import { DOCKER_HOST_FIELDS, DOCKER_LIMIT_FIELDS, ENDPOINT_FIELDS } from "./docker_field_words.ts";
import { LIMIT_FIELDS, SHARED_FIELDS, wordsBelow } from "./shared_field_words.ts";

const UPDATE: Readonly<Record<string, string>> = {
  ...LIMIT_FIELDS,
  devices: "Rules on which devices may be used. Not supported here: only a create takes them.",
  health_log_destination: "Where results go: `local`, `events_logger`, or a folder of the host.",
  health_max_log_size: "The most characters to keep of a result's output; 0 sets no limit.",
  health_max_log_count: "The most results to keep; 0 sets no limit.",
  health_on_failure: "What happens to an unhealthy container: `none`, `kill`, `restart` or `stop`.",
  no_healthcheck: "Takes the health check away.",
  health_cmd: "The command of the health check: a line for the shell, or a JSON list.",
  health_interval: "The time between two checks, such as `30s`.",
  health_retries: "The number of failures in a row that make the container unhealthy.",
  health_timeout: "The time that a check may take, such as `30s`.",
  health_start_period: "The time after the start in which failures do not count, such as `1m`.",
  health_startup_cmd: "The command of the check that must pass before the health check begins.",
  health_startup_interval: "The time between two of these checks, such as `5s`.",
  health_startup_retries: "The number of failures after which the container is restarted; 0 never restarts it.",
  health_startup_timeout: "The time that such a check may take, such as `5s`.",
  health_startup_success: "The number of successes that pass the check; 0 means 1.",
  BlkIOWeightDevice: "Weights of block devices, by path.",
  "BlkIOWeightDevice.Path": "The path of the device.",
  "BlkIOWeightDevice.Weight": "The weight against other containers, from 10 to 1000.",
  DeviceReadBPs: "The most bytes to read in a second, for each block device.",
  "DeviceReadBPs.Path": "The path of the device.",
  "DeviceReadBPs.Rate": "Bytes in a second.",
  DeviceWriteBPs: "The most bytes to write in a second, for each block device.",
  "DeviceWriteBPs.Path": "The path of the device.",
  "DeviceWriteBPs.Rate": "Bytes in a second.",
  DeviceReadIOPs: "The most reads in a second, for each block device.",
  "DeviceReadIOPs.Path": "The path of the device.",
  "DeviceReadIOPs.Rate": "Reads in a second.",
  DeviceWriteIOPs: "The most writes in a second, for each block device.",
  "DeviceWriteIOPs.Path": "The path of the device.",
  "DeviceWriteIOPs.Rate": "Writes in a second.",
  Env: "Environment variables as `NAME=value` to set or replace.",
  UnsetEnv: "The names of environment variables to remove.",
  r_limits: "Limits of processes, as `setrlimit` has them.",
  "r_limits.type": "The limit's name, such as `nofile` or `RLIMIT_NOFILE`.",
  "r_limits.soft": "The limit that holds.",
  "r_limits.hard": "The limit up to which a process may raise it.",
};

const DOCKER_UPDATE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.keys(DOCKER_HOST_FIELDS).map((path) => [path, "Only a create takes it: an update leaves it as it is."]),
  ),
  ...DOCKER_LIMIT_FIELDS,
  Devices: "Devices of the host. Not supported here: only a create takes them.",
  DeviceCgroupRules: "Rules on the use of devices. Not supported here: only a create takes them.",
  RestartPolicy: "What follows when the container ends.",
  "RestartPolicy.Name": "`no`, `always`, `on-failure` or `unless-stopped`; empty leaves it as it is.",
  "RestartPolicy.MaximumRetryCount": "The most restarts for `on-failure`; 0 sets no limit.",
};

const CONNECT: Readonly<Record<string, string>> = {
  container: "The container's name or ID.",
  static_ips: SHARED_FIELDS["Networks.static_ips"],
  aliases: SHARED_FIELDS["Networks.aliases"],
  static_mac: SHARED_FIELDS["Networks.static_mac"],
  interface_name: SHARED_FIELDS["Networks.interface_name"],
  options: SHARED_FIELDS["Networks.options"],
};

const DOCKER_CONNECT: Readonly<Record<string, string>> = {
  Container: "The container's name or ID.",
  EndpointConfig: "The container's settings in the network.",
  ...wordsBelow("EndpointConfig", ENDPOINT_FIELDS),
  "EndpointConfig.Links": "Further names of other containers. Not supported here: only a create takes them.",
  "EndpointConfig.GwPriority": "The network with the highest number has the default route; 0 by default.",
};

const DISCONNECT: Readonly<Record<string, string>> = {
  Container: "The container's name or ID.",
  Force: "Docker's clients may send it; it changes nothing here.",
};

const EXEC_START: Readonly<Record<string, string>> = {
  Detach: "Starts the command and answers at once, without its output.",
  Tty: "Docker's clients send it; the session has its terminal since its creation.",
  h: "The rows of the terminal.",
  w: "The columns of the terminal.",
  ConsoleSize: "The rows and columns of the terminal, as `[24, 80]`, where `h` and `w` are 0.",
};

const SECRET: Readonly<Record<string, string>> = {
  Name: "The secret's name.",
  Data: "The secret's value in base64.",
  Driver: "Where the secret is kept.",
  "Driver.Name": "`file` (the default), `pass` or `shell`.",
  "Driver.Options": "Options of the driver.",
  Labels: "The secret's labels.",
  Templating: "How a swarm fills the value in. Not supported here.",
  "Templating.Name": "The kind of template.",
  "Templating.Options": "Options of the template.",
};

/** Words about the fields of bodies that change or use something: by the operation, then by the field's path. */
export const CHANGE_FIELD_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  UpdateContainer: UPDATE,
  CompatUpdateContainer: DOCKER_UPDATE,
  UpdateNetwork: {
    adddnsservers: "The addresses of DNS servers to add.",
    removednsservers: "The addresses of DNS servers to remove.",
  },
  Connect: CONNECT,
  CompatConnect: DOCKER_CONNECT,
  Disconnect: DISCONNECT,
  CompatDisconnect: DISCONNECT,
  ExecStartHandler: EXEC_START,
  CompatExecStartHandler: EXEC_START,
  ExecRemoveHandler: { Force: "Kills the command where it still runs." },
  CompatCreateSecret: SECRET,
  CompatUpdateSecret: SECRET,
};
