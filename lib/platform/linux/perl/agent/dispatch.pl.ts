// Made of dispatch.pl by `deno task generate`: change that file.
export const AGENT_DISPATCH = String.raw`
agent_work(@ARGV);
`;
