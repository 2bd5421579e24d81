# Which operation is meant: each of the agent's programs has its own.
my $work = main->can({ stat => 'look_up', export => 'whole_tree' }->{$operation} // $operation) or die "no operation $operation\n";
$work->(@arguments);
