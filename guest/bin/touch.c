// SPDX-License-Identifier: MIT
// touch.c -- set times of files, making those that are missing.
#include "options.h"
#include "times.h"

typedef struct {
  bin b;
  bool only_access, only_change, no_create, no_follow;
  int64_t access, change; /* ns */
} touch;

/* [[CC]YY]MMDDhhmm[.ss] */
static bool parse_stamp(const char *stamp, int64_t now, const time_zone *zone, int64_t *ns) {
  size_t digits = strspn(stamp, "0123456789");
  time_parts p;
  time_split(now / 1000000000, 0, zone, &p);
  if (digits != 8 && digits != 10 && digits != 12) return false;
  p.second = 0;
  if (stamp[digits] == '.') {
    if (strspn(stamp + digits + 1, "0123456789") != 2 || stamp[digits + 3] != 0) return false;
    p.second = atoi(stamp + digits + 1);
  } else if (stamp[digits] != 0) {
    return false;
  }
  int fields[6] = {0};
  for (size_t i = 0; i < digits; i += 2)
    fields[i / 2] = (stamp[i] - '0') * 10 + (stamp[i + 1] - '0');
  size_t at = digits == 12 ? 2 : digits == 10 ? 1 : 0;
  if (digits == 12) p.year = fields[0] * 100 + fields[1];
  if (digits == 10) p.year = fields[0] < 69 ? 2000 + fields[0] : 1900 + fields[0];
  p.month = fields[at], p.day = fields[at + 1], p.hour = fields[at + 2], p.minute = fields[at + 3];
  if (p.month < 1 || p.month > 12 || p.day < 1 || p.day > 31 || p.hour > 23 || p.minute > 59 ||
      p.second > 60)
    return false;
  *ns = time_join(&p, zone, false) * 1000000000;
  return true;
}

static void touch_one(touch *t, const char *path) {
  file_stat stat;
  int error = t->no_follow ? sys_lstat(path, &stat) : sys_stat(path, &stat);
  if (error == -ENOENT) {
    if (t->no_create) return;
    int fd = t->no_follow ? -ENOENT : sys_open(path, OPEN_WRITE | OPEN_CREATE, 0666);
    if (fd < 0) {
      bin_error(&t->b, t->no_follow ? "setting times of %s: %s" : "cannot touch %s: %s",
                quote_always(path), error_text(fd));
      return;
    }
    sys_close(fd);
    error = sys_stat(path, &stat);
  }
  int64_t access = t->only_change ? stat.atime : t->access,
          change = t->only_access ? stat.mtime : t->change;
  if (error == 0) error = sys_utimes(path, access, change, !t->no_follow);
  if (error < 0) bin_error(&t->b, "cannot touch %s: %s", quote_always(path), error_text(error));
}

static int touch_main(int argc, char **argv, char **environment) {
  touch t = {0};
  options o;
  time_zone zone;
  int64_t now = kernel_now(), seconds;
  int32_t ns;
  const char *described = NULL;
  t.access = t.change = now;
  zone_parse(&zone, environment_get(environment, "TZ"));
  options_start(&o, &t.b, command_find("touch"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'a':
        t.only_access = true;
        break;
      case 'm':
        t.only_change = true;
        break;
      case 'c':
        t.no_create = true;
        break;
      case 'h':
        t.no_follow = true;
        break;
      case 'd':
        described = o.value;
        break;
      case 'r': {
        file_stat stat;
        int error = sys_stat(o.value, &stat);
        if (error < 0) {
          bin_die(&t.b, 1, "failed to get attributes of %s: %s", quote_always(o.value),
                  error_text(error));
        }
        t.access = stat.atime, t.change = stat.mtime, now = stat.mtime;
        break;
      }
      case 't':
        if (!parse_stamp(o.value, now, &zone, &t.access)) {
          bin_die(&t.b, 1, "invalid date format %s", quote_curly(o.value));
        }
        t.change = t.access;
        break;
      case OPTION_LONG:
        t.only_access |= *o.value == 'a' || *o.value == 'u';
        t.only_change |= *o.value == 'm';
        break;
      default:
        break;
    }
  }
  if (t.only_access && t.only_change) t.only_access = t.only_change = false;
  if (described != NULL) {
    if (!time_parse(described, now, &zone, &seconds, &ns)) {
      bin_die(&t.b, 1, "invalid date format %s", quote_curly(described));
    }
    t.access = t.change = seconds * 1000000000 + ns;
  }
  if (o.operand_count == 0) bin_usage(&t.b, "missing file operand");
  for (int i = 0; i < o.operand_count; i++) touch_one(&t, o.operands[i]);
  return bin_end(&t.b);
}

const command command_touch = {
    .name = "touch",
    .main = touch_main,
    .usage = "touch [OPTION]... FILE...",
    .options =
        "-a\tchange only the time of access\n"
        "-c, --no-create\tmake no files\n"
        "-d, --date=STRING\tuse the time that STRING describes\n"
        "-f\tignored\n"
        "-h, --no-dereference\tchange links themselves\n"
        "-m\tchange only the time of change\n"
        "-r, --reference=FILE\tuse FILE's times\n"
        "-t STAMP\tuse [[CC]YY]MMDDhhmm[.ss]\n"
        "--time=WORD\taccess, atime, use (as -a), modify or mtime (as -m)"};
