// SPDX-License-Identifier: MIT
// tsort.c -- order the words of pairs so that the first of each pair comes first.
#include "options.h"

typedef struct item item;
typedef struct successor {
  item *of;
  struct successor *next;
} successor;

struct item {
  char *name;
  bool done;
  size_t before; /* how many must come first */
  item *queue;   /* the queue of those that are ready, or the walk that looks for a loop */
  successor *top;
  item *chain; /* of the hash */
};

typedef struct {
  bin b;
  item **buckets;
  size_t room, count;
} tsort;

static size_t hash_of(const char *name) {
  size_t hash = 5381;
  for (; *name != 0; name++) hash = hash * 33 ^ (unsigned char)*name;
  return hash;
}

static void grow(tsort *t) {
  size_t room = t->room * 2 + 64;
  item **buckets = memory_take(room * sizeof *buckets);
  memset(buckets, 0, room * sizeof *buckets);
  for (size_t i = 0; i < t->room; i++) {
    for (item *at = t->buckets[i], *next; at != NULL; at = next) {
      next = at->chain;
      item **slot = &buckets[hash_of(at->name) % room];
      at->chain = *slot;
      *slot = at;
    }
  }
  free(t->buckets);
  t->buckets = buckets;
  t->room = room;
}

static item *find(tsort *t, const char *name) {
  if (t->count >= t->room) grow(t);
  item **slot = &t->buckets[hash_of(name) % t->room];
  for (item *at = *slot; at != NULL; at = at->chain) {
    if (strcmp(at->name, name) == 0) return at;
  }
  item *made = memory_take(sizeof *made);
  *made = (item){.name = memory_string(name), .chain = *slot};
  *slot = made;
  t->count++;
  return made;
}

static int by_name(const void *a, const void *b) {
  return strcmp((*(item *const *)a)->name, (*(item *const *)b)->name);
}

/* One step of the walk against the arrows: false while the loop is not complete. */
static bool look_for_loop(tsort *t, item *at, item **loop) {
  if (at->before == 0) return false;
  if (*loop == NULL) {
    *loop = at;
    return false;
  }
  for (successor **link = &at->top; *link != NULL; link = &(*link)->next) {
    if ((*link)->of != *loop) continue;
    if (at->queue == NULL) {
      at->queue = *loop;
      *loop = at;
      return false;
    }
    while (*loop != NULL) {
      item *next = (*loop)->queue;
      bin_warn(&t->b, "%s", (*loop)->name);
      if (*loop == at) {
        (*link)->of->before--;
        *link = (*link)->next;
        break;
      }
      (*loop)->queue = NULL;
      *loop = next;
    }
    while (*loop != NULL) {
      item *next = (*loop)->queue;
      (*loop)->queue = NULL;
      *loop = next;
    }
    return true;
  }
  return false;
}

static void sort_all(tsort *t, const char *path) {
  item **all = memory_take((t->count + 1) * sizeof *all);
  size_t count = 0, left = t->count;
  for (size_t i = 0; i < t->room; i++) {
    for (item *at = t->buckets[i]; at != NULL; at = at->chain) all[count++] = at;
  }
  qsort(all, count, sizeof *all, by_name);
  while (left > 0) {
    item *head = NULL, *tail = NULL;
    for (size_t i = 0; i < count; i++) {
      if (all[i]->before != 0 || all[i]->done) continue;
      if (head == NULL)
        head = all[i];
      else
        tail->queue = all[i];
      tail = all[i];
    }
    for (; head != NULL && t->b.out.error == 0; head = head->queue) {
      output_string(&t->b.out, head->name);
      output_byte(&t->b.out, '\n');
      head->done = true;
      left--;
      for (successor *s = head->top; s != NULL; s = s->next) {
        if (--s->of->before != 0) continue;
        tail->queue = s->of;
        tail = s->of;
      }
    }
    if (left == 0 || t->b.out.error != 0) break;
    output_flush(&t->b.out);
    bin_error(&t->b, "%s: input contains a loop:", path);
    item *loop = NULL;
    do {
      for (size_t i = 0; i < count; i++) {
        if (look_for_loop(t, all[i], &loop)) break;
      }
    } while (loop != NULL);
  }
}

static int tsort_main(int argc, char **argv, char **environment) {
  tsort t = {0};
  options o;
  options_start(&o, &t.b, command_find("tsort"), argc, argv, environment);
  while (options_next(&o) != 0) {
  }
  options_allow(&o, 1);
  const char *path = o.operand_count > 0 ? o.operands[0] : "-";
  input in;
  if (!bin_open(&t.b, &in, path)) return bin_end(&t.b);
  text word = {0};
  item *first = NULL;
  grow(&t);
  for (bool more = true; more;) {
    int c = input_byte(&in);
    more = c >= 0;
    if (more && c != ' ' && c != '\t' && c != '\n') {
      text_char(&word, (char)c);
      continue;
    }
    if (word.len == 0) continue;
    item *now = find(&t, text_end(&word));
    word.len = 0;
    if (first == NULL) {
      first = now;
      continue;
    }
    if (first != now) {
      successor *made = memory_take(sizeof *made);
      *made = (successor){now, first->top};
      first->top = made;
      now->before++;
    }
    first = NULL;
  }
  bin_check_read(&t.b, &in, path);
  if (first != NULL) bin_die(&t.b, 1, "%s: input contains an odd number of tokens", path);
  sort_all(&t, path);
  return bin_end(&t.b);
}

const command command_tsort = {
    .name = "tsort", .main = tsort_main, .usage = "tsort [FILE]", .options = ""};
