import { hexText } from "../../oci/bytes/bytes.ts";
import { EngineError } from "../../engine/errors.ts";
import type { Codec, Hash } from "../../engine/ports/ports.ts";
import { freeWorkerBytes } from "./free.ts";
import { paceStream } from "./paced.ts";

/** A digest that takes a stream: workerd's own, and the only incremental one it has without Node's modules. */
interface DigestStream extends WritableStream<Uint8Array> {
  readonly digest: Promise<ArrayBuffer>;
}

/**
 * The {@linkcode Codec} of workerd. Zstandard there is none.
 *
 * @param options.freesInput Whether its transforms free what is written to them: only where nothing else reads that again
 */
export function workersCodec({ freesInput = false } = {}): Codec {
  const used = freesInput ? freeWorkerBytes : undefined;
  return {
    free: freeWorkerBytes,
    hash: () => new StreamHash(),
    gunzip: () => paceStream(new DecompressionStream("gzip"), "gunzip", used),
    gzip(level) {
      if (level !== undefined && level !== -1) {
        throw new EngineError("unsupported", "Compress: this runtime has one level of gzip");
      }
      return paceStream(new CompressionStream("gzip"), "gzip", used);
    },
    fastGzip: () => paceStream(new CompressionStream("gzip"), "gzip", used),
    unzstd() {
      throw new EngineError("unsupported", "Decompress: this runtime has no Zstandard");
    },
    zstd() {
      throw new EngineError("unsupported", "Compress: this runtime has no Zstandard");
    },
  };
}

class StreamHash implements Hash {
  readonly #stream = digestStream();
  readonly #writer = this.#stream.getWriter();
  #failure: unknown;

  update(bytes: Uint8Array): Promise<void> {
    return this.#writer.write(bytes).catch((error) => void (this.#failure ??= error));
  }

  async digest(): Promise<string> {
    await this.#writer.close();
    if (this.#failure !== undefined) throw this.#failure;
    const bytes = new Uint8Array(await this.#stream.digest);
    return `sha256:${hexText(bytes)}`;
  }
}

function digestStream(): DigestStream {
  // An extension of workerd that the types of WebCrypto do not have.
  const { DigestStream } = crypto as unknown as { DigestStream: new (algorithm: string) => DigestStream };
  const stream = new DigestStream("SHA-256");
  // A hash that is let go of halfway must not end as a rejection nobody waits for.
  stream.digest.catch(() => {});
  return stream;
}
