/** A secret that a container mounts. */
export interface SecretMount {
  id: string;
  name: string;
  /** Where it is found in the container. */
  path: string;
  uid: number;
  gid: number;
  /** Permission bits. */
  mode: number;
}
