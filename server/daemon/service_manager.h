/* Notifies the service manager of the daemon's state by the protocol of sd_notify(3): datagrams to
 * the socket that the environment variable NOTIFY_SOCKET names. Without it the functions do
 * nothing. */
#ifndef TERRANE_SERVER_DAEMON_SERVICE_MANAGER_H
#define TERRANE_SERVER_DAEMON_SERVICE_MANAGER_H

void notify_ready(void);
void notify_reloading(void); /* notify_ready() follows */
void notify_stopping(void);

#endif
