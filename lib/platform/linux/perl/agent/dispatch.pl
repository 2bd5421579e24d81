# Which operation is meant, and what it is given.
if ($operation eq 'changes') { changes(@arguments) }
if ($operation eq 'differences') { differences(@arguments) }
if ($operation eq 'processes') { processes(@arguments) }
my ($tree, $pid, @rest) = @arguments;
enter($tree, $pid);
if ($operation eq 'stat') { find(@rest); exit 0 }
if ($operation eq 'get') { get(@rest) }
if ($operation eq 'put') { put(@rest) }
read_places(splice @rest, 2);
use_maps(@rest);
$is_layer = $operation eq 'layer';
whole_tree();
