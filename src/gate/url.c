// SPDX-License-Identifier: MIT
/* url.c -- URLs, hosts and mail addresses, read strictly. */
#include "gate/url.h"

#include <string.h>

#include "gate/path.h"
#include "json/buffer.h"

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_letter(char c) {
  return lower(c) >= 'a' && lower(c) <= 'z';
}

static cloche_text cut(cloche_text text, size_t from, size_t to) {
  return (cloche_text){text.at + from, to - from};
}

static size_t find(cloche_text text, size_t from, const char *any) {
  while (from < text.len && (text.at[from] == '\0' || strchr(any, text.at[from]) == NULL)) from++;
  return from;
}

/* ---- hosts ---- */

/* Letters, digits, hyphens and, as some services have them, underscores, in labels of 1 to 63. */
static bool read_host_name(cloche_text text, cloche__host *host) {
  size_t label = 0;
  if (text.len == 0 || text.len >= sizeof host->name) return false;
  for (size_t i = 0; i < text.len; i++) {
    char c = lower(text.at[i]);
    host->name[i] = c;
    if (c == '.' ? label == 0 : !is_letter(c) && !is_digit(c) && c != '-' && c != '_') return false;
    label = c == '.' ? 0 : label + 1;
    if (label > 63) return false;
  }
  host->len = text.len;
  return label > 0;
}

bool cloche__host_read(cloche_text text, cloche__host *host) {
  *host = (cloche__host){0};
  if (text.len >= 2 && text.at[0] == '[' && text.at[text.len - 1] == ']') {
    host->is_address = true;
    return cloche__address_read_v6(cut(text, 1, text.len - 1), &host->address);
  }
  if (text.len > 1 && text.at[text.len - 1] == '.') text.len--; /* the root's dot changes nothing */
  if (text.len > 0 && cloche__address_is_v4(text)) {
    host->is_address = true;
    return cloche__address_read_v4(text, &host->address);
  }
  return read_host_name(text, host);
}

static bool ends_with_label(cloche_text name, cloche_text suffix) {
  if (name.len <= suffix.len || name.at[name.len - suffix.len - 1] != '.') return false;
  return memcmp(name.at + name.len - suffix.len, suffix.at, suffix.len) == 0;
}

bool cloche__host_is_private(const cloche__host *host) {
  static const char *const names[] = {"localhost", "local",     "localdomain",  "internal",
                                      "intranet",  "home.arpa", "lan",          "corp",
                                      "home",      "private",   "localdomain6", "localhost6"};
  cloche_text name = {host->name, host->len};
  if (host->is_address) return !cloche__address_is_public(&host->address);
  if (memchr(name.at, '.', name.len) == NULL) return true; /* one label is a name of this network */
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (ends_with_label(name, cloche__text(names[i]))) return true;
  }
  return cloche__text_equal(name, cloche__text("home.arpa"));
}

bool cloche__host_pattern_read(cloche_text text, cloche__host_pattern *pattern) {
  *pattern = (cloche__host_pattern){.self = true};
  if (text.len > 2 && text.at[0] == '*' && text.at[1] == '.') {
    pattern->self = false;
    pattern->below = true;
    text = cut(text, 2, text.len);
  } else if (text.len > 1 && text.at[0] == '.') {
    pattern->below = true;
    text = cut(text, 1, text.len);
  }
  return cloche__host_read(text, &pattern->host) && !(pattern->host.is_address && pattern->below);
}

bool cloche__host_pattern_matches(const cloche__host_pattern *pattern, const cloche__host *host) {
  if (pattern->host.is_address != host->is_address) return false;
  if (host->is_address) return memcmp(&pattern->host.address, &host->address, 16) == 0;
  cloche_text own = {pattern->host.name, pattern->host.len}, name = {host->name, host->len};
  return (pattern->self && cloche__text_equal(own, name)) ||
         (pattern->below && ends_with_label(name, own));
}

bool cloche__email_domain(cloche_text text, cloche__host *domain) {
  size_t at = 0;
  for (; at < text.len && text.at[at] != '@'; at++) {
    char c = text.at[at];
    bool dot = c == '.' && at > 0 && text.at[at - 1] != '.';
    bool mark = c != '\0' && strchr("!#$%&'*+-/=?^_`{|}~", c) != NULL;
    if (!is_letter(c) && !is_digit(c) && !dot && !mark) return false;
  }
  if (at == 0 || at > 64 || at == text.len || text.at[at - 1] == '.') return false;
  return cloche__host_read(cut(text, at + 1, text.len), domain) && !domain->is_address;
}

/* ---- URLs ---- */

static bool read_scheme(cloche_text text, cloche__url *url, size_t *used) {
  size_t len = find(text, 0, ":");
  if (len == 0 || len == text.len || len >= sizeof url->scheme || !is_letter(text.at[0]))
    return false;
  for (size_t i = 0; i < len; i++) {
    char c = lower(text.at[i]);
    if (!is_letter(c) && !is_digit(c) && c != '+' && c != '-' && c != '.') return false;
    url->scheme[i] = c;
  }
  url->scheme_len = len;
  *used = len + 1;
  return true;
}

static int default_port(const cloche__url *url) {
  static const struct {
    const char *scheme;
    int port;
  } known[] = {{"http", 80}, {"https", 443}, {"ws", 80}, {"wss", 443}, {"ftp", 21}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (cloche__text_equal((cloche_text){url->scheme, url->scheme_len},
                           cloche__text(known[i].scheme))) {
      return known[i].port;
    }
  }
  return -1;
}

static bool read_port(cloche_text text, int *port) {
  int value = 0;
  if (text.len == 0) return true; /* "host:" is the scheme's own */
  if (text.len > 5) return false;
  for (size_t i = 0; i < text.len; i++) {
    if (!is_digit(text.at[i])) return false;
    value = value * 10 + (text.at[i] - '0');
  }
  *port = value;
  return value <= 65535;
}

static bool read_authority(cloche_text text, cloche__url *url) {
  size_t host = text.len > 0 && text.at[0] == '[' ? find(text, 0, "]") + 1 : find(text, 0, ":");
  if (host > text.len || memchr(text.at, '@', text.len) != NULL) return false;
  if (host < text.len && text.at[host] != ':') return false;
  if (!cloche__host_read(cut(text, 0, host), &url->host)) return false;
  return host == text.len || read_port(cut(text, host + 1, text.len), &url->port);
}

bool cloche__url_read(cloche_text text, cloche__url *url) {
  size_t at;
  if (text.len > CLOCHE__URL_BYTES || !read_scheme(text, url, &at)) return false;
  for (size_t i = 0; i < text.len; i++) {
    unsigned char c = (unsigned char)text.at[i];
    if (c <= ' ' || c >= 0x7F || c == '\\') return false; /* readers strip, fold or convert these */
  }
  if (text.len - at < 2 || memcmp(text.at + at, "//", 2) != 0) return false;
  at += 2;
  size_t slash = find(text, at, "/?#"), end = find(text, slash, "?#");
  url->port = default_port(url);
  url->path = cut(text, slash, end);
  return slash > at && read_authority(cut(text, at, slash), url);
}

/* ---- paths of URLs ---- */

static int hex(char c) {
  return is_digit(c) ? c - '0' : lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : -1;
}

/* Decodes into `out`, which has room for `path`. False for what readers take differently. */
static bool decode_path(cloche_text path, char *out, size_t *len) {
  for (size_t i = 0; i < path.len; i++) {
    char c = path.at[i];
    if (c == '%') {
      int high = path.len - i > 2 ? hex(path.at[i + 1]) : -1;
      int low = high < 0 ? -1 : hex(path.at[i + 2]);
      if (low < 0) return false;
      c = (char)(high * 16 + low);
      i += 2;
      if (c == '/' || c == '\\' || c == '\0' || c == '%' || c == '.') return false;
    }
    if (c == ';') return false; /* "/..;/" climbs on some servers */
    /* "/a//../b" is "/b" where empty segments count for nothing, and "/a/b" where they count. */
    if (c == '/' && *len > 0 && out[*len - 1] == '/') return false;
    out[(*len)++] = c;
  }
  return true;
}

bool cloche__url_path_within(cloche_text path, cloche_text prefix, bool *clear) {
  char decoded[CLOCHE__URL_BYTES];
  size_t len = 0;
  if (path.len == 0) path = (cloche_text){"/", 1};
  *clear = path.len <= sizeof decoded && decode_path(path, decoded, &len);
  return *clear && cloche__path_within((cloche_text){decoded, len}, prefix) == CLOCHE__WITHIN_YES;
}
