// SPDX-License-Identifier: MIT
/* json.h -- values to JSON and back, for what crosses to the host.
 *
 * JSON.stringify is not used: a program may have replaced it, and it loses what the host needs
 * exact. A BigInt leaves as a JSON integer; a JSON integer that a double cannot hold arrives as a
 * BigInt. Bytes (Uint8Array, ArrayBuffer) travel as {"$bytes": "<base64>"} in both directions.
 * Getters, toJSON and Proxy traps of the program run while a value is written, each once. */
#ifndef GUEST_JS_JSON_H
#define GUEST_JS_JSON_H

#include "buffer.h"
#include "quickjs.h"

typedef enum {
  JSON_ARGUMENT, /* a tool's argument: what is not data is a TypeError that names the place */
  JSON_RESULT,   /* a run's value: what JSON.stringify would leave out is left out */
} json_purpose;

typedef enum {
  JSON_WRITTEN,
  JSON_NOT_DATA,  /* only JSON_RESULT: a function, a promise, a cycle... the output is unusable */
  JSON_EXCEPTION, /* pending in `realm` */
} json_status;

json_status js_json_write(JSContext *realm, JSValueConst value, json_purpose purpose, buffer *to);

/* Strict: RFC 8259, no duplicate keys check (the host did that). SyntaxError with the offset;
 * RangeError for 1e400, which is no integer and no number. */
JSValue js_json_parse(JSContext *realm, const char *text, size_t size);

/* Bytes to base64 and back; the latter is false when the text is not base64. */
void base64_write(buffer *to, const uint8_t *from, size_t size);
bool base64_read(const char *text, size_t size, buffer *to);

#endif
