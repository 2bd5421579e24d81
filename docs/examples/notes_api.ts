/** A first API, with its notes in memory: `deno serve --port 8000 docs/examples/notes_api.ts`. */
import { api, handler, HTTPError, implement, rest } from "@gantry/gantry/rest";
import { surfaces } from "@gantry/gantry/surfaces";
import { z } from "npm:zod@4.6.7";

const Note = z.object({ id: z.int(), text: z.string() });

/** One line for each operation; the server below and the client in notes_client.ts are made from it. */
export const notesAPI = api("http://localhost:8000", {
  ListNotes: rest("GET /notes?%v", [z.object({ search: z.string().optional() })], [z.array(Note)]),
  CreateNote: rest("POST /notes", [z.object({ text: z.string().min(1) })], [Note], { status: 201 }),
  GetNote: rest("GET /notes/{id=%v}", [z.int()], [Note]),
  DeleteNote: rest("DELETE /notes/{id=%v}", [z.int()]),
}, { title: "Notes" });

const notes = new Map<number, string>();
let lastID = 0;

function findNote(id: number): { id: number; text: string } {
  const text = notes.get(id);
  if (text === undefined) throw new HTTPError(404, `Find note ${id}: there is none`);
  return { id, text };
}

const functions = implement(notesAPI, {
  ListNotes: ({ search = "" }) =>
    [...notes].map(([id, text]) => ({ id, text })).filter(({ text }) => text.includes(search)),
  CreateNote({ text }) {
    notes.set(++lastID, text);
    return findNote(lastID);
  },
  GetNote: findNote,
  DeleteNote: (id) => void notes.delete(findNote(id).id),
});

// A browser is shown a page on the root that describes the operations and tries them.
const serve = handler(null, functions, { fallback: surfaces(notesAPI) });

export default { fetch: (request: Request) => serve(request) };
