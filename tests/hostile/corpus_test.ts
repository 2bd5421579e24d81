/** The corpus: every attack, and what must hold whatever it does (`stage.ts`). */
import { blocking } from "./blocking.ts";
import { clients } from "./clients.ts";
import { registerCorpus } from "./corpus.ts";
import { growth } from "./growth.ts";
import { layers } from "./layers.ts";
import { lies } from "./lies.ts";
import { nesting } from "./nesting.ts";
import { pages } from "./pages.ts";
import { races } from "./races.ts";
import { registries } from "./registries.ts";

registerCorpus({
  "a container that races": races,
  "a container that grows": growth,
  "a container that nests": nesting,
  "a container that blocks": blocking,
  "an image that lies": lies,
  "a layer": layers,
  "a registry with": registries,
  "a client with": clients,
  "a browser with": pages,
});
