/* The main thread while the daemon serves. It sleeps in poll() until a signal arrives, the server
 * has something to collect (generations that a reload replaced, the end of a drain), a client
 * connects to the admin socket, or watched files change. Signals come through a signalfd, so that
 * no code runs in a signal handler. Reloads and admin commands run here one after another, which
 * spares them all locks. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/json_writer.h"
#include "server/base/clock.h"
#include "server/daemon/daemon.h"
#include "server/daemon/service_manager.h"
#include "server/log/log.h"

/* The time that a client of the admin socket may take for its request. */
enum { ADMIN_TIMEOUT_MS = 2000, ADMIN_DRAINING_TIMEOUT_MS = 100 };

static void log_report(struct buffer *report, enum log_level level)
{
    const char *line = buffer_string(report);
    while (*line) {
        const int length = (int)strcspn(line, "\n");
        log_write(LOG_RELOAD, level, "%.*s", length, line);
        line += length + (line[length] == '\n');
    }
}

static bool reload(struct daemon *daemon, struct buffer *report)
{
    bool done = false;
    http_server_reopen_log(daemon->server);
    if (http_server_draining(daemon->server)) {
        buffer_text(report, "the server is shutting down and does not reload\n");
    } else {
        notify_reloading();
        done = daemon_reload(daemon, report);
        notify_ready();
    }
    log_report(report, done ? LOG_INFO : LOG_ERROR);
    return done;
}

/* The first call begins the drain; a second one ends it at once. The service manager, which may let
 * its socket fill up, comes last. */
static void drain(struct daemon *daemon)
{
    const bool begins = !http_server_draining(daemon->server);
    struct shutdown_options options = {0};
    if (begins) {
        options.grace_period = daemon->settings.settle;
        options.seconds = daemon->settings.drain;
    }
    http_server_drain(daemon->server, &options);
    if (begins)
        notify_stopping();
}

static void receive_signal(struct daemon *daemon)
{
    struct signalfd_siginfo signal;
    struct buffer report = {0};
    if (read(daemon->signals, &signal, sizeof signal) != sizeof signal)
        return;
    if (signal.ssi_signo == SIGHUP)
        reload(daemon, &report);
    else
        drain(daemon);
    buffer_free(&report);
}

/* "former": ["NAME@FINGERPRINT", …] */
static void write_former(const struct catalog *catalog, struct json_writer *json)
{
    json_member_array(json, "former");
    for (size_t i = 0; i < catalog_former_count(catalog); i++) {
        const struct catalog_world *former = catalog_former_at(catalog, i);
        char text[WORLD_NAME_MAX + WORLD_FINGERPRINT_TEXT + 2];
        snprintf(text, sizeof text, "%s@%s", former->identity.name, former->identity.fingerprint);
        json_write_string(json, text);
    }
    json_array_close(json);
}

static void write_status(const struct daemon *daemon, struct buffer *body)
{
    const struct catalog *catalog = http_server_catalog(daemon->server);
    const struct reloads reloads = http_server_reloads(daemon->server);
    char address[LISTEN_ADDRESS_TEXT];
    struct json_writer json;
    json_begin_object(&json, body, false);
    json_member_string(&json, "state",
                       http_server_draining(daemon->server) ? "draining" : "serving");
    json_member_integer(&json, "pid", getpid());
    json_member_array(&json, "addresses");
    for (unsigned i = 0; http_server_address(daemon->server, i, address); i++)
        json_write_string(&json, address);
    json_array_close(&json);
    json_member_integer(&json, "generation", http_server_generation(daemon->server));
    json_member_integer(&json, "reloads", (int64_t)reloads.done);
    json_member_integer(&json, "failed_reloads", (int64_t)reloads.failed);
    json_member_object(&json, "worlds");
    for (size_t i = 0; i < catalog_world_count(catalog); i++) {
        const struct catalog_world *world = catalog_world_at(catalog, i);
        json_member_string(&json, world->identity.name, world_fingerprint(world->world));
    }
    json_object_close(&json);
    write_former(catalog, &json);
    json_finish_object(&json);
}

static void run_admin_command(struct daemon *daemon, enum admin_command command, int client)
{
    struct buffer body = {0};
    struct admin_response response = {.status = 200, .body = &body};
    switch (command) {
    case ADMIN_STATUS:
        response.content_type = "application/json";
        write_status(daemon, &body);
        break;
    case ADMIN_RELOAD:
        response.status = reload(daemon, &body) ? 200 : 409;
        break;
    case ADMIN_DRAIN:
        drain(daemon);
        buffer_text(&body, "draining\n");
        break;
    }
    admin_respond(client, &response);
    buffer_free(&body);
}

/* A signal is more urgent than a client that has connected and sends nothing. */
static void receive_admin_command(struct daemon *daemon)
{
    enum admin_command command;
    const int timeout =
        http_server_draining(daemon->server) ? ADMIN_DRAINING_TIMEOUT_MS : ADMIN_TIMEOUT_MS;
    const struct wait_limit limit = {clock_milliseconds() + timeout, daemon->signals};
    int client = admin_receive(daemon->admin, limit, &command);
    if (client >= 0)
        run_admin_command(daemon, command, client);
}

static void look_at_files(struct daemon *daemon)
{
    struct buffer report = {0};
    if (watch_has_changed(daemon->watch, clock_milliseconds()) &&
        !http_server_draining(daemon->server))
        reload(daemon, &report);
    buffer_free(&report);
}

void daemon_main_loop(struct daemon *daemon)
{
    struct pollfd waits[] = {
        {.fd = daemon->signals, .events = POLLIN},
        {.fd = http_server_event(daemon->server), .events = POLLIN},
        {.fd = admin_event(daemon->admin), .events = POLLIN}, /* poll() ignores -1 */
        {.fd = watch_event(daemon->watch), .events = POLLIN},
    };
    do {
        poll(waits, sizeof waits / sizeof *waits,
             watch_timeout(daemon->watch, clock_milliseconds()));
        if (waits[0].revents)
            receive_signal(daemon);
        if (waits[2].revents)
            receive_admin_command(daemon);
        look_at_files(daemon);
    } while (http_server_poll(daemon->server));
}
