# Which operation is meant, and what it is given.
if ($operation eq 'changes') { changes(@arguments) }
if ($operation eq 'differences') { differences(@arguments) }
if ($operation eq 'processes') { processes(@arguments) }
my ($tree, $pid, @rest) = @arguments;
enter($tree, $pid);
if ($operation eq 'stat') { find(@rest); exit 0 }
if ($operation eq 'get') { get(@rest) }
if ($operation eq 'put') { put(@rest) }
my ($uids, $gids, $mounted) = @rest;
($latest, $earliest) = @rest[3, 4];
read_places($mounted);
use_maps($uids, $gids);
$is_layer = $operation eq 'layer';
whole_tree();
