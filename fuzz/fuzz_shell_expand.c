// SPDX-License-Identifier: MIT
/* fuzz_shell_expand.c -- words made of any bytes are expanded by a whole guest.
 *
 * Without commands in it nothing can run for ever, so inputs with anything that starts one are left
 * out: what remains is quotes, parameters with all their operators, arithmetic, braces, patterns.
 */
#include <stdlib.h>
#include <string.h>

#include "../tests/native/host.h"

static const char before[] =
    "shopt -s extglob globstar; x=abc y='a b' z=; arr=(one 'two 2' [7]=3); declare -A m=([k]=v ['a "
    "b']=c)\n"
    "declare -i n=5; declare -n ref=x; set -- p 'q r' ''\n"
    "printf '<%s>' ";

static void ignore(uint32_t kind, uint32_t id, const uint8_t *bytes, uint32_t size) {
  (void)kind, (void)id, (void)bytes, (void)size;
}

static bool starts_commands(const char *text, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (memchr("`;&|\n\0", text[i], 6) != NULL) return true;
    if (text[i] == '(' && i > 0 && memchr("$<>", text[i - 1], 3) != NULL &&
        !(i + 1 < size && text[i + 1] == '('))
      return true;
  }
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static bool booted;
  static uint32_t run;
  if (size > 2000 || starts_commands((const char *)data, size)) return 0;
  if (!booted) {
    static const host_hooks hooks = {ignore};
    host_boot(&hooks);
    booted = true;
  }
  static const char after[] = "\n\0fuzz"; /* the script's end, and $0 */
  size_t head = sizeof before - 1, whole = head + size + sizeof after;
  char *script = malloc(whole);
  memcpy(script, before, head);
  memcpy(script + head, data, size);
  memcpy(script + head + size, after, sizeof after);
  host_send(ABI_RUN_SH, ++run, script, whole);
  host_run(run);
  free(script);
  return 0;
}
