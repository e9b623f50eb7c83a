# Refund every disputed transaction over $200 and report what was done.
set -euo pipefail

all() { # TOOL: every page of a list, one item a line
  local page answer
  for ((page = 1;; page++)); do
    answer=$(tool "$1" --page "$page")
    jq -c '.data[]' <<< "$answer"
    [ "$(jq .has_more <<< "$answer")" = true ] || return 0
  done
}

all payments.customers.list > customers & all payments.transactions.list > transactions; wait
declare -A names
while IFS=$'\t' read -r id name; do names[$id]=$name; done < <(jq -r '[.id, .name] | @tsv' customers)

count=0
printf '| %s | %s | %s | %s | %s |\n' transaction customer amount currency outcome --- --- --- --- --- > table
while IFS=$'\t' read -r id customer amount currency; do
  if refund=$(tool payments.refunds.create --transaction "$id" --amount "$amount" --currency "$currency" 2> why); then
    outcome=$(jq -r .id <<< "$refund")
  else
    outcome="not refunded: $(sed 's/^[^:]*: [^:]*: //' why)"
  fi
  printf '| %s | %s | %d.%02d | %s | %s |\n' "$id" "${names[$customer]}" $((amount / 100)) $((amount % 100)) "$currency" "$outcome" >> table
  count=$((count + 1))
done < <(jq -r 'select(.status == "disputed" and .amount > 20000) | [.amount, .id, .customer, .currency] | @tsv' transactions |
  sort -t$'\t' -k1,1nr | awk -F'\t' -v OFS='\t' '{ print $2, $3, $1, $4 }')

{ printf '# Refunds\n\n'; cat table; } > /workspace/refunds.md
column -t -s'|' -o'|' table
echo "$(wc -l < transactions) transactions read, $count disputed over 200.00"
tool mail.send --to finance@shop.example --text "$(cat table)" 2>&1 || echo 'The report was not mailed.'
