// SPDX-License-Identifier: MIT
/* url.h -- URLs, hosts and mail addresses, read so strictly that no two readers can disagree.
 *
 * Whatever browsers and libraries are known to take differently (a backslash, userinfo, white
 * space, an encoded or non-ASCII host, an encoded slash in a path) is refused, not guessed at. No
 * name is looked up: a public name that leads to a private address is beyond what this can see. */
#ifndef CLOCHE_GATE_URL_H
#define CLOCHE_GATE_URL_H

#include "gate/address.h"
#include "limits.h"

typedef struct cloche__host {
  bool is_address;
  cloche__address address;
  char name[254]; /* lower case, without the root's dot; for an address, empty */
  size_t len;
} cloche__host;

typedef struct cloche__url {
  char scheme[32]; /* lower case */
  size_t scheme_len;
  cloche__host host;
  int port;         /* the scheme's own when none is written; -1 when it has none */
  cloche_text path; /* as written: what starts at the first slash, up to ? or # */
} cloche__url;

/* A pattern of hosts, as policies have it: a name, an address, "*.example.com" (what lies below)
 * or ".example.com" (itself and what lies below). */
typedef struct cloche__host_pattern {
  bool self, below;
  cloche__host host;
} cloche__host_pattern;

bool cloche__url_read(cloche_text text, cloche__url *url);
/* A host without brackets is no IPv6 address. False for what is no proper host. */
bool cloche__host_read(cloche_text text, cloche__host *host);
/* A private address, or a name that stands for one: localhost, *.local, *.internal... */
bool cloche__host_is_private(const cloche__host *host);
bool cloche__host_pattern_read(cloche_text text, cloche__host_pattern *pattern);
bool cloche__host_pattern_matches(const cloche__host_pattern *pattern, const cloche__host *host);
/* The domain of a plain address: one @, no quotes, no comments, no display name. */
bool cloche__email_domain(cloche_text text, cloche__host *domain);
/* True if the path of a URL is `prefix` or below it, after decoding and . and .. are resolved.
 * *clear becomes false when it cannot be told because readers differ (%2F, %5C, %00, %25). */
bool cloche__url_path_within(cloche_text path, cloche_text prefix, bool *clear);

#endif
