-- The statements that PostgreSQL alone runs, by name; common.sql has the others. Parameters are written :name.
--
-- Lists of values and of rows come as JSON, so that a batch is one statement; rows get the types of their table. They are
-- materialized before they are joined with a table: whatever the planner expects of it, each row is looked up by its key.

-- name: lock_ledger
-- The transactions of one campaign follow each other: its log is one sequence. The time is that after the wait.
WITH locked AS MATERIALIZED (
    SELECT seq, at, hash, status, budget, spent, reserved, opening, cheapest, arms, pulls, told, late,
           seed, pools, revised, fitted, slope, share
      FROM ledger WHERE campaign = :campaign FOR UPDATE
)
SELECT *, thresher_clock() AS now FROM locked;

-- name: arms_named
WITH wanted AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, value AS name
      FROM json_array_elements_text(CAST(:names AS json))
)
SELECT position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares, urgency, retired,
       first_free, ahead, effects, centre
  FROM wanted JOIN arm USING (campaign, name);

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
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged
  FROM wanted JOIN pull USING (campaign, number);

-- name: pulls_of_arms
WITH wanted AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, CAST(value AS bigint) AS arm
      FROM json_array_elements_text(CAST(:arms AS json))
)
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged
  FROM wanted JOIN pull USING (campaign, arm)
 ORDER BY number;

-- name: pulls_of_arm
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged
  FROM pull WHERE campaign = :campaign AND arm = :arm AND number > :after ORDER BY number LIMIT :limit;

-- name: items_named
WITH wanted AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, value AS name
      FROM json_array_elements_text(CAST(:items AS json))
)
SELECT position, name, answers, residuals FROM wanted JOIN item USING (campaign, name);

-- name: items_of_pulls
WITH wanted AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, CAST(value AS bigint) AS number
      FROM json_array_elements_text(CAST(:numbers AS json))
)
SELECT DISTINCT i.position, i.name, i.answers, i.residuals
  FROM wanted
  JOIN pull p ON p.campaign = wanted.campaign AND p.number = wanted.number
  JOIN item i ON i.campaign = p.campaign AND i.position = p.item;

-- name: insert_arms
INSERT INTO arm (campaign, position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares,
                 urgency, retired, first_free, ahead, effects, centre)
SELECT :campaign, position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares,
       urgency, retired, first_free, ahead, effects, centre
  FROM json_populate_recordset(CAST(NULL AS arm), CAST(:rows AS json));

-- name: update_arms
WITH given AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS its_campaign, * FROM json_populate_recordset(CAST(NULL AS arm), CAST(:rows AS json))
)
UPDATE arm
   SET pulls = given.pulls, outstanding = given.outstanding, total = given.total, squares = given.squares,
       urgency = given.urgency, retired = given.retired, first_free = given.first_free, ahead = given.ahead,
       effects = given.effects, centre = given.centre
  FROM given
 WHERE arm.campaign = given.its_campaign AND arm.position = given.position;

-- name: insert_pulls
INSERT INTO pull (campaign, number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged)
SELECT :campaign, number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged
  FROM json_populate_recordset(CAST(NULL AS pull), CAST(:rows AS json));

-- name: update_pulls
WITH given AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS its_campaign, * FROM json_populate_recordset(CAST(NULL AS pull), CAST(:rows AS json))
)
UPDATE pull
   SET state = given.state, value = given.value, since = given.since, told = given.told, late = given.late,
       expires = given.expires, charged = given.charged
  FROM given
 WHERE pull.campaign = given.its_campaign AND pull.number = given.number;

-- name: insert_items
INSERT INTO item (campaign, position, name, answers, residuals)
SELECT :campaign, position, name, answers, residuals
  FROM json_populate_recordset(CAST(NULL AS item), CAST(:rows AS json));

-- name: update_items
WITH given AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS its_campaign, * FROM json_populate_recordset(CAST(NULL AS item), CAST(:rows AS json))
)
UPDATE item
   SET answers = given.answers, residuals = given.residuals
  FROM given
 WHERE item.campaign = given.its_campaign AND item.position = given.position;

-- name: insert_requests
INSERT INTO request (campaign, key, seq, first, made)
SELECT :campaign, key, seq, first, made
  FROM json_populate_recordset(CAST(NULL AS request), CAST(:rows AS json));

-- name: insert_token
INSERT INTO token (id, digest, kind, scope, campaign, label, parent, made, expires)
SELECT :id, :digest, :kind, :scope, CAST(:campaign AS text), :label, :parent, now.at, least(now.at + :lasts, :until)
  FROM (SELECT thresher_clock() AS at) AS now;
