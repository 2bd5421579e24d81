import { WAIT_CONDITIONS, type WaitCondition } from "../../lib/engine/containers/options.ts";
import { badParameter } from "../errors.ts";

/** Reads wait conditions; throws a 400 for one there is not. */
export function waitConditions(texts: readonly string[] = []): WaitCondition[] {
  return texts.filter((text) => text !== "").map((text) => {
    const condition = WAIT_CONDITIONS.find((known) => known === text);
    if (condition === undefined) throw badParameter("condition", text, "unknown container state: invalid argument");
    return condition;
  });
}
