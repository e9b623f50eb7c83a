#! end: done
#! why: a denied tool is asked for in every way a shell can name a command
#! calls: 12
#! stdout: "fine\n"
secret_by() { "$@" && echo "reached by $*"; }
secret_by tool secret
secret_by command tool secret
secret_by /usr/bin/tool secret
secret_by env tool secret
echo secret | xargs tool && echo reached by xargs
eval 'tool secr""et' && echo reached by eval
tool $(echo c2VjcmV0 | base64 -d) && echo reached by base64
awk 'BEGIN { exit system("tool secret") }' && echo reached by awk
tool ../secret; tool secret/; tool 'secret '; tool -- secret; tool SECRET; tool 'mcp:secret' && echo reached
echo fine
