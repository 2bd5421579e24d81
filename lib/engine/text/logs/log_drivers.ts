/**
 * The log drivers that containers can have. `journald` needs a host with a journal; `json-file` and `local` are Docker's names of
 * files, which are all written as `k8s-file` is, and so is what `syslog` sends on.
 */
export const LOG_DRIVERS: readonly string[] = ["k8s-file", "json-file", "local", "journald", "syslog", "none"];

/** The drivers that other engines have. */
export const OTHER_LOG_DRIVERS: readonly string[] = [
  ..."passthrough passthrough-tty gelf fluentd awslogs splunk gcplogs etwlogs".split(" "),
];

/** Docker's drivers that write files. */
export const DOCKER_FILES: ReadonlySet<string> = new Set(["json-file", "local"]);
