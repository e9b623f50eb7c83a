#! end: limit.time
#! options: --timeout 300ms
sqlite3 :memory: "create table t(a); with recursive c(x) as (select 1 union all select x+1 from c where x<3000) insert into t select x from c; select count(*) from t a, t b, t c, t d;"
