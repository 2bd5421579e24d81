/** Serves the odd paths in workerd. */
import { serveOdd } from "./odd_paths.ts";

const serve = serveOdd();

export default { fetch: (request: Request): Promise<Response> => serve(request) };
