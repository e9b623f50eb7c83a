#! end: limit.time
#! options: --timeout 300ms
sqlite3 :memory: "with recursive c(x) as (select 1 union all select x+1 from c) select count(*) from c;"
