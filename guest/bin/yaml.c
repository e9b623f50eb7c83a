// SPDX-License-Identifier: MIT
/* yaml.c -- YAML's structure: documents, collections, anchors. See yaml.h.
 *
 * A node in block style is read knowing how deep its parent is indented: what begins a later line
 * no deeper than that is not part of it. A mapping is noticed by its first key, which has to end on
 * its line; so one look along the line, and no going back further than its begin. */
#include "yaml.h"

#include "../text/unicode.h"
#include "yaml_reader.h"

/* Where a block node may stand. Behind "- " a collection may begin on the same line; behind "key:"
 * only on a later one, where a list needs no deeper indentation than its key. */
typedef enum { PLACE_ENTRY, PLACE_VALUE } block_place;

typedef struct {
  bool any;
  yaml_position where;
  yaml_anchor *anchor;
  const char *tag;
  size_t tag_size;
} properties;

static yaml_node *flow_node(yaml *y);
static yaml_node *block_node(yaml *y, long parent, block_place place);

void *yaml_fail(yaml *y, yaml_position where, const char *error) {
  if (y->error == NULL) {
    y->error = error;
    y->error_line = where.line;
    y->error_column = utf8_count(y->text + where.line_start, where.at - where.line_start) + 1;
  }
  return NULL;
}

bool yaml_at_marker(const yaml *y) {
  const char *at = y->text + y->now.at;
  if (y->now.at != y->now.line_start || (*at != '-' && *at != '.')) return false;
  return at[1] == *at && at[2] == *at && yaml_is_space(at[3]);
}

yaml_node *yaml_node_new(yaml_position where, const yaml *y, yaml_kind kind) {
  yaml_node *node = memory_take(sizeof *node);
  *node = (yaml_node){.kind = kind, .line = where.line, .weight = 1};
  node->column = utf8_count(y->text + where.line_start, where.at - where.line_start) + 1;
  return node;
}

static yaml_node *empty_node(const yaml *y, const properties *p) {
  yaml_node *node = yaml_node_new(p->any ? p->where : y->now, y, YAML_NULL);
  node->at = memory_string("");
  return node;
}

static void append(yaml_node *to, yaml_node *item) {
  if ((to->count & (to->count - 1)) == 0) { /* grows at powers of two */
    size_t room = to->count == 0 ? 1 : to->count * 2;
    to->items = memory_resize(to->items, room * sizeof(yaml_node *));
  }
  to->items[to->count++] = item;
  to->weight += item->weight;
}

/* Blanks, comments and line ends. False after an error. */
static bool skip_to_token(yaml *y, bool flow) {
  bool line_begins = y->now.at == y->now.line_start;
  for (;;) {
    size_t begin = y->now.at;
    yaml_blanks(y);
    char c = yaml_char(y);
    bool parted = y->now.at > begin || y->now.at == y->now.line_start;
    if (c == '#' && parted) {
      while ((c = yaml_char(y)) != 0 && c != '\n') y->now.at++;
    }
    if (c == '\n') {
      yaml_newline(y);
      line_begins = true;
      continue;
    }
    if (c == 0 || flow || !line_begins) return true;
    for (size_t at = begin; at < y->now.at; at++) {
      if (y->text[at] != '\t') continue;
      yaml_position where = y->now;
      where.at = at;
      yaml_fail(y, where, "a tab cannot indent: use spaces");
      return false;
    }
    return true;
  }
}

/* Nothing but a comment may follow on this line; it is skipped. */
static bool line_ends(yaml *y) {
  size_t begin = y->now.at;
  yaml_blanks(y);
  char c = yaml_char(y);
  if (c == '#' && (y->now.at > begin || begin == y->now.line_start)) {
    while ((c = yaml_char(y)) != 0 && c != '\n') y->now.at++;
  }
  if (c == 0 || c == '\n') return true;
  yaml_fail(y, y->now,
            c == ':'
                ? "a key cannot stand here: something before it is indented wrongly, or a value "
                  "with ': ' in it needs quotes"
                : "unexpected text behind a value");
  return false;
}

static bool is_entry(const yaml *y, char mark) {
  return yaml_char(y) == mark && yaml_is_space(yaml_char_after(y));
}

/* ---- anchors and tags ---- */

static yaml_anchor **anchor_bucket(yaml *y, const char *name, size_t size) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)name[i]) * 16777619u;
  return &y->anchors[(hash ^ hash >> 16) % YAML_ANCHOR_BUCKETS];
}

static yaml_anchor *find_anchor(yaml *y, const char *name, size_t size) {
  yaml_anchor *each = *anchor_bucket(y, name, size);
  while (each != NULL && (each->size != size || memcmp(each->name, name, size) != 0))
    each = each->next;
  return each;
}

/* The name behind & or *. */
static bool read_name(yaml *y, const char **name, size_t *size) {
  yaml_position where = y->now;
  *name = y->text + ++y->now.at;
  while (!yaml_is_space(yaml_char(y)) && !yaml_is_flow_mark(yaml_char(y))) y->now.at++;
  *size = (size_t)(y->text + y->now.at - *name);
  if (*size == 0) yaml_fail(y, where, "an anchor or alias without a name");
  return *size > 0;
}

static bool read_anchor(yaml *y, properties *p) {
  const char *name;
  size_t size;
  if (p->anchor != NULL) {
    yaml_fail(y, y->now, "a second anchor for one value");
    return false;
  }
  if (!read_name(y, &name, &size)) return false;
  p->anchor = find_anchor(y, name, size);
  if (p->anchor == NULL) {
    yaml_anchor **bucket = anchor_bucket(y, name, size);
    p->anchor = memory_take(sizeof *p->anchor);
    *p->anchor = (yaml_anchor){.next = *bucket, .name = name, .size = size};
    *bucket = p->anchor;
  }
  p->anchor->node = NULL;
  return true;
}

static bool read_tag(yaml *y, properties *p) {
  if (p->tag != NULL) {
    yaml_fail(y, y->now, "a second tag for one value");
    return false;
  }
  p->tag = y->text + y->now.at;
  while (!yaml_is_space(yaml_char(y)) && !yaml_is_flow_mark(yaml_char(y))) y->now.at++;
  p->tag_size = (size_t)(y->text + y->now.at - p->tag);
  return true;
}

/* Anchor and tag, in either order; the position is then behind the blanks that follow. */
static bool read_properties(yaml *y, properties *p) {
  for (;;) {
    char c = yaml_char(y);
    if (c != '&' && c != '!') return true;
    if (!p->any) p->where = y->now;
    p->any = true;
    if (!(c == '&' ? read_anchor(y, p) : read_tag(y, p))) return false;
    yaml_blanks(y);
  }
}

static yaml_node *finish(yaml *y, yaml_node *node, const properties *p) {
  if (node == NULL || !yaml_resolve(y, node, p->tag, p->tag_size, p->where)) return NULL;
  if (p->anchor != NULL) p->anchor->node = node;
  return node;
}

static yaml_node *read_alias(yaml *y, const properties *p) {
  yaml_position where = y->now;
  const char *name;
  size_t size;
  if (p->any) return yaml_fail(y, where, "an alias cannot have an anchor or a tag");
  if (!read_name(y, &name, &size)) return NULL;
  yaml_anchor *anchor = find_anchor(y, name, size);
  if (anchor == NULL) return yaml_fail(y, where, "an alias of an anchor that is not there");
  if (anchor->node == NULL)
    return yaml_fail(y, where, "an alias inside of the value that it names");
  y->aliased += anchor->node->weight;
  if (y->aliased > YAML_ALIASED)
    return yaml_fail(y, where, "the aliases stand for more than 1000000 values");
  return anchor->node;
}

static bool go_deeper(yaml *y) {
  if (++y->depth <= YAML_DEPTH) return true;
  yaml_fail(y, y->now, "more than 500 collections inside one another");
  return false;
}

/* ---- flow collections ---- */

/* Whether a ':' stands here that ends a key. Behind quotes and brackets it needs no blank. */
static bool ends_key(const yaml *y, bool quoted) {
  char after = yaml_char_after(y);
  return yaml_char(y) == ':' && (quoted || yaml_is_space(after) || yaml_is_flow_mark(after));
}

/* `key`, then perhaps `: value`, for either kind of collection. *paired tells whether there was a
 * `:`; without one *value is NULL. */
static bool flow_entry(yaml *y, yaml_node **key, yaml_node **value, bool *paired) {
  static const properties none;
  bool asked = is_entry(y, '?');
  if (asked) y->now.at++;
  if (asked && !skip_to_token(y, true)) return false;
  char first = yaml_char(y);
  bool quoted = first == '"' || first == '\'' || first == '[' || first == '{';
  *value = NULL;
  *key = ends_key(y, false) ? empty_node(y, &none) : flow_node(y);
  if (*key == NULL || !skip_to_token(y, true)) return false;
  *paired = ends_key(y, quoted);
  if (!*paired) {
    if (asked) *paired = true, *value = empty_node(y, &none);
    return true;
  }
  y->now.at++;
  if (!skip_to_token(y, true)) return false;
  char c = yaml_char(y);
  *value = c == ',' || c == ']' || c == '}' ? empty_node(y, &none) : flow_node(y);
  return *value != NULL && skip_to_token(y, true);
}

static yaml_node *flow_collection(yaml *y) {
  yaml_position where = y->now;
  bool map = yaml_char(y) == '{';
  char close = map ? '}' : ']';
  static const properties none;
  yaml_node *all = yaml_node_new(where, y, map ? YAML_MAP : YAML_LIST), *key, *value;
  bool paired;
  if (!go_deeper(y)) return NULL;
  y->now.at++;
  for (;;) {
    if (!skip_to_token(y, true)) return NULL;
    if (yaml_char(y) == close) break;
    if (!flow_entry(y, &key, &value, &paired)) return NULL;
    if (map) {
      append(all, key);
      append(all, value != NULL ? value : empty_node(y, &none));
    } else if (paired) {
      yaml_node *pair = yaml_node_new(where, y, YAML_MAP);
      append(pair, key);
      append(pair, value);
      append(all, pair);
    } else {
      append(all, key);
    }
    if (yaml_char(y) == ',') {
      y->now.at++;
    } else if (yaml_char(y) == 0) {
      return yaml_fail(y, where, map ? "a '{' that nothing closes" : "a '[' that nothing closes");
    } else if (yaml_char(y) != close) {
      return yaml_fail(y, y->now, map ? "',' or '}' is missing" : "',' or ']' is missing");
    }
  }
  y->now.at++;
  y->depth--;
  return all;
}

static yaml_node *flow_node(yaml *y) {
  properties p = {0};
  if (!read_properties(y, &p)) return NULL;
  if (p.any && !skip_to_token(y, true)) return NULL;
  char c = yaml_char(y);
  if (yaml_at_marker(y)) return yaml_fail(y, y->now, "a document ends inside brackets");
  if (c == '[' || c == '{') return finish(y, flow_collection(y), &p);
  if (c == '"' || c == '\'') return finish(y, yaml_quoted(y, false), &p);
  if (c == '*') return read_alias(y, &p);
  if (yaml_plain_begins(y, true)) return finish(y, yaml_plain(y, -1, true, false), &p);
  if (p.any) return finish(y, empty_node(y, &p), &p);
  if (c == 0) return yaml_fail(y, y->now, "the text ends inside brackets");
  return yaml_fail(y, y->now, "a value cannot begin with this character");
}

/* ---- block collections ---- */

/* Whether an implicit key begins here: a scalar or alias on one line with ':' behind it. */
static bool key_begins(const yaml *y) {
  const char *text = y->text;
  size_t at = y->now.at;
  char c = text[at];
  if (c == '"' || c == '\'') {
    for (at++; text[at] != c || (c == '\'' && text[at + 1] == c && at++); at++) {
      if (c == '"' && text[at] == '\\' && text[at + 1] != 0) at++;
      if (text[at] == 0 || text[at] == '\n') return false;
    }
    at++;
  } else if (c == '*') {
    while (!yaml_is_space(text[at]) && !yaml_is_flow_mark(text[at])) at++;
  } else if (yaml_plain_begins(y, false)) {
    at = yaml_plain_end(y, false);
  } else if (c != ':') {
    return false;
  }
  while (yaml_is_blank(text[at])) at++;
  return text[at] == ':' && yaml_is_space(text[at + 1]);
}

static yaml_node *implicit_key(yaml *y) {
  properties p = {0};
  if (!read_properties(y, &p)) return NULL;
  char c = yaml_char(y);
  yaml_node *key = c == '"' || c == '\''         ? yaml_quoted(y, true)
                   : c == '*'                    ? read_alias(y, &p)
                   : yaml_plain_begins(y, false) ? yaml_plain(y, 0, false, true)
                   : c == ':'                    ? empty_node(y, &p)
                                                 : NULL;
  if (key == NULL) return yaml_fail(y, y->now, "a key cannot begin with this character");
  if (c != '*' && finish(y, key, &p) == NULL) return NULL;
  yaml_blanks(y);
  if (!is_entry(y, ':')) return yaml_fail(y, y->now, "':' is missing behind a key");
  return key;
}

/* After an entry of a block collection: whether another begins, in the same column. */
static bool next_entry(yaml *y, size_t column, size_t line, bool *more) {
  *more = false;
  if (!skip_to_token(y, false)) return false;
  if (yaml_char(y) == 0 || yaml_at_marker(y) || (yaml_column(y) < column && y->now.line > line))
    return true;
  *more = yaml_column(y) == column && y->now.line > line;
  if (!*more) yaml_fail(y, y->now, "indented otherwise than what it belongs to");
  return *more;
}

static yaml_node *block_list(yaml *y) {
  size_t column = yaml_column(y);
  yaml_node *list = yaml_node_new(y->now, y, YAML_LIST);
  if (!go_deeper(y)) return NULL;
  for (bool more = true; more && is_entry(y, '-');) {
    size_t line = y->now.line;
    y->now.at++;
    yaml_node *item = block_node(y, (long)column, PLACE_ENTRY);
    if (item == NULL) return NULL;
    append(list, item);
    if (!next_entry(y, column, line, &more)) return NULL;
  }
  y->depth--;
  return list;
}

/* `? key`, then perhaps `: value` in the same column. */
static bool explicit_entry(yaml *y, size_t column, yaml_node **key, yaml_node **value, bool *more) {
  static const properties none;
  size_t line = y->now.line;
  y->now.at++;
  *key = block_node(y, (long)column, PLACE_ENTRY);
  if (*key == NULL || !next_entry(y, column, line, more)) return false;
  if (!*more || !is_entry(y, ':')) {
    *value = empty_node(y, &none);
    return true;
  }
  line = y->now.line;
  y->now.at++;
  *value = block_node(y, (long)column, PLACE_ENTRY);
  return *value != NULL && next_entry(y, column, line, more);
}

static bool implicit_entry(yaml *y, size_t column, yaml_node **key, yaml_node **value, bool *more) {
  size_t line = y->now.line;
  *key = implicit_key(y);
  if (*key == NULL) return false;
  y->now.at++; /* the colon */
  *value = block_node(y, (long)column, PLACE_VALUE);
  return *value != NULL && next_entry(y, column, line, more);
}

static yaml_node *block_map(yaml *y) {
  size_t column = yaml_column(y);
  yaml_node *map = yaml_node_new(y->now, y, YAML_MAP), *key, *value;
  if (!go_deeper(y)) return NULL;
  for (bool more = true; more && !is_entry(y, '-');) {
    bool read = is_entry(y, '?') ? explicit_entry(y, column, &key, &value, &more)
                                 : implicit_entry(y, column, &key, &value, &more);
    if (!read) return NULL;
    append(map, key);
    append(map, value);
  }
  y->depth--;
  return map;
}

/* A scalar, an alias or a flow collection: it has to end its line. */
static yaml_node *block_leaf(yaml *y, long parent, const properties *p) {
  char c = yaml_char(y);
  yaml_node *node;
  if (c == '|' || c == '>') return finish(y, yaml_block_scalar(y, parent), p);
  if (c == '[' || c == '{')
    node = flow_collection(y);
  else if (c == '"' || c == '\'')
    node = yaml_quoted(y, false);
  else if (c == '*')
    node = read_alias(y, p);
  else if (yaml_plain_begins(y, false))
    node = yaml_plain(y, parent, false, false);
  else
    return yaml_fail(y, y->now, "a value cannot begin with this character");
  if (node == NULL) return NULL;
  yaml_position behind = y->now;
  yaml_blanks(y);
  if ((c == '[' || c == '{') && is_entry(y, ':'))
    return yaml_fail(y, behind, "a list or a map cannot be a key here");
  y->now = behind;
  return line_ends(y) ? finish(y, node, p) : NULL;
}

/* Whether what stands at the begin of a later line is not part of a node any more. */
static bool node_is_over(const yaml *y, long parent, block_place place) {
  long column = (long)yaml_column(y);
  if (yaml_char(y) == 0 || yaml_at_marker(y)) return true;
  if (place == PLACE_VALUE && column == parent && is_entry(y, '-')) return false;
  return column <= parent;
}

static yaml_node *block_node(yaml *y, long parent, block_place place) {
  size_t line = y->now.line;
  properties p = {0};
  if (!skip_to_token(y, false)) return NULL;
  bool fresh = place == PLACE_ENTRY || y->now.line > line;
  if (y->now.line > line || yaml_char(y) == 0 || parent < 0) {
    if (node_is_over(y, parent, place)) return empty_node(y, &p);
  }
  yaml_position begin = y->now;
  if (!read_properties(y, &p)) return NULL;
  if (p.any) {
    if (fresh && key_begins(y)) { /* they are the key's */
      y->now = begin;
      return block_map(y);
    }
    line = y->now.line;
    if (!skip_to_token(y, false)) return NULL;
    fresh = y->now.line > line;
    if (fresh && node_is_over(y, parent, place)) return finish(y, empty_node(y, &p), &p);
    if (yaml_char(y) == 0) return finish(y, empty_node(y, &p), &p);
  }
  if (is_entry(y, '-') || is_entry(y, '?')) {
    if (!fresh)
      return yaml_fail(y, y->now, "a list or a map has to begin on a line of its own here");
    return finish(y, yaml_char(y) == '-' ? block_list(y) : block_map(y), &p);
  }
  bool own_properties = fresh && (yaml_char(y) == '&' || yaml_char(y) == '!');
  if (own_properties || key_begins(y)) {
    if (!fresh)
      return yaml_fail(
          y, y->now,
          "a map cannot begin on the line of its key; a value with ': ' in it needs quotes");
    return finish(y, block_map(y), &p);
  }
  return block_leaf(y, parent, &p);
}

/* ---- documents ---- */

/* Directives, up to `---`. %YAML of another major version is refused. */
static bool read_directives(yaml *y) {
  for (;;) {
    if (!skip_to_token(y, false)) return false;
    if (yaml_char(y) != '%' || yaml_column(y) != 0) return true;
    const char *at = y->text + y->now.at;
    if (strncmp(at, "%YAML", 5) == 0 && strncmp(at + 5, " 1.", 3) != 0) {
      yaml_fail(y, y->now, "only YAML 1 is read");
      return false;
    }
    while (yaml_char(y) != 0 && yaml_char(y) != '\n') y->now.at++;
  }
}

static bool is_marker(const yaml *y, char mark) {
  return yaml_at_marker(y) && yaml_char(y) == mark;
}

yaml_node *yaml_next(yaml *y) {
  if (y->error != NULL) return NULL;
  memset(y->anchors, 0, sizeof y->anchors);
  y->aliased = y->depth = 0;
  for (;;) { /* further ends of the document before */
    if (!skip_to_token(y, false)) return NULL;
    if (!is_marker(y, '.')) break;
    y->now.at += 3;
    if (!line_ends(y)) return NULL;
  }
  bool directives = yaml_char(y) == '%';
  if (!read_directives(y)) return NULL;
  bool marked = is_marker(y, '-');
  if (directives && !marked) return yaml_fail(y, y->now, "'---' is missing behind directives");
  if (yaml_char(y) == 0) return NULL;
  if (marked) y->now.at += 3;
  y->began = true;
  yaml_node *root = block_node(y, -1, marked ? PLACE_VALUE : PLACE_ENTRY);
  if (root == NULL || !skip_to_token(y, false)) return NULL;
  if (yaml_char(y) != 0 && !yaml_at_marker(y))
    return yaml_fail(y, y->now, "expected the end of the document");
  return root;
}

/* Whether YAML allows this character. */
static bool is_allowed(uint32_t c) {
  return c == '\t' || c == '\n' ||
         (c >= 0x20 && c != 0x7F && !(c >= 0x80 && c < 0xA0 && c != 0x85) && c != 0xFFFE &&
          c != 0xFFFF);
}

/* Makes every line end one newline, and looks that all of it is text. */
static void normalize(yaml *y) {
  char *text = y->text;
  size_t to = 0;
  for (size_t from = 0; from < y->size; from++) {
    if (text[from] == '\r') {
      if (text[from + 1] == '\n') from++;
      text[to++] = '\n';
    } else {
      text[to++] = text[from];
    }
  }
  y->size = to;
  text[to] = 0;
  for (yaml_position where = {.line = 1}; where.at < to;) {
    uint32_t c = 0;
    size_t used = utf8_decode(text + where.at, to - where.at, &c);
    if (used == 0 || !is_allowed(c)) {
      yaml_fail(y, where, used == 0 ? "bytes that are not UTF-8" : "a control character");
      return;
    }
    where.at += used;
    if (c == '\n') where.line++, where.line_start = where.at;
  }
}

yaml *yaml_open(char *text, size_t size) {
  yaml *y = memory_take(sizeof *y);
  *y = (yaml){.text = text, .size = size, .now.line = 1};
  normalize(y);
  if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
    y->now.at = y->now.line_start = 3; /* byte order mark */
  return y;
}

const char *yaml_error(const yaml *y, size_t *line, size_t *column) {
  *line = y->error_line;
  *column = y->error_column;
  return y->error;
}
