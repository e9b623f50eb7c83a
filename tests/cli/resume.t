A program that waits for a person: saved, looked at, gone on with.

$ cat > c.json <<'E'
> { "tools": [ { "name": "pay", "command": ["cat"] }, { "name": "look", "command": ["echo", "1"] } ],
>   "policy": { "rules": [ { "pattern": "look", "effect": "allow" },
>     { "pattern": "pay", "effect": "ask", "reason": "it is money", "max_calls": 2 } ] } }
> E
$ cat > p.js <<'E'
> console.log("before", await look({}));
> try {
>   const [a, b] = await Promise.all([pay({ n: 1 }), pay({ n: 2 })]);
>   return a.n + b.n;
> } finally {
>   console.log("finally");
> }
> E
$ cloche run --config c.json --snapshot s p.js
before 1
! cloche: waits for approval: 2 pay {"n":1}
!     it is money
! cloche: waits for approval: 3 pay {"n":2}
!     it is money
! cloche: saved as s; go on with: cloche resume --config c.json s --approve ID
[3]
$ stat -c %a s; ls
600
c.json
p.js
s
$ cloche snapshot info s
snapshot by cloche <...>
  saved at <...>Z
  waits for approval: 2 pay {"n":1}
    it is money
  waits for approval: 3 pay {"n":2}
    it is money
  its budgets are counted in this file alone: resumed twice, they are spent twice
$ cloche snapshot info --json s | jq -c '.pending[] | [.id, .kind, .method, .params, .rule]'
[2,"approval","pay",{"n":1},"pay"]
[3,"approval","pay",{"n":2},"pay"]

# One answer at a time; the other call is saved again, under its old name if none is given.
$ cloche resume --config c.json s --approve 3 --json 2> /dev/null > j
[3]
$ jq -c '[.end, .ok, .error, .pending[0].id, .snapshot[:9]]' j
["suspended",false,null,2,"./cloche-"]
$ cloche resume --config c.json cloche-*.snap --approve 2 2> /dev/null
finally
3
# The first snapshot is still there, and can be gone on with from where it was.
$ cloche resume --config c.json s --approve 2 --deny 3 2> err
finally
[1]
$ grep CapabilityError err
CapabilityError: a person was asked and said no
$ cloche resume --config c.json s 2>&1 | tail -1
cloche: saved as ./cloche-<...>.snap; go on with: <...>

# An account counts in one place.
$ cloche run --config c.json --snapshot t --accounts a p.js 2> /dev/null
before 1
[3]
$ cloche snapshot info t | grep -c budgets
0
[1]
$ cloche resume --config c.json t --approve all
! cloche: t: the snapshot's spending is in the account "<...>", which was not given (--accounts)
[2]
$ cloche resume --config c.json --accounts a t --approve all
finally
3
$ cloche resume --config c.json --accounts a t --approve all 2> err
finally
[1]
$ head -1 err
CapabilityError: <...>budget<...>

# Sealed.
$ printf %064d 1 > k1; printf %064d 2 > k2
$ cloche run --config c.json --snapshot u --key k1 --audience shop p.js 2> said
before 1
[3]
$ grep -o 'go on with.*' said
go on with: cloche resume --config c.json --key k1 --audience shop u --approve ID
$ cloche snapshot info u
snapshot by cloche <...>, sealed
  what it holds can be seen with its key only
$ cloche resume --config c.json u --approve all
! cloche: u: the snapshot is sealed; it opens with its key only
[2]
$ cloche resume --config c.json --key k2 u --approve all
! cloche: u: the snapshot was sealed with another key
[2]
$ cloche resume --config c.json --key k1 --audience bank u --approve all
! cloche: u: the snapshot was sealed for another audience
[2]
$ cloche resume --config c.json --key k1 --audience shop u --approve all 2> /dev/null
finally
3

# What is wrong is said, before anything runs.
$ head -c 500 s > cut; cloche resume --config c.json cut
! cloche: cut: the snapshot is cut off: 500 of <...> bytes are there
[2]
$ cp s edited; printf "eight of " | dd of=edited bs=1 seek=300 conv=notrunc 2> /dev/null; cloche resume --config c.json edited
! cloche: edited: the snapshot was changed: its checksum does not fit
[2]
$ mkfifo pipe; cloche run --config c.json --snapshot pipe -e 'await pay({ n: 1 })'; [ -p pipe ] && echo still a pipe
still a pipe
! cloche: the snapshot pipe cannot be written: it is no file, and would be replaced
$ cloche resume --config c.json p.js
! cloche: p.js: this is no snapshot
[2]
$ cloche resume s
! cloche: cloche resume needs --config FILE: tools and policy are not taken from a snapshot
[2]
$ cloche resume --config c.json s --approve 7
! cloche: --approve 7: no such call waits for an approval
[2]
$ cloche resume --config c.json s --approve ,
! cloche: --approve ,: calls' ids are wanted, such as 3 or 3,5, or all
[2]
$ cloche run --config c.json --snapshot no/such/folder/s p.js
before 1
! cloche: the snapshot no/such/folder/s cannot be written: No such file or directory
[125]

# What others could have written is believed only as far as that costs nothing.
$ : > ./-; cloche resume --config c.json - --approve all < s 2>&1 | head -1; rm ./-
cloche: others could have written -; what it says of the past is not believed (--key seals, --trust believes)
$ chmod g+w s; cloche resume --config c.json s --approve all
! cloche: others could have written s; what it says of the past is not believed (--key seals, --trust believes)
! cloche: s: a snapshot that anyone could have written needs an account to spend from (--accounts)
[2]
$ cloche resume --config c.json s --approve all --trust 2> /dev/null
finally
3

# Today's policy decides.
$ jq '.policy.rules[1] = {"pattern": "pay", "effect": "deny"}' c.json > d.json; chmod g-w s; cloche resume --config d.json s --approve all 2> err
finally
[1]
$ grep -c CapabilityError err
1
$ cloche run --config c.json --ask deny p.js 2> err
before 1
finally
[1]
$ head -1 err
cloche: pay waits for an approval, and nobody is to be asked: denied

# A shell script, in the middle of a loop in a pipeline.
$ cat > s.sh <<'E'
> printf '1\n2\n3\n' | while read -r n; do tool pay --n "$n" | jq -c .; done | tac
> echo "status $?"
> exit 7
> E
$ cloche sh --config c.json --snapshot sh s.sh 2> /dev/null
[3]
$ cloche resume --config c.json --snapshot sh sh --approve all 2> /dev/null
[3]
$ cloche snapshot info --json sh | jq -c '[.language, .pending[].params]'
["shell",{"n":2}]
$ sed 's/2 }/9 }/' c.json > e.json
$ cloche resume --config e.json --snapshot sh sh --approve all 2> /dev/null
[3]
$ cloche resume --config e.json sh --approve all 2> /dev/null
{"n":3}
{"n":2}
{"n":1}
status 0
[7]
