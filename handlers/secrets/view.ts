import type { SecretRecord } from "../../lib/engine/secrets.ts";
import { emit } from "../wire/emit.ts";
import { SecretInfoReport } from "../wire/secrets/secret.ts";
import { wireTime } from "../wire/time.ts";

/** A secret as it is listed and inspected; with its value only where that is given. */
export function secretInfo(secret: SecretRecord, value?: Uint8Array): SecretInfoReport {
  const { id, name, driver, driverOptions = {}, labels, created, updated } = secret;
  return emit(SecretInfoReport, {
    ID: id,
    CreatedAt: wireTime(created),
    UpdatedAt: wireTime(updated),
    Spec: { Name: name, Driver: { Name: driver, Options: driverOptions }, Labels: labels },
    SecretData: value && new TextDecoder().decode(value),
  });
}
