cloche sh --session: programs one after another in one shell.

$ echo 'x=1; arr=(a "b c"); declare -A m=([k]=v); f() { echo "f: $1 $x"; local y=$((x + 1)); echo $y; }; set -u; shopt -s extglob; alias hi="echo hi"; cd /tmp; umask 027; exec 5>log; trap "echo usr" USR1; g() { return 7; }' > one.sh
$ echo 'f now; echo "${arr[1]} ${m[k]} $PWD $- $(umask)"; echo to-log >&5; cat /tmp/log; shopt extglob; kill -USR1 $$; readonly r=9; g' > two.sh
$ echo 'echo "last $?"; x=5; f again; echo $unset_one; echo not reached' > three.sh
$ echo 'echo "status $? r=$r x=$x"; read line && echo "read $line"; for i in 1 2; do if [ $i = 2 ]; then ${nope:?gone}; fi; done; echo not reached' > four.sh
$ printf 'echo "go on $x"\nif then\n' > five.sh
$ echo 'echo "after the syntax error"; sleep 100 & trap "echo bye" EXIT' > six.sh
$ echo 'jobs; wait; echo "no exit yet"; exit 3' > seven.sh
$ echo 'echo "new: ${x-unset} $(type -t f) $PWD"' > eight.sh
$ cloche sh --session one.sh two.sh three.sh four.sh five.sh six.sh seven.sh eight.sh
f: now 1
2
b c v /tmp <...>u<...> 0027
to-log
extglob        	on
usr
last 7
f: again 5
6
! three.sh: line 1: unset_one: unbound variable
status 1 r=9 x=5
! four.sh: line 1: nope: gone
go on 5
! five.sh: line 2: syntax error near unexpected token `then'
! five.sh: line 2: `if then'
after the syntax error
no exit yet
bye
new: unset  /workspace
$ echo 'x=1; set -e' > a.sh; echo 'false; echo not reached' > b.sh; echo 'echo ${x-unset}' > c.sh; cloche sh --session a.sh b.sh c.sh
unset
$ echo 'x=1' > a.sh; echo 'while :; do :; done' > b.sh; cloche sh --session --timeout 200ms a.sh b.sh c.sh
! cloche: limit.time: <...>
[124]
$ echo 'exec cat a.sh' > b.sh; cloche sh --session a.sh b.sh c.sh; cloche sh --session -c 'y=2' a.sh c.sh
! cat: a.sh: No such file or directory
unset
1
