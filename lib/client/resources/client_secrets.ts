import { withErrors } from "../client_error.ts";
import type { Abortable } from "../container_calls.ts";
import type { ResourceDialect } from "../dialects/resources/resource_dialect.ts";
import type { SecretView } from "../dialects/resources/resource_views.ts";

/** The facts about a secret, without its value. */
export interface SecretDetails {
  readonly id: string;
  readonly name: string;
  readonly created: Date | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * The secrets of an engine. Docker has them in a swarm only, and answers `unavailable` elsewhere.
 *
 * @example
 * ```ts
 * import type { EngineClient } from "../mod.ts";
 * async function keepToken({ secrets }: EngineClient, token: string): Promise<void> {
 *   await secrets.create("token", token, { labels: { job: "nightly" } });
 * }
 * ```
 */
export class ClientSecrets {
  readonly #dialect: ResourceDialect;

  constructor(dialect: ResourceDialect) {
    this.#dialect = dialect;
  }

  /** Keeps a value, text as UTF-8, and resolves with the secret's ID. */
  async create(
    name: string,
    value: string | Uint8Array,
    { labels = {}, signal }: Abortable & { labels?: Readonly<Record<string, string>> } = {},
  ): Promise<string> {
    const data = typeof value === "string" ? new TextEncoder().encode(value) : value;
    return await withErrors(
      `Create secret "${name}"`,
      () => this.#dialect.createSecret(name, data, labels, { signal }),
    );
  }

  /** Lists the secrets. */
  async list({ signal }: Abortable = {}): Promise<SecretDetails[]> {
    return (await withErrors("List secrets", () => this.#dialect.secrets({ signal }))).map(detailsOf);
  }

  /** Looks at a secret, by name or ID. */
  async inspect(name: string, { signal }: Abortable = {}): Promise<SecretDetails> {
    return detailsOf(
      await withErrors(`Inspect secret "${name}"`, () => this.#dialect.inspectSecret(name, { signal })),
    );
  }

  /** Removes a secret, by name or ID. */
  async remove(name: string, { signal }: Abortable = {}): Promise<void> {
    await withErrors(`Remove secret "${name}"`, () => this.#dialect.removeSecret(name, { signal }));
  }
}

function detailsOf(view: SecretView): SecretDetails {
  return {
    id: view.ID,
    name: view.Spec.Name,
    created: view.CreatedAt == null ? undefined : new Date(view.CreatedAt),
    labels: view.Spec.Labels ?? {},
  };
}
