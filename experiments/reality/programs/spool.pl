# Four workers take jobs from a folder, by renaming what is first in it: spool.pl each|listed
# They list the folder for each job; or they go on in their list, and list it again at its end.
use strict;
use warnings;

my ($mode) = @ARGV;
my $workers = 4;

sub listed {
    opendir my $folder, "queue" or die "queue: $!";
    return sort grep { !/^\./ } readdir $folder;
}

sub done {
    my ($rank) = @_;
    my (@left, %sums);
    while (1) {
        @left = listed() if !@left || $mode eq "each";
        last if !@left;
        my $name = shift @left;
        rename "queue/$name", "busy/$name" or next;    # Another one has it.
        open my $job, "<", "busy/$name" or die "$name: $!";
        $sums{$name} += $_ for <$job>;
        close $job;
        unlink "busy/$name";
    }
    open my $out, ">", "done/$rank" or die "done/$rank: $!";
    print $out "$_ $sums{$_}\n" for sort keys %sums;
    close $out;
}

mkdir $_ for "queue", "busy", "done";
link $_, "queue/" . substr $_, 5 or die "$_: $!" for glob "jobs/*";
for my $rank (1 .. $workers) {
    next if fork // die "fork: $!";
    done($rank);
    exit;
}
1 while wait > 0;
my @sums;
for my $rank (1 .. $workers) {
    open my $in, "<", "done/$rank" or die "done/$rank: $!";
    push @sums, <$in>;
}
print sort @sums;
