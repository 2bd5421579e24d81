import { hostText } from "./helpers/bounded_read.ts";

/** The fields of os-release(5) that are asked for; empty texts for those that the file lacks. */
export interface OSRelease {
  /** `debian` */
  id: string;
  /** The distributions that it is made of, separated by spaces. */
  like: string;
  /** Its name for people: `Debian GNU/Linux 12 (bookworm)`. */
  name: string;
  /** `12` */
  version: string;
  /** `bookworm` */
  codename: string;
}

/** Reads the text of os-release(5). */
export function parseOSRelease(text: string): OSRelease {
  const value = (name: string) => new RegExp(`^${name}=["']?(.*?)["']?$`, "m").exec(text)?.[1] ?? "";
  return {
    id: value("ID"),
    like: value("ID_LIKE"),
    name: value("PRETTY_NAME"),
    version: value("VERSION_ID"),
    codename: value("VERSION_CODENAME"),
  };
}

/** Reads this machine's os-release(5); every field is empty where it has none. */
export async function readOSRelease(): Promise<OSRelease> {
  return parseOSRelease(await hostText("/etc/os-release"));
}
