import type { Artifacts } from "../../artifacts/artifacts.ts";
import type { Builds } from "../../build/builds.ts";
import type { Containers } from "../../containers/containers.ts";
import type { Images } from "../../images/images.ts";
import type { Kube } from "../../kube/kube.ts";
import type { Networks } from "../../networks/networks.ts";
import type { Pods } from "../../pods/pods.ts";
import type { NotifySockets } from "../../ports/unit_port.ts";
import type { LocalFiles } from "../../ports/local_files_port.ts";
import type { Volumes } from "../../volumes/volumes.ts";

/** The parts of an engine that units are run with. */
export interface UnitParts {
  images: Images;
  artifacts: Artifacts;
  builds: Builds;
  containers: Containers;
  pods: Pods;
  kube: Kube;
  networks: Networks;
  volumes: Volumes;
  /** Files of the host. Throws `unsupported` where there is no host. */
  localFiles(): LocalFiles;
  /** Throws `unsupported` likewise. */
  notifySockets(): NotifySockets;
}
