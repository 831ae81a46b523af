-- Every statement that runs on a database, by name; one text for SQLite and PostgreSQL.
--
-- Remarks stand for words that only PostgreSQL needs, see statements.py. A transaction takes a step of the ledger and
-- writes what follows from it: :step.x is what the step gave back, :each.x stands for a field of every row that is
-- written, :all.x for what all of them share. SQLite runs the statements one after the other. To PostgreSQL they go as one statement, in one trip, and if
-- the step is not taken because somebody else was faster, none of the others does anything.

-- name: find_campaign
SELECT id, name, terms FROM campaign WHERE name = :name;

-- name: list_campaigns
SELECT id, name, terms FROM campaign ORDER BY id;

-- name: create_campaign
INSERT INTO campaign (id, name, terms)
SELECT coalesce(max(id), 0) + 1, :name, :terms FROM campaign
RETURNING id;

-- name: create_ledger
INSERT INTO ledger (campaign, seq, at, hash, status, budget, spent, reserved, opening, arms, pulls, told, late)
VALUES (:campaign, 0, 0, :hash, 'open', 0, 0, 0, 0, 0, 0, 0, 0);

-- name: read_ledger
SELECT seq, at, hash, status, budget, spent, reserved, opening, arms, pulls, told, late
  FROM ledger WHERE campaign = :campaign;

-- name: lock_ledger
-- The ledger for the length of a transaction: one campaign's log is one sequence.
SELECT seq, at, hash, status, budget, spent, reserved, opening, arms, pulls, told, late
  FROM ledger WHERE campaign = :campaign /* locked */;

-- name: least_arms
-- The arms to ask next.
SELECT position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares, urgency, retired
  FROM arm WHERE campaign = :campaign ORDER BY urgency, position LIMIT :limit;

-- name: arm_at
SELECT position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares, urgency, retired
  FROM arm WHERE campaign = :campaign AND position = :position;

-- name: arm_named
SELECT position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares, urgency, retired
  FROM arm WHERE campaign = :campaign AND name = :name;

-- name: arms_from
SELECT position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares, urgency, retired
  FROM arm WHERE campaign = :campaign AND position >= :first ORDER BY position LIMIT :limit;

-- name: lapsed_pulls
-- Outstanding pulls whose lease has run out, with their arms.
SELECT p.number, p.ticket, p.arm, p.state, p.size, p.value, p.squares, p.since, p.told, p.late, p.expires,
       a.position, a.name, a.threshold, a.sigma, a.cost, a.pull_cost, a.pulls, a.outstanding, a.total, a.squares,
       a.urgency, a.retired
  FROM pull p JOIN arm a ON a.campaign = p.campaign AND a.position = p.arm
 WHERE p.campaign = :campaign AND p.state = 'out' AND p.expires <= (SELECT thresher_clock())
 ORDER BY p.expires LIMIT :limit;

-- name: earliest_expiry
SELECT min(expires) FROM pull WHERE campaign = :campaign AND state = 'out';

-- name: pulls_numbered
-- Pulls from one number to another, with their arms.
SELECT p.number, p.ticket, p.arm, p.state, p.size, p.value, p.squares, p.since, p.told, p.late, p.expires,
       a.position, a.name, a.threshold, a.sigma, a.cost, a.pull_cost, a.pulls, a.outstanding, a.total, a.squares,
       a.urgency, a.retired
  FROM pull p JOIN arm a ON a.campaign = p.campaign AND a.position = p.arm
 WHERE p.campaign = :campaign AND p.number BETWEEN :first AND :last;

-- name: pulls_beside
-- All pulls of the arm of a pull.
SELECT p.number, p.ticket, p.arm, p.state, p.size, p.value, p.squares, p.since, p.told, p.late, p.expires
  FROM pull q JOIN pull p ON p.campaign = q.campaign AND p.arm = q.arm
 WHERE q.campaign = :campaign AND q.number = :number ORDER BY p.number;

-- name: pulls_of_arm
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires
  FROM pull WHERE campaign = :campaign AND arm = :arm AND number > :after ORDER BY number LIMIT :limit;

-- name: pulls_after
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires
  FROM pull WHERE campaign = :campaign AND number > :after ORDER BY number LIMIT :limit;

-- name: request_with_key
SELECT key, seq, first, made FROM request WHERE campaign = :campaign AND key = :key;

-- name: pulls_of_request
SELECT p.number, p.ticket, p.arm, p.state, p.size, p.value, p.squares, p.since, p.told, p.late, p.expires,
       a.position, a.name, a.threshold, a.sigma, a.cost, a.pull_cost, a.pulls, a.outstanding, a.total, a.squares,
       a.urgency, a.retired
  FROM request r
  JOIN pull p ON p.campaign = r.campaign AND p.number >= r.first AND p.number < r.first + r.made
  JOIN arm a ON a.campaign = p.campaign AND a.position = p.arm
 WHERE r.campaign = :campaign AND r.key = :key ORDER BY p.number;

-- name: list_requests
SELECT key, seq, first, made FROM request WHERE campaign = :campaign;

-- name: events_after
SELECT seq, kind, body, at, hash FROM event WHERE campaign = :campaign AND seq > :after ORDER BY seq LIMIT :limit;

-- name: advance
-- One step of a campaign's sequence; no row comes back when it cannot be taken: somebody else was faster, the deadline is
-- over, or there is an answer to the key.
UPDATE ledger
   SET seq = :seq, at = thresher_clock(), hash = :hash, status = :status, budget = :budget, spent = :spent,
       reserved = :reserved, opening = :opening, arms = :arms, pulls = :pulls, told = :told, late = :late
 WHERE campaign = :campaign AND seq = :seq - 1 AND hash = :previous AND thresher_clock() < :deadline
   AND NOT EXISTS (SELECT 1 FROM request WHERE campaign = :campaign AND key = :key)
RETURNING at;

-- name: append_event
INSERT INTO event (campaign, seq, kind, body, at, hash)
SELECT :campaign, :seq, :kind, :body, :step.at, :hash /* from the step */;

-- name: insert_arm
INSERT INTO arm (campaign, position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares,
                 urgency, retired)
SELECT :campaign, :each.position, :each.name, :each.threshold, :each.sigma, :each.cost, :each.pull_cost, :each.pulls,
       :each.outstanding, :each.total, :each.squares, :each.urgency, :each.retired /* from the step and each */;

-- name: update_arm
UPDATE arm
   SET pulls = :each.pulls, outstanding = :each.outstanding, total = :each.total, squares = :each.squares,
       urgency = :each.urgency, retired = :each.retired /* from the step and each */
 WHERE arm.campaign = :all.campaign AND arm.position = :each.position;

-- name: insert_pull
-- The lease runs from the time of this event.
INSERT INTO pull (campaign, number, ticket, arm, state, size, value, squares, since, told, late, expires)
SELECT :campaign, :each.number, :each.ticket, :each.arm, :each.state, :each.size, :each.value, :each.squares,
       :each.since, :each.told, :each.late, :step.at + :lease /* from the step and each */;

-- name: change_pull
UPDATE pull
   SET state = :each.state, value = :each.value, told = :each.told, late = :each.late /* from the step and each */
 WHERE pull.campaign = :all.campaign AND pull.number = :each.number;

-- name: renew_pull
UPDATE pull SET since = :each.since, expires = :step.at + :lease /* from the step and each */
 WHERE pull.campaign = :all.campaign AND pull.number = :each.number;

-- name: insert_request
INSERT INTO request (campaign, key, seq, first, made)
SELECT :campaign, :each.key, :each.seq, :each.first, :each.made /* from the step and each */;

-- name: insert_token
INSERT INTO token (id, digest, kind, scope, campaign, label, parent, made, expires)
SELECT :id, :digest, :kind, :scope, CAST(:campaign AS TEXT), :label, :parent, now.at, now.at + :lasts
  FROM (SELECT thresher_clock() AS at) AS now;

-- name: find_token
-- A token whose time has come is as good as none.
SELECT id, digest, kind, scope, campaign, label, parent, made, expires
  FROM token WHERE id = :id AND expires > (SELECT thresher_clock());

-- name: list_tokens
SELECT id, digest, kind, scope, campaign, label, parent, made, expires
  FROM token WHERE expires > (SELECT thresher_clock()) ORDER BY made, id;

-- name: delete_token
-- With the sessions that it opened; an empty parent is none. One of two who use a one-time code gets a row back.
DELETE FROM token WHERE id = :id OR (parent = :id AND parent <> '') RETURNING id;

-- name: delete_old_tokens
DELETE FROM token WHERE expires <= (SELECT thresher_clock());
