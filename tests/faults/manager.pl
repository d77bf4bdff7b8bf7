# A service manager for tests: holds a listening socket and starts a program with it (LISTEN_FDS, as in
# sd_listen_fds(3)), again when it has ended, so many times. Prints "port N", and "pid N" for each start.
# usage: manager.pl TIMES PROGRAM [ARGUMENT...]
use strict;
use IO::Socket::INET;
$^F = 3;    # descriptor 3 stays open over exec
$| = 1;
my $socket = IO::Socket::INET->new(Listen => 1024, LocalAddr => '127.0.0.1', ReuseAddr => 1) or die "no socket: $!";
die "the socket must be descriptor 3" unless fileno($socket) == 3;
print 'port ', $socket->sockport, "\n";
my $left = shift @ARGV;
while ($left-- > 0) {
    my $pid = fork // die "no process: $!";
    if ($pid == 0) {
        @ENV{qw(LISTEN_PID LISTEN_FDS)} = ($$, 1);
        exec @ARGV or die "no program: $!";
    }
    print "pid $pid\n";
    waitpid $pid, 0;
    die "ended with status $?" if $?;
}
