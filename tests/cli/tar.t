# GNU tar's archives in the shell.

$ mkdir d; truncate -s 1M d/holes; printf end >> d/holes; printf x > d/f; ln d/f d/g
$ tar -cS --format=gnu -f gnu.tar d; tar -cS --format=pax -f pax.tar d; tar -c --format=pax -f plain.tar d
$ for f in plain gnu pax; do cloche sh --mount .:/data -c "tar xf /data/$f.tar; echo \$?; ls d; stat -c '%h %s' d/f d/g"; done
0
f
g
holes
2 1
2 1
2
f
g
2 1
2 1
2
f
g
2 1
2 1
! tar: d/holes: a sparse file, which is not unpacked here; pack it without --sparse
! tar: Exiting with failure status due to previous errors
! tar: d/holes: a sparse file, which is not unpacked here; pack it without --sparse
! tar: Exiting with failure status due to previous errors
