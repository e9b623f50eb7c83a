// SPDX-License-Identifier: MIT
/* time.c -- ISO 8601 times and durations. */
#include "gate/time.h"

#include <string.h>

#include "json/buffer.h"

static bool read_digits(cloche_text *text, size_t count, int *value) {
  *value = 0;
  if (text->len < count) return false;
  for (size_t i = 0; i < count; i++) {
    if (text->at[i] < '0' || text->at[i] > '9') return false;
    *value = *value * 10 + (text->at[i] - '0');
  }
  *text = (cloche_text){text->at + count, text->len - count};
  return true;
}

static bool read_mark(cloche_text *text, const char *any) {
  if (text->len == 0 || text->at[0] == '\0' || strchr(any, text->at[0]) == NULL) return false;
  *text = (cloche_text){text->at + 1, text->len - 1};
  return true;
}

/* Days from 1970-01-01, counting years from March so that the leap day comes last. */
static int64_t days_since_1970(int year, int month, int day) {
  int64_t y = month <= 2 ? year - 1 : year, shifted = (month + 9) % 12;
  int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
  int64_t of_year = (153 * shifted + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int days_in_month(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return days[month - 1] + (leap && month == 2);
}

static bool read_date(cloche_text *text, cloche__time *time) {
  int year, month, day;
  if (!read_digits(text, 4, &year) || !read_mark(text, "-") || !read_digits(text, 2, &month) ||
      !read_mark(text, "-") || !read_digits(text, 2, &day)) {
    return false;
  }
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) return false;
  *time = (cloche__time){.seconds = days_since_1970(year, month, day) * 86400};
  return true;
}

static bool read_fraction(cloche_text *text, cloche__time *time) {
  int32_t unit = 100000000;
  size_t count = 0;
  for (int digit; count < 9 && read_digits(text, 1, &digit); count++, unit /= 10) {
    time->nanoseconds += digit * unit;
  }
  return count > 0;
}

static bool read_clock(cloche_text *text, cloche__time *time) {
  int hour, minute, second = 0;
  if (!read_digits(text, 2, &hour) || !read_mark(text, ":") || !read_digits(text, 2, &minute)) {
    return false;
  }
  if (read_mark(text, ":")) {
    if (!read_digits(text, 2, &second)) return false;
    if (read_mark(text, ".,") && !read_fraction(text, time)) return false;
  }
  time->seconds += hour * 3600 + minute * 60 + second;
  return hour < 24 && minute < 60 && second < 60;
}

static bool read_zone(cloche_text *text, cloche__time *time) {
  int hours, minutes, sign = text->len > 0 && text->at[0] == '-' ? -1 : 1;
  if (read_mark(text, "Zz")) return true;
  if (!read_mark(text, "+-") || !read_digits(text, 2, &hours)) return false;
  read_mark(text, ":");
  if (!read_digits(text, 2, &minutes) || hours > 23 || minutes > 59) return false;
  time->seconds -= sign * (hours * 3600 + minutes * 60);
  return true;
}

bool cloche__time_read(cloche_text text, cloche__time *time) {
  cloche__time read;
  if (!read_date(&text, &read)) return false;
  if (text.len > 0 &&
      (!read_mark(&text, "Tt ") || !read_clock(&text, &read) || !read_zone(&text, &read))) {
    return false;
  }
  *time = read;
  return text.len == 0;
}

int cloche__time_compare(cloche__time a, cloche__time b) {
  if (a.seconds != b.seconds) return a.seconds < b.seconds ? -1 : 1;
  return (a.nanoseconds > b.nanoseconds) - (a.nanoseconds < b.nanoseconds);
}

void cloche__time_write(int64_t nanoseconds, cloche__buffer *out) {
  int64_t day = 86400000000000, days = nanoseconds / day, rest = nanoseconds % day;
  if (rest < 0) rest += day, days--;
  int64_t shifted = days + 719468, era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  int64_t of_era = shifted - era * 146097;
  int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int64_t of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
  int seconds = (int)(rest / 1000000000);
  cloche__buffer_format(out, "%04lld-%02lld-%02lldT%02d:%02d:%02d.%09lldZ",
                        (long long)(year + era * 400 + (month >= 10)),
                        (long long)(month < 10 ? month + 3 : month - 9),
                        (long long)(of_year - (153 * month + 2) / 5 + 1), seconds / 3600,
                        seconds / 60 % 60, seconds % 60, (long long)(rest % 1000000000));
}

bool cloche__duration_read(cloche_text text, int64_t *nanoseconds) {
  static const struct {
    const char *name;
    int64_t size;
  } units[] = {
      {"ms", 1000000},      {"s", 1000000000},     {"m", 60000000000},
      {"h", 3600000000000}, {"d", 86400000000000},
  };
  int64_t value = 0;
  int digit;
  if (text.len == 0 || text.at[0] < '0' || text.at[0] > '9') return false;
  while (read_digits(&text, 1, &digit)) {
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit, &value)) {
      return false;
    }
  }
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (!cloche__text_equal(text, cloche__text(units[i].name))) continue;
    return !__builtin_mul_overflow(value, units[i].size, nanoseconds);
  }
  return false;
}
