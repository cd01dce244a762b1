# Adds up the numbers of all members of an archive: members.pl each|once
# The archive is opened anew for each member, by its name; or gone through once.
use strict;
use warnings;
use IO::Uncompress::Unzip qw($UnzipError);

my ($mode) = @ARGV;
my %sums;

sub added {
    my ($name, $unzip) = @_;
    while (defined(my $line = $unzip->getline())) { $sums{$name} += $line }
}

if ($mode eq 'once') {
    my $unzip = IO::Uncompress::Unzip->new('members.zip') or die $UnzipError;
    do { added($unzip->getHeaderInfo()->{Name}, $unzip) } while ($unzip->nextStream() == 1);
}
else {
    open my $list, '<', 'members.txt' or die "members.txt: $!";
    while (my $name = <$list>) {
        chomp $name;
        my $unzip = IO::Uncompress::Unzip->new('members.zip', Name => $name) or die $UnzipError;
        added($name, $unzip);
        $unzip->close();
    }
}
print "$_ $sums{$_}\n" for sort keys %sums;
