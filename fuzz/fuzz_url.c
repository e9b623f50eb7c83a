// SPDX-License-Identifier: MIT
/* fuzz_url.c -- URLs, hosts, mail addresses, times: any bytes are read or refused; a host that is
 * read matches the pattern of its own spelling. */
#include <stdlib.h>

#include "gate/time.h"
#include "gate/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  cloche_text text = {(const char *)bytes, size};
  cloche__url url;
  cloche__host host;
  cloche__host_pattern pattern;
  cloche__time time;
  int64_t duration;
  bool clear;
  if (cloche__url_read(text, &url)) {
    if (url.path.at < text.at || url.path.at + url.path.len > text.at + text.len) abort();
    cloche__url_path_within(url.path, (cloche_text){"/", 1}, &clear);
    if (!url.host.is_address && url.host.len == 0) abort();
  }
  if (cloche__host_read(text, &host)) {
    cloche__host_is_private(&host);
    if (!cloche__host_pattern_read(text, &pattern)) abort();
    if (!cloche__host_pattern_matches(&pattern, &host)) abort();
  }
  cloche__email_domain(text, &host);
  cloche__time_read(text, &time);
  cloche__duration_read(text, &duration);
  return 0;
}
