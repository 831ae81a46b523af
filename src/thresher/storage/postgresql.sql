-- Every statement that thresher runs on PostgreSQL, by name; parameters are written :name.
--
-- Lists of values and of rows come as JSON, so that a batch is one statement. They are materialized before they are
-- joined with a table: whatever the planner expects of the table, it looks up each row by its key.

-- name: find_campaign
SELECT id, name, terms FROM campaign WHERE name = :name;

-- name: list_campaigns
SELECT id, name, terms FROM campaign ORDER BY id;

-- name: create_campaign
INSERT INTO campaign (id, name, terms)
SELECT coalesce(max(id), 0) + 1, :name, :terms FROM campaign
RETURNING id;

-- name: clock
-- µs since 1970.
SELECT thresher_clock();

-- name: read_ledger
SELECT seq, at, hash, status, budget, spent, reserved, opening, cheapest, arms, pulls, told, late,
       seed, pools, revised, fitted, slope, share
  FROM ledger WHERE campaign = :campaign;

-- name: lock_ledger
-- The transactions of one campaign follow each other: its log is one sequence. The time is that after the wait.
WITH locked AS MATERIALIZED (
    SELECT seq, at, hash, status, budget, spent, reserved, opening, cheapest, arms, pulls, told, late,
           seed, pools, revised, fitted, slope, share
      FROM ledger WHERE campaign = :campaign FOR UPDATE
)
SELECT *, thresher_clock() AS now FROM locked;

-- name: create_ledger
INSERT INTO ledger (campaign, seq, at, hash, status, budget, spent, reserved, opening, cheapest, arms, pulls, told,
                    late, seed, pools, revised, fitted, slope, share)
VALUES (:campaign, :seq, :at, :hash, :status, :budget, :spent, :reserved, :opening, :cheapest, :arms, :pulls, :told,
        :late, :seed, :pools, :revised, :fitted, :slope, :share);

-- name: update_ledger
UPDATE ledger
   SET seq = :seq, at = :at, hash = :hash, status = :status, budget = :budget, spent = :spent, reserved = :reserved,
       opening = :opening, cheapest = :cheapest, arms = :arms, pulls = :pulls, told = :told, late = :late,
       seed = :seed, pools = :pools, revised = :revised, fitted = :fitted, slope = :slope, share = :share
 WHERE campaign = :campaign;

-- name: append_event
INSERT INTO event (campaign, seq, kind, body, at, hash)
VALUES (:campaign, :seq, :kind, :body, :at, :hash);

-- name: events_after
SELECT seq, kind, body, at, hash FROM event WHERE campaign = :campaign AND seq > :after ORDER BY seq LIMIT :limit;

-- name: least_arms
-- The arms to ask next.
SELECT position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares, urgency, retired,
       first_free, ahead, effects, centre
  FROM arm WHERE campaign = :campaign ORDER BY urgency, position LIMIT :limit;

-- name: affordable_arms
-- The arms to ask next once the budget can no longer pay those of least urgency.
SELECT position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares, urgency, retired,
       first_free, ahead, effects, centre
  FROM arm WHERE campaign = :campaign AND pull_cost <= :left ORDER BY urgency, position LIMIT :limit;

-- name: arms_named
WITH wanted AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, value AS name
      FROM json_array_elements_text(CAST(:names AS json))
)
SELECT a.position, a.name, a.threshold, a.sigma, a.cost, a.pull_cost, a.pulls, a.outstanding, a.total, a.squares,
       a.urgency, a.retired, a.first_free, a.ahead, a.effects, a.centre
  FROM wanted JOIN arm a ON a.campaign = wanted.campaign AND a.name = wanted.name;

-- name: arms_from
SELECT position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares, urgency, retired,
       first_free, ahead, effects, centre
  FROM arm WHERE campaign = :campaign AND position >= :first ORDER BY position LIMIT :limit;

-- name: arms_of_pulls
WITH wanted AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, CAST(value AS bigint) AS number
      FROM json_array_elements_text(CAST(:numbers AS json))
)
SELECT a.position, a.name, a.threshold, a.sigma, a.cost, a.pull_cost, a.pulls, a.outstanding, a.total, a.squares,
       a.urgency, a.retired, a.first_free, a.ahead, a.effects, a.centre
  FROM wanted
  JOIN pull p ON p.campaign = wanted.campaign AND p.number = wanted.number
  JOIN arm a ON a.campaign = p.campaign AND a.position = p.arm;

-- name: pulls_numbered
WITH wanted AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, CAST(value AS bigint) AS number
      FROM json_array_elements_text(CAST(:numbers AS json))
)
SELECT p.number, p.ticket, p.arm, p.state, p.size, p.value, p.squares, p.since, p.told, p.late, p.expires,
       p.item, p.charged
  FROM wanted JOIN pull p ON p.campaign = wanted.campaign AND p.number = wanted.number;

-- name: pulls_beside
-- All pulls of the arms of these pulls.
WITH wanted AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, CAST(value AS bigint) AS number
      FROM json_array_elements_text(CAST(:numbers AS json))
)
SELECT p.number, p.ticket, p.arm, p.state, p.size, p.value, p.squares, p.since, p.told, p.late, p.expires,
       p.item, p.charged
  FROM wanted
  JOIN pull q ON q.campaign = wanted.campaign AND q.number = wanted.number
  JOIN pull p ON p.campaign = q.campaign AND p.arm = q.arm
 ORDER BY p.number;

-- name: pulls_of_arm
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged
  FROM pull WHERE campaign = :campaign AND arm = :arm AND number > :after ORDER BY number LIMIT :limit;

-- name: pulls_after
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged
  FROM pull WHERE campaign = :campaign AND number > :after ORDER BY number LIMIT :limit;

-- name: expired_pulls
-- Outstanding pulls whose lease has expired.
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged
  FROM pull WHERE campaign = :campaign AND state = 'out' AND expires <= (SELECT thresher_clock())
 ORDER BY expires LIMIT :limit;

-- name: pulls_named
-- All pulls of the arms with these names.
WITH wanted AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, value AS name
      FROM json_array_elements_text(CAST(:names AS json))
)
SELECT p.number, p.ticket, p.arm, p.state, p.size, p.value, p.squares, p.since, p.told, p.late, p.expires,
       p.item, p.charged
  FROM wanted
  JOIN arm a ON a.campaign = wanted.campaign AND a.name = wanted.name
  JOIN pull p ON p.campaign = a.campaign AND p.arm = a.position
 ORDER BY p.number;

-- name: pulls_told_after
-- Outcomes of items that an event after this one brought.
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged
  FROM pull WHERE campaign = :campaign AND told > :after AND item IS NOT NULL ORDER BY told, number;

-- name: answers
-- The outcomes of all arms on all items.
SELECT arm, item, value FROM pull WHERE campaign = :campaign AND state = 'told' AND item IS NOT NULL;

-- name: items_from
SELECT position, name, answers, residuals
  FROM item WHERE campaign = :campaign AND position >= :first ORDER BY position LIMIT :limit;

-- name: items_named
WITH wanted AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, value AS name
      FROM json_array_elements_text(CAST(:items AS json))
)
SELECT i.position, i.name, i.answers, i.residuals
  FROM wanted JOIN item i ON i.campaign = wanted.campaign AND i.name = wanted.name;

-- name: items_of_pulls
WITH wanted AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, CAST(value AS bigint) AS number
      FROM json_array_elements_text(CAST(:numbers AS json))
)
SELECT DISTINCT i.position, i.name, i.answers, i.residuals
  FROM wanted
  JOIN pull p ON p.campaign = wanted.campaign AND p.number = wanted.number
  JOIN item i ON i.campaign = p.campaign AND i.position = p.item;

-- name: unused_pulls
-- Late outcomes that could not be paid.
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged
  FROM pull WHERE campaign = :campaign AND state = 'unused' ORDER BY number;

-- name: request_with_key
SELECT key, seq, first, made FROM request WHERE campaign = :campaign AND key = :key;

-- name: list_requests
SELECT key, seq, first, made FROM request WHERE campaign = :campaign;

-- name: insert_arms
INSERT INTO arm (campaign, position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares,
                 urgency, retired, first_free, ahead, effects, centre)
SELECT CAST(:campaign AS bigint), given.*
  FROM json_to_recordset(CAST(:rows AS json)) AS given (
       position bigint, name text, threshold double precision, sigma double precision, cost double precision,
       pull_cost bigint, pulls bigint, outstanding bigint, total double precision, squares double precision,
       urgency double precision, retired bigint, first_free bigint, ahead text, effects double precision,
       centre double precision);

-- name: update_arms
WITH given AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, *
      FROM json_to_recordset(CAST(:rows AS json)) AS changed (
           position bigint, pulls bigint, outstanding bigint, total double precision, squares double precision,
           urgency double precision, retired bigint, first_free bigint, ahead text, effects double precision,
           centre double precision)
)
UPDATE arm
   SET pulls = given.pulls, outstanding = given.outstanding, total = given.total, squares = given.squares,
       urgency = given.urgency, retired = given.retired, first_free = given.first_free, ahead = given.ahead,
       effects = given.effects, centre = given.centre
  FROM given
 WHERE arm.campaign = given.campaign AND arm.position = given.position;

-- name: insert_pulls
INSERT INTO pull (campaign, number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged)
SELECT CAST(:campaign AS bigint), given.*
  FROM json_to_recordset(CAST(:rows AS json)) AS given (
       number bigint, ticket text, arm bigint, state text, size bigint, value double precision,
       squares double precision, since bigint, told bigint, late bigint, expires bigint, item bigint,
       charged bigint);

-- name: update_pulls
WITH given AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, *
      FROM json_to_recordset(CAST(:rows AS json)) AS changed (
           number bigint, state text, value double precision, since bigint, told bigint, late bigint, expires bigint,
           charged bigint)
)
UPDATE pull
   SET state = given.state, value = given.value, since = given.since, told = given.told, late = given.late,
       expires = given.expires, charged = given.charged
  FROM given
 WHERE pull.campaign = given.campaign AND pull.number = given.number;

-- name: insert_items
INSERT INTO item (campaign, position, name, answers, residuals)
SELECT CAST(:campaign AS bigint), given.*
  FROM json_to_recordset(CAST(:rows AS json)) AS given (
       position bigint, name text, answers bigint, residuals double precision);

-- name: update_items
WITH given AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, *
      FROM json_to_recordset(CAST(:rows AS json)) AS changed (
           position bigint, answers bigint, residuals double precision)
)
UPDATE item
   SET answers = given.answers, residuals = given.residuals
  FROM given
 WHERE item.campaign = given.campaign AND item.position = given.position;

-- name: insert_requests
INSERT INTO request (campaign, key, seq, first, made)
SELECT CAST(:campaign AS bigint), given.*
  FROM json_to_recordset(CAST(:rows AS json)) AS given (key text, seq bigint, first bigint, made bigint);

-- name: insert_token
INSERT INTO token (id, digest, kind, scope, campaign, label, parent, made, expires)
SELECT :id, :digest, :kind, :scope, CAST(:campaign AS text), :label, :parent, now.at, least(now.at + :lasts, :until)
  FROM (SELECT thresher_clock() AS at) AS now;

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
