/**
 * `deno task test:vm`: runs tests in a virtual machine that has systemd, cgroups v2, journald, AppArmor and CRIU: those of `tests/vm`,
 * and a chosen part of the host suite. Other files and filters are given as for `deno test`: `deno task test:vm tests/host/pods`.
 *
 * @module
 */
import { bootOrExplain, CHOSEN } from "./vm/chosen_tests.ts";

Deno.exit(await bootOrExplain(Deno.args.length > 0 ? Deno.args : CHOSEN));
