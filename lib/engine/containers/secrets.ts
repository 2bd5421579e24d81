/** Secrets as containers get them: files of their own, and variables. */
import { fromBase64, toBase64 } from "../../oci/bytes/base64.ts";
import type { ContainerRecord, ContainerSpec } from "../records/container_record.ts";
import type { ContainerSecrets } from "../ports/host_port.ts";
import type { Secrets } from "../secrets.ts";
import type { State } from "../store/state.ts";
import type { Operation, Table } from "../store/table.ts";
import { cleanPath } from "../../oci/clean_path.ts";
import { isPath } from "./create/mounts.ts";
import type { SecretMount } from "../records/secret_mount.ts";
import { invalid } from "../errors.ts";

/** The folder of secrets that name no other place. */
const FOLDER = "/run/secrets";

/**
 * The values of the secrets that containers mount: as they were when the container was made, whatever becomes of the secrets
 * themselves. Variables are looked up anew at each start, by name.
 */
export class SecretCopies {
  readonly #secrets: Secrets;
  readonly #table: Table<{ values: Record<string, string> }>;
  /** Of containers that this process runs for itself: nothing of them is stored. */
  readonly #lent = new Map<string, ContainerSecrets>();

  constructor(state: State, secrets: Secrets) {
    this.#secrets = secrets;
    this.#table = state.table("container_secrets", { isSecret: true });
  }

  /** The secrets a new container mounts. Throws `no_such_secret`, also for its variables. */
  resolve({ secrets = [], secretEnv = {} }: ContainerSpec): SecretMount[] {
    for (const source of Object.values(secretEnv)) this.#secrets.resolve(source);
    const mounts = secrets.map(({ source, target, uid, gid, mode }) => {
      const { id, name } = this.#secrets.resolve(source);
      const path = target?.startsWith("/") ? cleanPath(target) : cleanPath(`${FOLDER}/${target || name}`);
      if (path === "/" || path === FOLDER || !isPath(path)) throw invalid(`invalid secret target "${target}"`);
      return { id, name, path, uid, gid, mode };
    });
    const places = mounts.map(({ path }) => path);
    const twice = places.find((path, index) => places.indexOf(path) !== index);
    if (twice !== undefined) throw invalid(`${twice}: duplicate mount destination`);
    return mounts;
  }

  /** The operations that keep the values of what a new container mounts. */
  async keep({ id, secrets = [] }: ContainerRecord): Promise<Operation[]> {
    if (secrets.length === 0) return [];
    const values: Record<string, string> = {};
    for (const secret of secrets) values[secret.id] ??= toBase64(await this.#secrets.value(secret.id));
    return [this.#table.put(id, { values })];
  }

  /** Returns the secrets for a container that comes up; `undefined` where it has none. */
  async give({ id, secrets = [], spec: { secretEnv = {} } }: ContainerRecord): Promise<ContainerSecrets | undefined> {
    const lent = this.#lent.get(id);
    if (secrets.length === 0 && Object.keys(secretEnv).length === 0) return lent;
    const values = this.#table.get(id)?.values ?? {};
    const files = secrets.map((secret) => {
      const { path, uid, gid, mode } = secret;
      return { path, uid, gid, mode, data: fromBase64(values[secret.id] ?? "") };
    });
    const decoder = new TextDecoder();
    const env: Record<string, string> = {};
    for (const [name, source] of Object.entries(secretEnv)) {
      env[name] = decoder.decode(await this.#secrets.value(source));
    }
    return { files: [...files, ...lent?.files ?? []], env: { ...env, ...lent?.env } };
  }

  /** Gives a container secrets of no store, for as long as this is not disposed of. */
  lend(id: string, secrets: ContainerSecrets): Disposable {
    this.#lent.set(id, secrets);
    return { [Symbol.dispose]: () => void this.#lent.delete(id) };
  }

  /** The operations that forget what a container was given. */
  drop(id: string): Operation[] {
    return this.#table.has(id) ? [this.#table.drop(id)] : [];
  }
}
