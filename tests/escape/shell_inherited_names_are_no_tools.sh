#! end: done
#! why: names that every JavaScript object has
#! stdout: "1 1 1 1 1 fine\n"
for name in constructor __proto__ toString hasOwnProperty then; do tool $name --n 1 2>/dev/null; printf '%s ' $(($? != 0)); done
echo fine
