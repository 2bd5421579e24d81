import type { Engine } from "../lib/engine/engine.ts";
import type { Definition, Implementation } from "../lib/rest/mod.ts";
import { artifactsAPI } from "./artifacts/api.ts";
import { implementArtifacts } from "./artifacts/artifacts.ts";
import { buildsAPI } from "./builds/api.ts";
import { implementBuilds } from "./builds/builds.ts";
import { compatBuildsAPI } from "./compat/builds/api.ts";
import { compatBuilds } from "./compat/builds/builds.ts";
import { compatContainersAPI } from "./compat/containers/api.ts";
import { compatContainers } from "./compat/containers/containers.ts";
import { compatExecAPI } from "./compat/exec/api.ts";
import { compatExec } from "./compat/exec/exec.ts";
import { compatFilesAPI } from "./compat/files/api.ts";
import { compatFiles } from "./compat/files/files.ts";
import { compatImagesAPI } from "./compat/images/api.ts";
import { compatImages } from "./compat/images/images.ts";
import { compatNetworksAPI } from "./compat/networks/api.ts";
import { compatNetworks } from "./compat/networks/networks.ts";
import { compatRegistriesAPI } from "./compat/registries/api.ts";
import { compatRegistries } from "./compat/registries/registries.ts";
import { compatSecretsAPI } from "./compat/secrets/api.ts";
import { compatSecrets } from "./compat/secrets/secrets.ts";
import { compatSystemAPI } from "./compat/system/api.ts";
import { compatSystem } from "./compat/system/system.ts";
import { compatVolumesAPI } from "./compat/volumes/api.ts";
import { compatVolumes } from "./compat/volumes/volumes.ts";
import { containersAPI } from "./containers/api.ts";
import { implementContainers } from "./containers/containers.ts";
import { execAPI } from "./exec/api.ts";
import { implementExec } from "./exec/exec.ts";
import { filesAPI } from "./files/api.ts";
import { implementFiles } from "./files/files.ts";
import { imagesAPI } from "./images/api.ts";
import { implementImages } from "./images/images.ts";
import { kubeAPI } from "./kube/api.ts";
import { implementKube } from "./kube/kube.ts";
import { manifestsAPI } from "./manifests/api.ts";
import { implementManifests } from "./manifests/manifests.ts";
import { monitorAPI } from "./monitor/api.ts";
import { implementMonitor } from "./monitor/monitor.ts";
import { networksAPI } from "./networks/api.ts";
import { networks } from "./networks/networks.ts";
import { podsAPI } from "./pods/api.ts";
import { implementPods } from "./pods/pods.ts";
import { quadletsAPI } from "./quadlets/api.ts";
import { implementQuadlets } from "./quadlets/quadlets.ts";
import { secretsAPI } from "./secrets/api.ts";
import { implementSecrets } from "./secrets/secrets.ts";
import { systemAPI } from "./system/api.ts";
import { implementSystem } from "./system/system.ts";
import { unitsAPI } from "./units/api.ts";
import { implementUnits } from "./units/units.ts";
import { volumesAPI } from "./volumes/api.ts";
import { volumes } from "./volumes/volumes.ts";
import { engineErrors } from "./errors.ts";
import type { WholeAPI } from "./implement_family.ts";

/** A family of operations. */
export interface Family {
  /** Its name in documents. */
  readonly title: string;
  readonly definition: Definition;
  /** Makes the functions that serve the definition. */
  implement(engine: Engine, api: WholeAPI): Implementation;
}

/**
 * Every family of both trees. This is the one list: the server, the OpenAPI document, the docs page and the client module
 * are made from it, and the tests compare `mod.ts` and the folders with it.
 */
export const FAMILIES: readonly Family[] = [
  { title: "Containers", definition: containersAPI, implement: implementContainers },
  { title: "Exec", definition: execAPI, implement: implementExec },
  { title: "Files of containers", definition: filesAPI, implement: implementFiles },
  { title: "Images", definition: imagesAPI, implement: implementImages },
  { title: "Builds", definition: buildsAPI, implement: implementBuilds },
  { title: "Artifacts", definition: artifactsAPI, implement: implementArtifacts },
  { title: "Pods", definition: podsAPI, implement: implementPods },
  { title: "Kubernetes documents", definition: kubeAPI, implement: implementKube },
  { title: "Networks", definition: networksAPI, implement: networks },
  { title: "Quadlets", definition: quadletsAPI, implement: implementQuadlets },
  { title: "Secrets", definition: secretsAPI, implement: implementSecrets },
  { title: "Units of systemd", definition: unitsAPI, implement: implementUnits },
  { title: "Volumes", definition: volumesAPI, implement: volumes },
  { title: "Manifests", definition: manifestsAPI, implement: implementManifests },
  { title: "System", definition: systemAPI, implement: implementSystem },
  { title: "Monitoring", definition: monitorAPI, implement: implementMonitor },
  { title: "Docker: builds", definition: compatBuildsAPI, implement: compatBuilds },
  { title: "Docker: containers", definition: compatContainersAPI, implement: compatContainers },
  { title: "Docker: exec", definition: compatExecAPI, implement: compatExec },
  { title: "Docker: files of containers", definition: compatFilesAPI, implement: compatFiles },
  { title: "Docker: images", definition: compatImagesAPI, implement: compatImages },
  { title: "Docker: networks", definition: compatNetworksAPI, implement: compatNetworks },
  { title: "Docker: registries", definition: compatRegistriesAPI, implement: compatRegistries },
  { title: "Docker: secrets", definition: compatSecretsAPI, implement: compatSecrets },
  { title: "Docker: volumes", definition: compatVolumesAPI, implement: compatVolumes },
  { title: "Docker: system", definition: compatSystemAPI, implement: compatSystem },
];

/** The definitions of the whole API, both trees, with their titles and errors, as documents are made from them. */
export function listDefinitions(): Definition[] {
  return FAMILIES.map(({ title, definition }) => ({
    ...definition,
    options: { ...definition.options, title, errors: engineErrors },
  }));
}
