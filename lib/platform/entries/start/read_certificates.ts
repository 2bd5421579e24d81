/** The certificates of `gantry serve`, read from the files that its options name. */
import { readFile, stat } from "node:fs/promises";
import type { Log } from "../../../engine/ports/log.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { checkCertificates, type TLSCertificates } from "../../http/tls_sockets.ts";
import { startStep } from "./start_failure.ts";

/** The files, in PEM. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
  readonly clientCA?: string;
}

/**
 * Reads and checks them. The log tells of a certificate that has ended, and of a key that others may read.
 *
 * @throws {Error} one line that names the file, or the option for another one
 */
export async function readCertificates(files: CertificateFiles, log: Log): Promise<TLSCertificates> {
  const { cert, key, clientCA } = files;
  const { mode } = await startStep(stepOf("key", key), () => stat(key));
  if ((mode & 0o077) !== 0) log("warn", `${key}: other users of this machine may read the key; chmod 600`);
  const texts: TLSCertificates = {
    cert: await readPart("cert", cert),
    key: await readPart("key", key),
    ...clientCA !== undefined && { clientCA: await readPart("client-ca", clientCA) },
  };
  try {
    const { expires } = checkCertificates(texts);
    if (expires.getTime() < Date.now()) {
      log("warn", `${cert}: the certificate ended on ${expires.toISOString().slice(0, 10)}; clients refuse it`);
    }
  } catch (error) {
    const named = [cert, key, ...clientCA === undefined ? [] : [clientCA]].map((file) => `"${file}"`);
    throw new Error(`Read TLS files ${named.join(", ")}: ${messageOf(error)}`, { cause: error });
  }
  return texts;
}

async function readPart(option: "cert" | "key" | "client-ca", file: string): Promise<string> {
  return await startStep(stepOf(option, file), () => readFile(file, "utf8"));
}

function stepOf(option: "cert" | "key" | "client-ca", file: string) {
  return { text: `Read TLS file "${file}"`, option: `--tls-${option}` };
}
