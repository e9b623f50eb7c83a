# Folders of the host.

$ mkdir -p data out && echo hello > data/a.txt && ln -s /etc data/etc
$ cloche sh --mount ./data:/data -c 'cat /data/a.txt; echo x > /data/b; cat /data/etc/passwd; ls /data'
hello
a.txt
etc
! bash: line 1: /data/b: Permission denied
! cat: /data/etc/passwd: No such file or directory

$ cloche run --mount data:/data:ro --mount=out:/out:rw -e 'const fs = require("fs"); fs.writeFileSync("/out/copy", fs.readFileSync("/data/a.txt"))'
! cloche: created /out/copy, 6 bytes, in the mounted folder too
$ cat out/copy
hello

# One that fails writes nothing; a link that leads out is not made.
$ cloche run --mount out:/out:rw -e 'require("fs").unlinkSync("/out/copy"); throw new Error("no")'
! Error: no
! <...>
[1]
$ cloche sh --mount out:/out:rw -c 'rm /out/copy; ln -s /etc /out/l; echo done'
done
! cloche: deleted /out/copy, 6 bytes, but not in the mounted folder: not deleted, since something else could not be written
! cloche: created link /out/l, but not in the mounted folder: not permitted, as for links that lead out of it
[125]
$ cloche run --json --mount out:/out:rw -e 'require("fs").unlinkSync("/out/copy")'
{<...>"files":{"created":[],"modified":[],"deleted":[{"path":"/out/copy","kind":"file","size":6,"written":true}]},<...>}
$ ls out

# In the configuration: relative to the file.
$ mkdir -p etc && echo '{"mounts": [{"host": "../data", "guest": "/workspace"}]}' > etc/cloche.json
$ cloche sh --config etc/cloche.json -c 'cat a.txt'
hello

# What cannot be mounted.
$ cloche run --mount none:/data -e 1
! cloche: --mount: none cannot be mounted at /data: No such file or directory
[2]
$ cloche run --mount data/a.txt:/data -e 1
! cloche: --mount: data/a.txt cannot be mounted at /data: Not a directory
[2]
$ cloche run --mount data:data -e 1
! cloche: --mount data:data: HOST:GUEST or HOST:GUEST:rw is wanted, GUEST from the root: ./data:/data
[2]
$ cloche run --mount data:/data:rx -e 1
! cloche: --mount data:/data:rx: the mode is ro or rw
[2]
$ cloche run --mount data:/x --mount data:/x/y -e 1
! cloche: --mount: data cannot be mounted at /x/y: a mount cannot lie in another one, or around it
[2]
$ echo '{"mounts": [{"host": "x", "guest": "/x"}]}' > c.json; cloche run --config c.json -e 1
! cloche: /mounts/0: ./x cannot be mounted at /x: No such file or directory
[2]

# A program with mounts is not suspended: a call that would need a person is denied.
$ cat > ask.json <<'END'
> { "tools": [ { "name": "pay", "command": ["cat"] } ],
>   "policy": { "rules": [ { "pattern": "pay", "effect": "ask", "reason": "money" } ] } }
> END
$ cloche run --config ask.json --mount data:/data -e 'try { await pay({}) } catch (e) { return e.code }' </dev/null
approval.denied
! cloche: pay waits for an approval, and there is no terminal to ask on: denied
$ ls *.snap 2>/dev/null
[2]
$ cloche run --config ask.json --mount data:/data --ask suspend -e 1
! cloche: a program with mounted folders cannot be saved: --ask terminal or deny
[2]
