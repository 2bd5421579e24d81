/** The places outside of the engine's store where the values of secrets may lie. */

/** A secret has fewer bytes than this. */
export const SECRET_LIMIT = 512_000;

/** The place of a secret's value. */
export interface SecretPlace {
  /** `file`, `pass` or `shell`. */
  driver: string;
  options: Readonly<Record<string, string>>;
  /** The secret's ID. */
  id: string;
}

/** The drivers that keep values on the host. No error of theirs tells a value, or what a program said of one. */
export interface SecretVault {
  /** Checks options. Throws `invalid` for a driver there is not, and for options it cannot do with. */
  check(driver: string, options: Readonly<Record<string, string>>): Promise<void>;
  /** Stores a value. */
  store(place: SecretPlace, value: Uint8Array): Promise<void>;
  /** Reads a value; `undefined` where there is none, or the driver does not give it. */
  lookUp(place: SecretPlace): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Deletes a value. Tells whether the driver did. */
  remove(place: SecretPlace): Promise<boolean>;
}
