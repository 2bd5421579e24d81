/** A secret that a container mounts. */
export interface SecretMount {
  id: string;
  name: string;
  /** The path in the container. */
  path: string;
  uid: number;
  gid: number;
  /** Permission bits. */
  mode: number;
}
