// SPDX-License-Identifier: MIT
/* times_parse.c -- dates as people write them for `date -d`. The text is a bag of items in almost
 * any order: dates, times of day, zones, days of the week, and amounts to add ("3 days ago"). */
#include <stdlib.h>
#include <string.h>

#include "times.h"

typedef struct {
  const char *at;
  time_parts date; /* what was said; the rest is from now */
  bool have_date, have_time, have_zone, have_weekday, have_any;
  int weekday, weekday_count;
  int64_t add_years, add_months, add_days, add_seconds, add_ns;
  bool have_amount; /* which an "ago" would turn round */
} dates;

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_letter(char c) {
  return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static void skip_blanks(dates *d) {
  for (;;) {
    while (*d->at == ' ' || *d->at == '\t' || *d->at == '\n' || *d->at == ',') d->at++;
    if (*d->at != '(') return;
    const char *close = strchr(d->at, ')'); /* a comment */
    if (close == NULL) return;
    d->at = close + 1;
  }
}

static int digits_at(const char *at) {
  int count = 0;
  while (is_digit(at[count])) count++;
  return count;
}

static int number(const char *at, int count) {
  int value = 0;
  for (int i = 0; i < count; i++) value = value > 100000000 ? value : value * 10 + (at[i] - '0');
  return value;
}

static int64_t full_year(int64_t year, int digits) {
  if (digits > 2) return year;
  return year < 69 ? year + 2000 : year + 1900;
}

static bool set_date(dates *d, int64_t year, int month, int day) {
  static const char lengths[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (d->have_date || month < 1 || month > 12 || day < 1 || day > lengths[month - 1]) return false;
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (month == 2 && day == 29 && !leap) return false;
  d->date.year = year;
  d->date.month = month;
  d->date.day = day;
  d->have_date = d->have_any = true;
  return true;
}

/* +hh, +hhmm or +hh:mm */
static bool take_offset(dates *d) {
  int sign = *d->at == '-' ? -1 : 1;
  while (d->at[1] == ' ') d->at++;
  int count = digits_at(d->at + 1);
  if (count == 0 || count > 4 || d->have_zone) return false;
  int hours = number(d->at + 1, count <= 2 ? count : count - 2), minutes = 0;
  const char *end = d->at + 1 + count;
  if (count > 2) {
    minutes = number(d->at + 1 + count - 2, 2);
  } else if (*end == ':' && digits_at(end + 1) == 2) {
    minutes = number(end + 1, 2);
    end += 3;
  }
  if (hours > 24 || minutes > 59) return false;
  d->date.offset = sign * (hours * 3600 + minutes * 60);
  d->have_zone = true;
  d->at = end;
  return true;
}

static void take_fraction(dates *d) {
  if ((*d->at != '.' && *d->at != ',') || !is_digit(d->at[1])) return;
  int count = digits_at(d->at + 1);
  for (int i = 0; i < 9; i++) {
    d->date.ns = d->date.ns * 10 + (i < count ? d->at[1 + i] - '0' : 0);
  }
  d->at += 1 + count;
}

/* "am" or "pm" behind an hour. */
static bool take_meridian(dates *d) {
  const char *at = d->at;
  while (*at == ' ') at++;
  int mark = *at | 32;
  bool dotted = at[1] == '.';
  if (mark != 'a' && mark != 'p') return false;
  if ((at[dotted ? 2 : 1] | 32) != 'm') return false;
  at += dotted ? (at[3] == '.' ? 4 : 3) : 2;
  if (is_letter(*at)) return false;
  if (d->date.hour < 1 || d->date.hour > 12) return false;
  d->date.hour = d->date.hour % 12 + (mark == 'p' ? 12 : 0);
  d->at = at;
  return true;
}

/* hh:mm[:ss[.f]] [am|pm] [zone offset] */
static bool take_clock(dates *d) {
  int count = digits_at(d->at);
  if (d->have_time || count > 2) return false;
  d->date.hour = number(d->at, count);
  d->at += count;
  d->date.minute = d->date.second = d->date.ns = 0;
  if (*d->at == ':') {
    if (digits_at(d->at + 1) != 2) return false;
    d->date.minute = number(d->at + 1, 2);
    d->at += 3;
    if (*d->at == ':') {
      if (digits_at(d->at + 1) != 2) return false;
      d->date.second = number(d->at + 1, 2);
      d->at += 3;
      take_fraction(d);
    }
  }
  if (!take_meridian(d) && d->date.hour > 23 &&
      !(d->date.hour == 24 && d->date.minute == 0 && d->date.second == 0))
    return false;
  if (d->date.minute > 59 || d->date.second > 60) return false;
  d->have_time = d->have_any = true;
  /* A sign behind a time begins a zone, even in "10:00 +1 day": GNU's gotcha, kept. */
  const char *zone = d->at;
  while (*zone == ' ') zone++;
  if (*zone != '+' && *zone != '-') return true;
  d->at = zone;
  return take_offset(d);
}

static int word_in(const char *word, size_t size, const char *const *names, int count,
                   size_t least) {
  for (int i = 0; i < count; i++) {
    size_t whole = strlen(names[i]);
    if (size == whole || (size == least && size < whole)) {
      size_t k = 0;
      while (k < size && (word[k] | 32) == names[i][k]) k++;
      if (k == size) return i;
    }
  }
  return -1;
}

static const char *const month_names[] = {"january",   "february", "march",    "april",
                                          "may",       "june",     "july",     "august",
                                          "september", "october",  "november", "december"};
static const char *const day_names[] = {"sunday",   "monday", "tuesday", "wednesday",
                                        "thursday", "friday", "saturday"};
static const char *const units[] = {"year",       "month",  "fortnight", "week",  "day",
                                    "hour",       "minute", "second",    "years", "months",
                                    "fortnights", "weeks",  "days",      "hours", "minutes",
                                    "seconds",    "min",    "mins",      "sec",   "secs"};

static int month_of(const char *word, size_t size) {
  if (size == 4 && (word[0] | 32) == 's' && (word[1] | 32) == 'e' && (word[2] | 32) == 'p' &&
      (word[3] | 32) == 't')
    return 8;
  return word_in(word, size, month_names, 12, 3);
}

static size_t word_size(const char *at) {
  size_t size = 0;
  while (is_letter(at[size])) size++;
  return size;
}

static bool add_unit(dates *d, int unit, int64_t amount) {
  switch (unit) {
    case 0:
    case 8:
      d->add_years += amount;
      break;
    case 1:
    case 9:
      d->add_months += amount;
      break;
    case 2:
    case 10:
      d->add_days += amount * 14;
      break;
    case 3:
    case 11:
      d->add_days += amount * 7;
      break;
    case 4:
    case 12:
      d->add_days += amount;
      break;
    case 5:
    case 13:
      d->add_seconds += amount * 3600;
      break;
    case 6:
    case 14:
    case 16:
    case 17:
      d->add_seconds += amount * 60;
      break;
    default:
      d->add_seconds += amount;
      break;
  }
  d->have_amount = true;
  d->have_any = true;
  return true;
}

/* GNU's "ago" turns round every amount said so far. */
static bool take_ago(dates *d) {
  d->add_years = -d->add_years;
  d->add_months = -d->add_months;
  d->add_days = -d->add_days;
  d->add_seconds = -d->add_seconds;
  d->add_ns = -d->add_ns;
  return d->have_amount;
}

/* A number with a unit behind it ("3 days"), with or without a sign. */
static bool take_amount(dates *d) {
  const char *at = d->at;
  int sign = 1;
  while (*at == '+' || *at == '-') {
    if (*at == '-') sign = -sign;
    at++;
    while (*at == ' ') at++;
  }
  int count = digits_at(at);
  if (count == 0 || count > 15) return false;
  int64_t amount = strtoll(at, NULL, 10);
  at += count;
  int64_t ns = 0;
  if (*at == '.' && is_digit(at[1])) {
    int digits = digits_at(at + 1);
    for (int i = 0; i < 9; i++) ns = ns * 10 + (i < digits ? at[1 + i] - '0' : 0);
    at += 1 + digits;
  }
  while (*at == ' ') at++;
  size_t size = word_size(at);
  int unit = word_in(at, size, units, 20, 0);
  if (size == 0 || unit < 0) return false;
  if (ns != 0 && unit != 7 && unit != 15 && unit != 18 && unit != 19) return false;
  d->at = at + size;
  d->add_ns += sign * ns;
  return add_unit(d, unit, sign * amount);
}

/* yyyy-mm-dd, yyyy/mm/dd, mm/dd[/yy], dd-mon-yyyy */
static bool take_separated(dates *d, int count) {
  const char *at = d->at;
  char mark = at[count];
  int second = digits_at(at + count + 1);
  if (mark == '-' && second == 0) { /* 14-Nov-2022 */
    size_t size = word_size(at + count + 1);
    int month = month_of(at + count + 1, size);
    const char *year = at + count + 1 + size;
    int digits = *year == '-' ? digits_at(year + 1) : 0;
    if (month < 0 || count > 2) return false;
    int64_t value = digits > 0 ? full_year(number(year + 1, digits), digits) : d->date.year;
    d->at = digits > 0 ? year + 1 + digits : year;
    return set_date(d, value, month + 1, number(at, count));
  }
  if (second == 0) return false;
  const char *third_at = at + count + 1 + second;
  int third = *third_at == mark ? digits_at(third_at + 1) : 0;
  int a = number(at, count), b = number(at + count + 1, second),
      c = third > 0 ? number(third_at + 1, third) : 0;
  d->at = third > 0 ? third_at + 1 + third : third_at;
  if (mark == '-') return third > 0 && set_date(d, full_year(a, count), b, c);
  if (count >= 3) return third > 0 && set_date(d, a, b, c);
  return set_date(d, third > 0 ? full_year(c, third) : d->date.year, a, b);
}

/* A bare run of digits: yyyymmdd, hhmm, a day before or after a month's name, or a year. */
static bool take_digits(dates *d) {
  int count = digits_at(d->at);
  const char *end = d->at + count, *word = end;
  while (*word == ' ' || *word == '-') word++;
  size_t size = word_size(word);
  if (take_amount(d)) return true;
  if (size > 0 && count <= 2) {
    int month = month_of(word, size);
    if (month >= 0) { /* 14 Nov [2022] */
      int day = number(d->at, count);
      d->at = word + size;
      if (*d->at == '.') d->at++;
      const char *year = d->at;
      while (*year == ' ' || *year == ',' || *year == '-') year++;
      int digits = digits_at(year);
      bool is_year = digits > 0 && year[digits] != ':' && digits <= 4;
      if (is_year) d->at = year + digits;
      return set_date(d, is_year ? full_year(number(year, digits), digits) : d->date.year,
                      month + 1, day);
    }
    d->date.hour = number(d->at, count);
    const char *before = d->at;
    d->at = end;
    if (!d->have_time && take_meridian(d)) {
      d->date.minute = d->date.second = d->date.ns = 0;
      return d->have_time = d->have_any = true;
    }
    d->at = before;
  }
  if (count == 8 && !d->have_date) {
    d->at = end;
    return set_date(d, number(end - 8, 4), number(end - 4, 2), number(end - 2, 2));
  }
  if (count == 4 && d->have_date && d->have_time) { /* Thu Jan  1 00:00:00 1970 */
    d->date.year = number(d->at, 4);
    d->at = end;
    return true;
  }
  if (count <= 4 && !d->have_time) {
    d->date.hour = number(d->at, count > 2 ? count - 2 : count);
    d->date.minute = count > 2 ? number(end - 2, 2) : 0;
    d->date.second = d->date.ns = 0;
    d->at = end;
    d->have_time = d->have_any = true;
    return d->date.hour < 24 && d->date.minute < 60;
  }
  return false;
}

static const struct {
  const char *name;
  int hours;
} zones[] = {{"utc", 0},  {"gmt", 0},  {"ut", 0},   {"wet", 0},  {"bst", 1},  {"cet", 1},
             {"met", 1},  {"cest", 2}, {"eet", 2},  {"eest", 3}, {"msk", 3},  {"ist", 0},
             {"jst", 9},  {"est", -5}, {"edt", -4}, {"cst", -6}, {"cdt", -5}, {"mst", -7},
             {"mdt", -6}, {"pst", -8}, {"pdt", -7}};

static bool take_zone_name(dates *d, const char *word, size_t size) {
  if (d->have_zone) return false;
  if (size == 1 && (*word | 32) == 'z') {
    d->date.offset = 0;
    return d->have_zone = true;
  }
  for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
    const char *const names[] = {zones[i].name};
    if (word_in(word, size, names, 1, 0) < 0) continue;
    d->date.offset = zones[i].hours * 3600;
    if (strcmp(zones[i].name, "ist") == 0) d->date.offset = 19800;
    d->have_zone = d->have_any = true;
    if (*d->at == '+' || *d->at == '-') { /* UTC+2 */
      int32_t base = d->date.offset;
      if (is_digit(d->at[1]) && !take_offset(d)) return false;
      d->date.offset += base;
    }
    return true;
  }
  return false;
}

static bool take_weekday(dates *d, int day, int count) {
  if (d->have_weekday) return false;
  d->have_weekday = d->have_any = true;
  d->weekday = day;
  d->weekday_count = count;
  return true;
}

/* "next", "last", "this" or "third" before a unit or a day. */
static bool take_ordinal(dates *d, int count) {
  skip_blanks(d);
  size_t size = word_size(d->at);
  int unit = word_in(d->at, size, units, 20, 0), day = word_in(d->at, size, day_names, 7, 3);
  d->at += size;
  if (size == 0) return false;
  if (unit >= 0) return add_unit(d, unit, count);
  return day >= 0 && take_weekday(d, day, count);
}

/* Month first: "Nov 14[, 2022]", "November 2022" is not understood by GNU either. */
static bool take_month(dates *d, int month) {
  if (*d->at == '.') d->at++;
  while (*d->at == ' ' || *d->at == '-') d->at++;
  int count = digits_at(d->at);
  if (count == 0 || count > 2) return false;
  int day = number(d->at, count);
  d->at += count;
  size_t suffix = word_size(d->at);
  if (suffix == 2 && strchr("snrt", d->at[0] | 32) != NULL) d->at += 2; /* 1st */
  const char *year = d->at;
  while (*year == ' ' || *year == ',') year++;
  int digits = digits_at(year);
  bool is_year = digits == 4 && year[4] != ':';
  if (is_year && year[digits] == ' ' && year == d->at) is_year = false;
  if (is_year) d->at = year + digits;
  return set_date(d, is_year ? number(year, 4) : d->date.year, month + 1, day);
}

static bool take_word(dates *d) {
  static const char *const words[] = {
      "now", "today", "yesterday", "tomorrow", "",      "",      "ago",    "next",  "last", "this",
      "and", "at",    "on",        "t",        "first", "third", "fourth", "fifth", "sixth"};
  const char *word = d->at;
  size_t size = word_size(word);
  d->at += size;
  if (*d->at == '.' && size == 3) d->at++;
  int month = month_of(word, size), day = word_in(word, size, day_names, 7, 3);
  if (month >= 0) return take_month(d, month);
  if (day >= 0) return take_weekday(d, day, 0);
  if (size == 4 && memcmp(word, "tues", 4) == 0) return take_weekday(d, 2, 0);
  int known = word_in(word, size, words, 19, 0);
  switch (known) {
    case 0:
    case 1:
      d->have_amount = true;
      return d->have_any = true;
    case 2:
      return add_unit(d, 4, -1);
    case 3:
      return add_unit(d, 4, 1);
    case 6:
      return take_ago(d);
    case 7:
      return take_ordinal(d, 1);
    case 8:
      return take_ordinal(d, -1);
    case 9:
      return take_ordinal(d, 0);
    case 10:
    case 11:
    case 12:
      return true;
    case 13:
      return is_digit(*d->at) && d->have_date && take_clock(d);
    case 14:
      return take_ordinal(d, 1);
    case 15:
    case 16:
    case 17:
    case 18:
      return take_ordinal(d, known - 12);
    default:
      break;
  }
  int unit = word_in(word, size, units, 20, 0);
  if (unit >= 0) return add_unit(d, unit, 1); /* "day ago" is one day ago */
  return take_zone_name(d, word, size);
}

static bool take_item(dates *d) {
  if (is_digit(*d->at)) {
    int count = digits_at(d->at);
    char mark = d->at[count];
    if (mark == ':') return take_clock(d);
    if (count == 8 && (mark | 32) == 't' && is_digit(d->at[9])) { /* 20221114T2213 */
      const char *clock = d->at + 9;
      int digits = digits_at(clock);
      if (!set_date(d, number(d->at, 4), number(d->at + 4, 2), number(d->at + 6, 2))) return false;
      d->at = clock;
      if (clock[digits] == ':' || digits <= 2) return take_clock(d);
      if (d->have_time || digits != 4) return false;
      d->date.hour = number(clock, 2), d->date.minute = number(clock + 2, 2);
      d->date.second = d->date.ns = 0;
      d->at = clock + digits;
      d->have_time = true;
      if (*d->at == '+' || *d->at == '-') return take_offset(d);
      return d->date.hour < 24 && d->date.minute < 60;
    }
    if (mark == '/' || (mark == '-' && (count == 4 || is_letter(d->at[count + 1]) || count <= 2) &&
                        (is_digit(d->at[count + 1]) || is_letter(d->at[count + 1])))) {
      return take_separated(d, count);
    }
    return take_digits(d);
  }
  if (*d->at == '+' || *d->at == '-')
    return take_amount(d) || (d->have_time && !d->have_zone && take_offset(d));
  return is_letter(*d->at) && take_word(d);
}

static bool take_epoch(const char *text, int64_t *seconds, int32_t *ns) {
  char *end;
  const char *at = text + 1;
  while (*at == ' ') at++;
  bool negative = *at == '-';
  if (!is_digit(at[negative || *at == '+'])) return false;
  *seconds = strtoll(at, &end, 10);
  *ns = 0;
  if ((*end == '.' || *end == ',') && is_digit(end[1])) {
    int count = digits_at(end + 1);
    for (int i = 0; i < 9; i++) *ns = *ns * 10 + (i < count ? end[1 + i] - '0' : 0);
    end += 1 + count;
    if (negative && *ns > 0) {
      *ns = 1000000000 - *ns;
      --*seconds;
    }
  }
  while (*end == ' ') end++;
  return *end == 0;
}

/* Amounts of days, months and years count in the calendar; hours and less in time. */
static void finish(dates *d, const time_zone *zone, int64_t *seconds, int32_t *ns) {
  time_parts *p = &d->date;
  if (!d->have_time && (d->have_date || d->have_weekday))
    p->hour = p->minute = p->second = p->ns = 0;
  if (d->have_weekday && !d->have_date) {
    time_parts base = *p;
    int64_t days = days_from_civil(base.year, base.month, base.day);
    int today = (int)(((days + 4) % 7 + 7) % 7), ahead = (d->weekday - today + 7) % 7;
    int count = d->weekday_count - (d->weekday_count > 0 && ahead > 0);
    p->day += ahead + 7 * count;
  }
  p->year += d->add_years;
  p->month += (int)d->add_months;
  p->day += (int)d->add_days;
  *seconds = time_join(p, zone, d->have_zone) + d->add_seconds;
  int64_t total = p->ns + d->add_ns;
  while (total < 0) total += 1000000000, --*seconds;
  *seconds += total / 1000000000;
  *ns = (int32_t)(total % 1000000000);
}

bool time_parse(const char *from, int64_t now, const time_zone *zone, int64_t *seconds,
                int32_t *ns) {
  dates d = {.at = from};
  time_zone own;
  if (strncmp(from, "TZ=\"", 4) == 0) {
    const char *close = strchr(from + 4, '"');
    if (close == NULL) return false;
    zone_parse(&own, memory_copy(from + 4, (size_t)(close - from - 4)));
    zone = &own;
    d.at = close + 1;
  }
  skip_blanks(&d);
  if (*d.at == '@') return take_epoch(d.at, seconds, ns);
  int64_t whole = now / 1000000000 - (now % 1000000000 < 0);
  time_split(whole, (int32_t)(now - whole * 1000000000), zone, &d.date);
  bool blank = *d.at == 0;
  while (*d.at != 0) {
    if (!take_item(&d)) return false;
    skip_blanks(&d);
  }
  if (blank) d.date.hour = d.date.minute = d.date.second = d.date.ns = 0;
  if (!d.have_any && !blank && !d.have_zone) return false;
  if (d.have_zone && !d.have_date && !d.have_time && !d.have_weekday) {
    *seconds = whole + d.add_seconds;
    *ns = d.date.ns;
    if (d.add_days == 0 && d.add_months == 0 && d.add_years == 0) return true;
  }
  finish(&d, zone, seconds, ns);
  return true;
}
