#! end: limit.time limit.memory done
#! options: --timeout 300ms
x=x; for i in {1..30}; do x=$(cat <<E
$x$x
E
); done; echo ${#x}
