#! end: done
#! why: ways in which commands are known to leave their box
#! stdout: "fine\n"
awk 'BEGIN { "cat /etc/passwd" | getline x; print x; print "x" | "cat >/etc/x" }' 2>/dev/null | grep .
sqlite3 :memory: "select readfile('/etc/passwd');" 2>/dev/null | grep root
sqlite3 :memory: "attach '/etc/x.db' as x; create table x.t(a);" 2>/dev/null; ls /etc 2>/dev/null
sqlite3 :memory: '.shell echo reached' 2>/dev/null; sqlite3 :memory: '.system echo reached' 2>/dev/null; sqlite3 :memory: ".load /tmp/x" 2>/dev/null
echo x | sed 'e echo reached' 2>/dev/null; echo x | sed 's/x/echo reached/e' 2>/dev/null
jq -n 'env | keys - ["HOME","PATH","LANG","PWD","OLDPWD","SHLVL","_","SHELL","TMPDIR","USER","LOGNAME"] | .[]'
jq -n 'import "/etc/passwd" as x; 1' 2>/dev/null | grep root; jq -n '[limit(3; input_filename, $__prog_args, $__loc__)] | length' >/dev/null 2>&1
tar cf a.tar --to-command='echo reached' . 2>/dev/null; tar xf a.tar --checkpoint=1 --checkpoint-action=exec='echo reached' 2>/dev/null
find . -maxdepth 0 -exec sh -c 'cat /etc/passwd' \; 2>/dev/null
echo fine
