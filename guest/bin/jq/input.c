// SPDX-License-Identifier: MIT
/* input.c -- see input.h. The text goes to the parser line by line, because that is what the line
 * in "jq: error (at <stdin>:3)" counts. */
#include "input.h"

#include "../../text/bytes.h"
#include "jv_unicode.h"
#include "util.h"
#include "yaml_input.h"

/* A longer line comes in pieces. */
#define CHUNK_BYTES 60000u

void jq_input_start(jq_input *s, bin *b, char **files, int count, jv_parser *parser, bool slurp) {
  *s = (jq_input){.b = b, .parser = parser, .slurp = slurp, .files = files, .file_count = count};
  s->name = jv_invalid();
  s->slurped = !slurp ? jv_invalid() : parser == NULL ? jv_string("") : jv_array();
}

void jq_input_use_yaml(jq_input *s) {
  s->is_yaml = true;
  if (!s->slurp) return;
  jv_free(s->slurped);
  s->slurped = jv_array();
}

void jq_input_end(jq_input *s) {
  if (s->parser != NULL) jv_parser_free(s->parser);
  jv_free(s->slurped);
  jv_free(s->name);
}

bool jq_input_open_next(jq_input *s) {
  const char *path = s->files[s->next_file++];
  bool standard = strcmp(path, "-") == 0;
  jv_free(s->name);
  s->name = jv_string(standard ? "<stdin>" : path);
  s->line = 0;
  int error = input_open(&s->in, path);
  s->open = error == 0;
  if (error < 0) {
    bin_warn(s->b, "error: Could not open file %s: %s", path, error_text(error));
    s->failures++;
  }
  return s->open;
}

/* Takes the next chunk. True when there will be no more. */
static bool read_more(jq_input *s) {
  s->chunk_size = 0;
  if (s->open && s->in.start == s->in.end && input_fill(&s->in) <= 0) {
    if (s->in.error != 0) {
      bin_warn(s->b, "error: %s", error_text(s->in.error));
      s->failures++;
    }
    input_close(&s->in);
    s->open = false;
  }
  if (!s->open && s->next_file < s->file_count) {
    if (jq_input_open_next(s) && input_fill(&s->in) <= 0)
      return false; /* the next look closes it */
  }
  if (!s->open) return s->next_file == s->file_count;
  char *at;
  size_t have = input_peek(&s->in, 1, &at);
  if (have == 0) return false;
  const char *newline = bytes_chr(at, '\n', have);
  while (newline == NULL && have < CHUNK_BYTES && !s->in.ended) {
    size_t before = have;
    have = input_peek(&s->in, have + 1, &at);
    newline = bytes_chr(at + before, '\n', have - before);
  }
  size_t size = newline != NULL ? (size_t)(newline - at) + 1 : have;
  if (newline == NULL && !s->in.ended) { /* do not cut a character */
    int missing = 0;
    const char *last = jvp_utf8_backtrack(at + size - 1, at, &missing);
    if (last != NULL && missing > 0 && last > at) size = (size_t)(last - at);
  }
  s->line += newline != NULL;
  s->chunk = at;
  s->chunk_size = size;
  input_take(&s->in, size);
  return false;
}

static jv next_line(jq_input *s) {
  jv value = jv_invalid();
  for (;;) {
    bool last = read_more(s);
    if (last) return value;
    if (s->chunk_size == 0) continue;
    if (!jv_is_valid(value)) value = jv_string("");
    bool whole = s->chunk[s->chunk_size - 1] == '\n';
    value = jv_string_concat(value, jv_string_sized(s->chunk, (int)(s->chunk_size - whole)));
    if (whole) return value;
  }
}

static jv slurp_text(jq_input *s) {
  while (!read_more(s)) {
    if (s->chunk_size > 0)
      s->slurped = jv_string_append_buf(s->slurped, s->chunk, (int)s->chunk_size);
  }
  jv all = s->slurped;
  s->slurped = jv_invalid();
  return all;
}

static jv next_value(jq_input *s) {
  bool last = false;
  do {
    if (jv_parser_remaining(s->parser) == 0) {
      last = read_more(s);
      jv_parser_set_buf(s->parser, s->chunk_size > 0 ? s->chunk : "", (int)s->chunk_size, !last);
    }
    jv value = jv_parser_next(s->parser);
    if (jv_is_valid(value) && s->slurp)
      s->slurped = jv_array_append(s->slurped, value);
    else if (jv_is_valid(value) || jv_invalid_has_msg(jv_copy(value)))
      return value;
  } while (!last);
  return jv_invalid();
}

jv jq_input_next(jq_input *s) {
  if (s->parser == NULL && !s->is_yaml)
    return jv_is_valid(s->slurped) ? slurp_text(s) : s->slurp ? jv_invalid() : next_line(s);
  jv value = s->is_yaml ? yaml_input_next(s) : next_value(s);
  if (!s->slurp || jv_is_valid(value) || jv_invalid_has_msg(jv_copy(value))) return value;
  jv_free(value);
  value = s->slurped; /* the array, once */
  s->slurped = jv_invalid();
  return value;
}

jv jq_input_callback(jq_state *jq, void *state) {
  (void)jq;
  return jq_input_next(state);
}

/* ---- what libjq's builtins ask: these stand in for util.c's functions of the same names ---- */

static jq_input *state_of(jq_state *jq) {
  jq_input_cb callback = NULL;
  void *state = NULL;
  jq_get_input_cb(jq, &callback, &state);
  return callback == jq_input_callback ? state : NULL;
}

jv jq_util_input_get_position(jq_state *jq) {
  jq_input *s = state_of(jq);
  if (s == NULL || jv_get_kind(s->name) != JV_KIND_STRING) return jv_string("<unknown>");
  return jv_string_fmt("%s:%lu", jv_string_value(s->name), (unsigned long)s->line);
}

jv jq_util_input_get_current_filename(jq_state *jq) {
  jq_input *s = state_of(jq);
  return s == NULL ? jv_invalid_with_msg(jv_string("Unknown input filename")) : jv_copy(s->name);
}

jv jq_util_input_get_current_line(jq_state *jq) {
  jq_input *s = state_of(jq);
  if (s == NULL) return jv_invalid_with_msg(jv_string("Unknown input line number"));
  return jv_number((double)s->line);
}
