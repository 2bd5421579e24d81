import type { Definition } from "../lib/rest/mod.ts";
import { compatContainersAPI } from "./compat/containers/api.ts";
import { compatExecAPI } from "./compat/exec/api.ts";
import { compatFilesAPI } from "./compat/files/api.ts";
import { compatImagesAPI } from "./compat/images/api.ts";
import { compatRegistriesAPI } from "./compat/registries/api.ts";
import { compatSecretsAPI } from "./compat/secrets/api.ts";
import { compatSystemAPI } from "./compat/system/api.ts";
import { containersAPI } from "./containers/api.ts";
import { engineErrors } from "./errors.ts";
import { execAPI } from "./exec/api.ts";
import { filesAPI } from "./files/api.ts";
import { artifactsAPI } from "./artifacts/api.ts";
import { imagesAPI } from "./images/api.ts";
import { secretsAPI } from "./secrets/api.ts";
import { manifestsAPI } from "./manifests/api.ts";
import { systemAPI } from "./system/api.ts";

/** The families of both trees, by the titles that documents give them. */
const FAMILIES: Readonly<Record<string, Definition>> = {
  "Containers": containersAPI,
  "Exec": execAPI,
  "Files of containers": filesAPI,
  "Images": imagesAPI,
  "Artifacts": artifactsAPI,
  "Secrets": secretsAPI,
  "Manifests": manifestsAPI,
  "System": systemAPI,
  "Docker: containers": compatContainersAPI,
  "Docker: exec": compatExecAPI,
  "Docker: files of containers": compatFilesAPI,
  "Docker: images": compatImagesAPI,
  "Docker: registries": compatRegistriesAPI,
  "Docker: secrets": compatSecretsAPI,
  "Docker: system": compatSystemAPI,
};

/** The definitions of the whole API, both trees, with their titles and errors, as documents are made from them. */
export function definitions(): Definition[] {
  return Object.entries(FAMILIES).map(([title, definition]) => ({
    ...definition,
    options: { ...definition.options, title, errors: engineErrors },
  }));
}
