#! end: done limit.time
#! options: --timeout 300ms
echo "define f(n) { return f(n+1); } f(1)" | bc
