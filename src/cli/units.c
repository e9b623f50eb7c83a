// SPDX-License-Identifier: MIT
/* units.c -- exact: 0.1s is 100,000,000 ns because digits are read, never a double. */
#include "cli/units.h"

#include <string.h>

#include "json/buffer.h"

typedef struct {
  const char *name;
  uint64_t factor;
} unit;

static const unit durations[] = {
    {"ns", 1},          {"us", 1000},         {"ms", 1000000},      {"s", 1000000000},
    {"m", 60000000000}, {"min", 60000000000}, {"h", 3600000000000}, {NULL, 0}};
static const unit sizes[] = {{"", 1},           {"B", 1},          {"kB", 1000},
                             {"KB", 1000},      {"MB", 1000000},   {"GB", 1000000000},
                             {"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30},
                             {NULL, 0}};
static const unit counts[] = {{"", 1}, {NULL, 0}};

static const unit *const units[] = {durations, sizes, counts};
static const char *const wanted[] = {
    "a duration is wanted, such as 500ms, 5s, 2m or none",
    "a size is wanted, such as 4096, 64KiB, 1MB or none",
    "a whole number is wanted, or none",
};

static uint64_t factor_of(const unit *table, cloche_text name) {
  for (; table->name != NULL; table++)
    if (cloche__text_equal(name, cloche__text(table->name))) return table->factor;
  return 0;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* value * 10 + digit, or false when that does not fit. */
static bool push_digit(uint64_t *value, char digit) {
  return !__builtin_mul_overflow(*value, 10, value) &&
         !__builtin_add_overflow(*value, (uint64_t)(digit - '0'), value);
}

/* [digits][.digits] at the start of `text`, in units of 1 / *scale. Bytes read, 0 when there is
 * none. */
static size_t read_decimal(cloche_text text, uint64_t *value, uint64_t *scale) {
  size_t at = 0, digits = 0;
  bool fraction = false;
  *value = 0;
  *scale = 1;
  for (; at < text.len && (is_digit(text.at[at]) || (text.at[at] == '.' && !fraction)); at++) {
    if (text.at[at] == '.') {
      fraction = true;
      continue;
    }
    if (!push_digit(value, text.at[at])) return 0;
    if (fraction && __builtin_mul_overflow(*scale, 10, scale)) return 0;
    digits++;
  }
  return digits > 0 && text.at[at - 1] != '.' ? at : 0;
}

const char *cloche__read_quantity(cloche__unit kind, cloche_text text, uint64_t none,
                                  uint64_t *out) {
  if (cloche__text_equal(text, cloche__text("none"))) {
    *out = none;
    return NULL;
  }
  uint64_t value, scale;
  size_t used = read_decimal(text, &value, &scale);
  uint64_t factor = factor_of(units[kind], (cloche_text){text.at + used, text.len - used});
  if (used == 0 || factor == 0 || (kind == CLOCHE__COUNT && scale > 1)) return wanted[kind];
  if (__builtin_mul_overflow(value, factor, &value) || value / scale > INT64_MAX)
    return "the number is too large";
  if (value % scale != 0) return "the number is finer than its smallest unit";
  if (value == 0) return "at least 1 is wanted; leave it out for the default";
  *out = value / scale;
  return NULL;
}

/* ---- time ---- */

/* Days since 1970-01-01 of a day in the Gregorian calendar. The year is counted from March, so that
 * the day a leap year has more is its last. */
static int64_t days_of(int64_t year, int month, int day) {
  if (month <= 2) year--;
  int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
  int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int month_days(int year, int month) {
  static const char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[month - 1] + (month == 2 && leap);
}

/* Takes `count` digits, then `after` if that is not NUL. */
static bool take_number(cloche_text *text, size_t count, char after, int *number) {
  if (text->len < count + (after != '\0')) return false;
  *number = 0;
  for (size_t i = 0; i < count; i++) {
    if (!is_digit(text->at[i])) return false;
    *number = *number * 10 + (text->at[i] - '0');
  }
  if (after != '\0' && text->at[count] != after) return false;
  count += after != '\0';
  *text = (cloche_text){text->at + count, text->len - count};
  return true;
}

static bool take_fraction(cloche_text *text, int64_t *ns) {
  *ns = 0;
  if (text->len == 0 || text->at[0] != '.') return true;
  size_t at = 1;
  for (int64_t place = 100000000; at < text->len && is_digit(text->at[at]); at++, place /= 10)
    *ns += (text->at[at] - '0') * place;
  if (at == 1 || at > 10) return false;
  *text = (cloche_text){text->at + at, text->len - at};
  return true;
}

/* "Z", "+02:00" or "-05:30", in seconds. */
static bool take_zone(cloche_text *text, int64_t *seconds) {
  *seconds = 0;
  if (text->len == 1 && text->at[0] == 'Z') {
    text->len = 0;
    return true;
  }
  int hour, minute, sign = text->len > 0 && text->at[0] == '-' ? -1 : 1;
  if (text->len == 0 || (text->at[0] != '+' && text->at[0] != '-')) return false;
  *text = (cloche_text){text->at + 1, text->len - 1};
  if (!take_number(text, 2, ':', &hour) || !take_number(text, 2, '\0', &minute)) return false;
  *seconds = sign * (hour * 3600 + minute * 60);
  return hour < 24 && minute < 60;
}

const char *cloche__read_time(cloche_text text, int64_t *out) {
  static const char *const wants = "a time is wanted, such as 2026-03-01 or 2026-03-01T12:00:00Z";
  int year, month, day, hour = 0, minute = 0, second = 0;
  int64_t fraction = 0, zone = 0;
  if (!take_number(&text, 4, '-', &year) || !take_number(&text, 2, '-', &month) ||
      !take_number(&text, 2, '\0', &day))
    return wants;
  if (month < 1 || month > 12 || day < 1 || day > month_days(year, month))
    return "there is no such day";
  if (text.len > 0) {
    if (text.at[0] != 'T' && text.at[0] != ' ') return wants;
    text = (cloche_text){text.at + 1, text.len - 1};
    if (!take_number(&text, 2, ':', &hour) || !take_number(&text, 2, ':', &minute) ||
        !take_number(&text, 2, '\0', &second) || !take_fraction(&text, &fraction) ||
        !take_zone(&text, &zone) || text.len > 0)
      return wants;
    if (hour > 23 || minute > 59 || second > 59) return "there is no such time of day";
  }
  if (year < 1970 || year > 2200) return "a year from 1970 to 2200 is wanted";
  int64_t seconds = days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - zone;
  if (seconds <= 0) return "a time after 1970 began is wanted";
  *out = seconds * 1000000000 + fraction;
  return NULL;
}
