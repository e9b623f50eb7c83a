#! end: done
#! why: CVE-2014-6271 and its kin: code in variables that are handed on
#! stdout: "fine\n"
env x='() { :; }; echo reached' sh -c :
env 'BASH_FUNC_ls%%=() { echo reached; }' sh -c ls >/dev/null
export BASH_ENV=/workspace/s ENV=/workspace/s PROMPT_COMMAND='echo reached' PS4='$(echo reached >/dev/tty)'; echo 'echo reached' > s
sh -c : ; sh -xc : 2>/dev/null
a='a[$(echo reached >&2)]'; unset "$a" 2>/dev/null
LD_PRELOAD=./s.so PATH=.:$PATH sh -c :
echo fine
