// SPDX-License-Identifier: MIT
/* write.c -- JSON values as compact text. */
#include "json/json.h"
#include "json/utf8.h"

static void write_escaped(int32_t code, cloche__buffer *out) {
  static const char names[32] = {
      ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
  if (code == '"' || code == '\\' || names[code] != 0) {
    char pair[2] = {'\\', code < 32 ? names[code] : (char)code};
    cloche__buffer_add(out, pair, 2);
  } else {
    cloche__buffer_format(out, "\\u%04x", (unsigned)code);
  }
}

void cloche__json_write_string(cloche_text text, cloche__buffer *out) {
  size_t done = 0, at = 0, len; /* what lies between the two is copied in one piece */
  if (text.at == NULL) text.at = "";
  cloche__buffer_byte(out, '"');
  for (; at < text.len; at += len) {
    int32_t code = cloche__utf8_decode((cloche_text){text.at + at, text.len - at}, &len);
    if (code >= 32 && code != '"' && code != '\\') continue;
    cloche__buffer_add(out, text.at + done, at - done);
    done = at + len;
    if (code < 0)
      cloche__buffer_add(out, "\xEF\xBF\xBD", 3);
    else
      write_escaped(code, out);
  }
  cloche__buffer_add(out, text.at + done, at - done);
  cloche__buffer_byte(out, '"');
}

void cloche__json_write_bytes(cloche_text bytes, cloche__buffer *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (cloche__utf8_valid(bytes)) {
    cloche__json_write_string(bytes, out);
    return;
  }
  cloche__buffer_string(out, "{\"base64\":\"");
  for (size_t i = 0; i < bytes.len; i += 3) {
    size_t left = bytes.len - i;
    uint32_t group = 0;
    for (size_t k = 0; k < 3; k++) {
      group = group << 8 | (k < left ? (unsigned char)bytes.at[i + k] : 0);
    }
    char four[4] = {digits[group >> 18], digits[group >> 12 & 63],
                    left > 1 ? digits[group >> 6 & 63] : '=', left > 2 ? digits[group & 63] : '='};
    cloche__buffer_add(out, four, 4);
  }
  cloche__buffer_string(out, "\"}");
}

void cloche__json_write_key(const char *key, cloche__buffer *out) {
  if (out->len > 0 && out->at[out->len - 1] != '{') cloche__buffer_byte(out, ',');
  cloche__json_write_string(cloche__text(key), out);
  cloche__buffer_byte(out, ':');
}

void cloche__json_write(const cloche__json *value, cloche__buffer *out) {
  switch (value->kind) {
    case CLOCHE__JSON_NULL:
      cloche__buffer_add(out, "null", 4);
      return;
    case CLOCHE__JSON_BOOLEAN:
      cloche__buffer_string(out, value->boolean ? "true" : "false");
      return;
    case CLOCHE__JSON_NUMBER:
      cloche__buffer_text(out, cloche__json_text(value));
      return;
    case CLOCHE__JSON_STRING:
      cloche__json_write_string(cloche__json_text(value), out);
      return;
    case CLOCHE__JSON_ARRAY:
      cloche__buffer_byte(out, '[');
      for (size_t i = 0; i < value->count; i++) {
        if (i > 0) cloche__buffer_byte(out, ',');
        cloche__json_write(&value->items[i], out);
      }
      cloche__buffer_byte(out, ']');
      return;
    case CLOCHE__JSON_OBJECT:
      cloche__buffer_byte(out, '{');
      for (size_t i = 0; i < value->count; i++) {
        if (i > 0) cloche__buffer_byte(out, ',');
        cloche__json_write_string(value->members[i].key, out);
        cloche__buffer_byte(out, ':');
        cloche__json_write(&value->members[i].value, out);
      }
      cloche__buffer_byte(out, '}');
      return;
  }
}
