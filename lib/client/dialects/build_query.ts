import type { BuildParameters } from "./dialect.ts";

/** The query of a build, which both trees read alike. Servers before Podman 4 take one platform as a text. */
export function buildQuery({ tags, dockerfile, args, labels, target, platform, isUncached, pull }: BuildParameters) {
  return {
    t: [...tags],
    dockerfile,
    target,
    platform: platform === undefined ? undefined : [platform],
    buildargs: Object.keys(args).length > 0 ? JSON.stringify(args) : undefined,
    labels: Object.keys(labels).length > 0 ? JSON.stringify(labels) : undefined,
    nocache: isUncached || undefined,
    pull: pull || undefined,
    rm: true,
    forcerm: true,
  };
}
