import type { ContainerSpec, NamespaceMode } from "../../records/container_record.ts";

/**
 * A create request: a spec in which everything but the image may be absent, and is then as the machine's owner chose
 * (`ContainerDefaults`) or as the engine has it.
 */
export interface ContainerRequest extends Partial<Omit<ContainerSpec, "namespaces">> {
  /** A namespace that is absent is left to the owner: one that must be the host's has the mode `host`. */
  namespaces?: Partial<ContainerSpec["namespaces"]>;
}

/** A request whose namespaces may also be those of the container's pod, whether the pod shares them or not. */
export interface MemberRequest extends Omit<ContainerRequest, "namespaces"> {
  namespaces?: Partial<Record<keyof ContainerSpec["namespaces"], NamespaceMode | { mode: "pod" }>>;
}
