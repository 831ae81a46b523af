-- The statements that SQLite and PostgreSQL run alike, by name; parameters are written :name.
--
-- thresher_clock() returns the time in µs since 1970: on PostgreSQL that of the server, on SQLite that of the process.
-- A statement that writes rows takes one row, and runs once for each.

-- name: list_steps
-- The steps of the schema that were applied.
SELECT version, name, digest FROM thresher_schema ORDER BY version;

-- name: find_campaign
SELECT id, name, terms FROM campaign WHERE name = :name;

-- name: list_campaigns
SELECT id, name, terms FROM campaign ORDER BY id;

-- name: create_campaign
INSERT INTO campaign (id, name, terms)
SELECT max(id) + 1, :name, :terms FROM (SELECT id FROM campaign UNION ALL SELECT CAST(:last AS BIGINT)) AS used
RETURNING id;

-- name: clock
SELECT thresher_clock();

-- name: read_ledger
-- With the name of the campaign and the time.
SELECT seq, at, hash, status, budget, spent, reserved, opening, cheapest, arms, pulls, told, late,
       seed, pools, revised, fitted, slope, share, archived, repeats, rho,
       (SELECT name FROM campaign WHERE id = :campaign) AS name, thresher_clock() AS now
  FROM ledger WHERE campaign = :campaign;

-- name: create_ledger
INSERT INTO ledger (campaign, seq, at, hash, status, budget, spent, reserved, opening, cheapest, arms, pulls, told,
                    late, seed, pools, revised, fitted, slope, share, archived, repeats, rho)
VALUES (:campaign, :seq, :at, :hash, :status, :budget, :spent, :reserved, :opening, :cheapest, :arms, :pulls, :told,
        :late, :seed, :pools, :revised, :fitted, :slope, :share, :archived, :repeats, :rho);

-- name: update_ledger
UPDATE ledger
   SET seq = :seq, at = :at, hash = :hash, status = :status, budget = :budget, spent = :spent, reserved = :reserved,
       opening = :opening, cheapest = :cheapest, arms = :arms, pulls = :pulls, told = :told, late = :late,
       seed = :seed, pools = :pools, revised = :revised, fitted = :fitted, slope = :slope, share = :share,
       archived = :archived, repeats = :repeats, rho = :rho
 WHERE campaign = :campaign;

-- name: append_event
INSERT INTO event (campaign, seq, kind, body, at, hash)
VALUES (:campaign, :seq, :kind, :body, :at, :hash);

-- name: insert_arms
INSERT INTO arm (campaign, position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares,
                 urgency, retired, first_free, ahead, effects, centre, unevenness)
VALUES (:campaign, :position, :name, :threshold, :sigma, :cost, :pull_cost, :pulls, :outstanding, :total, :squares,
        :urgency, :retired, :first_free, :ahead, :effects, :centre, :unevenness);

-- name: update_arms
UPDATE arm
   SET pulls = :pulls, outstanding = :outstanding, total = :total, squares = :squares, urgency = :urgency,
       retired = :retired, first_free = :first_free, ahead = :ahead, effects = :effects, centre = :centre,
       unevenness = :unevenness
 WHERE campaign = :campaign AND position = :position;

-- name: insert_pulls
INSERT INTO pull (campaign, number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged,
                  repeat)
VALUES (:campaign, :number, :ticket, :arm, :state, :size, :value, :squares, :since, :told, :late, :expires, :item,
        :charged, :repeat);

-- name: update_pulls
UPDATE pull
   SET state = :state, size = :size, value = :value, squares = :squares, since = :since, told = :told, late = :late,
       expires = :expires, charged = :charged
 WHERE campaign = :campaign AND number = :number;

-- name: insert_items
INSERT INTO item (campaign, position, name, answers, residuals)
VALUES (:campaign, :position, :name, :answers, :residuals);

-- name: update_items
UPDATE item SET answers = :answers, residuals = :residuals WHERE campaign = :campaign AND position = :position;

-- name: insert_signals
INSERT INTO signal (campaign, key, name, numbers, slope, issued)
VALUES (:campaign, :key, :name, :numbers, :slope, :issued);

-- name: update_signals
UPDATE signal SET numbers = :numbers, slope = :slope, issued = :issued WHERE campaign = :campaign AND key = :key;

-- name: insert_requests
INSERT INTO request (campaign, key, seq, first, made)
VALUES (:campaign, :key, :seq, :first, :made);

-- name: events_after
SELECT seq, kind, body, at, hash FROM event WHERE campaign = :campaign AND seq > :after ORDER BY seq LIMIT :limit;

-- name: least_arms
-- The arms to ask next: of least urgency, among those that can be paid.
SELECT position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares, urgency, retired,
       first_free, ahead, effects, centre, unevenness
  FROM arm WHERE campaign = :campaign AND pull_cost <= :left ORDER BY urgency, position LIMIT :limit;

-- name: arms_from
SELECT position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares, urgency, retired,
       first_free, ahead, effects, centre, unevenness
  FROM arm WHERE campaign = :campaign AND position >= :first ORDER BY position LIMIT :limit;

-- name: pulls_after
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged, repeat
  FROM pull WHERE campaign = :campaign AND number > :after ORDER BY number LIMIT :limit;

-- name: expired_pulls
-- Outstanding pulls whose lease has expired.
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged, repeat
  FROM pull WHERE campaign = :campaign AND state = 'out' AND expires <= (SELECT thresher_clock())
 ORDER BY expires LIMIT :limit;

-- name: pulls_told_after
-- Outcomes of items that an event after this one brought.
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged, repeat
  FROM pull WHERE campaign = :campaign AND told > :after AND item IS NOT NULL ORDER BY told, number;

-- name: answers
-- The outcomes of all arms on all items.
SELECT arm, item, value, repeat FROM pull WHERE campaign = :campaign AND state = 'told' AND item IS NOT NULL;

-- name: item_pulls
-- Every pull of an item; an imported one began with the event that brought its outcome.
SELECT number, arm, item, CASE WHEN since = told THEN 1 ELSE 0 END AS imported
  FROM pull WHERE campaign = :campaign AND item IS NOT NULL;

-- name: single_outcomes
-- The outcomes of all arms that were not told as sums.
SELECT arm, value FROM pull WHERE campaign = :campaign AND state = 'told' AND size = 1 ORDER BY number;

-- name: items_from
SELECT position, name, answers, residuals
  FROM item WHERE campaign = :campaign AND position >= :first ORDER BY position LIMIT :limit;

-- name: all_signals
SELECT key, name, numbers, slope, issued FROM signal WHERE campaign = :campaign;

-- name: unused_pulls
-- Late outcomes that could not be paid.
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged, repeat
  FROM pull WHERE campaign = :campaign AND state = 'unused' ORDER BY number;

-- name: request_with_key
SELECT key, seq, first, made FROM request WHERE campaign = :campaign AND key = :key;

-- name: list_requests
SELECT key, seq, first, made FROM request WHERE campaign = :campaign;

-- name: find_token
-- An expired token is not found.
SELECT id, digest, kind, scope, campaign, label, parent, made, expires
  FROM token WHERE id = :id AND expires > (SELECT thresher_clock());

-- name: list_tokens
SELECT id, digest, kind, scope, campaign, label, parent, made, expires
  FROM token WHERE expires > (SELECT thresher_clock()) ORDER BY made, id;

-- name: delete_token
-- With the sessions that it opened. Of two who use a one-time code, one gets its row back.
DELETE FROM token WHERE id = :id OR (parent = :id AND parent <> '') RETURNING id;

-- name: delete_old_tokens
DELETE FROM token WHERE expires <= (SELECT thresher_clock());
