# Looks through the attachments of a mailbox for what they are and what they add up to.
# attachments.pl each|one|memory: what looks through one reads a file, so each is written to a new
# temporary file; or to one that stays open; or it is read from memory.
use strict;
use warnings;
use Digest::MD5;
use IO::Handle;

my ($mode) = @ARGV;
my ($number, $kept) = (0);

sub looked {
    my ($file) = @_;
    my ($lines, $sum) = (0, 0);
    my $digest = Digest::MD5->new;
    while (my $line = <$file>) {
        $lines++;
        $digest->add($line);
        $sum += $1 if $line =~ /^amount: (\d+)/;
    }
    return join ' ', $lines, $sum, $digest->hexdigest;
}

sub found {
    my ($text) = @_;
    if ($mode eq 'memory') {
        open my $file, '<', \$text or die "memory: $!";
        return looked($file);
    }
    if ($mode eq 'one') {
        if (!$kept) { open $kept, '+>', 'attachment.tmp' or die "attachment.tmp: $!" }
        truncate $kept, 0;
        seek $kept, 0, 0;
        print {$kept} $text;
        $kept->flush;
        seek $kept, 0, 0;
        return looked($kept);
    }
    my $name = 'attachment.tmp';
    open my $file, '>', $name or die "$name: $!";
    print {$file} $text;
    close $file;
    open $file, '<', $name or die "$name: $!";
    my $told = looked($file);
    close $file;
    unlink $name;
    return $told;
}

open my $mails, '<', 'mailbox' or die "mailbox: $!";
my $text = '';
while (my $line = <$mails>) {
    if ($line ne "--\n") {
        $text .= $line;
        next;
    }
    print $number++, ' ', found($text), "\n";
    $text = '';
}
unlink 'attachment.tmp' if $kept;
