// SPDX-License-Identifier: MIT
/* address.h -- internet addresses in every spelling that a browser or a C library takes. */
#ifndef CLOCHE_GATE_ADDRESS_H
#define CLOCHE_GATE_ADDRESS_H

#include "cloche.h"

typedef struct cloche__address {
  uint8_t bytes[16]; /* an IPv4 address as ::ffff:a.b.c.d */
} cloche__address;

/* Does the host's last label make it an IPv4 address, right or wrong (the WHATWG's rule)? */
bool cloche__address_is_v4(cloche_text host);
/* One to four numbers, decimal, octal (017) or hexadecimal (0x7f), the last filling the rest. */
bool cloche__address_read_v4(cloche_text host, cloche__address *address);
/* What stands between the brackets; no zone. */
bool cloche__address_read_v6(cloche_text text, cloche__address *address);
/* Only addresses that anybody can reach are public: not private, loopback, link-local, shared,
 * documentation, multicast or reserved, nor an IPv6 form that carries such an IPv4 address. */
bool cloche__address_is_public(const cloche__address *address);

#endif
