import { fromBase64, toBase64 } from "../oci/bytes/base64.ts";
import type { Core } from "./core.ts";
import { EngineError } from "./errors.ts";
import { encode } from "./store/json.ts";
import { requireSize } from "./store/value_size.ts";
import { randomID } from "./text/names.ts";
import { compileFilter } from "./text/list_filters.ts";
import { findByNameOrID } from "./text/lookup.ts";
import type { Index, Operation, Table } from "./store/table.ts";

/** A secret as stored: everything of it but its value. */
export interface SecretRecord {
  /** 25 hex digits. */
  id: string;
  name: string;
  driver: "file";
  labels: Record<string, string>;
  /** Milliseconds since the epoch. */
  created: number;
  updated: number;
}

/** How a secret is made. */
export interface SecretOptions {
  /** Only `file`, the default: values lie in the engine's own store, which nobody but its user reads. */
  driver?: string;
  driverOptions?: Record<string, string>;
  labels?: Record<string, string>;
  /** One of that name gives way: its value, labels and ID are replaced. */
  replace?: boolean;
  /** One of that name is left as it is. */
  ignore?: boolean;
}

/** Fewer bytes than this, and more than none. */
export const SECRET_LIMIT = 512_000;

const ID_LENGTH = 25;

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
      const patterns = values.map((text) => compileFilter(text) ?? ((value: string) => value === text));
      return (secret: SecretRecord) => patterns.some((matches) => matches(secret[field]));
    });
    const found = this.#table.values().filter((secret) => tests.every((test) => test(secret)));
    return found.sort((a, b) => a.name < b.name ? -1 : 1);
  }

  /** Stores a secret and gives its ID. */
  create(name: string, value: Uint8Array, options: SecretOptions = {}): Promise<string> {
    const { driver = "file", driverOptions = {}, labels = {}, replace, ignore } = options;
    checkName(name);
    if (value.length === 0 || value.length >= SECRET_LIMIT) {
      throw new EngineError("invalid", `secret data must be larger than 0 and less than ${SECRET_LIMIT} bytes`);
    }
    if (replace && ignore) throw new EngineError("invalid", "ignoreIfExists and replace cannot be used together");
    if (driver !== "file") throw new EngineError("invalid", `secret driver "${driver}": invalid driver`);
    const [option] = Object.keys(driverOptions);
    if (option !== undefined) {
      throw new EngineError("unsupported", `Create secret: driver option "${option}" is not supported`);
    }
    const { labelBytes } = this.#core.options.limits;
    requireSize("Create secret", "labels", encode(labels), labelBytes);
    return this.#core.locks.with("secrets", async () => {
      const known = this.#names.get(name) ?? this.#table.get(name);
      if (known && ignore) return known.id;
      if (known && !replace) {
        const sentinel = "secret name in use";
        throw new EngineError("name_in_use", `${name}: ${sentinel}`, { sentinel });
      }
      const { clock, state, events } = this.#core;
      const now = clock.now();
      const secret = { id: this.#newID(), name, driver, labels, created: known?.created ?? now, updated: now } as const;
      const old = known ? this.#drop(known.id) : [];
      await state.commit([
        ...old,
        this.#table.put(secret.id, secret),
        this.#values.put(secret.id, { data: toBase64(value) }),
      ]);
      events.emit({ type: "secret", action: "create", id: secret.id });
      return secret.id;
    });
  }

  /** Deletes one. Containers that were made with it keep what they mount of it. */
  async remove(nameOrID: string): Promise<string> {
    return await this.#core.locks.with("secrets", async () => {
      const { id } = this.resolve(nameOrID);
      await this.#core.state.commit(this.#drop(id));
      this.#core.events.emit({ type: "secret", action: "remove", id });
      return id;
    });
  }

  /** A secret's value. */
  value(nameOrID: string): Uint8Array<ArrayBuffer> {
    return fromBase64(this.#values.get(this.resolve(nameOrID).id)?.data ?? "");
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

function checkName(name: string): void {
  if (name.length > 0 && name.length <= 253 && !/[,/=\0]/.test(name)) return;
  const sentinel = "invalid secret name";
  const rule = "can not include '=', '/', ',', or the '\\0' (NULL) and be between 1 and 253 characters";
  throw new EngineError("invalid", `secret name ${JSON.stringify(name)} ${rule}: ${sentinel}`, { sentinel });
}

function noSuchSecret(nameOrID: string): EngineError {
  const sentinel = "no such secret";
  return new EngineError("no_such_secret", `no secret with name or id "${nameOrID}": ${sentinel}`, { sentinel });
}

function ambiguousSecret(nameOrID: string): EngineError {
  const sentinel = "secret is ambiguous";
  return new EngineError("ambiguous", `more than one result secret with prefix ${nameOrID}: ${sentinel}`, { sentinel });
}
