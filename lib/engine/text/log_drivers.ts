/** The log drivers that containers can have. `journald` needs a host with a journal; `json-file` is Docker's name of `k8s-file`. */
export const LOG_DRIVERS: readonly string[] = ["k8s-file", "json-file", "journald", "none"];
