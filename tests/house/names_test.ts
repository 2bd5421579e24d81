/** The names of the houses: one declaration for each, and none of the API's JSON in `lib`. */
import { assertEquals } from "@std/assert";
import { codeOf, namesTwice, sources } from "../fixtures/source_tree.ts";

/** Names that two files of a house export on purpose, each with its reason. */
const TWINS: Record<string, string> = {
  "lib/rest: api": "`define.ts` has the one of the small cores, without the check of definitions",
  "lib/rest: handler": "`server.ts` has the one of the small core",
  "lib/rest: link": "`client.ts` has the one of the small core",
};

/** Names that two files of a house export until one of them finds a better one. The list only shrinks. */
const TWICE: readonly string[] = [
  "handlers/wire: IDResponse",
  "handlers/wire: ImageRootFS",
  "handlers/wire: Info",
  "handlers/wire: LogConfig",
  "handlers/wire: Mount",
  "handlers/wire: ThrottleDevice",
  "handlers/wire: WeightDevice",
  "handlers: exportImage",
  "handlers: exportImages",
  "handlers: importImage",
  "handlers: loadImages",
  "handlers: pushImage",
  "lib/engine: ArtifactFile",
  "lib/engine: ImportOptions",
  "lib/engine: Networks",
  "lib/engine: Track",
  "lib/engine: Volumes",
  "lib/engine: candidatesOf",
  "lib/engine: readArchive",
  "lib/platform: ServeOptions",
  "lib/rest: Described",
  "lib/rest: HandlerOptions",
];

Deno.test("no further name is exported twice in a house", () => {
  const houses = Map.groupBy(sources, (path) => path.match(/^(lib\/\w+|handlers\/wire|handlers)/)?.[0] ?? path);
  const twice = [...houses].flatMap(([house, paths]) => namesTwice(paths).map((name) => `${house}: ${name}`)).sort();
  assertEquals(
    twice.filter((name) => !(name in TWINS)),
    TWICE,
    "strike what is gone; find another name for what is new",
  );
});

/** Names in quotes that look like the API's and are others', by file; `*`: all of a file's. */
const OTHERS: Record<string, { names: string; of: string }> = {
  "lib/client/client_error.ts": { names: "not_found", of: "the client's errors" },
  "lib/client/client_images.ts": { names: "not_found", of: "the client's errors" },
  "lib/client/container.ts": { names: "not_found", of: "the client's errors" },
  "lib/engine/containers/exec/sessions.ts": { names: "exec_sessions", of: "the engine's store" },
  "lib/engine/containers/files/tree_uses.ts": { names: "tree_mounts", of: "the engine's store" },
  "lib/engine/containers/records.ts": { names: "exit_codes", of: "the engine's store" },
  "lib/engine/containers/secrets.ts": { names: "container_secrets", of: "the engine's store" },
  "lib/engine/secrets.ts": { names: "secret_values", of: "the engine's store" },
  "lib/engine/store/store_steps.ts": {
    names: "container_secrets exec_sessions exit_codes secret_values tree_mounts",
    of: "the engine's store",
  },
  "lib/engine/images/store/relations.ts": { names: "created_by", of: "OCI image configs" },
  "lib/oci/image_config.ts": { names: "created_by empty_layer", of: "OCI image configs" },
  "lib/oci/registry/registry_error.ts": { names: "insufficient_scope invalid_token", of: "bearer tokens (RFC 6750)" },
  "lib/oci/registry/registry_session.ts": { names: "client_id grant_type refresh_token", of: "OAuth 2 (RFC 6749)" },
  "lib/oci/registry/registry_token.ts": { names: "client_id grant_type refresh_token", of: "OAuth 2 (RFC 6749)" },
  "lib/platform/entries/read_folder.ts": { names: "not_found", of: "the client's errors" },
  "lib/platform/entries/service/serve_program.ts": { names: "node_modules", of: "npm" },
  "lib/platform/entries/start/engine_here.ts": {
    names: "ftp_proxy http_proxy https_proxy no_proxy",
    of: "the environment",
  },
  "lib/platform/linux/bundle/seccomp_calls.ts": { names: "*", of: "system calls" },
  "lib/platform/linux/bundle/seccomp_default.ts": { names: "*", of: "system calls" },
  "lib/platform/linux/calls/system_calls.ts": { names: "*", of: "system calls" },
  "lib/platform/linux/networks/user_mode/slirp4netns.ts": {
    names: "add_hostfwd allow_host_loopback enable_ipv6 outbound_addr outbound_addr6 port_handler",
    of: "slirp4netns and its API, and the options that containers.conf(5) has for it",
  },
  "lib/platform/linux/networks/bridge.ts": { names: "addr_assign_type", of: "the kernel's files of interfaces" },
  "lib/platform/linux/networks/links/connect_links.ts": { names: "no_default_route", of: "netavark's options" },
  "lib/platform/linux/perl/programs.ts": { names: "*", of: "system calls" },
  "lib/platform/linux/processes/top/user_names.ts": { names: "gid_map uid_map", of: "proc(5)" },
  "lib/platform/linux/rootless/outer_user.ts": { names: "gid_map uid_map", of: "proc(5)" },
  "lib/platform/linux/rootless/server_user.ts": { names: "gid_map", of: "proc(5)" },
  "lib/platform/linux/user_namespaces.ts": { names: "gid_map uid_map", of: "proc(5)" },
  "lib/platform/storage/sqlite_file.ts": { names: "application_id user_version", of: "SQLite's pragmas" },
  "lib/platform/storage/sqlite_space.ts": {
    names: "auto_vacuum freelist_count page_count page_size",
    of: "SQLite's pragmas",
  },
  "lib/rest/quick/plain_values.ts": {
    names: "greater_than less_than max_length min_length number_format",
    of: "zod's checks",
  },
  "lib/rest/auth.ts": { names: "invalid_token", of: "bearer tokens (RFC 6750)" },
};

/** Names of the API's JSON in `lib`, which belong into `handlers`. The list only shrinks. */
const WIRE_NAMES: readonly string[] = [
  "lib/engine/containers/exec/record_exit.ts: exec_died",
  "lib/engine/containers/health/health_check.ts: events_logger",
  "lib/engine/containers/health/run_check.ts: events_logger",
  "lib/engine/containers/health/run_check.ts: health_status",
];

Deno.test("lib has no further name of the API's JSON", () => {
  const codes = new Set(quoted("lib/engine/errors.ts"));
  const found = sources.filter((path) => path.startsWith("lib/")).flatMap((path) => {
    const others = OTHERS[path]?.names.split(" ") ?? [];
    if (others.includes("*")) return [];
    return [...new Set(quoted(path))].filter((name) => !codes.has(name) && !others.includes(name)).sort()
      .map((name) => `${path}: ${name}`);
  });
  assertEquals(found, WIRE_NAMES, "strike what is gone; the API's names belong into handlers");
});

/** The names in quotes that are words with underscores between them. */
function quoted(path: string): string[] {
  return [...codeOf(path).matchAll(/"([a-z][a-z0-9]*(?:_[a-z0-9]+)+)"/g)].map((match) => match[1]);
}
