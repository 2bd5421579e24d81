import type { EnvFromPlan, EnvPlan, EnvValue } from "../pod_plan.ts";
import type { Fields } from "./fields.ts";

/** Reads the variables of a container. Throws `invalid` for a name that no environment can have. */
export function readEnv(container: Fields): EnvPlan[] {
  return container.list("env").map((entry) => {
    const name = entry.needText("name");
    checkName(entry, name);
    const source = entry.inner("valueFrom");
    const text = entry.text("value");
    if (source && text) throw entry.fail("", "must have value or valueFrom, and has both");
    const place = `${entry.object}: ${entry.pathOf("")}`;
    return { name, value: source ? readSource(source) : { kind: "text", text: text ?? "" }, place };
  });
}

/** Reads the config maps and secrets all of whose keys a container gets as variables. */
export function readEnvFrom(container: Fields): EnvFromPlan[] {
  return container.list("envFrom").flatMap((entry) => {
    const prefix = entry.text("prefix") ?? "";
    const place = `${entry.object}: ${entry.pathOf("")}`;
    return (["configMap", "secret"] as const).flatMap((kind) => {
      const reference = entry.inner(`${kind}Ref`);
      if (reference === undefined) return [];
      const name = reference.needText("name");
      return [{ kind, name, prefix, optional: reference.flag("optional") ?? false, place }];
    });
  });
}

function readSource(source: Fields): EnvValue {
  for (const kind of ["configMap", "secret"] as const) {
    const reference = source.inner(`${kind}KeyRef`);
    if (reference === undefined) continue;
    const optional = reference.flag("optional") ?? false;
    return { kind, name: reference.needText("name"), key: reference.needText("key"), optional };
  }
  const value = readFieldValue(source);
  if (value !== undefined) return value;
  throw source.fail("", "must have configMapKeyRef, secretKeyRef, fieldRef or resourceFieldRef");
}

/** The fields of a pod that can be told of. */
const POD_FIELDS =
  /^(?:metadata\.(?:name|namespace|uid)|metadata\.(?:labels|annotations)(?:\['[^']+'\])?|spec\.(?:nodeName|serviceAccountName))$/;

const DIVISOR = /^(?:1|1m|1[kMGTPE]|1[KMGTPE]i|0)$/;

/** Reads a reference to a field of the pod or an amount of the container; `undefined` where there is neither. */
export function readFieldValue(fields: Fields): EnvValue | undefined {
  const field = fields.inner("fieldRef");
  if (field) {
    field.skip("apiVersion");
    const path = field.needText("fieldPath");
    if (!POD_FIELDS.test(path)) throw field.fail("fieldPath", `"${path}" is either not valid or not supported`);
    return { kind: "field", path };
  }
  const resource = fields.inner("resourceFieldRef");
  if (resource === undefined) return undefined;
  resource.skip("containerName");
  const name = resource.needText("resource");
  if (!/^(?:limits|requests)\.(?:cpu|memory)$/.test(name)) {
    throw resource.fail("resource", `"${name}" is either not valid or not supported`);
  }
  const divisor = resource.amount("divisor") ?? "1";
  const isGood = DIVISOR.test(divisor) && (divisor !== "1m" || name.endsWith("cpu"));
  if (!isGood || (name.endsWith("cpu") && !/^(?:0|1m?)$/.test(divisor))) {
    throw resource.fail("divisor", `"${divisor}" is not valid for ${name}`);
  }
  return { kind: "resource", resource: name, divisor: divisor === "0" ? "1" : divisor };
}

function checkName(entry: Fields, name: string): void {
  if (!/[=\0]/.test(name)) return;
  throw entry.fail("name", `must have no "=" in it; it is ${JSON.stringify(name)}`);
}
