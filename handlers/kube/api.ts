import { api, rest, stream } from "../../lib/rest/mod.ts";
import { API_OPTIONS } from "../wire/api_options.ts";
import {
  ApplyKubeQuery,
  GenerateKubeQuery,
  PlayKubeDownQuery,
  PlayKubeQuery,
  PlayKubeReport,
} from "../wire/kube/kube.ts";

/** Kubernetes documents, in the native tree; older clients have other paths for the same. */
export const kubeAPI = api("http://localhost", {
  PlayKube: rest("POST /engine/play/kube?%[2]v", [stream(), PlayKubeQuery], [PlayKubeReport]),
  KubePlay: rest("POST /engine/kube/play?%[2]v", [stream(), PlayKubeQuery], [PlayKubeReport]),
  PlayKubeDown: rest("DELETE /engine/play/kube?%[2]v", [stream(), PlayKubeDownQuery], [PlayKubeReport]),
  KubePlayDown: rest("DELETE /engine/kube/play?%[2]v", [stream(), PlayKubeDownQuery], [PlayKubeReport]),
  // The type is Podman's: the text is YAML.
  GenerateKube: rest("GET /engine/generate/kube?%v", [GenerateKubeQuery], [stream("application/x-tar")]),
  KubeGenerate: rest("GET /engine/kube/generate?%v", [GenerateKubeQuery], [stream("application/x-tar")]),
  KubeApply: rest("POST /engine/kube/apply?%[2]v", [stream(), ApplyKubeQuery], [
    stream("text/plain; charset=us-ascii"),
  ]),
}, API_OPTIONS);
