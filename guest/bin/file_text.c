// SPDX-License-Identifier: MIT
// file_text.c -- what kind of text content is: its characters, its lines, its language. See file.h.
#include "../text/unicode.h"
#include "file.h"
#include "json.h"

/* A line of more bytes is "very long". */
#define LONG_LINE 300u

typedef enum { ASCII, UTF8, UTF8_BOM, UTF16_LITTLE, UTF16_BIG, LATIN1, EXTENDED, BINARY } encoding;

static const char *const encoding_words[] = {"ASCII",
                                             "Unicode text, UTF-8",
                                             "Unicode text, UTF-8 (with BOM)",
                                             "Unicode text, UTF-16, little-endian",
                                             "Unicode text, UTF-16, big-endian",
                                             "ISO-8859",
                                             "Non-ISO extended-ASCII",
                                             ""};
static const char *const charsets[] = {"us-ascii", "utf-8",      "utf-8",        "utf-16le",
                                       "utf-16be", "iso-8859-1", "unknown-8bit", "binary"};

static bool is_text_byte(unsigned char c) {
  return (c >= 7 && c <= 13) || c == 27 || (c >= 32 && c < 127);
}

static encoding find_encoding(const content *c) {
  const char *at = (const char *)c->at;
  if (c->size >= 2 && memcmp(at, "\xff\xfe", 2) == 0) return UTF16_LITTLE;
  if (c->size >= 2 && memcmp(at, "\xfe\xff", 2) == 0) return UTF16_BIG;
  bool ascii = true, utf8 = true, latin = true;
  for (size_t i = 0, step; i < c->size; i += step) {
    uint32_t point;
    step = 1;
    if (c->at[i] < 0x80) {
      if (!is_text_byte(c->at[i])) return BINARY;
      continue;
    }
    ascii = false;
    if (utf8) {
      size_t used = utf8_decode(at + i, c->size - i, &point);
      bool cut = used == 0 && c->size == FILE_HEAD && c->size - i < 4;
      if (used > 0) step = used;
      utf8 = used > 0 || cut;
    }
    if (!utf8 && step == 1 && c->at[i] < 0xa0 && c->at[i] != 0x85) latin = false;
  }
  if (ascii) return ASCII;
  if (utf8) return c->size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0 ? UTF8_BOM : UTF8;
  return latin ? LATIN1 : EXTENDED;
}

const char *file_charset(const content *c) {
  return charsets[find_encoding(c)];
}

/* ---- languages ---- */

static bool begins(const char *at, const char *with) {
  return strncmp(at, with, strlen(with)) == 0;
}

static bool begins_any_case(const char *at, const char *with) {
  for (; *with != 0; at++, with++) {
    char lower = *at >= 'A' && *at <= 'Z' ? (char)(*at | 32) : *at;
    if (lower != *with) return false;
  }
  return true;
}

typedef struct {
  const char *words, *mime;
  bool executable; /* "... text executable" */
  bool alone;      /* nothing is said about its characters */
} language;

/* What `#!` names. */
static bool find_interpreter(const char *at, text *words, language *found) {
  static const struct {
    const char *name, *words, *mime;
  } known[] = {{"sh", "POSIX shell script", "text/x-shellscript"},
               {"dash", "POSIX shell script", "text/x-shellscript"},
               {"bash", "Bourne-Again shell script", "text/x-shellscript"},
               {"zsh", "Paul Falstad's zsh script", "text/x-shellscript"},
               {"python", "Python script", "text/x-script.python"},
               {"python2", "Python script", "text/x-script.python"},
               {"python3", "Python script", "text/x-script.python"},
               {"ruby", "Ruby script", "text/x-ruby"},
               {"awk", "awk script", "text/x-awk"},
               {"gawk", "GNU awk script", "text/x-gawk"},
               {"perl", "Perl script text executable", "text/x-perl"},
               {"node", "Node.js script executable", "application/javascript"}};
  if (!begins(at, "#!")) return false;
  at += 2;
  at += strspn(at, " \t");
  size_t line = strcspn(at, "\n"), size = strcspn(at, " \t\n");
  const char *name = at, *command = at;
  if (size >= 4 && memcmp(at + size - 4, "/env", 4) == 0) {
    command = name = at + size + strspn(at + size, " \t");
    size = strcspn(name, " \t\n");
  }
  for (size_t i = 0; i < size; i++) {
    if (command[i] == '/') name = command + i + 1;
  }
  size -= (size_t)(name - command);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strlen(known[i].name) != size || memcmp(name, known[i].name, size) != 0) continue;
    found->words = known[i].words;
    found->mime = known[i].mime;
    found->alone = strcmp(known[i].name, "perl") == 0; /* file(1) says no more of these */
    found->executable = strstr(found->words, "executable") == NULL;
    return true;
  }
  text_format(words, "a %.*s script", (int)(line < 200 ? line : 200), at);
  found->words = text_end(words);
  found->mime = "text/plain";
  found->executable = true;
  return true;
}

/* What the first characters say. */
static bool find_start(const char *at, language *found) {
  static const struct {
    const char *start, *words, *mime;
    bool alone;
  } known[] = {{"<?xml", "XML 1.0 document", "text/xml", false},
               {"<!doctype html", "HTML document", "text/html", false},
               {"<html", "HTML document", "text/html", false},
               {"<svg", "SVG Scalable Vector Graphics image", "image/svg+xml", true},
               {"-----begin certificate-----", "PEM certificate", "text/plain", true},
               {"-----begin rsa private key-----", "PEM RSA private key", "text/plain", true},
               {"-----begin openssh private key-----", "OpenSSH private key", "text/plain", true},
               {"ssh-rsa ", "OpenSSH RSA public key", "text/plain", true},
               {"\\documentclass", "LaTeX 2e document", "text/x-tex", false},
               {"diff --git ", "unified diff output", "text/x-diff", false},
               {"from: ", "news or mail", "message/rfc822", false}};
  at += strspn(at, " \t\r\n");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!begins_any_case(at, known[i].start)) continue;
    *found = (language){known[i].words, known[i].mime, false, known[i].alone};
    return true;
  }
  if (begins(at, "--- ") && strstr(at, "\n+++ ") != NULL && strstr(at, "\n@@ ") != NULL) {
    *found = (language){"unified diff output", "text/x-diff", false, false};
    return true;
  }
  return false;
}

/* `def NAME(` or `from NAME import`, at the beginning of a line. */
static bool is_python(const char *line) {
  static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  const char *at = line + strspn(line, " \t");
  if (begins(at, "def ")) {
    at += 4;
    size_t size = strspn(at, name);
    return size > 0 && at[size] == '(' && strstr(at, "):") != NULL;
  }
  if (!begins(line, "from ")) return false;
  at = line + 5 + strspn(line + 5, " \t");
  size_t size = strcspn(at, " \t\n");
  return size > 0 && begins(at + size, " import");
}

/* Looks along the first lines for what only one language has. */
static bool find_lines(const char *at, language *found) {
  bool c = false;
  for (int line = 0; line < 200 && *at != 0; line++) {
    if (is_python(at)) {
      *found = (language){"Python script", "text/x-script.python", true, false};
      return true;
    }
    if (begins(at, "#include <") || begins(at, "#include \"")) c = true;
    if (begins(at, "import java.")) {
      *found = (language){"Java source", "text/x-java", false, false};
      return true;
    }
    bool plus = begins(at, "class ") || begins(at, "template<") || begins(at, "template <") ||
                begins(at, "namespace ");
    if (c && plus) {
      *found = (language){"C++ source", "text/x-c++", false, false};
      return true;
    }
    at += strcspn(at, "\n");
    at += *at == '\n';
  }
  if (c) *found = (language){"C source", "text/x-c", false, false};
  return c;
}

/* Skips a CSV field; the separator or line end behind it stays. */
static const char *skip_field(const char *at) {
  if (*at == '"') {
    for (at++; *at != 0; at++) {
      if (*at == '"' && at[1] == '"')
        at++;
      else if (*at == '"')
        break;
    }
  }
  return at + strcspn(at, ",\n");
}

/* At least three lines, all with the same number of commas, and some. */
static bool is_csv(const char *at) {
  size_t lines = 0, first = 0, commas = 0;
  while (*at != 0 && lines < 10) {
    at = skip_field(at);
    if (*at == ',') {
      commas++, at++;
      continue;
    }
    if (*at == 0) break;
    if (lines++ == 0) first = commas;
    if (commas != first || commas == 0) return false;
    commas = 0;
    at++;
  }
  return lines > 2;
}

static bool is_json(const content *c, language *found) {
  const char *at = (const char *)c->at;
  size_t skip = strspn(at, " \t\r\n"), wrong = 0;
  if (c->size >= FILE_HEAD || (at[skip] != '{' && at[skip] != '[')) return false;
  if (json_parse(at, c->size, &wrong) != NULL) {
    *found = (language){"JSON text data", "application/json", false, true};
    return true;
  }
  size_t lines = 0;
  for (size_t size; *at != 0; at += size + (at[size] == '\n'), lines++) {
    size = strcspn(at, "\n");
    if (json_parse(at, size, &wrong) == NULL) return false;
  }
  if (lines < 2) return false;
  *found = (language){"New Line Delimited JSON text data", "application/x-ndjson", false, true};
  return true;
}

static bool find_language(const content *c, text *words, language *found) {
  const char *at = (const char *)c->at;
  if (begins(at, "\xef\xbb\xbf")) at += 3;
  if (find_interpreter(at, words, found) || find_start(at, found) || is_json(c, found)) return true;
  if (is_csv(at)) {
    *found = (language){"CSV text", "text/csv", false, true};
    return true;
  }
  return find_lines(at, found);
}

/* ---- lines ---- */

typedef struct {
  size_t feeds, returns, both, longest;
  bool escapes, backspaces;
} line_facts;

static line_facts look_at_lines(const content *c, size_t step, size_t low) {
  line_facts f = {0};
  size_t length = 0;
  for (size_t i = low; i < c->size; i += step) {
    unsigned char here = c->at[i], next = i + step < c->size ? c->at[i + step] : 0;
    if (step == 2 && c->at[i ^ 1] != 0) here = 'x';
    f.escapes |= here == 27;
    f.backspaces |= here == 8;
    if (here != '\n' && here != '\r') {
      length++;
      if (length > f.longest) f.longest = length;
      continue;
    }
    length = 0;
    if (here == '\r' && next == '\n') {
      f.both++;
      i += step;
    } else if (here == '\r') {
      f.returns++;
    } else {
      f.feeds++;
    }
  }
  return f;
}

static void add_lines(text *to, const line_facts *f) {
  if (f->longest > LONG_LINE) text_format(to, ", with very long lines (%zu)", f->longest);
  if (f->both + f->returns + f->feeds == 0) {
    text_string(to, ", with no line terminators");
  } else if (f->both + f->returns > 0) {
    const char *between = ", with ";
    if (f->both > 0) text_format(to, "%sCRLF", between), between = ", ";
    if (f->returns > 0) text_format(to, "%sCR", between), between = ", ";
    if (f->feeds > 0) text_format(to, "%sLF", between);
    text_string(to, " line terminators");
  }
  if (f->escapes) text_string(to, ", with escape sequences");
  if (f->backspaces) text_string(to, ", with overstriking");
}

void file_is_text(const content *c, verdict *v) {
  encoding e = find_encoding(c);
  language found = {.mime = "text/plain"};
  text words = {0};
  v->charset = charsets[e];
  if (c->size <= 1 || e == BINARY) {
    text_string(&v->words, c->size == 1 ? "very short file (no magic)" : "data");
    v->charset = "binary";
    v->mime = "application/octet-stream";
    return;
  }
  bool wide = e == UTF16_LITTLE || e == UTF16_BIG;
  bool known = !wide && find_language(c, &words, &found);
  v->mime = found.mime;
  if (known) text_string(&v->words, found.words);
  if (known && found.alone) return;
  text_format(&v->words, "%s%s text%s", known ? ", " : "", encoding_words[e],
              found.executable ? " executable" : "");
  line_facts f = look_at_lines(c, wide ? 2 : 1, wide && e == UTF16_BIG ? 1 : 0);
  add_lines(&v->words, &f);
}
