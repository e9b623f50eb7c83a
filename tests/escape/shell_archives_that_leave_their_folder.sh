#! end: done
#! why: names in an archive that point elsewhere
#! stdout: "fine\n"
mkdir -p a in && echo x > a/x && ln -s / a/root && ln -s ../../tmp a/up
tar cf a.tar -C a . && tar xf a.tar -C in && ls in/root/etc 2>/dev/null
tar cf b.tar --transform='s|x|../../../tmp/evil|' a/x 2>/dev/null && tar xf b.tar -C in 2>/dev/null
test -e /evil && echo left; test -e /tmp/evil && echo left through transform
rm -rf in && mkdir in
printf '../../tmp/evil2' | xargs -I{} sh -c 'tar cPf c.tar {} 2>/dev/null; tar xf c.tar -C in 2>/dev/null'
test -e /tmp/evil2 && echo left
echo fine
