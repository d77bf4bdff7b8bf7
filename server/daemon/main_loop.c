/* The main thread while the daemon serves: signals, the admin socket, the end. */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "server/base/json_writer.h"
#include "server/daemon/serve.h"
#include "server/daemon/service_manager.h"
#include "server/log/log.h"

static void tell(struct buffer *report, enum log_level level)
{
    const char *line = buffer_string(report);
    while (*line) {
        const int length = (int)strcspn(line, "\n");
        log_write(LOG_RELOAD, level, "%.*s", length, line);
        line += length + (line[length] == '\n');
    }
}

static bool reload(struct minded *minded, struct buffer *report)
{
    bool done = false;
    http_server_reopen_log(minded->server);
    if (http_server_draining(minded->server)) {
        buffer_text(report, "the server is about to end, and reloads nothing\n");
    } else {
        notify_reloading();
        done = serve_reload(minded->server, minded->started, &minded->present, report);
        notify_ready();
    }
    tell(report, done ? LOG_INFO : LOG_ERROR);
    return done;
}

/* The second time without patience. */
static void drain(struct minded *minded, bool succeeded)
{
    struct shutdown_options options = {.succeeded = succeeded};
    if (!http_server_draining(minded->server)) {
        options.grace_period = (unsigned)options_whole(&minded->present, OPTION_SETTLE);
        options.seconds = (unsigned)options_whole(&minded->present, OPTION_DRAIN);
        notify_stopping();
    }
    http_server_drain(minded->server, &options);
}

static void take_signal(struct minded *minded)
{
    struct signalfd_siginfo signal;
    struct buffer report = {0};
    if (read(minded->signals, &signal, sizeof signal) != sizeof signal)
        return;
    if (signal.ssi_signo == SIGHUP)
        reload(minded, &report);
    else
        drain(minded, false);
    buffer_free(&report);
}

static void write_status(const struct minded *minded, struct buffer *body)
{
    const struct catalog *catalog = http_server_catalog(minded->server);
    const struct reloads reloads = http_server_reloads(minded->server);
    char address[LISTEN_ADDRESS_TEXT];
    struct json_writer json;
    json_begin(&json, body, false);
    json_object_open(&json);
    json_member_string(&json, "state",
                       http_server_draining(minded->server) ? "draining" : "serving");
    json_member_integer(&json, "pid", getpid());
    json_write_key(&json, "addresses");
    json_array_open(&json);
    for (unsigned i = 0; http_server_address(minded->server, i, address); i++)
        json_write_string(&json, address);
    json_array_close(&json);
    json_member_integer(&json, "generation", http_server_generation(minded->server));
    json_member_integer(&json, "reloads", (int64_t)reloads.done);
    json_member_integer(&json, "failed_reloads", (int64_t)reloads.failed);
    json_write_key(&json, "worlds");
    json_object_open(&json);
    for (size_t i = 0; i < catalog_world_count(catalog); i++) {
        const struct catalog_world *world = catalog_world_at(catalog, i);
        json_member_string(&json, world->name, world_fingerprint(world->world));
    }
    json_object_close(&json);
    json_object_close(&json);
    json_finish(&json);
}

static void obey(struct minded *minded, enum admin_command command, int client)
{
    struct buffer body = {0};
    int sockets[ADMIN_SOCKETS_MAX];
    struct admin_answer answer = {.status = 200, .body = &body, .sockets = sockets};
    switch (command) {
    case ADMIN_STATUS:
        answer.content_type = "application/json";
        write_status(minded, &body);
        break;
    case ADMIN_RELOAD:
        answer.status = reload(minded, &body) ? 200 : 409;
        break;
    case ADMIN_LISTENERS:
        answer.socket_count = http_server_listeners(minded->server, sockets, ADMIN_SOCKETS_MAX);
        answer.status = answer.socket_count > 0 ? 200 : 409;
        buffer_format(&body, "%u listening sockets\n", answer.socket_count);
        break;
    case ADMIN_DRAIN:
        drain(minded, false);
        buffer_text(&body, "draining\n");
        break;
    case ADMIN_RETIRE:
        answer.status = http_server_draining(minded->server) ? 409 : 200;
        buffer_text(&body, answer.status == 200 ? "retiring\n" : "about to end already\n");
        break;
    }
    const bool given = admin_give(client, &answer);
    /* A successor that has gone, or has not heard that it may begin, is none. */
    if (command == ADMIN_RETIRE && answer.status == 200 && given)
        drain(minded, true);
    buffer_free(&body);
}

static void take_call(struct minded *minded)
{
    enum admin_command command;
    int client = admin_take(minded->admin, &command);
    if (client >= 0)
        obey(minded, command, client);
}

void serve_mind(struct minded *minded)
{
    struct pollfd waits[] = {
        {.fd = minded->signals, .events = POLLIN},
        {.fd = http_server_event(minded->server), .events = POLLIN},
        {.fd = admin_event(minded->admin), .events = POLLIN}, /* -1 is passed over */
    };
    do {
        poll(waits, sizeof waits / sizeof *waits, -1);
        if (waits[0].revents)
            take_signal(minded);
        if (waits[2].revents)
            take_call(minded);
    } while (http_server_poll(minded->server));
}
