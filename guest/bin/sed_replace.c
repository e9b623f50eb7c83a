// SPDX-License-Identifier: MIT
// sed_replace.c -- builds what s puts in place of a match, with its changes of case.
#include "../text/unicode.h"
#include "sed.h"

typedef struct {
  text *out;
  sed_case all, next;
} writer;

static void put(writer *w, const char *at, size_t size) {
  if (w->all == CASE_KEEP && w->next == CASE_KEEP) {
    if (size > 0) text_add(w->out, at, size);
    return;
  }
  for (size_t i = 0; i < size;) {
    uint32_t c;
    size_t length = utf8_decode(at + i, size - i, &c);
    if (length == 0) {
      text_char(w->out, at[i++]);
      continue;
    }
    sed_case kind = w->next != CASE_KEEP ? w->next : w->all;
    w->next = CASE_KEEP;
    if (kind == CASE_UPPER) c = unicode_upper(c);
    if (kind == CASE_LOWER) c = unicode_lower(c);
    char bytes[4];
    text_add(w->out, bytes, utf8_encode(c, bytes));
    i += length;
  }
}

void sed_replace(const sed_command *c, text *out, const char *from, const regex_span *spans) {
  writer w = {.out = out};
  for (size_t i = 0; i < c->piece_count; i++) {
    const sed_piece *piece = &c->pieces[i];
    if (piece->all == CASE_STOP)
      w.all = CASE_KEEP, w.next = CASE_KEEP;
    else if (piece->all != CASE_KEEP)
      w.all = piece->all;
    if (piece->next != CASE_KEEP) w.next = piece->next;
    put(&w, piece->text, piece->size);
    if (piece->group < 0) continue;
    regex_span span = spans[piece->group];
    if (span.start >= 0) put(&w, from + span.start, (size_t)(span.end - span.start));
  }
}
