// SPDX-License-Identifier: MIT
// times.c -- the calendar and time zones. See times.h.
#include "times.h"

#include <stdlib.h>
#include <string.h>

int64_t days_from_civil(int64_t year, int month, int day) {
  /* March-based years, so that the leap day is the last of a year. */
  year -= month <= 2;
  int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
  int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool is_leap(int64_t year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static void civil_from_days(int64_t days, time_parts *p) {
  days += 719468;
  int64_t era = (days >= 0 ? days : days - 146096) / 146097, of_era = days - era * 146097;
  int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int64_t of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
  p->day = (int)(of_year - (153 * month + 2) / 5 + 1);
  p->month = (int)(month < 10 ? month + 3 : month - 9);
  p->year = year + era * 400 + (p->month <= 2);
}

static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

/* ---- zones ---- */

static const struct {
  const char *name, *rule;
} cities[] = {
    {"Africa/Cairo", "EET-2EEST,M4.5.5/0,M10.5.4/24"},
    {"Africa/Johannesburg", "SAST-2"},
    {"Africa/Lagos", "WAT-1"},
    {"Africa/Nairobi", "EAT-3"},
    {"America/Anchorage", "AKST9AKDT,M3.2.0,M11.1.0"},
    {"America/Argentina/Buenos_Aires", "<-03>3"},
    {"America/Bogota", "<-05>5"},
    {"America/Chicago", "CST6CDT,M3.2.0,M11.1.0"},
    {"America/Denver", "MST7MDT,M3.2.0,M11.1.0"},
    {"America/Halifax", "AST4ADT,M3.2.0,M11.1.0"},
    {"America/Los_Angeles", "PST8PDT,M3.2.0,M11.1.0"},
    {"America/Mexico_City", "CST6"},
    {"America/New_York", "EST5EDT,M3.2.0,M11.1.0"},
    {"America/Phoenix", "MST7"},
    {"America/Sao_Paulo", "<-03>3"},
    {"America/Toronto", "EST5EDT,M3.2.0,M11.1.0"},
    {"America/Vancouver", "PST8PDT,M3.2.0,M11.1.0"},
    {"Asia/Dubai", "<+04>-4"},
    {"Asia/Hong_Kong", "HKT-8"},
    {"Asia/Jakarta", "WIB-7"},
    {"Asia/Karachi", "PKT-5"},
    {"Asia/Kolkata", "IST-5:30"},
    {"Asia/Manila", "PST-8"},
    {"Asia/Seoul", "KST-9"},
    {"Asia/Shanghai", "CST-8"},
    {"Asia/Singapore", "<+08>-8"},
    {"Asia/Tokyo", "JST-9"},
    {"Atlantic/Reykjavik", "GMT0"},
    {"Australia/Brisbane", "AEST-10"},
    {"Australia/Melbourne", "AEST-10AEDT,M10.1.0,M4.1.0/3"},
    {"Australia/Perth", "AWST-8"},
    {"Australia/Sydney", "AEST-10AEDT,M10.1.0,M4.1.0/3"},
    {"Europe/Amsterdam", "CET-1CEST,M3.5.0,M10.5.0/3"},
    {"Europe/Athens", "EET-2EEST,M3.5.0/3,M10.5.0/4"},
    {"Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3"},
    {"Europe/Brussels", "CET-1CEST,M3.5.0,M10.5.0/3"},
    {"Europe/Dublin", "GMT0IST,M3.5.0/1,M10.5.0"},
    {"Europe/Helsinki", "EET-2EEST,M3.5.0/3,M10.5.0/4"},
    {"Europe/Istanbul", "<+03>-3"},
    {"Europe/Kiev", "EET-2EEST,M3.5.0/3,M10.5.0/4"},
    {"Europe/Kyiv", "EET-2EEST,M3.5.0/3,M10.5.0/4"},
    {"Europe/Lisbon", "WET0WEST,M3.5.0/1,M10.5.0"},
    {"Europe/London", "GMT0BST,M3.5.0/1,M10.5.0"},
    {"Europe/Madrid", "CET-1CEST,M3.5.0,M10.5.0/3"},
    {"Europe/Moscow", "MSK-3"},
    {"Europe/Oslo", "CET-1CEST,M3.5.0,M10.5.0/3"},
    {"Europe/Paris", "CET-1CEST,M3.5.0,M10.5.0/3"},
    {"Europe/Prague", "CET-1CEST,M3.5.0,M10.5.0/3"},
    {"Europe/Rome", "CET-1CEST,M3.5.0,M10.5.0/3"},
    {"Europe/Stockholm", "CET-1CEST,M3.5.0,M10.5.0/3"},
    {"Europe/Vienna", "CET-1CEST,M3.5.0,M10.5.0/3"},
    {"Europe/Warsaw", "CET-1CEST,M3.5.0,M10.5.0/3"},
    {"Europe/Zurich", "CET-1CEST,M3.5.0,M10.5.0/3"},
    {"Pacific/Auckland", "NZST-12NZDT,M9.5.0,M4.1.0/3"},
    {"Pacific/Honolulu", "HST10"},
    {"US/Central", "CST6CDT,M3.2.0,M11.1.0"},
    {"US/Eastern", "EST5EDT,M3.2.0,M11.1.0"},
    {"US/Mountain", "MST7MDT,M3.2.0,M11.1.0"},
    {"US/Pacific", "PST8PDT,M3.2.0,M11.1.0"},
    {"CET", "CET-1CEST,M3.5.0,M10.5.0/3"},
    {"EST5EDT", "EST5EDT,M3.2.0,M11.1.0"},
    {"CST6CDT", "CST6CDT,M3.2.0,M11.1.0"},
    {"MST7MDT", "MST7MDT,M3.2.0,M11.1.0"},
    {"PST8PDT", "PST8PDT,M3.2.0,M11.1.0"},
};

static bool take_name(const char **at, char name[8]) {
  const char *p = *at, *end;
  if (*p == '<') {
    end = strchr(++p, '>');
    if (end == NULL) return false;
    *at = end + 1;
  } else {
    end = p;
    while ((*end | 32) >= 'a' && (*end | 32) <= 'z') end++;
    *at = end;
  }
  size_t size = (size_t)(end - p);
  if (size < 3 || size > 7) return false;
  memcpy(name, p, size);
  name[size] = 0;
  return true;
}

/* [+-]hh[:mm[:ss]] */
static bool take_clock(const char **at, int32_t *seconds) {
  char *end;
  int sign = **at == '-' ? -1 : 1;
  if (**at == '-' || **at == '+') ++*at;
  if (**at < '0' || **at > '9') return false;
  int32_t total = 0, unit = 3600;
  for (;; unit /= 60) {
    total += (int32_t)strtol(*at, &end, 10) * unit;
    *at = end;
    if (*end != ':' || unit == 1) break;
    ++*at;
  }
  *seconds = sign * total;
  return true;
}

static bool take_change(const char **at, zone_change *change) {
  if (*(*at)++ != ',') return false;
  *change = (zone_change){.day = -1, .second = 7200};
  char *end;
  if (**at == 'M') {
    change->month = (int)strtol(*at + 1, &end, 10);
    if (*end != '.') return false;
    change->week = (int)strtol(end + 1, &end, 10);
    if (*end != '.') return false;
    change->day = (int)strtol(end + 1, &end, 10);
  } else {
    change->week = (int)strtol(*at + (**at == 'J'), &end, 10) - (**at == 'J');
  }
  *at = end;
  if (**at != '/') return true;
  ++*at;
  return take_clock(at, &change->second);
}

void zone_parse(time_zone *zone, const char *text) {
  static const time_zone utc = {.name = "UTC"};
  *zone = utc;
  if (text == NULL || *text == 0) return;
  if (*text == ':') text++;
  for (size_t i = 0; i < sizeof cities / sizeof cities[0]; i++) {
    if (strcmp(cities[i].name, text) == 0) {
      text = cities[i].rule;
      break;
    }
  }
  time_zone parsed = {0};
  if (!take_name(&text, parsed.name) || !take_clock(&text, &parsed.offset)) return;
  parsed.offset = -parsed.offset;
  if (*text != 0) {
    parsed.summer = true;
    if (!take_name(&text, parsed.summer_name)) return;
    parsed.summer_offset = parsed.offset + 3600;
    if (*text != 0 && *text != ',') {
      if (!take_clock(&text, &parsed.summer_offset)) return;
      parsed.summer_offset = -parsed.summer_offset;
    }
    if (*text == 0) text = ",M3.2.0,M11.1.0";
    if (!take_change(&text, &parsed.start) || !take_change(&text, &parsed.end)) return;
  }
  *zone = parsed;
}

/* The moment of a change in `year`, as seconds of local time. */
static int64_t change_time(const zone_change *change, int64_t year) {
  int64_t days;
  if (change->day < 0) {
    days = days_from_civil(year, 1, 1) + change->week;
  } else {
    int64_t first = days_from_civil(year, change->month, 1);
    int weekday = (int)(((first + 4) % 7 + 7) % 7);
    days = first + (change->day - weekday + 7) % 7 + (change->week - 1) * 7;
    int64_t next = change->month == 12 ? days_from_civil(year + 1, 1, 1)
                                       : days_from_civil(year, change->month + 1, 1);
    while (days >= next) days -= 7;
  }
  return days * 86400 + change->second;
}

static bool is_summer(const time_zone *zone, int64_t seconds) {
  if (!zone->summer) return false;
  time_parts p;
  civil_from_days(floor_div(seconds + zone->offset, 86400), &p);
  int64_t start = change_time(&zone->start, p.year) - zone->offset;
  int64_t end = change_time(&zone->end, p.year) - zone->summer_offset;
  if (start < end) return seconds >= start && seconds < end;
  return seconds >= start || seconds < end;
}

void time_split(int64_t seconds, int32_t ns, const time_zone *zone, time_parts *p) {
  bool summer = is_summer(zone, seconds);
  *p = (time_parts){.ns = ns, .offset = summer ? zone->summer_offset : zone->offset};
  memcpy(p->zone, summer ? zone->summer_name : zone->name, sizeof p->zone);
  int64_t local = seconds + p->offset, days = floor_div(local, 86400), rest = local - days * 86400;
  civil_from_days(days, p);
  p->hour = (int)(rest / 3600);
  p->minute = (int)(rest / 60 % 60);
  p->second = (int)(rest % 60);
  p->weekday = (int)(((days + 4) % 7 + 7) % 7);
  p->yearday = (int)(days - days_from_civil(p->year, 1, 1));
}

int64_t time_join(const time_parts *p, const time_zone *zone, bool offset_known) {
  int64_t year = p->year + floor_div(p->month - 1, 12);
  int month = (int)(p->month - 1 - floor_div(p->month - 1, 12) * 12) + 1;
  int64_t local = (days_from_civil(year, month, 1) + p->day - 1) * 86400 + p->hour * 3600ll +
                  p->minute * 60ll + p->second;
  if (offset_known) return local - p->offset;
  int64_t seconds = local - zone->offset;
  if (zone->summer && is_summer(zone, local - zone->summer_offset))
    seconds = local - zone->summer_offset;
  return seconds;
}

/* ---- strftime ---- */

static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                   "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};

/* Week 1 of an ISO year holds its first Thursday. */
static int iso_week(const time_parts *p, int64_t *year) {
  int weekday = (p->weekday + 6) % 7, week = (p->yearday - weekday + 10) / 7;
  *year = p->year;
  if (week < 1) {
    --*year;
    int length = 365 + is_leap(*year);
    return (p->yearday + length - weekday + 10) / 7;
  }
  int length = 365 + is_leap(p->year);
  if (week == 53 && p->yearday - weekday + 3 >= length) {
    ++*year;
    return 1;
  }
  return week;
}

typedef struct {
  char pad; /* '0', '_', '-', '+' or 0 for the usual one */
  bool upper, swap;
  int width;
} format_flags;

static void put_number(text *out, int64_t value, int width, char usual, const format_flags *f) {
  char pad = f->pad == '_'                    ? ' '
             : f->pad == '0' || f->pad == '+' ? '0'
             : f->pad == '-'                  ? 0
                                              : usual,
       digits[24];
  bool negative = value < 0;
  uint64_t left = negative ? 0 - (uint64_t)value : (uint64_t)value;
  int count = 0, wanted = f->width > 0 ? f->width : width;
  do {
    digits[count++] = (char)('0' + left % 10);
  } while ((left /= 10) > 0);
  int blanks = wanted - count - negative;
  if (negative && pad == '0') text_char(out, '-');
  for (; pad != 0 && blanks > 0; blanks--) text_char(out, pad);
  if (negative && pad != '0') text_char(out, '-');
  while (count > 0) text_char(out, digits[--count]);
}

static void put_text(text *out, const char *string, const format_flags *f) {
  int size = (int)strlen(string);
  for (int i = size; i < f->width; i++) text_char(out, f->pad == '0' ? '0' : ' ');
  for (; *string != 0; string++) {
    char c = *string;
    if (f->upper && c >= 'a' && c <= 'z') c -= 32;
    if (f->swap && c >= 'A' && c <= 'Z') c += 32;
    text_char(out, c);
  }
}

static void put_offset(text *out, const time_parts *p, int colons, const format_flags *f) {
  int32_t offset = p->offset < 0 ? -p->offset : p->offset;
  int hours = offset / 3600, minutes = offset / 60 % 60, seconds = offset % 60;
  text body = {0};
  if (colons == 0) text_format(&body, "%02d%02d", hours, minutes);
  if (colons == 1) text_format(&body, "%02d:%02d", hours, minutes);
  if (colons == 2) text_format(&body, "%02d:%02d:%02d", hours, minutes, seconds);
  if (colons == 3) {
    text_format(&body, "%02d", hours);
    if (minutes != 0 || seconds != 0) text_format(&body, ":%02d", minutes);
    if (seconds != 0) text_format(&body, ":%02d", seconds);
  }
  char sign = p->offset < 0 ? '-' : '+';
  int blanks = f->width - (int)body.len - 1;
  if (f->pad == '_') text_pad(out, ' ', blanks > 0 ? (size_t)blanks : 0);
  text_char(out, sign);
  if (f->pad != '_' && f->pad != '-') text_pad(out, '0', blanks > 0 ? (size_t)blanks : 0);
  const char *digits_at = text_end(&body);
  if ((f->pad == '_' || f->pad == '-') && *digits_at == '0') digits_at++;
  text_string(out, digits_at);
  text_free(&body);
}

static void put_nanoseconds(text *out, int32_t ns, const format_flags *f) {
  char digits[10];
  for (int i = 8; i >= 0; i--, ns /= 10) digits[i] = (char)('0' + ns % 10);
  int width = f->width > 0 ? f->width : 9;
  int size = width < 9 ? width : 9;
  text_add(out, digits, (size_t)size);
  for (int i = 9; i < width; i++) text_char(out, '0');
}

static void put_directive(text *out, char c, int colons, const format_flags *f, const time_parts *p,
                          int64_t seconds) {
  format_flags named = *f;
  int64_t year;
  int hour12 = p->hour % 12 == 0 ? 12 : p->hour % 12;
  const char *inner = NULL;
  switch (c) {
    case 'a':
    case 'A': {
      char shorter[4] = {0};
      memcpy(shorter, days[p->weekday], 3);
      if (f->swap) named.upper = true, named.swap = false;
      put_text(out, c == 'a' ? shorter : days[p->weekday], &named);
      return;
    }
    case 'b':
    case 'h':
    case 'B': {
      char shorter[4] = {0};
      memcpy(shorter, months[p->month - 1], 3);
      if (f->swap) named.upper = true, named.swap = false;
      put_text(out, c == 'B' ? months[p->month - 1] : shorter, &named);
      return;
    }
    case 'c':
      inner = "%a %b %e %H:%M:%S %Y";
      break;
    case 'D':
    case 'x':
      inner = "%m/%d/%y";
      break;
    case 'F':
      inner = "%Y-%m-%d";
      break;
    case 'R':
      inner = "%H:%M";
      break;
    case 'r':
      inner = "%I:%M:%S %p";
      break;
    case 'T':
    case 'X':
      inner = "%H:%M:%S";
      break;
    case 'C':
      put_number(out, floor_div(p->year, 100), 2, '0', f);
      return;
    case 'd':
      put_number(out, p->day, 2, '0', f);
      return;
    case 'e':
      put_number(out, p->day, 2, ' ', f);
      return;
    case 'g':
      iso_week(p, &year);
      put_number(out, year - floor_div(year, 100) * 100, 2, '0', f);
      return;
    case 'G':
      iso_week(p, &year);
      put_number(out, year, 4, '0', f);
      return;
    case 'H':
      put_number(out, p->hour, 2, '0', f);
      return;
    case 'I':
      put_number(out, hour12, 2, '0', f);
      return;
    case 'j':
      put_number(out, p->yearday + 1, 3, '0', f);
      return;
    case 'k':
      put_number(out, p->hour, 2, ' ', f);
      return;
    case 'l':
      put_number(out, hour12, 2, ' ', f);
      return;
    case 'm':
      put_number(out, p->month, 2, '0', f);
      return;
    case 'M':
      put_number(out, p->minute, 2, '0', f);
      return;
    case 'n':
      text_char(out, '\n');
      return;
    case 'N':
      put_nanoseconds(out, p->ns, f);
      return;
    case 'p':
    case 'P':
      if (c == 'P') named.swap = true;
      put_text(out, p->hour < 12 ? "AM" : "PM", &named);
      return;
    case 'q':
      put_number(out, (p->month - 1) / 3 + 1, 1, '0', f);
      return;
    case 's':
      put_number(out, seconds, 1, '0', f);
      return;
    case 'S':
      put_number(out, p->second, 2, '0', f);
      return;
    case 't':
      text_char(out, '\t');
      return;
    case 'u':
      put_number(out, p->weekday == 0 ? 7 : p->weekday, 1, '0', f);
      return;
    case 'U':
      put_number(out, (p->yearday - p->weekday + 7) / 7, 2, '0', f);
      return;
    case 'V':
      put_number(out, iso_week(p, &year), 2, '0', f);
      return;
    case 'w':
      put_number(out, p->weekday, 1, '0', f);
      return;
    case 'W':
      put_number(out, (p->yearday - (p->weekday + 6) % 7 + 7) / 7, 2, '0', f);
      return;
    case 'y':
      put_number(out, p->year - floor_div(p->year, 100) * 100, 2, '0', f);
      return;
    case 'Y':
      put_number(out, p->year, 4, '0', f);
      return;
    case 'z':
      put_offset(out, p, colons, f);
      return;
    case 'Z':
      put_text(out, p->zone, &named);
      return;
    case '%':
      text_char(out, '%');
      return;
    default:
      break;
  }
  if (inner != NULL) {
    text whole = {0};
    time_format(&whole, inner, strlen(inner), p, seconds);
    put_text(out, text_end(&whole), &named);
    text_free(&whole);
  }
}

void time_format(text *out, const char *format, size_t size, const time_parts *parts,
                 int64_t seconds) {
  const char *end = format + size;
  for (const char *at = format; at < end; at++) {
    if (*at != '%') {
      text_char(out, *at);
      continue;
    }
    const char *begin = at++;
    format_flags f = {0};
    for (; at < end && *at != 0 && strchr("_-0^#+", *at) != NULL; at++) {
      if (*at == '^')
        f.upper = true;
      else if (*at == '#')
        f.swap = true;
      else
        f.pad = *at;
    }
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
      f.width = f.width > 9999 ? f.width : f.width * 10 + (*at - '0');
    }
    int colons = 0;
    for (; at < end && *at == ':'; at++) colons++;
    if (at < end && (*at == 'E' || *at == 'O')) at++;
    if (at >= end || *at == 0 ||
        strchr("aAbBcCdDeFgGhHIjklmMnNpPqrRsStTuUVwWxXyYzZ%", *at) == NULL ||
        (colons > 0 && (*at != 'z' || colons > 3))) {
      if (at >= end) at = end - 1;
      text_add(out, begin, (size_t)(at - begin) + 1); /* not a directive: stands for itself */
      continue;
    }
    put_directive(out, *at, colons, &f, parts, seconds);
  }
}
