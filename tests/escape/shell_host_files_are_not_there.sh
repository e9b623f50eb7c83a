#! end: done
#! why: what lies on every Linux machine
#! stdout: "fine\n"
for path in /etc/passwd /etc/hostname /proc/self/environ /proc/1/root /proc/self/mem /sys/kernel /dev/mem /dev/kmsg /root /home /usr/lib /bin/bash ../../../../etc/shadow; do
  cat "$path" >/dev/null 2>&1 && echo "$path can be read"
done
for path in /dev/tcp/127.0.0.1/22 /dev/udp/127.0.0.1/53; do (: < $path) 2>/dev/null && echo "$path can be opened"; done
ln -s /etc out && cat out/passwd 2>/dev/null
find / -name passwd -o -name environ | grep .
echo fine
