# Adds up samples of 64 bytes drawn from a file: samples.pl DRAWS
use strict;
use warnings;

my ($draws) = @ARGV;
open my $file, '<:raw', 'table' or die "table: $!";
my $places = (-s $file) / 64;
my ($state, $total) = (12345, 0);
for my $draw (1 .. $draws) {
    $state = ($state * 1103515245 + 12345) % 2147483648;
    sysseek $file, 64 * (($state >> 6) % $places), 0;
    sysread($file, my $sample, 64) == 64 or die "table: $!";
    $total += unpack '%32C*', $sample;
}
print "$total\n";
