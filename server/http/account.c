#include "server/http/account.h"

#include "server/http/router.h"

static void count(const struct exchange *exchange, unsigned status)
{
    const struct loop *loop = exchange->loop;
    metrics_count_request(loop->counts, router_index(exchange->route), status,
                          loop->now_exact - exchange->begun);
}

void account_answer(struct exchange *exchange)
{
    count(exchange, exchange->status);
}

void account_end(struct exchange *exchange)
{
    if (exchange->step != EXCHANGE_QUEUED)
        count(exchange, 0);
}

void account_loop(struct loop *loop)
{
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(loop->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    metrics_set_load(loop->counts, info ? info->num_connections : 0, loop->active, loop->suspended);
}
