#! end: done
#! why: calls from EXIT, and from a process that outlives the shell
#! calls: 4
#! stdout: "fine\n"
trap 'tool secret; tool secret && echo reached' EXIT
(sleep 0.01; tool secret && echo reached) &
echo fine
exit 0
