The example in its two languages: the same refunds, the same refusals.

$ cp -r "$ROOT/examples/refunds/." . && cloche sh --ask deny --config cloche.json refunds.sh < /dev/null > sh.out 2> /dev/null; cloche run --ask deny --config cloche.json refunds.js < /dev/null > js.out 2> /dev/null; grep -o 're_[0-9]*' sh.out > a; grep -o 're_[0-9]*' js.out > b; cmp a b && wc -l < a; grep -c 'not refunded' sh.out; grep -c 'not refunded' js.out; tail -1 sh.out; grep 'disputed over' sh.out
7
1
1
The report was not mailed.
360 transactions read, 8 disputed over 200.00
