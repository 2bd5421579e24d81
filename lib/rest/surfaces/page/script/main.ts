/**
 * The page's script: the docs page carries the bundle of this file.
 *
 * @module
 */
import { setUpBrowsing } from "./browse.ts";
import type { PageDocument, PageWindow } from "./dom.ts";
import { formReader } from "./requests.ts";
import { setUpForms } from "./try.ts";

// A browser has these; the library of types that says so would be that of every module checked together with this one.
const { document, window } = globalThis as unknown as { document: PageDocument; window: PageWindow };
setUpBrowsing(document, window);
setUpForms(document, window, formReader(document, window));
