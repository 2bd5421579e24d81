import type { Engine } from "../../../lib/engine/engine.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { PushProgress, PushState } from "../../../lib/engine/images/types.ts";
import { type Context, HTTPError } from "../../../lib/rest/mod.ts";
import { statusOf } from "../../errors.ts";
import { progressBar } from "../../images/docker_progress.ts";
import { beginProgress, errorText } from "../../images/pull_progress.ts";
import { isUnderWay } from "../../images/push.ts";
import { pushOptions } from "../../images/push_options.ts";
import { registryCredentials } from "../../images/registry_auth.ts";
import { ProgressMessage } from "../../wire/compat/image.ts";
import type { CompatPushQuery } from "../../wire/compat/query.ts";
import { emit } from "../../wire/emit.ts";
import { dockerName, localName } from "./docker_name.ts";

const STATES: Record<PushState, string> = {
  waiting: "Waiting",
  compressing: "Preparing",
  pushing: "Pushing",
  done: "Pushed",
  exists: "Layer already exists",
  mounted: "Mounted from another repository",
};

/**
 * Pushes an image as Docker's clients do: by its name, and with a tag beside it. Without a tag, and nowhere else than where the
 * name says, all tags of the repository go (`docker push --all-tags`). The last message of each tells the digest.
 */
export async function pushImage(
  engine: Engine,
  name: string,
  { tag = "", destination, all, format, tlsVerify }: CompatPushQuery,
  { request, signal }: Context,
): Promise<AsyncIterable<ProgressMessage>> {
  const tags = tag === "" && !destination ? tagsOf(engine, name) : [];
  const images = tags.length > 0 ? tags : [localName(engine, tag === "" ? name : `${name}:${tag}`)];
  const options = {
    ...pushOptions({ all, format, tlsVerify }),
    credentials: registryCredentials(request.headers),
    trustLoopback: true,
    signal,
  };
  const push = (image: string): Push => {
    const { name: found } = findForPush(engine, image);
    const progress = engine.images.push(image, { ...options, destination: destination || found });
    return { progress, name: found, tag: tag || tagOf(found) };
  };
  const [first, ...rest] = images;
  const begun = push(first);
  try {
    const progress = await beginProgress(begun.progress, isUnderWay);
    return inTurn(pushMessages({ ...begun, progress }), rest.map((image) => () => pushMessages(push(image))));
  } catch (error) {
    throw pushRefusal(error);
  }
}

/** A push under way, and what is said of it. */
interface Push {
  progress: AsyncIterable<PushProgress>;
  name: string;
  tag: string;
}

/** The names of a repository's images here, where there are several; a text with a tag, an ID or a digest has none. */
function tagsOf(engine: Engine, text: string): string[] {
  const isID = /^(sha256:)?[0-9a-f]{64}$/.test(text);
  const isRepository = !isID && !text.includes("@") && text.lastIndexOf(":") <= text.lastIndexOf("/");
  return isRepository ? engine.images.namesIn(dockerName(engine, text)) : [];
}

function tagOf(name: string): string {
  const colon = name.lastIndexOf(":");
  return colon > name.lastIndexOf("/") && !name.includes("@") ? name.slice(colon + 1) : "latest";
}

/** One after the other; what fails ends it, as its last message. */
async function* inTurn<T extends ProgressMessage>(
  first: AsyncIterable<T>,
  rest: readonly (() => AsyncIterable<T>)[],
): AsyncIterable<T> {
  for (const start of [() => first, ...rest]) {
    for await (const message of start()) {
      yield message;
      if (message.error) return;
    }
  }
}

function findForPush(engine: Engine, name: string): { name: string } {
  try {
    return engine.images.find(name);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "no_such_image") throw error;
    const text = `An image does not exist locally with the tag: ${name}`;
    throw new EngineError("no_such_image", text, { cause: error, sentinel: "image not known" });
  }
}

/** An error before anything was told: in the words of the stream, which Docker's clients look for, and of errors. */
function pushRefusal(error: unknown): unknown {
  if (!(error instanceof EngineError)) return error;
  const { sentinel: cause } = error;
  const message = errorText(error);
  const status = error.code === "registry" ? 500 : statusOf(error);
  const body = { cause, message, response: status, errorDetail: { message }, error: message };
  return new HTTPError(status, message, { cause: error, body });
}

async function* pushMessages({ progress, name, tag }: Push): AsyncIterable<ProgressMessage> {
  yield emit(ProgressMessage, { status: `The push refers to repository [${name}]` });
  try {
    for await (const value of progress) {
      if (value.kind === "layer") yield layerMessage(value);
      else if (value.kind === "done") {
        const { digest, size } = value;
        const aux = { Tag: tag, Digest: digest, Size: size };
        yield emit(ProgressMessage, { status: `${tag}: digest: ${digest} size: ${size}` });
        // Docker's client shows no words that come with it.
        yield emit(ProgressMessage, { aux });
      }
    }
  } catch (error) {
    const message = errorText(error);
    yield emit(ProgressMessage, { errorDetail: { message }, error: message });
  }
}

function layerMessage({ digest, state, current, total }: PushProgress & { kind: "layer" }): ProgressMessage {
  return emit(ProgressMessage, {
    status: STATES[state],
    progressDetail: state === "pushing" ? { current, total } : {},
    progress: state === "pushing" ? progressBar(current, total) : "",
    id: digest.replace(/^sha256:/, "").slice(0, 12),
  });
}
