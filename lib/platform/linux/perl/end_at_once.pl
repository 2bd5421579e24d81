# Ends a process at once: Perl would first take apart the program, which copies most of its memory where a fork shares that, and would close or
# write anew what is its parent's.
sub end_at_once { my $status = shift; syscall($nr{exit_group}, $status) }
