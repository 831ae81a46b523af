BEGIN TRANSACTION;
CREATE TABLE arm (
    campaign BIGINT NOT NULL,
    position BIGINT NOT NULL,
    name TEXT NOT NULL,
    threshold DOUBLE PRECISION NOT NULL,
    sigma DOUBLE PRECISION NOT NULL,
    cost DOUBLE PRECISION NOT NULL,
    pull_cost BIGINT NOT NULL,
    pulls BIGINT NOT NULL CHECK (pulls >= 0),
    outstanding BIGINT NOT NULL CHECK (outstanding >= 0),
    total DOUBLE PRECISION NOT NULL,
    squares DOUBLE PRECISION NOT NULL,
    urgency DOUBLE PRECISION NOT NULL,
    retired BIGINT NOT NULL, first_free BIGINT NOT NULL DEFAULT 0, ahead TEXT NOT NULL DEFAULT '', effects DOUBLE PRECISION NOT NULL DEFAULT 0, centre DOUBLE PRECISION NOT NULL DEFAULT 0,
    PRIMARY KEY (campaign, position)
) WITHOUT ROWID;
INSERT INTO "arm" VALUES(1,0,'a',0.5,0.5,1.0,1000000,7,0,3.0,1.75,2.74513631670677860086e+00,0,0,'',0.0,0.0);
INSERT INTO "arm" VALUES(1,1,'b',0.5,0.5,1.0,1000000,3,0,1.0,0.75,2.48172724116525955651e+00,0,0,'',0.0,0.0);
INSERT INTO "arm" VALUES(2,0,'a',0.5,0.5,1.0,1000000,5,0,5.0,1.25,6.08825612804974358738e+00,0,0,'',0.0,0.0);
INSERT INTO "arm" VALUES(2,1,'b',0.5,0.5,1.0,1000000,0,0,0.0,0.0,-9e999,0,0,'',0.0,0.0);
CREATE TABLE campaign (
    id BIGINT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    terms TEXT NOT NULL
);
INSERT INTO "campaign" VALUES(1,'lines','{"abstain": 1.0, "confidence": 0.05, "expiry": "reissue", "false_fail": 1.0, "false_pass": 1.0, "family": "bernoulli", "high": 1.0, "lease": 600.0, "low": 0.0, "policy": "stopping", "stop_mistakes": 0.0, "stop_price": 0.0}');
INSERT INTO "campaign" VALUES(2,'keys','{"abstain": 1.0, "confidence": 0.05, "expiry": "reissue", "false_fail": 1.0, "false_pass": 1.0, "family": "bernoulli", "high": 1.0, "lease": 600.0, "low": 0.0, "policy": "stopping", "stop_mistakes": 0.0, "stop_price": 0.0}');
CREATE TABLE event (
    campaign BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    at BIGINT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (campaign, seq)
);
INSERT INTO "event" VALUES(1,1,'created','{"name":"lines","terms":"{\"abstain\": 1.0, \"confidence\": 0.05, \"expiry\": \"reissue\", \"false_fail\": 1.0, \"false_pass\": 1.0, \"family\": \"bernoulli\", \"high\": 1.0, \"lease\": 600.0, \"low\": 0.0, \"policy\": \"stopping\", \"stop_mistakes\": 0.0, \"stop_price\": 0.0}","budget":60000000}',1794966030078400,'b50162c8d83bdb5e586b56c17086d7fc485319c1d20118ad2216a55534c352cf');
INSERT INTO "event" VALUES(1,2,'arms-added','{"arms":[["a",0.5,0.5,1.0,1000000],["b",0.5,0.5,1.0,1000000]]}',1794966030078400,'040c91ae154a1f2e685622d14825dcfc22cac437e76f2e301dd543864f97b9c6');
INSERT INTO "event" VALUES(1,3,'counted','{"number":1,"ticket":"1-60d797ec636e86ba5fb04d1bc4199c6c","arm":0,"count":3,"total":1.0,"squares":0.75,"paid":false,"key":"7492ff03b5b2829dcd765526529f20c44e0e2cb2dd642a3d9e64b2507cd57f15","batch":"94c416c481f5"}',1794966043168919,'eeaeea0d94f651683542e89d64315a427794d2af3d6d577e13e7e3bef4c97ca9');
INSERT INTO "event" VALUES(1,4,'counted','{"number":2,"ticket":"2-47efcd2e8b87bcf623ea5956d2341b13","arm":1,"count":3,"total":1.0,"squares":0.75,"paid":false,"key":"dc1f5f97927a577802cbac48dc9908d9ea1b287d5825d2a793e11f579a776a97","batch":"94c416c481f5"}',1794966051022949,'ac6cb31bd2c1952b6ae2e9cd4901690b3031353532ca6509d0b1635000172f68');
INSERT INTO "event" VALUES(1,5,'counted','{"number":3,"ticket":"3-30e4726942ae515634146413adf4eed1","arm":0,"count":4,"total":2.0,"squares":1.0,"paid":false,"key":"172052892e2bfc9f47a37a071205b620c3deedc91d32a3e57123a691a5305d11","batch":"1ad1b2e349e6"}',1794966066567408,'eb2d50f729dc8a7aa7c14d67fdc507e4de53e578a9a2f7a2df9570c6186129ce');
INSERT INTO "event" VALUES(2,1,'created','{"name":"keys","terms":"{\"abstain\": 1.0, \"confidence\": 0.05, \"expiry\": \"reissue\", \"false_fail\": 1.0, \"false_pass\": 1.0, \"family\": \"bernoulli\", \"high\": 1.0, \"lease\": 600.0, \"low\": 0.0, \"policy\": \"stopping\", \"stop_mistakes\": 0.0, \"stop_price\": 0.0}","budget":60000000}',1794966066633372,'a2abe0b9432ceddac916bd5374490d5a3cbd11ab7aae6d232fb720d06814fb73');
INSERT INTO "event" VALUES(2,2,'arms-added','{"arms":[["a",0.5,0.5,1.0,1000000],["b",0.5,0.5,1.0,1000000]]}',1794966066633372,'bbc879ca204022b75ae7db73b24ff98c4eedb28b6a0b05907f099e4c944e3f58');
INSERT INTO "event" VALUES(2,3,'counted','{"number":1,"ticket":"1-e617bca8d540e8f7a2391c301a55429e","arm":0,"count":1,"total":1.0,"squares":0.25,"paid":false,"key":"bb11e18d49bf2272acf84984c5278c5438e3c1d855a1ae72d6c0903a56cbf480","batch":"c9e92446d795"}',1794966066680350,'491808a0cd30fee633f7575cb6104fbed769e1864d5fdb4a112f3d08e71e641c');
INSERT INTO "event" VALUES(2,4,'counted','{"number":2,"ticket":"2-179fed4d1945b8c06657d78cab49e76e","arm":0,"count":1,"total":1.0,"squares":0.25,"paid":false,"key":"e2a2e483a8f5eeedb6babe6c32e984e1152bcb0af99142015322e8497f90911e","batch":"c9e92446d795"}',1794966066702907,'fa9a0d2fe5c51fd2aa864cc6f7326647e535004830affc0a0b6fce16f00dd07c');
INSERT INTO "event" VALUES(2,5,'counted','{"number":3,"ticket":"3-7d9d6ecdcc30abb6488916237973c95a","arm":0,"count":1,"total":1.0,"squares":0.25,"paid":false,"key":"b19ec736a2df596cf8e31e0c00fead636e18ae544537070da94149d829e61dc3","batch":"c9e92446d795"}',1794966066710893,'52f4faeb151224d51e0f5e6d5f436f39a8346c427aa75fb3c1885d9a86c31173');
INSERT INTO "event" VALUES(2,6,'counted','{"number":4,"ticket":"4-90090a460bb52e79d2569e0ebe2e45a7","arm":0,"count":1,"total":1.0,"squares":0.25,"paid":false,"key":"d3096dbaba9bc9bf23c2a2133b47203764351871ac9983922cf2bf73f4093855","batch":"c9e92446d795"}',1794966066722911,'4b3ab9a905054a6d419c70cb01d7a331886b13ed241a43ad7069dbeedd485e6a');
INSERT INTO "event" VALUES(2,7,'counted','{"number":5,"ticket":"5-115a209fc8df9eef75420802e2eed28d","arm":0,"count":1,"total":1.0,"squares":0.25,"paid":false,"key":"095795c06920b71350443f80035deb1de44e0245cb91f3722b31b191b140b769","batch":"c9e92446d795"}',1794966066734927,'4ac9fcfed193f33b5eaf809cbd75326bc0083151100a7d3c5e656613257a1b5c');
CREATE TABLE item (
    campaign BIGINT NOT NULL,
    position BIGINT NOT NULL,
    name TEXT NOT NULL,
    answers BIGINT NOT NULL,
    residuals DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (campaign, position)
);
CREATE TABLE ledger (
    campaign BIGINT NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    hash TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'paused', 'closed')),
    budget BIGINT NOT NULL,
    spent BIGINT NOT NULL CHECK (spent >= 0),
    reserved BIGINT NOT NULL CHECK (reserved >= 0),
    opening BIGINT NOT NULL,
    arms BIGINT NOT NULL,
    pulls BIGINT NOT NULL,
    told BIGINT NOT NULL,
    late BIGINT NOT NULL, cheapest BIGINT NOT NULL DEFAULT 0, seed BIGINT NOT NULL DEFAULT 0, pools TEXT NOT NULL DEFAULT '', revised BIGINT NOT NULL DEFAULT 0, fitted BIGINT NOT NULL DEFAULT 0, slope DOUBLE PRECISION NOT NULL DEFAULT 0, share DOUBLE PRECISION NOT NULL DEFAULT 1,
    CHECK (spent + reserved <= budget)
) WITHOUT ROWID;
INSERT INTO "ledger" VALUES(1,5,1794966066567408,'eb2d50f729dc8a7aa7c14d67fdc507e4de53e578a9a2f7a2df9570c6186129ce','open',60000000,0,0,2000000,2,3,10,0,1000000,0,'',0,0,0.0,1.0);
INSERT INTO "ledger" VALUES(2,7,1794966066734927,'4ac9fcfed193f33b5eaf809cbd75326bc0083151100a7d3c5e656613257a1b5c','open',60000000,0,0,2000000,2,5,5,0,1000000,0,'',0,0,0.0,1.0);
CREATE TABLE pull (
    campaign BIGINT NOT NULL,
    number BIGINT NOT NULL,
    ticket TEXT NOT NULL,
    arm BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('out', 'lapsed', 'forfeited', 'told', 'unused', 'void')),
    size BIGINT NOT NULL,
    value DOUBLE PRECISION,
    squares DOUBLE PRECISION,
    since BIGINT NOT NULL,
    told BIGINT NOT NULL,
    late BIGINT NOT NULL,
    expires BIGINT NOT NULL, item BIGINT, charged BIGINT,
    PRIMARY KEY (campaign, number)
) WITHOUT ROWID;
INSERT INTO "pull" VALUES(1,1,'1-60d797ec636e86ba5fb04d1bc4199c6c',0,'told',3,1.0,0.75,3,3,0,1794966643168919,NULL,NULL);
INSERT INTO "pull" VALUES(1,2,'2-47efcd2e8b87bcf623ea5956d2341b13',1,'told',3,1.0,0.75,4,4,0,1794966651022949,NULL,NULL);
INSERT INTO "pull" VALUES(1,3,'3-30e4726942ae515634146413adf4eed1',0,'told',4,2.0,1.0,5,5,0,1794966666567408,NULL,NULL);
INSERT INTO "pull" VALUES(2,1,'1-e617bca8d540e8f7a2391c301a55429e',0,'told',1,1.0,0.25,3,3,0,1794966666680350,NULL,NULL);
INSERT INTO "pull" VALUES(2,2,'2-179fed4d1945b8c06657d78cab49e76e',0,'told',1,1.0,0.25,4,4,0,1794966666702907,NULL,NULL);
INSERT INTO "pull" VALUES(2,3,'3-7d9d6ecdcc30abb6488916237973c95a',0,'told',1,1.0,0.25,5,5,0,1794966666710893,NULL,NULL);
INSERT INTO "pull" VALUES(2,4,'4-90090a460bb52e79d2569e0ebe2e45a7',0,'told',1,1.0,0.25,6,6,0,1794966666722911,NULL,NULL);
INSERT INTO "pull" VALUES(2,5,'5-115a209fc8df9eef75420802e2eed28d',0,'told',1,1.0,0.25,7,7,0,1794966666734927,NULL,NULL);
CREATE TABLE request (
    campaign BIGINT NOT NULL,
    key TEXT NOT NULL,
    seq BIGINT NOT NULL,
    first BIGINT NOT NULL,
    made BIGINT NOT NULL,
    PRIMARY KEY (campaign, key)
) WITHOUT ROWID;
INSERT INTO "request" VALUES(1,'172052892e2bfc9f47a37a071205b620c3deedc91d32a3e57123a691a5305d11',5,3,1);
INSERT INTO "request" VALUES(1,'7492ff03b5b2829dcd765526529f20c44e0e2cb2dd642a3d9e64b2507cd57f15',3,1,1);
INSERT INTO "request" VALUES(1,'dc1f5f97927a577802cbac48dc9908d9ea1b287d5825d2a793e11f579a776a97',4,2,1);
INSERT INTO "request" VALUES(2,'095795c06920b71350443f80035deb1de44e0245cb91f3722b31b191b140b769',7,5,1);
INSERT INTO "request" VALUES(2,'b19ec736a2df596cf8e31e0c00fead636e18ae544537070da94149d829e61dc3',5,3,1);
INSERT INTO "request" VALUES(2,'bb11e18d49bf2272acf84984c5278c5438e3c1d855a1ae72d6c0903a56cbf480',3,1,1);
INSERT INTO "request" VALUES(2,'d3096dbaba9bc9bf23c2a2133b47203764351871ac9983922cf2bf73f4093855',6,4,1);
INSERT INTO "request" VALUES(2,'e2a2e483a8f5eeedb6babe6c32e984e1152bcb0af99142015322e8497f90911e',4,2,1);
CREATE TABLE thresher_schema (version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL);
INSERT INTO "thresher_schema" VALUES(1,'campaigns','64bb043a904e92360668af13cbd5833a5c57fff30326e6481057a3d04669a2f1');
INSERT INTO "thresher_schema" VALUES(2,'tokens','f7d66de676aa58bfb99d151360f90a04424950b7afaad5a7dab2d641431c4320');
INSERT INTO "thresher_schema" VALUES(3,'log','8d6be5bb89be2338c04de5d56d41c2b2521cb3f955b6c6c6b598ce327b9a178d');
INSERT INTO "thresher_schema" VALUES(4,'cheapest','9646879bfbc0771023c59124f31f0bafc9a6eb9a75dd2aa706a5cb5dd5f8c3f4');
INSERT INTO "thresher_schema" VALUES(5,'items','2f04a3e75515b28922cd1c42c167e42bc061c7aab28e0b63d92253ea17fea242');
INSERT INTO "thresher_schema" VALUES(6,'charged','b2932ba285a30a71091fb67c7cdc8b0a32f30441280440f64e23fb521deca9c2');
CREATE TABLE token (
    id TEXT NOT NULL PRIMARY KEY,
    digest TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('token', 'code', 'session')),
    scope TEXT NOT NULL CHECK (scope IN ('read', 'work', 'admin')),
    campaign TEXT,
    label TEXT NOT NULL,
    parent TEXT NOT NULL,
    made BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    CHECK ((scope = 'work') = (campaign IS NOT NULL))
);
CREATE UNIQUE INDEX arm_by_name ON arm (campaign, name);
CREATE INDEX arm_by_urgency ON arm (campaign, urgency, position);
CREATE INDEX pull_by_arm ON pull (campaign, arm, number);
CREATE INDEX pull_by_expiry ON pull (campaign, expires) WHERE state = 'out';
CREATE INDEX token_by_parent ON token (parent);
CREATE TRIGGER event_stays BEFORE UPDATE ON event BEGIN SELECT raise(ABORT, 'an event is never changed'); END;
CREATE TRIGGER event_is_kept BEFORE DELETE ON event BEGIN SELECT raise(ABORT, 'an event is never deleted'); END;
CREATE INDEX pull_by_telling ON pull (campaign, told) WHERE item IS NOT NULL;
CREATE UNIQUE INDEX item_by_name ON item (campaign, name);
COMMIT;
