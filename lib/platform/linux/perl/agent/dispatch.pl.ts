// Made of dispatch.pl by `deno task generate`: change that file.
export const AGENT_DISPATCH = String.raw`
my $work = main->can({ stat => 'look_up', export => 'whole_tree' }->{$operation} // $operation) or die "no operation $operation\n";
$work->(@arguments);
`;
