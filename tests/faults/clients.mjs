/* Clients that send requests without a pause while a server is reloaded or replaced, and check each response. */

import { Connection, get } from '../http/raw.mjs';

/* One client: a connection kept open for as long as the server keeps it, or a new one each time. A
 * request on a kept connection that the server closed without a byte of an answer is asked once
 * more, as RFC 9112 section 9.3.1 has clients do, and counted. */
export class Client {
  retried = 0;
  connections = 0;

  constructor(port, { fresh = false } = {}) {
    this.port = port;
    this.fresh = fresh;
  }

  async #try(path, headers, method) {
    const kept = this.connection && !this.connection.closed ? this.connection : null;
    this.connection = kept ?? new Connection(this.port);
    if (!kept) this.connections++;
    this.connection.send(get(path, headers));
    const answer = await this.connection.answer(method);
    const closes = !answer || this.fresh || /close/i.test(answer.headers.connection ?? '');
    const bytes = this.connection.received.length;
    if (closes) this.connection.destroy();
    if (closes) this.connection = null;
    return { answer, kept: kept !== null, bytes };
  }

  /* The response; throws if there is none. */
  async ask(path, headers = '', method = 'GET') {
    let tried = await this.#try(path, headers, method);
    if (!tried.answer && tried.kept && tried.bytes === 0) {
      this.retried++;
      tried = await this.#try(path, headers, method);
    }
    if (!tried.answer) throw new Error(`no answer to ${path} on a ${tried.kept ? 'kept' : 'new'} connection`);
    return tried.answer;
  }

  end() {
    this.connection?.destroy();
  }
}

/* Runs `count` clients, each calling work(client, index, say) again and again until over() is true;
 * what a call throws is a failed request. The sums of it all. */
export async function runClients(port, count, work, over, fresh = (index) => index % 4 === 3) {
  const sums = { requests: 0, failed: 0, retried: 0, connections: 0, failures: [] };
  await Promise.all(Array.from({ length: count }, async (_, index) => {
    const client = new Client(port, { fresh: fresh(index) });
    while (!over()) {
      try {
        const made = await work(client, index);
        sums.requests += made;
      } catch (error) {
        sums.failed++;
        sums.failures.push(error.message);
      }
    }
    client.end();
    sums.retried += client.retried;
    sums.connections += client.connections;
  }));
  return sums;
}
