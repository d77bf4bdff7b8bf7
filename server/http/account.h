/* What is counted and logged of exchanges and loops. All on the loop's own thread, from what it has
 * at hand: the clock is the loop's, which is read once for each wake-up. So a time ends when the
 * answer is handed over, whatever the client then takes to read it, and what is answered in the
 * wake-up that brought it took no time at all. */
#ifndef TERRANE_SERVER_HTTP_ACCOUNT_H
#define TERRANE_SERVER_HTTP_ACCOUNT_H

#include "server/http/exchange.h"

/* The answer, whose status the exchange has, is with the library. */
void account_answer(struct exchange *exchange);
/* The exchange is over, answered or not: the time for its line in the access log. */
void account_end(struct exchange *exchange);
/* At the end of a wake-up: how much the loop has to do. */
void account_loop(struct loop *loop);

#endif
