#! end: limit.time
#! options: --timeout 300ms
node -e "for(;;);" & node -e "for(;;);" & wait
