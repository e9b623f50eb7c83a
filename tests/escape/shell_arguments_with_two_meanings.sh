#! end: done
#! why: an argument that the gate could read one way and the tool another
#! calls: 9
#! stdout: "fine\n"
big() { grep -q 9 && echo "a large n was let through"; }
tool ping --n 1 --n 9 | big
tool ping --json '{"n":1,"n":9}' | big
tool ping --json '{"n":9}' --n 1 | big
tool ping --n 1 --json '{"n":9}' | big
tool ping --json '{"\u006e":9}' | big
tool ping --n 9e0 | big
tool ping --n=9 | big
tool ping --json '[{"n":9}]' | big
tool ping --json '{"n":"1","toJSON":9}' | big
echo '{"n":1}{"n":9}' | tool ping --json - | big
echo fine
