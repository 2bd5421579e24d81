import { ClientError, withErrors } from "../client_error.ts";
import type { Abortable } from "../container_calls.ts";

/** Which objects are listed or pruned. */
export interface LabelOptions extends Abortable {
  /** Only those with these labels. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The filters of a list; none for all. */
export function labelFilters({ labels = {} }: Pick<LabelOptions, "labels">): Record<string, string[]> {
  const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return label.length === 0 ? {} : { label };
}

/** Filters as both trees read them: JSON, and no parameter where there are none. */
export function writeFilters(filters: Readonly<Record<string, readonly string[]>>): string | undefined {
  const given = Object.entries(filters).filter(([, values]) => values.length > 0);
  return given.length === 0 ? undefined : JSON.stringify(Object.fromEntries(given));
}

/** Does something to an object that may be gone already: then all is as it should be. */
export async function unlessMissing(action: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await withErrors(action, work);
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== "not_found") throw error;
  }
}
