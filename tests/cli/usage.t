The command line itself: what it takes, what it says when it is given something else.

$ cloche
! usage: cloche COMMAND ...
! Runs programs that a language model wrote, with only the tools that were granted.
! <...>
[2]
$ cloche --help | head -1
usage: cloche COMMAND ...
$ cloche rnu
! cloche: there is no command "rnu"; did you mean "run"?
[2]
$ cloche xyzzy
! cloche: there is no command "xyzzy"; see cloche --help
[2]
$ cloche version
cloche 0.1.0
image <...>
$ cloche --version | wc -l
2

# Help fits a screen of 24 lines by 80 columns.
$ cloche run --help | awk 'length > 80 || NR > 24'
$ cloche run --help | head -1
usage: cloche run [options] FILE | - | -e CODE
$ cloche sh --help | head -1
usage: cloche sh [options] FILE | - | -c CODE [-- ARGUMENT...]

$ cloche run
! cloche: there is no program; see cloche run --help
[2]
$ cloche run -e 1 file.js
! cloche: a program comes from a file or from the command line, not from both
[2]
$ cloche run a.js b.js
! cloche: "b.js" is one word too many; see cloche run --help
[2]
$ cloche run --tiemout 5s -e 1
! cloche: there is no option --tiemout; did you mean --timeout?
[2]
$ cloche run --frobnicate -e 1
! cloche: there is no option --frobnicate; see cloche run --help
[2]
$ cloche run -x
! cloche: there is no option -x; see cloche run --help
[2]
$ cloche run -e
! cloche: -e wants a value
[2]
$ cloche run --json=yes -e 1
! cloche: --json takes no value
[2]
$ cloche run --timeout 1s --timeout=2s -e 1
! cloche: --timeout is given twice
[2]
$ cloche version --json
! cloche: there is no option --json; see cloche version --help
[2]

# Quantities.
$ cloche run --timeout 5 -e 1
! cloche: --timeout 5: a duration is wanted, such as 500ms, 5s, 2m or none
[2]
$ cloche run --memory lots -e 1
! cloche: --memory lots: a size is wanted, such as 4096, 64KiB, 1MB or none
[2]
$ cloche run --memory 64mib -e 1
! cloche: --memory 64mib: a size is wanted, such as 4096, 64KiB, 1MB or none
[2]
$ cloche run --calls 1.5 -e 1
! cloche: --calls 1.5: a whole number is wanted, or none
[2]
$ cloche run --memory 1.5 -e 1
! cloche: --memory 1.5: the number is finer than its smallest unit
[2]
$ cloche run --calls -1 -e 1
! cloche: --calls -1: a whole number is wanted, or none
[2]
$ cloche run --calls 0 -e 1
! cloche: --calls 0: at least 1 is wanted; leave it out for the default
[2]
$ cloche run --memory 99999999999GiB -e 1
! cloche: --memory 99999999999GiB: the number is too large
[2]
$ cloche run --seed x -e 1
! cloche: --seed x: a whole number below 2^64 is wanted
[2]
$ cloche run --time yesterday -e 1
! cloche: --time yesterday: a time is wanted, such as 2026-03-01 or 2026-03-01T12:00:00Z
[2]
$ cloche run --time 2026-02-29 -e 1
! cloche: --time 2026-02-29: there is no such day
[2]
$ cloche run --timeout 1.5s --total_timeout 2m --memory 32MiB --output 1MB --in-flight 4 -e 'return 1'
1

# Files.
$ cloche run nosuch.js
! cloche: the program nosuch.js cannot be read: No such file or directory
[2]
$ cloche run .
! cloche: the program . cannot be read: Is a directory
[2]
$ cloche run --config nosuch.json -e 1
! cloche: the configuration nosuch.json cannot be read: No such file or directory
[2]
$ cloche run --stdin-from nosuch.txt -e 1
! cloche: the program's input nosuch.txt cannot be read: No such file or directory
[2]
$ cloche run --stdin-from - -
! cloche: the program and its input cannot both be standard input
[2]
$ cloche tools
! cloche: --config FILE is missing: which tools?
[2]
