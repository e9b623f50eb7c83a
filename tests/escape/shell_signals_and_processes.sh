#! end: done
#! why: other processes of the machine do not exist here
#! stdout: "fine\n"
kill -0 1 2>/dev/null; kill -9 2 2>/dev/null
ps 2>/dev/null | grep -c . >/dev/null
ulimit -s unlimited 2>/dev/null; renice -n -20 1 2>/dev/null; nice true 2>/dev/null
exec 3<>/dev/ptmx 2>/dev/null && echo a terminal; exec 4</proc/self/fd/0 2>/dev/null && echo reached
sudo true 2>/dev/null && echo reached; su -c true 2>/dev/null && echo reached; chroot / true 2>/dev/null; mount 2>/dev/null | grep .
echo fine
