// SPDX-License-Identifier: MIT
// du.c -- du, df and tree: what a tree of files holds.
#include "glob.h"
#include "options.h"
#include "path.h"
#include "walk.h"

/* ---- du ---- */

typedef struct {
  bin b;
  bool all, apparent, human, si, summary, total, null;
  uint64_t block;
  int depth;
  char **exclude;
  size_t exclude_count;
} du;

static uint64_t used(const du *d, const file_stat *stat) {
  if (d->apparent) return stat->kind == FILE_DIRECTORY ? 4096 : stat->size;
  return stat->kind == FILE_DIRECTORY ? 4096
         : stat->kind == FILE_LINK    ? 0
                                      : (stat->size + 4095) / 4096 * 4096;
}

static void put_size(output *out, uint64_t size, bool human, bool si, uint64_t block) {
  static const char units[] = "KMGTPE";
  if (!human && !si) {
    output_format(out, "%llu", (unsigned long long)((size + block - 1) / block));
    return;
  }
  uint64_t base = si ? 1000 : 1024, scale = 1;
  int unit = -1;
  while (size / scale >= base && unit < 5) scale *= base, unit++;
  if (unit < 0) {
    output_format(out, "%llu", (unsigned long long)size);
    return;
  }
  uint64_t tenths = size / scale * 10 + (size % scale * 10 + scale - 1) / scale;
  if (tenths < 100)
    output_format(out, "%llu.%llu%c", (unsigned long long)(tenths / 10),
                  (unsigned long long)(tenths % 10), units[unit]);
  else
    output_format(out, "%llu%c", (unsigned long long)((size + scale - 1) / scale), units[unit]);
}

static void put_entry(du *d, uint64_t size, const char *path) {
  put_size(&d->b.out, size, d->human, d->si, d->block);
  output_format(&d->b.out, "\t%s", path);
  output_byte(&d->b.out, d->null ? 0 : '\n');
}

static bool is_excluded(const du *d, const char *name, const char *path) {
  for (size_t i = 0; i < d->exclude_count; i++) {
    if (glob_match(d->exclude[i], name, 0) || glob_match(d->exclude[i], path, 0)) return true;
  }
  return false;
}

static uint64_t measure(du *d, const char *start) {
  walk w;
  walk_event event;
  uint64_t *sums = NULL, result = 0;
  size_t room = 0;
  walk_start(&w, start, false);
  while (walk_next(&w, &event)) {
    size_t depth = (size_t)w.depth;
    if (depth + 2 > room) sums = memory_resize(sums, (room = depth * 2 + 16) * sizeof *sums);
    if (event == WALK_ERROR) {
      bin_error(&d->b, w.depth == 0 ? "cannot access %s: %s" : "cannot read directory %s: %s",
                quote_always(w.path), error_text(w.error));
    } else if (event == WALK_ENTER) {
      if (is_excluded(d, w.name, w.path))
        w.skip = true;
      else
        sums[depth] = used(d, &w.stat);
    } else {
      if (event == WALK_FILE && is_excluded(d, w.name, w.path)) continue;
      uint64_t size = event == WALK_LEAVE ? sums[depth] : used(d, &w.stat);
      if (depth > 0)
        sums[depth - 1] += size;
      else
        result = size;
      bool shown = depth == 0 || ((event == WALK_LEAVE || d->all) && (int)depth <= d->depth);
      if (shown) put_entry(d, size, w.path);
    }
  }
  free(sums);
  return result;
}

static int du_main(int argc, char **argv, char **environment) {
  du d = {.block = 1024, .depth = 1 << 30};
  options o;
  options_start(&o, &d.b, command_find("du"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'a':
        d.all = true;
        break;
      case 'b':
        d.apparent = true;
        d.block = 1;
        break;
      case 'B':
        if (number_parse(o.value, "K", &d.block) == -EINVAL || d.block == 0)
          d.block = *o.value == 'M' ? 1048576 : *o.value == 'G' ? 1u << 30 : 1024;
        break;
      case 'c':
        d.total = true;
        break;
      case 'd':
        d.depth = (int)options_number(&o, NULL, "invalid maximum depth");
        break;
      case 'h':
        d.human = true;
        break;
      case 'k':
        d.block = 1024;
        break;
      case 'm':
        d.block = 1048576;
        break;
      case 's':
        d.summary = true;
        break;
      case '0':
        d.null = true;
        break;
      case OPTION_LONG:
        d.apparent |= options_is(&o, "apparent-size");
        d.si |= options_is(&o, "si");
        if (options_is(&o, "exclude")) {
          d.exclude = memory_resize(d.exclude, (d.exclude_count + 1) * sizeof *d.exclude);
          d.exclude[d.exclude_count++] = o.value;
        }
        break;
      default:
        break;
    }
  }
  if (d.summary) d.depth = 0;
  char *here[] = {".", NULL};
  char **files = o.operand_count > 0 ? o.operands : here;
  uint64_t total = 0;
  for (; *files != NULL; files++) total += measure(&d, *files);
  if (d.total) put_entry(&d, total, "total");
  return bin_end(&d.b);
}

/* ---- df ---- */

static int df_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  options_start(&o, &b, command_find("df"), argc, argv, environment);
  bool human = false;
  for (int key; (key = options_next(&o)) != 0;) human |= key == 'h';
  output_format(&b.out, human ? "Filesystem      Size  Used Avail Use%% Mounted on\n"
                              : "Filesystem     1K-blocks  Used Available Use%% Mounted on\n");
  output_format(&b.out, human ? "memory             -     -     -    - /\n"
                              : "memory                 -     -         -    - /\n");
  return bin_end(&b);
}

/* ---- tree ---- */

typedef struct {
  bin b;
  bool all, folders_only, full, folders_first, size, no_indent, no_report;
  int depth;
  char **ignore, **only;
  size_t ignore_count, only_count;
  uint64_t folders, files;
} tree;

static bool any_match(char **list, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    char *pattern = memory_string(list[i]);
    for (char *part = pattern; part != NULL;) { /* a|b */
      char *bar = strchr(part, '|');
      if (bar != NULL) *bar++ = 0;
      if (glob_match(part, name, 0)) return true;
      part = bar;
    }
  }
  return false;
}

/* Deep enough for any sandbox; each level costs some 300 bytes of stack. */
#define TREE_DEPTH 400

static void show_folder(tree *t, const char *path, text *indent, int depth) {
  char **names;
  size_t count, kept = 0;
  if (depth > t->depth || depth > TREE_DEPTH || path_list(path, true, &names, &count) < 0) return;
  file_stat *stats = memory_take((count + 1) * sizeof *stats);
  for (size_t i = 0; i < count; i++) {
    if (*names[i] == '.' && !t->all) continue;
    if (any_match(t->ignore, t->ignore_count, names[i])) continue;
    char *full = path_join(path, names[i]);
    file_stat stat;
    if (sys_lstat(full, &stat) < 0) continue;
    bool folder = stat.kind == FILE_DIRECTORY;
    if (t->folders_only && !folder) continue;
    if (!folder && t->only_count > 0 && !any_match(t->only, t->only_count, names[i])) continue;
    stats[kept] = stat;
    names[kept++] = names[i];
  }
  for (int pass = 0; pass < (t->folders_first ? 2 : 1); pass++) {
    for (size_t i = 0; i < kept; i++) {
      bool folder = stats[i].kind == FILE_DIRECTORY, last = true;
      if (t->folders_first && folder != (pass == 0)) continue;
      for (size_t k = i + 1; k < kept; k++)
        last &= t->folders_first && (stats[k].kind == FILE_DIRECTORY) != folder;
      if (t->folders_first && folder) {
        for (size_t k = 0; k < kept; k++) last &= stats[k].kind == FILE_DIRECTORY;
      }
      char *full = path_join(path, names[i]);
      if (!t->no_indent) {
        output_write(&t->b.out, indent->at, indent->len);
        output_string(&t->b.out, last ? "└── " : "├── ");
      }
      if (t->size) output_format(&t->b.out, "[%11llu]  ", (unsigned long long)stats[i].size);
      output_string(&t->b.out, t->full ? full : names[i]);
      if (stats[i].kind == FILE_LINK) {
        char target[4097];
        int64_t size = sys_readlink(full, target, 4096);
        if (size >= 0) output_format(&t->b.out, " -> %.*s", (int)size, target);
      }
      output_byte(&t->b.out, '\n');
      if (folder) {
        t->folders++;
        size_t before = indent->len;
        text_string(indent, last ? "    " : "│\xc2\xa0\xc2\xa0 ");
        show_folder(t, full, indent, depth + 1);
        indent->len = before;
      } else {
        t->files++;
      }
    }
  }
}

static int tree_main(int argc, char **argv, char **environment) {
  tree t = {.depth = 1 << 30};
  options o;
  options_start(&o, &t.b, command_find("tree"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'a':
        t.all = true;
        break;
      case 'd':
        t.folders_only = true;
        break;
      case 'f':
        t.full = true;
        break;
      case 'i':
        t.no_indent = true;
        break;
      case 's':
        t.size = true;
        break;
      case 'L':
        t.depth = (int)options_number(&o, NULL, "Invalid level");
        break;
      case 'I':
        t.ignore = memory_resize(t.ignore, (t.ignore_count + 1) * sizeof *t.ignore);
        t.ignore[t.ignore_count++] = o.value;
        break;
      case 'P':
        t.only = memory_resize(t.only, (t.only_count + 1) * sizeof *t.only);
        t.only[t.only_count++] = o.value;
        break;
      case OPTION_LONG:
        t.folders_first |= options_is(&o, "dirsfirst");
        t.no_report |= options_is(&o, "noreport");
        break;
      default:
        break;
    }
  }
  char *here[] = {".", NULL};
  char **files = o.operand_count > 0 ? o.operands : here;
  for (; *files != NULL; files++) {
    file_stat stat;
    text indent = {0};
    bool there = sys_stat(*files, &stat) == 0 && stat.kind == FILE_DIRECTORY;
    output_format(&t.b.out, "%s%s\n", *files, there ? "" : "  [error opening dir]");
    if (!there)
      t.b.status = 2;
    else
      t.folders++;
    if (there) show_folder(&t, *files, &indent, 1);
  }
  if (!t.no_report) {
    uint64_t folders = t.folders > 0 ? t.folders - 1 : 0;
    output_format(&t.b.out, "\n%llu director%s", (unsigned long long)folders,
                  folders == 1 ? "y" : "ies");
    if (!t.folders_only)
      output_format(&t.b.out, ", %llu file%s", (unsigned long long)t.files,
                    t.files == 1 ? "" : "s");
    output_byte(&t.b.out, '\n');
  }
  return bin_end(&t.b);
}

const command command_du = {
    .name = "du",
    .main = du_main,
    .usage = "du [OPTION]... [FILE]...",
    .options =
        "-a, --all\tfiles too\n--apparent-size\tsizes, not blocks\n-b, --bytes\tas --apparent-size "
        "--block-size=1\n"
        "-B, --block-size=SIZE\tunits of SIZE\n-c, --total\ta grand total\n-d, --max-depth=N\tno "
        "deeper than N\n"
        "--exclude=PATTERN\tleave out what matches\n-h, --human-readable\tsizes like "
        "1.5K\n-k\tunits of 1 KiB\n"
        "-m\tunits of 1 MiB\n-s, --summarize\tonly the operands\n--si\tas -h with powers of 1000\n"
        "-x, --one-file-system\tignored\n-0, --null\tlines end with NUL"};
const command command_df = {.name = "df",
                            .main = df_main,
                            .usage = "df [OPTION]... [FILE]...",
                            .options =
                                "-h, --human-readable\tsizes like 1.5K\n-k\tignored\n-T, "
                                "--print-type\tignored\n-P, --portability\tignored"};
const command command_tree = {.name = "tree",
                              .main = tree_main,
                              .usage = "tree [OPTION]... [DIRECTORY]...",
                              .options =
                                  "-a\tnames that start with . too\n-d\tonly folders\n-f\tfull "
                                  "paths\n-i\tno lines\n-s\tshow sizes\n"
                                  "-L LEVEL\tno deeper than LEVEL\n-I PATTERN\tleave out what "
                                  "matches\n-P PATTERN\tonly files that match\n"
                                  "--dirsfirst\tfolders before files\n--noreport\tno counts at the "
                                  "end\n-n\tignored\n-C\tignored",
                              .stack = 327680};
