import { fromBase64, toBase64 } from "../oci/bytes/base64.ts";
import { type Core, hostOf } from "./core.ts";
import { EngineError } from "./errors.ts";
import { SECRET_LIMIT, type SecretPlace, type SecretVault } from "./ports/secret_port.ts";
import { messageOf } from "../oci/message_of.ts";
import { encode } from "./store/json.ts";
import { requireSize } from "./store/value_size.ts";
import { randomID } from "./text/names.ts";
import { fitsPattern } from "./text/list_filters.ts";
import { findByNameOrID } from "./text/lookup.ts";
import type { Index, Operation, Table } from "./store/table.ts";

/** A secret as stored: everything of it but its value. */
export interface SecretRecord {
  /** 25 hex digits. */
  id: string;
  name: string;
  /** `file`, `pass` or `shell`. */
  driver: string;
  /** The driver's options; without any, `file` is the engine's own store. */
  driverOptions?: Record<string, string>;
  labels: Record<string, string>;
  /** Milliseconds since the epoch. */
  created: number;
  updated: number;
  /** Counts the updates; 1 where it is absent. */
  version?: number;
}

/** How a secret is made. */
export interface SecretOptions {
  /**
   * `file`, the default, keeps values in the engine's own store, which nobody but its user reads, or in the folder `path`;
   * `pass` and `shell` are programs of the host.
   */
  driver?: string;
  driverOptions?: Record<string, string>;
  labels?: Record<string, string>;
  /** One of that name gives way: its value, labels and ID are replaced. */
  replace?: boolean;
  /** One of that name is left as it is. */
  ignore?: boolean;
}

const ID_LENGTH = 25;
/** The words by which clients know a secret that is not there. */
const NONE = "no such secret";

/** A value, apart from its record so that what is listed never holds one. */
interface Value {
  /** Base64. */
  data: string;
}

/**
 * The engine's secrets. Their values are given to containers and to who asks for one by name, and to nobody else: they are in
 * no record, no event and no line of the log.
 */
export class Secrets {
  readonly #core: Core;
  readonly #table: Table<SecretRecord>;
  readonly #names: Index<SecretRecord>;
  readonly #values: Table<Value>;

  constructor(core: Core) {
    this.#core = core;
    this.#table = core.state.table("secrets");
    this.#names = this.#table.index(({ name }) => [name]);
    this.#values = core.state.table("secret_values", { isSecret: true });
  }

  /** By name, ID or unambiguous ID prefix. Throws `no_such_secret` or `ambiguous`. */
  resolve(nameOrID: string): SecretRecord {
    return findByNameOrID(this.#table, this.#names, nameOrID, { none: noSuchSecret, several: ambiguousSecret });
  }

  /** Whether there is one. */
  exists(nameOrID: string): boolean {
    try {
      return this.resolve(nameOrID) !== undefined;
    } catch (error) {
      if (error instanceof EngineError && error.code === "no_such_secret") return false;
      throw error;
    }
  }

  /**
   * Lists the secrets that match, sorted by name: any of a filter's regular expressions, and all filters. One that does not parse stands for itself. Throws `invalid` for an
   * unknown filter.
   */
  list(filters: Record<string, readonly string[]> = {}): SecretRecord[] {
    const tests = Object.entries(filters).map(([key, values]) => {
      const field = key.toLowerCase();
      if (field !== "name" && field !== "id") throw new EngineError("invalid", `invalid filter "${key}"`);
      const fits = fitsPattern(values, { literal: true });
      return (secret: SecretRecord) => fits(secret[field]);
    });
    const found = this.#table.values().filter((secret) => tests.every((test) => test(secret)));
    return found.sort((a, b) => a.name < b.name ? -1 : 1);
  }

  /** Stores a secret and gives its ID. */
  async create(name: string, value: Uint8Array, options: SecretOptions = {}): Promise<string> {
    const { labels = {}, replace, ignore } = options;
    checkName(name);
    if (value.length === 0 || value.length >= SECRET_LIMIT) {
      throw new EngineError("invalid", `secret data must be larger than 0 and less than ${SECRET_LIMIT} bytes`);
    }
    if (replace && ignore) throw new EngineError("invalid", "ignoreIfExists and replace cannot be used together");
    this.#checkLabels("Create secret", labels);
    const { driver, driverOptions } = this.#chooseDriver(options);
    return await this.#core.locks.with("secrets", async () => {
      const known = this.#names.get(name) ?? this.#table.get(name);
      if (known && ignore) return known.id;
      if (known && !replace) {
        const sentinel = "secret name in use";
        throw new EngineError("name_in_use", `${name}: ${sentinel}`, { sentinel });
      }
      const { clock, events } = this.#core;
      const now = clock.now();
      const secret: SecretRecord = {
        ...{ id: this.#newID(), name, driver, labels, created: known?.created ?? now, updated: now },
        ...Object.keys(driverOptions).length > 0 && { driverOptions },
      };
      await this.#store(secret, value, known);
      events.emit({ type: "secret", action: "create", id: secret.id });
      return secret.id;
    });
  }

  /**
   * Changes a secret's labels; its value and its ID stay. Throws `state` where `version` is not the secret's own any more.
   */
  async update(
    nameOrID: string,
    change: { labels?: Record<string, string>; version?: number },
  ): Promise<SecretRecord> {
    if (change.labels) this.#checkLabels("Update secret", change.labels);
    return await this.#core.locks.with("secrets", async () => {
      const secret = this.resolve(nameOrID);
      const { version = 1, labels } = secret;
      if (change.version !== undefined && change.version !== version) {
        throw new EngineError("state", `secret ${secret.name}: update out of sequence`, {
          sentinel: "update out of sequence",
        });
      }
      const { clock, state, events } = this.#core;
      const next = { ...secret, labels: change.labels ?? labels, updated: clock.now(), version: version + 1 };
      await state.commit([this.#table.put(secret.id, next)]);
      events.emit({ type: "secret", action: "update", id: secret.id });
      return next;
    });
  }

  /** Deletes one. Containers that were made with it keep what they mount of it. */
  async remove(nameOrID: string): Promise<string> {
    return await this.#core.locks.with("secrets", async () => {
      const secret = this.resolve(nameOrID);
      const place = placeOf(secret);
      if (place !== undefined && !await this.#vault().remove(place)) {
        throw new EngineError("no_such_secret", `deleting secret ${nameOrID}: ${secret.id}: ${NONE}`, {
          sentinel: NONE,
        });
      }
      await this.#core.state.commit(this.#drop(secret.id));
      this.#core.events.emit({ type: "secret", action: "remove", id: secret.id });
      return secret.id;
    });
  }

  /** Reads a secret's value. Throws `no_such_secret` also where its driver does not give it. */
  async value(nameOrID: string): Promise<Uint8Array<ArrayBuffer>> {
    const secret = this.resolve(nameOrID);
    const place = placeOf(secret);
    if (place === undefined) return fromBase64(this.#values.get(secret.id)?.data ?? "");
    const value = await this.#vault().lookUp(place);
    if (value !== undefined) return value;
    throw new EngineError("no_such_secret", `${secret.id}: ${NONE}`, { sentinel: NONE });
  }

  /** Keeps a new secret's value, then its record; the old one goes when the new one lasts. */
  async #store(secret: SecretRecord, value: Uint8Array, known: SecretRecord | undefined): Promise<void> {
    const { state, log } = this.#core;
    const place = placeOf(secret);
    if (place !== undefined) {
      await this.#vault().check(place.driver, place.options);
      await this.#vault().store(place, value).catch((error) => {
        throw new EngineError("internal", `creating secret ${secret.name}: ${messageOf(error)}`);
      });
    }
    const own = place === undefined ? [this.#values.put(secret.id, { data: toBase64(value) })] : [];
    try {
      await state.commit([...known ? this.#drop(known.id) : [], this.#table.put(secret.id, secret), ...own]);
    } catch (error) {
      if (place !== undefined) await this.#vault().remove(place);
      throw error;
    }
    const old = known && placeOf(known);
    if (old === undefined) return;
    // The secret is replaced in any case: a driver that keeps the old value does no harm to the new one.
    const isGone = await this.#vault().remove(old).catch(() => false);
    if (!isGone) log("warn", `Replace secret ${secret.name}: its driver did not delete the old value`);
  }

  /** The owner's driver and options where the request leaves them out. */
  #chooseDriver(
    { driver, driverOptions = {} }: SecretOptions,
  ): { driver: string; driverOptions: Record<string, string> } {
    const { secretDriver = "file", secretOptions = {} } = this.#core.options.defaults;
    const chosen = driver ?? secretDriver;
    const isUsual = Object.keys(driverOptions).length === 0 && chosen === secretDriver;
    const options = isUsual ? secretOptions : driverOptions;
    if (chosen === "file" || chosen === "pass" || chosen === "shell") return { driver: chosen, driverOptions: options };
    throw new EngineError("invalid", `secret driver "${chosen}": invalid driver`, { sentinel: "invalid driver" });
  }

  #checkLabels(what: string, labels: Record<string, string>): void {
    requireSize(what, "labels", encode(labels), this.#core.options.limits.labelBytes);
  }

  #vault(): SecretVault {
    const host = hostOf(this.#core);
    if (host !== undefined) return host.secrets;
    throw new EngineError("unsupported", "Only the engine's own store keeps secrets here: there is no host");
  }

  #drop(id: string): Operation[] {
    return [this.#table.drop(id), this.#values.drop(id)];
  }

  #newID(): string {
    for (;;) {
      const id = randomID(this.#core.random).slice(0, ID_LENGTH);
      if (!this.#table.has(id)) return id;
    }
  }
}

/** The place of a value on the host; `undefined` for one in the engine's own store. */
function placeOf({ id, driver, driverOptions }: SecretRecord): SecretPlace | undefined {
  return driver === "file" && driverOptions === undefined ? undefined : { driver, options: driverOptions ?? {}, id };
}

function checkName(name: string): void {
  if (name.length > 0 && name.length <= 253 && !/[,/=\0]/.test(name)) return;
  const sentinel = "invalid secret name";
  const rule = "can not include '=', '/', ',', or the '\\0' (NULL) and be between 1 and 253 characters";
  throw new EngineError("invalid", `secret name ${JSON.stringify(name)} ${rule}: ${sentinel}`, { sentinel });
}

function noSuchSecret(nameOrID: string): EngineError {
  return new EngineError("no_such_secret", `no secret with name or id "${nameOrID}": ${NONE}`, { sentinel: NONE });
}

function ambiguousSecret(nameOrID: string): EngineError {
  const sentinel = "secret is ambiguous";
  return new EngineError("ambiguous", `more than one result secret with prefix ${nameOrID}: ${sentinel}`, { sentinel });
}
