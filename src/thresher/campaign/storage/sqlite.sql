-- The statements that SQLite alone runs, by name; common.sql has the others. Parameters are written :name.
--
-- Lists of values come as JSON.

-- name: arms_named
-- CROSS JOIN keeps the order of the tables: each name is looked up in the index arm_by_name.
SELECT position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares, urgency, retired,
       first_free, ahead, effects, centre, unevenness
  FROM json_each(:names) AS wanted CROSS JOIN arm ON campaign = :campaign AND name = wanted.value;

-- name: arms_of_pulls
SELECT position, name, threshold, sigma, cost, pull_cost, pulls, outstanding, total, squares, urgency, retired,
       first_free, ahead, effects, centre, unevenness
  FROM arm
 WHERE campaign = :campaign
   AND position IN (
       SELECT arm FROM pull WHERE campaign = :campaign AND number IN (SELECT value FROM json_each(:numbers))
   );

-- name: pulls_numbered
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged, repeat
  FROM pull WHERE campaign = :campaign AND number IN (SELECT value FROM json_each(:numbers)) ORDER BY number;

-- name: pulls_of_arms
-- Without statistics SQLite takes the primary key for cheaper than this index, and reads the pulls of all arms.
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged, repeat
  FROM pull INDEXED BY pull_by_arm WHERE campaign = :campaign AND arm IN (SELECT value FROM json_each(:arms))
 ORDER BY number;

-- name: pulls_of_arm
SELECT number, ticket, arm, state, size, value, squares, since, told, late, expires, item, charged, repeat
  FROM pull INDEXED BY pull_by_arm WHERE campaign = :campaign AND arm = :arm AND number > :after ORDER BY number LIMIT :limit;

-- name: items_named
SELECT position, name, answers, residuals
  FROM json_each(:items) AS wanted CROSS JOIN item ON campaign = :campaign AND name = wanted.value;

-- name: items_of_pulls
SELECT position, name, answers, residuals
  FROM item
 WHERE campaign = :campaign
   AND position IN (
       SELECT item FROM pull WHERE campaign = :campaign AND number IN (SELECT value FROM json_each(:numbers))
   );

-- name: scores_of_arms
-- Of arms by name, and of the arms of pulls by number.
SELECT key, signal.name, numbers, slope, issued
  FROM signal
 WHERE campaign = :campaign
   AND key IN (
       SELECT 'proxy ' || arm FROM pull WHERE campaign = :campaign AND number IN (SELECT value FROM json_each(:numbers))
       UNION ALL
       SELECT 'proxy ' || position FROM arm WHERE campaign = :campaign AND name IN (SELECT value FROM json_each(:names))
   );

-- name: insert_token
INSERT INTO token (id, digest, kind, scope, campaign, label, parent, made, expires)
SELECT :id, :digest, :kind, :scope, :campaign, :label, :parent, now.at, min(now.at + :lasts, :until)
  FROM (SELECT thresher_clock() AS at) AS now;
