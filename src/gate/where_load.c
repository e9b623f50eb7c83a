// SPDX-License-Identifier: MIT
/* where_load.c -- reads constraints. One function per kind of operand; whatever an operator could
 * never be true of is refused here, so that no constraint is silently useless. */
#include <string.h>

#include "gate/path.h"
#include "gate/where.h"
#include "limits.h"

typedef struct {
  cloche__loader *loader;
  size_t depth;
} where_reader;

static bool load_where(where_reader *r, const cloche__at *at, const cloche__json *where,
                       cloche__clause *clause);
static bool load_operators(where_reader *r, const cloche__at *at, const cloche__json *operators,
                           const cloche__path *path, cloche__clause *clause);

/* ---- paths ---- */

static bool load_step(cloche__loader *loader, const cloche__at *at, cloche_text key, bool stars,
                      cloche__step *step) {
  *step = (cloche__step){.key = key, .index = SIZE_MAX};
  step->every = key.len == 1 && key.at[0] == '*';
  if (key.len == 0) return cloche__fail(loader, at, "A parameter's path has no empty part.");
  if (step->every && !stars) return cloche__fail(loader, at, "A * cannot stand in this path.");
  if (key.len > 9 || (key.at[0] == '0' && key.len > 1)) return true;
  size_t index = 0;
  for (size_t i = 0; i < key.len; i++) {
    if (key.at[i] < '0' || key.at[i] > '9') return true;
    index = index * 10 + (size_t)(key.at[i] - '0');
  }
  step->index = index;
  return true;
}

bool cloche__path_load(cloche__loader *loader, const cloche__at *at, cloche_text text, bool stars,
                       const cloche__path **path) {
  cloche__path *made = cloche__take(loader, 1, sizeof *made);
  size_t count = 1;
  if (made == NULL) return false;
  made->text = text;
  made->from_top = text.len > 0 && text.at[0] == '/';
  if (made->from_top) text = (cloche_text){text.at + 1, text.len - 1};
  for (size_t i = 0; i < text.len; i++) count += text.at[i] == '/';
  cloche__step *steps = cloche__take(loader, count, sizeof *steps);
  if (steps == NULL) return false;
  for (size_t start = 0, end; start <= text.len; start = end + 1) {
    for (end = start; end < text.len && text.at[end] != '/';) end++;
    cloche_text key = {text.at + start, end - start};
    if (!load_step(loader, at, key, stars, &steps[made->count++])) return false;
  }
  made->steps = steps;
  *path = made;
  return true;
}

/* ---- operands ---- */

static bool is_key(const cloche__json_member *member, const char *name) {
  return cloche__text_equal(member->key, cloche__text(name));
}

static bool is_one_of(const cloche__json *value, unsigned kinds) {
  return kinds >> value->kind & 1;
}

enum {
  NUMBER = 1 << CLOCHE__JSON_NUMBER,
  STRING = 1 << CLOCHE__JSON_STRING,
  ARRAY = 1 << CLOCHE__JSON_ARRAY,
  OBJECT = 1 << CLOCHE__JSON_OBJECT
};

/* {"param": PATH} or {"value": ANYTHING}; other objects would be a guess between the two. */
static bool load_quoted(where_reader *r, const cloche__at *at, const cloche__json *operand,
                        cloche__clause *test) {
  const cloche__json *param = cloche__json_get(operand, "param");
  const cloche__json *value = cloche__json_get(operand, "value");
  cloche__at here = cloche__at_key(at, cloche__text("param"));
  if (operand->count != 1 || (param == NULL && value == NULL)) {
    return cloche__fail(
        r->loader, at, "An object here is {\"param\": \"another/parameter\"} or {\"value\": ...}.");
  }
  if (value != NULL) {
    test->value = value;
    return true;
  }
  test->by_param = true;
  return cloche__expect(r->loader, &here, param, CLOCHE__JSON_STRING) &&
         cloche__path_load(r->loader, &here, cloche__json_text(param), false, &test->other);
}

static bool load_comparison(where_reader *r, const cloche__at *at, const cloche__json *operand,
                            cloche__clause *test) {
  bool equality = test->op == CLOCHE__OP_EQUAL || test->op == CLOCHE__OP_UNEQUAL;
  if (operand->kind == CLOCHE__JSON_OBJECT) {
    if (!load_quoted(r, at, operand, test)) return false;
    operand = test->by_param ? NULL : test->value;
  } else {
    test->value = operand;
  }
  if (operand != NULL && operand->kind == CLOCHE__JSON_NUMBER) {
    test->plain = cloche__json_number_plain(cloche__json_text(operand), &test->bound);
  }
  if (equality || operand == NULL || is_one_of(operand, NUMBER | STRING)) return true;
  return cloche__fail(r->loader, at, "\"%s\" compares with a number or a string, not with %s.",
                      cloche__operator_text(test->op), cloche__json_kind_name(operand->kind));
}

static bool load_list(where_reader *r, const cloche__at *at, const cloche__json *operand,
                      cloche__clause *test) {
  if (!cloche__expect(r->loader, at, operand, CLOCHE__JSON_ARRAY)) return false;
  if (operand->count == 0) return cloche__fail(r->loader, at, "An empty list holds nothing.");
  test->value = operand;
  return true;
}

static bool load_bounds(where_reader *r, const cloche__at *at, const cloche__json *operand,
                        cloche__clause *test) {
  test->value = operand;
  if (operand->kind != CLOCHE__JSON_ARRAY || operand->count != 2 ||
      !is_one_of(&operand->items[0], NUMBER | STRING) ||
      operand->items[0].kind != operand->items[1].kind) {
    return cloche__fail(r->loader, at,
                        "\"between\" takes [lowest, highest]: two numbers or two strings.");
  }
  cloche_text low = cloche__json_text(&operand->items[0]),
              high = cloche__json_text(&operand->items[1]);
  bool number = operand->items[0].kind == CLOCHE__JSON_NUMBER;
  int order = number ? cloche__json_number_compare(low, high) : cloche__text_compare(low, high);
  return order <= 0 || cloche__fail(r->loader, at, "The lower bound is above the upper one.");
}

static bool load_string(where_reader *r, const cloche__at *at, const cloche__json *operand,
                        cloche__clause *test) {
  test->value = operand;
  return cloche__expect(r->loader, at, operand, CLOCHE__JSON_STRING);
}

static bool load_regex(where_reader *r, const cloche__at *at, const cloche__json *operand,
                       cloche__clause *test) {
  const char *problem;
  if (!cloche__expect(r->loader, at, operand, CLOCHE__JSON_STRING)) return false;
  cloche_status status =
      (test->op == CLOCHE__OP_GLOB ? cloche__regex_glob : cloche__regex_over_lines)(
          cloche__json_text(operand), r->loader->arena, &test->regex, &problem);
  if (status == CLOCHE_E_MEMORY) return cloche__no_memory(r->loader);
  return status == CLOCHE_OK ||
         cloche__fail(r->loader, at, "This pattern cannot be used: %s.", problem);
}

static bool load_flag(where_reader *r, const cloche__at *at, const cloche__json *operand) {
  if (operand->kind == CLOCHE__JSON_BOOLEAN && operand->boolean) return true;
  return cloche__fail(r->loader, at,
                      "This takes only true; for the opposite use the other of "
                      "\"exists\" and \"not_exists\".");
}

unsigned cloche__kind_bit(cloche_text name) {
  if (cloche__text_equal(name, cloche__text("integer"))) return CLOCHE__INTEGER_BIT;
  for (int kind = CLOCHE__JSON_NULL; kind <= CLOCHE__JSON_OBJECT; kind++) {
    const char *known = cloche__json_kind_name((cloche__json_kind)kind);
    if (cloche__text_equal(name, cloche__text(known))) return 1u << kind;
  }
  return 0;
}

static bool load_kinds(where_reader *r, const cloche__at *at, const cloche__json *operand,
                       cloche__clause *test) {
  const cloche_text *names;
  size_t count;
  if (!cloche__load_strings(r->loader, at, operand, &names, &count)) return false;
  test->kinds = 0;
  for (size_t i = 0; i < count; i++) {
    unsigned kind = cloche__kind_bit(names[i]);
    if (kind == 0) {
      return cloche__fail(r->loader, at,
                          "A type is null, boolean, integer, number, string, array "
                          "or object.");
    }
    test->kinds |= kind;
  }
  return true;
}

static bool load_bases(where_reader *r, const cloche__at *at, const cloche__json *operand,
                       cloche__clause *test) {
  if (!cloche__load_strings(r->loader, at, operand, &test->texts, &test->operand_count))
    return false;
  for (size_t i = 0; i < test->operand_count; i++) {
    cloche_text base = test->texts[i];
    if (base.len == 0 || !cloche__path_is_plain(base) ||
        cloche__path_within(base, base) != CLOCHE__WITHIN_YES) {
      return cloche__fail(r->loader, at, "This takes folders such as \"/data\", written plainly.");
    }
  }
  return true;
}

static bool load_hosts(where_reader *r, const cloche__at *at, const cloche__json *operand,
                       const cloche__host_pattern **hosts, size_t *count) {
  const cloche_text *texts;
  if (!cloche__load_strings(r->loader, at, operand, &texts, count)) return false;
  cloche__host_pattern *made = cloche__take(r->loader, *count, sizeof *made);
  if (made == NULL) return false;
  for (size_t i = 0; i < *count; i++) {
    if (cloche__host_pattern_read(texts[i], &made[i])) continue;
    return cloche__fail(
        r->loader, at,
        "\"%.*s\" is no host: write \"example.com\", \"*.example.com\" (only what lies "
        "below), \".example.com\" (both), \"10.0.0.1\" or \"[::1]\"; international "
        "names as xn--.",
        (int)texts[i].len, texts[i].at);
  }
  *hosts = made;
  return true;
}

static bool load_ports(where_reader *r, const cloche__at *at, const cloche__json *operand,
                       cloche__url_rule *rule) {
  const cloche__json *items = operand->kind == CLOCHE__JSON_ARRAY ? operand->items : operand;
  size_t count = operand->kind == CLOCHE__JSON_ARRAY ? operand->count : 1;
  uint16_t *ports = cloche__take(r->loader, count, sizeof *ports);
  if (ports == NULL) return false;
  for (size_t i = 0; i < count; i++) {
    uint64_t port;
    if (!cloche__json_uint64(&items[i], &port) || port > 65535) {
      return cloche__fail(r->loader, at, "A port is a whole number up to 65535.");
    }
    ports[i] = (uint16_t)port;
  }
  rule->ports = ports;
  rule->port_count = count;
  return count > 0 || cloche__fail(r->loader, at, "An empty list holds nothing.");
}

static bool load_prefixes(where_reader *r, const cloche__at *at, const cloche__json *operand,
                          cloche__url_rule *rule) {
  bool clear;
  if (!cloche__load_strings(r->loader, at, operand, &rule->prefixes, &rule->prefix_count))
    return false;
  for (size_t i = 0; i < rule->prefix_count; i++) {
    cloche_text prefix = rule->prefixes[i];
    bool rooted = prefix.len > 0 && prefix.at[0] == '/';
    if (rooted && cloche__url_path_within(prefix, prefix, &clear)) continue;
    return cloche__fail(r->loader, at,
                        "A path is written decoded and starts with a slash: \"/api\".");
  }
  return true;
}

static bool load_schemes(where_reader *r, const cloche__at *at, const cloche__json *operand,
                         cloche__url_rule *rule) {
  if (!cloche__load_strings(r->loader, at, operand, &rule->schemes, &rule->scheme_count))
    return false;
  for (size_t i = 0; i < rule->scheme_count; i++) {
    for (size_t j = 0; j < rule->schemes[i].len; j++) {
      char c = rule->schemes[i].at[j];
      if (c >= 'a' && c <= 'z') continue;
      if (j > 0 && ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.')) continue;
      return cloche__fail(r->loader, at,
                          "A scheme is written in lower case without colon: \"https\".");
    }
  }
  return true;
}

static bool load_url(where_reader *r, const cloche__at *at, const cloche__json *operand,
                     cloche__clause *test) {
  static const char *const keys[] = {"scheme", "host", "port", "path", NULL};
  static const cloche_text web[] = {{"https", 5}, {"http", 4}};
  cloche__url_rule *rule = cloche__take(r->loader, 1, sizeof *rule);
  if (rule == NULL || !cloche__check_keys(r->loader, at, operand, keys)) return false;
  *rule = (cloche__url_rule){.schemes = web, .scheme_count = 2};
  test->url = rule;
  for (size_t i = 0; i < operand->count; i++) {
    const cloche__json_member *member = &operand->members[i];
    cloche__at here = cloche__at_key(at, member->key);
    bool read = is_key(member, "scheme") ? load_schemes(r, &here, &member->value, rule)
                : is_key(member, "port") ? load_ports(r, &here, &member->value, rule)
                : is_key(member, "path")
                    ? load_prefixes(r, &here, &member->value, rule)
                    : load_hosts(r, &here, &member->value, &rule->hosts, &rule->host_count);
    if (!read) return false;
  }
  return true;
}

static bool load_moment(where_reader *r, const cloche__at *at, const cloche__json *operand,
                        cloche__clause *test) {
  if (operand->kind == CLOCHE__JSON_OBJECT) {
    if (!load_quoted(r, at, operand, test)) return false;
    if (test->by_param) return true;
    operand = test->value;
  }
  if (operand->kind == CLOCHE__JSON_STRING &&
      cloche__time_read(cloche__json_text(operand), &test->time)) {
    return true;
  }
  return cloche__fail(
      r->loader, at,
      "A time is written \"2026-01-31\" or \"2026-01-31T12:00:00Z\", with its zone.");
}

/* ---- tests ---- */

static const cloche__path *element_path(where_reader *r) {
  return cloche__take(r->loader, 1, sizeof(cloche__path)); /* no steps: the element itself */
}

static bool load_inner(where_reader *r, const cloche__at *at, const cloche__json *operand,
                       cloche__clause *test) {
  cloche__clause *inner = cloche__take(r->loader, 1, sizeof *inner);
  if (inner == NULL) return false;
  test->children = inner;
  test->count = 1;
  if (test->op == CLOCHE__OP_WHERE) return load_where(r, at, operand, inner);
  const cloche__path *path = element_path(r);
  if (path == NULL) return false;
  if (test->op == CLOCHE__OP_LENGTH && operand->kind == CLOCHE__JSON_NUMBER) {
    *inner = (cloche__clause){.kind = CLOCHE__CLAUSE_TEST,
                              .op = CLOCHE__OP_EQUAL,
                              .path = path,
                              .source = operand,
                              .value = operand};
    return true;
  }
  return load_operators(r, at, operand, path, inner);
}

static bool load_operand(where_reader *r, const cloche__at *at, const cloche__json *operand,
                         cloche__clause *test) {
  switch (test->op) {
    case CLOCHE__OP_LESS:
    case CLOCHE__OP_AT_MOST:
    case CLOCHE__OP_MORE:
    case CLOCHE__OP_AT_LEAST:
    case CLOCHE__OP_EQUAL:
    case CLOCHE__OP_UNEQUAL:
      return load_comparison(r, at, operand, test);
    case CLOCHE__OP_IN:
    case CLOCHE__OP_NOT_IN:
      return load_list(r, at, operand, test);
    case CLOCHE__OP_BETWEEN:
      return load_bounds(r, at, operand, test);
    case CLOCHE__OP_STARTS_WITH:
    case CLOCHE__OP_ENDS_WITH:
      return load_string(r, at, operand, test);
    case CLOCHE__OP_CONTAINS:
      test->value = operand;
      return true;
    case CLOCHE__OP_MATCHES:
    case CLOCHE__OP_GLOB:
      return load_regex(r, at, operand, test);
    case CLOCHE__OP_EXISTS:
    case CLOCHE__OP_NOT_EXISTS:
      return load_flag(r, at, operand);
    case CLOCHE__OP_TYPE:
      return load_kinds(r, at, operand, test);
    case CLOCHE__OP_PATH_WITHIN:
      return load_bases(r, at, operand, test);
    case CLOCHE__OP_URL:
      return load_url(r, at, operand, test);
    case CLOCHE__OP_EMAIL_DOMAIN:
      return load_hosts(r, at, operand, &test->hosts, &test->operand_count);
    case CLOCHE__OP_BEFORE:
    case CLOCHE__OP_AFTER:
      return load_moment(r, at, operand, test);
    case CLOCHE__OP_LENGTH:
    case CLOCHE__OP_ALL:
    case CLOCHE__OP_ANY:
    case CLOCHE__OP_NONE:
    case CLOCHE__OP_WHERE:
      return load_inner(r, at, operand, test);
  }
  return false;
}

static bool find_operator(where_reader *r, const cloche__at *at, cloche_text name,
                          cloche__operator *op) {
  static const cloche_text names[] = {
#define X(name, text, wanted) {text, sizeof text - 1},
      CLOCHE__OPERATORS(X)
#undef X
  };
  enum { COUNT = sizeof names / sizeof *names };
  char hint[160];
  for (size_t i = 0; i < COUNT; i++) {
    if (!cloche__text_equal(names[i], name)) continue;
    *op = (cloche__operator)i;
    return true;
  }
  return cloche__fail(r->loader, at, "There is no such operator%s",
                      cloche__did_you_mean(name, names, COUNT, hint));
}

/* {"<=": 10, "type": "integer"} on one path: an AND of tests. */
static bool load_operators(where_reader *r, const cloche__at *at, const cloche__json *operators,
                           const cloche__path *path, cloche__clause *clause) {
  bool optional = false;
  if (operators->kind != CLOCHE__JSON_OBJECT) {
    return cloche__fail(r->loader, at,
                        "Operators are an object; to ask for one value write {\"==\": ...}.");
  }
  if (!cloche__load_flag(r->loader, at, operators, "optional", &optional)) return false;
  cloche__clause *tests = cloche__take(r->loader, operators->count, sizeof *tests);
  if (tests == NULL) return false;
  *clause = (cloche__clause){.kind = CLOCHE__CLAUSE_AND, .children = tests};
  for (size_t i = 0; i < operators->count; i++) {
    const cloche__json_member *member = &operators->members[i];
    if (is_key(member, "optional")) continue;
    cloche__at here = cloche__at_key(at, member->key);
    cloche__clause *test = &tests[clause->count++];
    test->kind = CLOCHE__CLAUSE_TEST;
    test->optional = optional;
    test->path = path;
    test->source = &member->value;
    if (!find_operator(r, &here, member->key, &test->op)) return false;
    if (!load_operand(r, &here, &member->value, test)) return false;
  }
  return clause->count > 0 ||
         cloche__fail(r->loader, at,
                      "There is no operator here; say what the parameter has to be.");
}

/* ---- where ---- */

static bool load_several(where_reader *r, const cloche__at *at, const cloche__json *list,
                         cloche__clause *clause) {
  if (!cloche__expect(r->loader, at, list, CLOCHE__JSON_ARRAY)) return false;
  if (list->count == 0) return cloche__fail(r->loader, at, "An empty list decides nothing.");
  cloche__clause *children = cloche__take(r->loader, list->count, sizeof *children);
  if (children == NULL) return false;
  clause->children = children;
  clause->count = list->count;
  for (size_t i = 0; i < list->count; i++) {
    cloche__at here = cloche__at_index(at, i);
    if (!load_where(r, &here, &list->items[i], &children[i])) return false;
  }
  return true;
}

static bool load_not(where_reader *r, const cloche__at *at, const cloche__json *where,
                     cloche__clause *clause) {
  cloche__clause *child = cloche__take(r->loader, 1, sizeof *child);
  clause->kind = CLOCHE__CLAUSE_NOT;
  clause->children = child;
  clause->count = 1;
  return child != NULL && load_where(r, at, where, child);
}

static bool load_entry(where_reader *r, const cloche__at *at, const cloche__json_member *member,
                       cloche__clause *clause) {
  const cloche__path *path;
  clause->kind = is_key(member, "or") ? CLOCHE__CLAUSE_OR : CLOCHE__CLAUSE_AND;
  if (is_key(member, "and") || is_key(member, "or"))
    return load_several(r, at, &member->value, clause);
  if (is_key(member, "not")) return load_not(r, at, &member->value, clause);
  return cloche__path_load(r->loader, at, member->key, true, &path) &&
         load_operators(r, at, &member->value, path, clause);
}

static bool load_where(where_reader *r, const cloche__at *at, const cloche__json *where,
                       cloche__clause *clause) {
  if (!cloche__expect(r->loader, at, where, CLOCHE__JSON_OBJECT)) return false;
  if (where->count == 0)
    return cloche__fail(r->loader, at, "There is no constraint here; leave it out.");
  if (r->depth == CLOCHE__GATE_DEPTH)
    return cloche__fail(r->loader, at, "This is nested too deep.");
  cloche__clause *children = cloche__take(r->loader, where->count, sizeof *children);
  if (children == NULL) return false;
  *clause =
      (cloche__clause){.kind = CLOCHE__CLAUSE_AND, .count = where->count, .children = children};
  r->depth++;
  for (size_t i = 0; i < where->count; i++) {
    cloche__at here = cloche__at_key(at, where->members[i].key);
    if (!load_entry(r, &here, &where->members[i], &children[i])) return false;
  }
  r->depth--;
  return true;
}

bool cloche__where_load(cloche__loader *loader, const cloche__at *at, const cloche__json *where,
                        const cloche__clause **clause) {
  where_reader r = {.loader = loader};
  cloche__clause *made = cloche__take(loader, 1, sizeof *made);
  *clause = made;
  return made != NULL && load_where(&r, at, where, made);
}
