-- The statements that PostgreSQL alone runs, by name; common.sql has the others. Parameters are written :name.
--
-- Lists of values come as JSON. They are materialized before they are joined with a table: whatever the planner expects
-- of it, each row is looked up by its key.

-- name: arms_named
WITH wanted AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, value AS name
      FROM json_array_elements_text(CAST(:names AS json))
)
SELECT position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares, urgency, retired,
       first_free, ahead, effects, centre, unevenness
  FROM wanted JOIN arm USING (campaign, name);

-- name: arms_of_pulls
WITH wanted AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, CAST(value AS bigint) AS number
      FROM json_array_elements_text(CAST(:numbers AS json))
)
SELECT a.position, a.name, a.threshold, a.sigma, a.cost, a.pull_cost, a.pulls, a.outstanding, a.total, a.squares,
       a.urgency, a.retired, a.first_free, a.ahead, a.effects, a.centre, a.unevenness
  FROM wanted
  JOIN pull p ON p.campaign = wanted.campaign AND p.number = wanted.number
  JOIN arm a ON a.campaign = p.campaign AND a.position = p.arm;

-- name: pulls_numbered
WITH wanted AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, CAST(value AS bigint) AS number
      FROM json_array_elements_text(CAST(:numbers AS json))
)
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged, repeat
  FROM wanted JOIN pull USING (campaign, number);

-- name: pulls_of_arms
WITH wanted AS MATERIALIZED (
    SELECT CAST(:campaign AS bigint) AS campaign, CAST(value AS bigint) AS arm
      FROM json_array_elements_text(CAST(:arms AS json))
)
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged, repeat
  FROM wanted JOIN pull USING (campaign, arm)
 ORDER BY number;

-- name: pulls_of_arm
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged, repeat
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

-- name: scores_of_arms
-- Of arms by name, and of the arms of pulls by number.
WITH wanted AS MATERIALIZED (
    SELECT arm AS position FROM pull
     WHERE campaign = CAST(:campaign AS bigint)
       AND number IN (SELECT CAST(value AS bigint) FROM json_array_elements_text(CAST(:numbers AS json)))
    UNION
    SELECT position FROM arm
     WHERE campaign = CAST(:campaign AS bigint)
       AND name IN (SELECT value FROM json_array_elements_text(CAST(:names AS json)))
)
SELECT key, signal.name, numbers, slope, issued
  FROM wanted JOIN signal ON campaign = CAST(:campaign AS bigint) AND key = 'proxy ' || CAST(position AS text);

-- name: insert_token
INSERT INTO token (id, digest, kind, scope, campaign, label, parent, made, expires)
SELECT :id, :digest, :kind, :scope, CAST(:campaign AS text), :label, :parent, now.at, least(now.at + :lasts, :until)
  FROM (SELECT thresher_clock() AS at) AS now;
