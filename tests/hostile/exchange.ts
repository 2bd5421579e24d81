/** Two names of a folder, exchanged again and again (`renameat2(2)`), as fast as a process can. */
const NUMBERS: Record<string, number> = { x86_64: 316, aarch64: 276 };
const PROGRAM = `my ($number, $one, $other) = @ARGV; $number += 0; $one .= "\\0"; $other .= "\\0";
my $parent = getppid;
for (my $i = 0; ; $i++) { syscall($number, -100, $one, -100, $other, 2); exit if $i % 4096 == 0 && getppid != $parent; }`;

/** Exchanges until it is disposed of. */
export function exchange(one: string, other: string): AsyncDisposable {
  const child = new Deno.Command("perl", {
    args: ["-e", PROGRAM, String(NUMBERS[Deno.build.arch]), one, other],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

/** Makes a folder, and beside it a link to `target`; gives the two paths. */
export async function folderAndLink(parent: string, target: string): Promise<[string, string]> {
  await Deno.mkdir(`${parent}/way/inner`, { recursive: true });
  await Deno.writeTextFile(`${parent}/way/secret`, "of the container\n");
  await Deno.writeTextFile(`${parent}/way/inner/secret`, "of the container\n");
  await Deno.symlink(target, `${parent}/link`);
  return [`${parent}/way`, `${parent}/link`];
}
