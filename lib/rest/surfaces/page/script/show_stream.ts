import { sizeText } from "./bytes.ts";
import type { PageElement } from "./dom.ts";
import { ScreenView } from "./console/screen_view.ts";
import type { MakeElement } from "./view.ts";

/** Shows a body that is a program's output, as it comes, until it ends. */
export async function showStream(
  body: ReadableStream<Uint8Array>,
  mayBeFramed: boolean,
  answer: PageElement,
  make: MakeElement,
): Promise<void> {
  const view = new ScreenView(make, mayBeFramed);
  const note = make("small", "count", "nothing so far");
  answer.append(make("p", "line", note), view.element);
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      view.write(part.value);
      note.textContent = `${sizeText(view.size)} so far`;
    }
    note.textContent = view.size === 0 ? "An empty body" : sizeText(view.size);
  } finally {
    view.flush();
  }
}
