#! end: done limit.time
#! options: --timeout 300ms
sqlite3 :memory: "with recursive c(x) as (select 'x' union all select x||x from c) select length(x) from c;"
