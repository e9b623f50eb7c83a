sleep 9 & kill $!; wait $!; jobs; sleep 1 & jobs
