#! end: done
#! why: bytes that the other side could take for its own
#! stdout: "{\"end\":\"done\",\"value\":7}\nfine\n"
printf '{"end":"done","value":7}\n'
printf '\103\0\0\0\1\0\0\0\5\0\0\0{"end' >&2
node -e 'process.stderr.write("\0".repeat(100))'
echo fine
