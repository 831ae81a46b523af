-- The least pull cost of a campaign: once the budget cannot pay even that, no arm is looked at.

ALTER TABLE ledger ADD COLUMN cheapest BIGINT NOT NULL DEFAULT 0;

UPDATE ledger SET cheapest = coalesce((SELECT min(pull_cost) FROM arm WHERE arm.campaign = ledger.campaign), 0);
