# Counts the requests of a log by page, each count in a file of its own, as counters of a site do.
# hits.pl file|open|memory: a count is read and written anew for each request; or its file is kept
# open for that; or counts are kept in memory and written at the end.
use strict;
use warnings;
use IO::Handle;

my ($mode) = @ARGV;
my (%files, %counts);
mkdir 'counts';
unlink glob 'counts/*';

sub counted {
    my ($page) = @_;
    my $file = $files{$page};
    if (!$file) {
        my $there = -e "counts/$page";
        open $file, $there ? '+<' : '+>', "counts/$page" or die "$page: $!";
        $files{$page} = $file if $mode eq 'open';
    }
    seek $file, 0, 0 if $mode eq 'open';
    my $count = <$file> || 0;
    seek $file, 0, 0;
    print {$file} $count + 1, "\n";
    if ($mode eq 'open') { $file->flush }
    else { close $file }
}

open my $log, '<', 'access.log' or die "access.log: $!";
while (my $line = <$log>) {
    next unless $line =~ m{^(\S+) - - \[([^\]]+)\] "GET /(\w+)\.html HTTP/1\.\d" (\d+) (\d+)$};
    next if $4 != 200;
    if ($mode eq 'memory') { $counts{$3}++ }
    else { counted($3) }
}
close $log;
for my $page (keys %counts) {
    open my $file, '>', "counts/$page" or die "$page: $!";
    print {$file} "$counts{$page}\n";
    close $file;
}
$_->close for values %files;
for my $name (sort glob 'counts/*') {
    open my $file, '<', $name or die "$name: $!";
    print "$name ", scalar <$file>;
}
