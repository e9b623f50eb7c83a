// SPDX-License-Identifier: MIT
// date.c -- print a time. It cannot be set: the guest's clock is the run's.
#include "options.h"
#include "times.h"

typedef struct {
  bin b;
  time_zone zone;
  const char *format;
  bool universal;
} date;

static void show(date *d, int64_t seconds, int32_t ns) {
  time_parts parts;
  text out = {0};
  time_split(seconds, ns, &d->zone, &parts);
  time_format(&out, d->format, strlen(d->format), &parts, seconds);
  text_char(&out, '\n');
  output_write(&d->b.out, out.at, out.len);
  text_free(&out);
}

static void show_text(date *d, const char *from) {
  int64_t seconds;
  int32_t ns;
  if (time_parse(from, kernel_now(), &d->zone, &seconds, &ns)) {
    show(d, seconds, ns);
  } else {
    bin_error(&d->b, "invalid date %s", quote_curly(from));
  }
}

static void show_file(date *d, const char *path) {
  input in;
  if (!bin_open(&d->b, &in, path)) return;
  char *line;
  size_t size;
  while (input_line(&in, &line, &size, NULL)) show_text(d, memory_copy(line, size));
  input_close(&in);
}

static const char *iso_format(date *d, const char *precision) {
  static const struct {
    const char *name, *format;
  } known[] = {{"date", "%Y-%m-%d"},
               {"hours", "%Y-%m-%dT%H%:z"},
               {"minutes", "%Y-%m-%dT%H:%M%:z"},
               {"seconds", "%Y-%m-%dT%H:%M:%S%:z"},
               {"ns", "%Y-%m-%dT%H:%M:%S,%N%:z"}};
  if (precision == NULL) return known[0].format;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strncmp(known[i].name, precision, strlen(precision)) == 0) return known[i].format;
  }
  bin_usage(&d->b, "invalid argument %s for %s", quote_curly(precision), quote_curly("--iso-8601"));
}

static const char *rfc_format(date *d, const char *precision) {
  if (*precision == 'd') return "%Y-%m-%d";
  if (*precision == 's') return "%Y-%m-%d %H:%M:%S%:z";
  if (*precision == 'n') return "%Y-%m-%d %H:%M:%S.%N%:z";
  bin_usage(&d->b, "invalid argument %s for %s", quote_curly(precision), quote_curly("--rfc-3339"));
}

static int date_main(int argc, char **argv, char **environment) {
  date d = {0};
  options o;
  const char *described = NULL, *file = NULL, *reference = NULL;
  options_start(&o, &d.b, command_find("date"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'd':
        described = o.value;
        break;
      case 'f':
        file = o.value;
        break;
      case 'r':
        reference = o.value;
        break;
      case 'u':
        d.universal = true;
        break;
      case 'R':
        d.format = "%a, %d %b %Y %H:%M:%S %z";
        break;
      case 'I':
        d.format = iso_format(&d, o.value);
        break;
      case 's':
        bin_die(&d.b, 1, "cannot set date: Operation not permitted");
      default:
        d.format = rfc_format(&d, o.value);
        break;
    }
  }
  for (int i = 0; i < o.operand_count; i++) {
    if (*o.operands[i] != '+') {
      if (d.format != NULL || i > 0)
        bin_usage(&d.b, "extra operand %s", quote_curly(o.operands[i]));
      bin_die(&d.b, 1, "invalid date %s", quote_curly(o.operands[i]));
    }
    if (d.format != NULL)
      bin_usage(&d.b, i > 0 ? "extra operand %s" : "multiple output formats specified",
                quote_curly(o.operands[i]));
    d.format = o.operands[i] + 1;
  }
  if (d.format == NULL) d.format = "%a %b %e %H:%M:%S %Z %Y";
  zone_parse(&d.zone, d.universal ? NULL : environment_get(environment, "TZ"));
  if (file != NULL) {
    show_file(&d, file);
  } else if (reference != NULL) {
    file_stat stat;
    int error = sys_stat(reference, &stat);
    if (error < 0) bin_die(&d.b, 1, "%s: %s", reference, error_text(error));
    show(&d, stat.mtime / 1000000000, (int32_t)(stat.mtime % 1000000000));
  } else if (described != NULL) {
    show_text(&d, described);
  } else {
    int64_t now = kernel_now();
    show(&d, now / 1000000000, (int32_t)(now % 1000000000));
  }
  return bin_end(&d.b);
}

const command command_date = {
    .name = "date",
    .main = date_main,
    .usage = "date [OPTION]... [+FORMAT]",
    .options =
        "-d, --date=STRING\tthe time that STRING describes\n"
        "-f, --file=FILE\teach line of FILE as with -d\n"
        "-I[TIMESPEC], --iso-8601[=TIMESPEC]\tISO 8601: date, hours, minutes, seconds or ns\n"
        "-R, --rfc-email\tas in mail headers\n"
        "--rfc-3339=TIMESPEC\tRFC 3339: date, seconds or ns\n"
        "-r, --reference=FILE\twhen FILE was last changed\n"
        "-s, --set=STRING\trefused\n"
        "-u, --utc, --universal\tCoordinated Universal Time"};
