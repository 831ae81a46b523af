// Generated from the OpenAPI document by tools/typescript_types.py; do not edit.

export type Acknowledgement = {
  "done"?: boolean;
};

export type AllocatedArmShape = {
  "arm": string;
  "measurements": number;
  "share": number;
  "cost": number;
  "items": Array<string>;
};

export type AllocationShape = {
  "arms": Array<AllocatedArmShape>;
  "budget": number;
  "cost": number;
  "measurements": number;
  "note": string;
};

export type Amendment = {
  "ticket": string;
  "outcome": boolean | number;
  "n"?: number | null;
  "squares"?: boolean | number | null;
  "reason"?: string;
};

export type Amount = {
  "amount": number;
};

export type ArmName = {
  "arm": string;
};

export type AskRequest = {
  "n"?: number;
};

export type BatchAndReason = {
  "batch": string;
  "reason"?: string;
};

export type CampaignShape = {
  "name": string;
  "status": string;
  "is_open": boolean;
  "budget": number;
  "spent": number;
  "outstanding": number;
  "arms": number;
  "told": number;
  "late": number;
  "events": number;
  "note"?: string;
  "items"?: number;
  "terms": {
  /** Distribution of the outcomes. */
  "family"?: "bernoulli" | "bounded" | "gaussian" | "gaussian-unknown-variance" | "two-point";
  /** Policy that chooses the next arm; 'thresher policies' lists them. */
  "policy"?: string;
  /** Seconds until a ticket without an outcome expires. */
  "lease"?: number;
  /** Whether the budget of an expired ticket is issued again or counts as spent. */
  "expiry"?: "reissue" | "forfeit";
  /** Smallest possible outcome. */
  "low"?: number;
  /** Largest possible outcome. */
  "high"?: number;
  /** Stop when no measurement saves this many mistakes per unit of budget; 0 never stops. */
  "stop_price"?: number;
  /** Stop when at most this many mistakes are expected; 0 never stops. */
  "stop_mistakes"?: number;
  /** Cost of calling an arm above its bar by mistake, in units of the arm's cost. */
  "false_pass"?: number;
  /** Cost of calling an arm below its bar by mistake, in units of the arm's cost. */
  "false_fail"?: number;
  /** Leave an arm undecided if its chance of error is above this. */
  "abstain"?: number;
  /** The former name of risk. */
  "confidence"?: number;
  /** Highest chance of error at which an arm is decided; the level of the intervals. */
  "risk"?: number;
  /** Whether the risk applies to each decision, or to all together. */
  "guarantee"?: "calibrated" | "anytime" | "fdr" | "fwer";
  /** Whether to make few mistakes or to decide many arms. */
  "goal"?: "mistakes" | "decide";
  /** On which side of its bar an arm passes. */
  "passes"?: "above" | "below";
  /** How far beyond the bar a mean must be for a verdict to be wrong. */
  "tolerance"?: number;
  /** Whether a verdict is about the items of the campaign, or about a population that they are a sample of. */
  "target"?: "items" | "population";
  /** How often an arm may be asked each item; the truth of an arm is then the mean of its expected outcomes. */
  "repeats"?: number;
  /** Compare with the bar the chance that all of this many trials succeed; with items and repeats, report it. */
  "pass_k"?: number;
  /** Compare this quantile of the outcomes with the bar, such as 0.95, whatever their distribution; 0 compares the mean. */
  "quantile"?: number;
  /** Whether arms are decided before sigma is checked, and while outcomes vary more than it allows. */
  "sigma_check"?: "withhold" | "warn";
  /** Unit of the outcomes, such as ms. */
  "unit"?: string;
  /** Name of the arm whose mean, with the margin, is the bar of all others; without one, thresholds are. */
  "control"?: string;
  /** How far above the control's mean the bar is: a number, or per cent of that mean, such as '-2%'. */
  "margin"?: string | number;
  /** Least cost that may be told with an outcome, in the unit of the budget. */
  "least_cost"?: number;
  /** Largest cost that may be told with an outcome; with 0, a token of scope work must not tell costs. */
  "most_cost"?: number;
};
};

export type Campaigns = {
  "campaigns": Array<Standing>;
  "next": number | null;
};

export type Control = {
  "arm": string;
  "mean": number | null;
  "pulls": number;
  "outstanding": number;
  "low": number | null;
  "high": number | null;
  "margin": string;
};

export type CountTable = {
  "counts": Array<KeyedCounts>;
  "source"?: string;
  "cumulative"?: boolean;
  "replace"?: boolean;
  "paid"?: boolean;
  "batch"?: string | null;
};

export type Counts = {
  "arm": string;
  "n": number;
  "total": boolean | number;
  "squares"?: boolean | number | null;
  "paid"?: boolean;
  "batch"?: string | null;
};

export type CreatedCampaign = {
  "name": string;
  "status": string;
  "is_open": boolean;
  "budget": number;
  "spent": number;
  "outstanding": number;
  "arms": number;
  "told": number;
  "late": number;
  "events": number;
  "note"?: string;
  "items"?: number;
  "terms": {
  /** Distribution of the outcomes. */
  "family"?: "bernoulli" | "bounded" | "gaussian" | "gaussian-unknown-variance" | "two-point";
  /** Policy that chooses the next arm; 'thresher policies' lists them. */
  "policy"?: string;
  /** Seconds until a ticket without an outcome expires. */
  "lease"?: number;
  /** Whether the budget of an expired ticket is issued again or counts as spent. */
  "expiry"?: "reissue" | "forfeit";
  /** Smallest possible outcome. */
  "low"?: number;
  /** Largest possible outcome. */
  "high"?: number;
  /** Stop when no measurement saves this many mistakes per unit of budget; 0 never stops. */
  "stop_price"?: number;
  /** Stop when at most this many mistakes are expected; 0 never stops. */
  "stop_mistakes"?: number;
  /** Cost of calling an arm above its bar by mistake, in units of the arm's cost. */
  "false_pass"?: number;
  /** Cost of calling an arm below its bar by mistake, in units of the arm's cost. */
  "false_fail"?: number;
  /** Leave an arm undecided if its chance of error is above this. */
  "abstain"?: number;
  /** The former name of risk. */
  "confidence"?: number;
  /** Highest chance of error at which an arm is decided; the level of the intervals. */
  "risk"?: number;
  /** Whether the risk applies to each decision, or to all together. */
  "guarantee"?: "calibrated" | "anytime" | "fdr" | "fwer";
  /** Whether to make few mistakes or to decide many arms. */
  "goal"?: "mistakes" | "decide";
  /** On which side of its bar an arm passes. */
  "passes"?: "above" | "below";
  /** How far beyond the bar a mean must be for a verdict to be wrong. */
  "tolerance"?: number;
  /** Whether a verdict is about the items of the campaign, or about a population that they are a sample of. */
  "target"?: "items" | "population";
  /** How often an arm may be asked each item; the truth of an arm is then the mean of its expected outcomes. */
  "repeats"?: number;
  /** Compare with the bar the chance that all of this many trials succeed; with items and repeats, report it. */
  "pass_k"?: number;
  /** Compare this quantile of the outcomes with the bar, such as 0.95, whatever their distribution; 0 compares the mean. */
  "quantile"?: number;
  /** Whether arms are decided before sigma is checked, and while outcomes vary more than it allows. */
  "sigma_check"?: "withhold" | "warn";
  /** Unit of the outcomes, such as ms. */
  "unit"?: string;
  /** Name of the arm whose mean, with the margin, is the bar of all others; without one, thresholds are. */
  "control"?: string;
  /** How far above the control's mean the bar is: a number, or per cent of that mean, such as '-2%'. */
  "margin"?: string | number;
  /** Least cost that may be told with an outcome, in the unit of the budget. */
  "least_cost"?: number;
  /** Largest cost that may be told with an outcome; with 0, a token of scope work must not tell costs. */
  "most_cost"?: number;
};
  "notes": Array<string>;
};

export type CreatedToken = {
  "token": string;
  "id": string;
  "scope": string;
  "campaign": string | null;
  "notes": Array<string>;
};

export type Entry = {
  "seq": number;
  "at": string;
  "kind": string;
  "details": Record<string, unknown>;
};

export type Export = "verdicts.csv" | "outcomes.csv" | "log.jsonl";

export type Findings = {
  "findings": Array<string>;
};

export type Health = {
  "status"?: string;
};

export type HistoryPage = {
  "entries": Array<Entry>;
  "next": number | null;
};

export type ImportEvent = {
  "seq": number;
};

export type ImportReceipt = {
  "told": number;
  "before": number;
  "arms": number;
  "batch": string;
  "missing": number;
  "voided": number;
};

export type ImportRequest = {
  "batch": string;
  "sources": Array<SourceVersion>;
  "added"?: Array<NewLines>;
  "outcomes"?: Array<NewItemLine>;
  "voided"?: Array<number>;
  "reduced"?: Array<RemovedLines>;
  "after": number;
  "paid"?: boolean;
};

export type ItemAnswer = {
  "arm": string;
  "item": string;
  "outcome": boolean | number;
  "repeat"?: number;
};

export type ItemOutcomes = {
  "outcomes": Array<ItemAnswer>;
  "paid"?: boolean;
  "batch"?: string | null;
};

export type ItemPage = {
  "items": Array<ItemShape>;
  "arms": Array<string>;
  "share": number;
  "next": number | null;
};

export type ItemShape = {
  "item": string;
  "answers": number;
  "mean": number | null;
  "effect": number;
  "outcomes": Array<number | null>;
  "repeated"?: Array<Array<number | null>>;
};

export type JudgeShape = {
  "labels": number;
  "is_binary": boolean;
  "value": number | null;
  "low": number | null;
  "high": number | null;
  "chance": number | null;
  "share": number;
  "share_without": number;
  "saved": number;
  "spread": number;
  "arms": Array<JudgedArm>;
  "sentences": Array<string>;
  "warnings": Array<string>;
};

export type JudgedArm = {
  "arm": string;
  "labels": number;
  "agreement": number | null;
  "slope": number;
  "low": number | null;
  "high": number | null;
  "score": number | null;
  "outcome": number | null;
};

export type KeyedCounts = {
  "arm": string;
  "key"?: string;
  "n": number;
  "total": boolean | number;
  "squares"?: boolean | number | null;
};

export type LineGroup = {
  "outcome": boolean | number | null;
  "times": number;
  "hashes": string;
};

export type NewArm = {
  "arm": string;
  "threshold"?: number | string | null;
  "sigma"?: number | null;
  "cost"?: number | null;
  "pull_cost"?: number | null;
};

export type NewArms = {
  "arms": Array<string> | Array<NewArm>;
  "threshold"?: number | string | null;
  "sigma"?: number | null;
  "costs"?: number | null;
  "pull_costs"?: number | null;
  /** Outcomes of each arm that are told next: the budget need not pay for them. */
  "measured"?: Record<string, number> | null;
};

export type NewCampaign = {
  "arms": Array<string> | Array<NewArm>;
  "threshold"?: number | string | null;
  "sigma"?: number | null;
  "costs"?: number | null;
  "pull_costs"?: number | null;
  /** Outcomes of each arm that are told next: the budget need not pay for them. */
  "measured"?: Record<string, number> | null;
  "name": string;
  "budget": number;
  /** The items that every arm can answer: names, or how many. */
  "items"?: Array<string> | number | null;
  /** Distribution of the outcomes. */
  "family"?: "bernoulli" | "bounded" | "gaussian" | "gaussian-unknown-variance" | "two-point";
  /** Policy that chooses the next arm; 'thresher policies' lists them. */
  "policy"?: string;
  /** Seconds until a ticket without an outcome expires. */
  "lease"?: number;
  /** Whether the budget of an expired ticket is issued again or counts as spent. */
  "expiry"?: "reissue" | "forfeit";
  /** Smallest possible outcome. */
  "low"?: number | string;
  /** Largest possible outcome. */
  "high"?: number | string;
  /** Stop when no measurement saves this many mistakes per unit of budget; 0 never stops. */
  "stop_price"?: number;
  /** Stop when at most this many mistakes are expected; 0 never stops. */
  "stop_mistakes"?: number;
  /** Cost of calling an arm above its bar by mistake, in units of the arm's cost. */
  "false_pass"?: number;
  /** Cost of calling an arm below its bar by mistake, in units of the arm's cost. */
  "false_fail"?: number;
  /** Leave an arm undecided if its chance of error is above this. */
  "abstain"?: number;
  /** The former name of risk. */
  "confidence"?: number;
  /** Highest chance of error at which an arm is decided; the level of the intervals. */
  "risk"?: number | string;
  /** Whether the risk applies to each decision, or to all together. */
  "guarantee"?: "calibrated" | "anytime" | "fdr" | "fwer";
  /** Whether to make few mistakes or to decide many arms. */
  "goal"?: "mistakes" | "decide";
  /** On which side of its bar an arm passes. */
  "passes"?: "above" | "below";
  /** How far beyond the bar a mean must be for a verdict to be wrong. */
  "tolerance"?: number | string;
  /** Whether a verdict is about the items of the campaign, or about a population that they are a sample of. */
  "target"?: "items" | "population";
  /** How often an arm may be asked each item; the truth of an arm is then the mean of its expected outcomes. */
  "repeats"?: number;
  /** Compare with the bar the chance that all of this many trials succeed; with items and repeats, report it. */
  "pass_k"?: number;
  /** Compare this quantile of the outcomes with the bar, such as 0.95, whatever their distribution; 0 compares the mean. */
  "quantile"?: number;
  /** Whether arms are decided before sigma is checked, and while outcomes vary more than it allows. */
  "sigma_check"?: "withhold" | "warn";
  /** Unit of the outcomes, such as ms. */
  "unit"?: string;
  /** Name of the arm whose mean, with the margin, is the bar of all others; without one, thresholds are. */
  "control"?: string;
  /** How far above the control's mean the bar is: a number, or per cent of that mean, such as '-2%'. */
  "margin"?: string | number;
  /** Least cost that may be told with an outcome, in the unit of the budget. */
  "least_cost"?: number;
  /** Largest cost that may be told with an outcome; with 0, a token of scope work must not tell costs. */
  "most_cost"?: number;
};

export type NewItemLine = {
  "source": number;
  "arm": string;
  "item": string;
  "outcome": boolean | number;
  "repeat"?: number;
};

export type NewItems = {
  "items": Array<string>;
};

export type NewLines = {
  "source": number;
  "arm": string;
  "n": number;
  "total": boolean | number;
  "squares"?: boolean | number | null;
  "lines": Array<LineGroup>;
};

export type NewToken = {
  /** read, work or admin. */
  "scope"?: string;
  "campaign"?: string | null;
  "label"?: string;
  "days"?: number;
};

export type OfferShape = {
  "measurements": number | null;
  "decided": number | null;
  "n_open": number | null;
};

export type Outcome = {
  "ticket": string;
  "outcome": boolean | number;
  "cost"?: number | null;
};

export type PastArmShape = {
  "name": string;
  "outcomes": Array<boolean | number | null>;
};

export type PastArms = {
  "arms": Array<PastArmShape>;
};

export type Problem = {
  /** about:blank, or urn:thresher: and the name of an error. */
  "type": string;
  "title": string;
  "status": number;
  "detail": string;
  /** For invalid input: the wrong field, such as `outcomes.0.ticket`. */
  "field"?: string;
  /** For invalid input: the rule, such as `must be at most 10000`. */
  "rule"?: string;
  /** For invalid input: the field and the rule of each error. */
  "errors"?: Array<Record<string, unknown>>;
};

export type PullPage = {
  "pulls": Array<PullShape>;
  "next": number | null;
};

export type PullShape = {
  "number": number;
  "ticket": string;
  "state": string;
  "size": number;
  "value": number | null;
  "late": boolean;
  "item"?: number | null;
  "repeat"?: number;
};

export type ReasonOnly = {
  "reason"?: string;
};

export type Receipt = {
  "ticket": string;
  "arm": string;
  "replayed": boolean;
  "late": boolean;
  "used": boolean;
  "unpaid"?: number;
};

export type Receipts = {
  "receipts": Array<Receipt>;
};

export type RemovedLines = {
  "number": number;
  "n": number;
  "total": boolean | number;
  "squares"?: boolean | number | null;
  "removed": Array<LineGroup>;
};

export type Renewals = {
  "tickets": Array<Ticket | null>;
};

export type RevokedToken = {
  "revoked": string;
  "sessions": number;
};

export type ScoreShape = {
  "arm": string;
  "item": string;
  "score": boolean | number;
};

export type Scores = {
  "scores": Array<ScoreShape>;
};

export type SourceVersion = {
  "name": string;
  "form": string;
  "continues"?: Array<string>;
};

export type Spending = {
  "budget": number;
  "spent": number;
  "told": number;
  "items"?: number;
};

export type Standing = {
  "name": string;
  "status": string;
  "is_open": boolean;
  "budget": number;
  "spent": number;
  "outstanding": number;
  "arms": number;
  "told": number;
  "late": number;
  "events": number;
  "note"?: string;
  "items"?: number;
};

export type TellRequest = {
  "outcomes": Array<Outcome>;
  "batch"?: string | null;
};

export type Ticket = {
  "id": string;
  "arm": string;
  "expires": string;
  "item"?: string | null;
  "repeat"?: number | null;
};

export type TicketAndReason = {
  "ticket": string;
  "reason"?: string;
};

export type TicketList = {
  "tickets": Array<string>;
};

export type Tickets = {
  "tickets": Array<Ticket>;
  "is_open": boolean;
};

export type TokenList = {
  "tokens": Array<TokenShape>;
};

export type TokenShape = {
  "id": string;
  "kind": string;
  "scope": string;
  "campaign": string | null;
  "label": string;
  /** The token that opened a session, else empty. */
  "parent": string;
  "made": string;
  "expires": string;
};

export type Verdict = {
  "arm": string;
  "verdict": string;
  "mean": number | null;
  "pulls": number;
  "low": number | null;
  "high": number | null;
  "p_wrong": number | null;
  "price": number | null;
  "threshold": number | null;
  "outstanding": number;
  "retired": boolean;
  "decision": string;
  "proven": boolean;
  "within": boolean;
  "raw_mean": number | null;
  "certain": boolean;
  "difference": number | null;
  "lift": number | null;
  "lift_low": number | null;
  "lift_high": number | null;
  "share": number | null;
  "quantile": number | null;
  "valid_low": number | null;
  "valid_high": number | null;
  "pass_k": number | null;
  /** The former name of proven. */
  "sure": boolean;
};

export type VerdictPage = {
  "verdicts": Array<Verdict>;
  "control"?: Control | null;
  "summary": string;
  "counts": Record<string, number>;
  "expected_mistakes": number | null;
  "level": number;
  "spending": Spending;
  "notes": Array<string>;
  "events": number;
  "next": number | null;
};

export type Voidings = {
  "voided": number;
};
