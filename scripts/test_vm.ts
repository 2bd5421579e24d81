/**
 * `deno task test:vm`: runs tests in a virtual machine that has systemd, cgroups v2, journald, AppArmor and CRIU: those of `tests/vm`,
 * and a chosen part of the host suite; then, in a second machine, those of the Debian package over two boots, and in a third one those of a power cut. Other files and filters are
 * given as for `deno test`: `deno task test:vm tests/host/pods`. `deno task test:vm package [FORMER.deb]` tests the package alone, as an
 * upgrade from another one where that is given; `deno task test:vm cut` tests a power cut alone; `deno task test:vm rootless [FILES]` runs
 * host tests with an ordinary user's server.
 *
 * @module
 */
import { bootAfterCut, bootOrExplain, bootPackage, bootRootless, CHOSEN } from "./vm/chosen_tests.ts";

const [first, former] = Deno.args;
if (first === "package") Deno.exit(await bootPackage(former));
if (first === "cut") Deno.exit(await bootAfterCut());
if (first === "rootless") Deno.exit(await bootRootless(Deno.args.slice(1)));
if (first !== undefined) Deno.exit(await bootOrExplain(Deno.args));
const chosen = await bootOrExplain(CHOSEN);
Deno.exit(await bootPackage() || await bootAfterCut() || chosen);
