/* What a service manager is told, by the protocol of sd_notify(3): datagrams to the socket that the
 * environment's NOTIFY_SOCKET names. Nothing happens without one. */
#ifndef TERRANE_SERVER_DAEMON_SERVICE_MANAGER_H
#define TERRANE_SERVER_DAEMON_SERVICE_MANAGER_H

void notify_ready(void);
void notify_reloading(void); /* to be followed by notify_ready() */
void notify_stopping(void);

#endif
