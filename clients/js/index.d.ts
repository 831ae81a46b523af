import type { CampaignShape, ItemPage, NewCampaign, Acknowledgement, Problem, Receipt, Receipts, Ticket, Tickets, VerdictPage } from "./schema.js";

export type * from "./schema.js";

export interface Options {
  /** A token of the service. */
  token?: string;
  /** Seconds between asks while others hold the rest of the budget, and the unit of backoff. */
  wait?: number;
  /** Seconds for which a call is repeated while the service is unavailable; 600 unless given, 0 for one attempt. */
  patience?: number;
}

export type Value = boolean | number;

export class ThresherError extends Error {
  problem: Partial<Problem>;
}

export class Campaign {
  readonly name: string;
  constructor(address: string, name: string, options?: Options);
  static create(address: string, terms: NewCampaign, options?: Options): Promise<Campaign>;
  ask(n?: number): Promise<Tickets>;
  tell(ticket: Ticket | string, outcome: Value, cost?: number): Promise<Receipt>;
  tellMany(told: Array<[ticket: Ticket | string, outcome: Value, cost?: number]>): Promise<Receipts>;
  fail(ticket: Ticket | string, reason?: string): Promise<Acknowledgement>;
  heartbeat(...tickets: Array<Ticket | string>): Promise<Array<Ticket | null>>;
  extend(amount: number): Promise<CampaignShape>;
  close(reason?: string): Promise<CampaignShape>;
  items(): Promise<ItemPage>;
  show(): Promise<CampaignShape>;
  verdicts(): Promise<VerdictPage>;
  tickets(): AsyncGenerator<Ticket, void, void>;
}
