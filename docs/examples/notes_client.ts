/** A typed client of notes_api.ts: `deno run --allow-net docs/examples/notes_client.ts http://localhost:8000`. */
import { HTTPError, link } from "@gantry/gantry/rest";
import { notesAPI } from "./notes_api.ts";

const notes = link(notesAPI, Deno.args[0]);

// Arguments and results have the types of the definition: { text: 5 } would not compile.
const { id } = await notes.CreateNote({ text: "buy milk" });
console.log(await notes.GetNote(id));
console.log((await notes.ListNotes({ search: "milk" })).length, "found");
await notes.DeleteNote(id);

try {
  await notes.GetNote(id);
} catch (error) {
  if (!(error instanceof HTTPError)) throw error;
  console.log(error.status, error.message);
}
