/** A client for the HTTP API of thresher. It needs `fetch` and nothing else: Node 20 or later, or a browser. */

const LONGEST_WAIT = 30; // seconds between two attempts
const RETRIED = new Set([429, 502, 503, 504]);

/** An answer of the service that is an error; `problem` is its JSON document. */
export class ThresherError extends Error {
  constructor(problem) {
    super(problem.detail ?? problem.title ?? `status ${problem.status}`);
    this.name = "ThresherError";
    this.problem = problem;
  }
}

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** One campaign behind a service: ask which arm to measure next, tell the outcome, read the verdicts. */
export class Campaign {
  constructor(address, name, { token, wait = 0.2, patience = 600 } = {}) {
    this.name = name;
    this._api = `${address.replace(/\/+$/, "")}/api/v1`;
    this._token = token;
    this._wait = wait;
    this._patience = patience;
  }

  /** Create a campaign; return it. */
  static async create(address, terms, options = {}) {
    const campaign = new Campaign(address, terms.name, options);
    // Not repeated: after a lost answer the campaign may exist, and the second call would be an error.
    await campaign._call("POST", "/campaigns", { body: terms, patience: 0 });
    return campaign;
  }

  /** Return up to `n` tickets. An ask that is repeated after a lost answer gives the same tickets. */
  async ask(n = 1) {
    return this._call("POST", `${this._path}/ask`, { body: { n }, key: crypto.randomUUID() });
  }

  /** Tell the outcome of a ticket, and its cost if that is known only now; safe to repeat. */
  async tell(ticket, outcome, cost) {
    const { receipts } = await this.tellMany([[ticket, outcome, cost]]);
    return receipts[0];
  }

  /** Tell outcomes with their tickets, and costs if any, in one transaction, all or none; safe to repeat. */
  async tellMany(told) {
    const outcomes = told.map(([ticket, outcome, cost]) => ({ ticket: ticket.id ?? ticket, outcome, cost }));
    return this._call("POST", `${this._path}/tell`, { body: { outcomes } });
  }

  /** Give up a ticket: its measurement has no outcome. */
  async fail(ticket, reason = "") {
    return this._call("POST", `${this._path}/fail`, { body: { ticket: ticket.id ?? ticket, reason } });
  }

  /** Renew the leases of tickets; null stands for one that was lost. */
  async heartbeat(...tickets) {
    const body = { tickets: tickets.map((ticket) => ticket.id ?? ticket) };
    return (await this._call("POST", `${this._path}/heartbeat`, { body })).tickets;
  }

  /** Add to the budget. An extension that is repeated after a lost answer adds once. */
  async extend(amount) {
    return this._call("POST", `${this._path}/extend`, { body: { amount }, key: crypto.randomUUID() });
  }

  /** Close the campaign: it issues no more tickets; outcomes of issued ones are still accepted. */
  async close(reason = "") {
    return this._call("POST", `${this._path}/close`, { body: { reason } });
  }

  /** Return all items: how hard each is, and the outcomes of the arms on it. */
  async items() {
    return this._pages("items", "items");
  }

  /** Return status, budget and terms. */
  async show() {
    return this._call("GET", this._path);
  }

  /** Return the verdicts on all arms, with their summary. */
  async verdicts() {
    return this._pages("verdicts", "verdicts");
  }

  /** Yield tickets one at a time; wait while others hold the rest of the budget, end when it is spent. */
  async *tickets() {
    for (;;) {
      const { tickets, is_open: isOpen } = await this.ask();
      if (tickets.length > 0) yield tickets[0];
      else if (!isOpen) return;
      else await sleep(this._wait);
    }
  }

  /** Return all pages of a list as one. */
  async _pages(path, key) {
    const first = await this._call("GET", `${this._path}/${path}`);
    const rows = [...first[key]];
    for (let page = first; page.next !== null; rows.push(...page[key])) {
      page = await this._call("GET", `${this._path}/${path}?after=${page.next}`);
    }
    return { ...first, [key]: rows, next: null };
  }

  get _path() {
    return `/campaigns/${encodeURIComponent(this.name)}`;
  }

  /** Return the answer to a call; repeat it while the service is unavailable, for `patience` seconds. */
  async _call(method, path, { body, key, patience = this._patience } = {}) {
    const headers = { Accept: "application/json" };
    if (this._token) headers.Authorization = `Bearer ${this._token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (key) headers["Idempotency-Key"] = key;
    const end = performance.now() + 1000 * patience;
    for (let wait = this._wait; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      let pause = wait * (0.5 + Math.random() / 2); // clients that lost the same service do not return together
      const isLast = performance.now() + 1000 * wait > end;
      try {
        const answer = await fetch(this._api + path, { method, headers, body: body && JSON.stringify(body) });
        if (answer.ok) return await answer.json();
        if (!RETRIED.has(answer.status) || isLast) {
          throw new ThresherError(await answer.json().catch(() => ({ status: answer.status })));
        }
        const after = Number(answer.headers.get("Retry-After"));
        if (after > 0) pause = after + Math.random() / 5;
      } catch (error) {
        if (error instanceof ThresherError || isLast) throw error;
      }
      await sleep(pause);
    }
  }
}
