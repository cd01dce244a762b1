# Reads its settings anew for every request, to notice a change.
# settings.pl each|once|changed|open REQUESTS: opened and read for each request; or read once; or read
# only where stat says that it changed; or kept open, and read from its start.
use strict;
use warnings;

my ($mode, $requests) = @ARGV;
my ($kept, %settings, $seen);
$seen = '';

sub settings {
    if ($mode ne 'open' || !$kept) { open $kept, '<', 'settings.conf' or die "settings.conf: $!" }
    else { seek $kept, 0, 0 }
    %settings = ();
    while (my $line = <$kept>) {
        $settings{$1} = $2 if $line =~ /^(\w+) = (\w+)$/;
    }
    close $kept if $mode ne 'open';
}

my $total = 0;
for my $request (1 .. $requests) {
    if ($mode eq 'changed') {
        my @about = stat 'settings.conf';
        my $now = "$about[7] $about[9]";
        settings() if $now ne $seen;
        $seen = $now;
    }
    elsif ($mode ne 'once' || $request == 1) { settings() }
    $total += $settings{limit} * ($request % 7);
}
print "$total\n";
