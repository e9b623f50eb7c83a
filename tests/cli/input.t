Standard input is there to its end, or the run does not start. Nothing is removed by a name that stands for another. A program
that memory has no room for is no syntax error.

$ head -c 20000 /dev/zero > input; cloche run --stdin-from input -e 'return fs.readFileSync(0).length'
20000
$ cloche run --file-bytes 10000 --stdin-from input -e 'return 1'
! cloche: limit.memory: <...>--file-bytes<...>
[137]
$ cloche sh --file-bytes 10000 --stdin-from input -c 'wc -c'
! cloche: limit.memory: <...>--file-bytes<...>
[137]
$ cloche run -e 'fs.writeFileSync("a", "1"); for (const path of [".", "./.", ".."]) try { fs.rmSync(path, { recursive: true }) } catch (error) { console.log(error.code) } return fs.readdirSync(".")'
EINVAL
EINVAL
EACCES
["a"]
$ python3 -c "print('let a=0;\n' + 'a+=1;\n' * 400000)" > long.js; cloche run --memory 8MiB long.js
! cloche: limit.memory: <...>
[137]
