#! end: limit.time
#! options: --timeout 300ms
echo "9^9^9^9" | bc
