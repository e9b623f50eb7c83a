// SPDX-License-Identifier: MIT
/* times.h -- the calendar: seconds to parts and back, time zones, strftime, and dates people write.
 * There is no zone database in the guest: TZ is UTC, a POSIX rule such as EST5EDT,M3.2.0,M11.1.0,
 * or one of some fifty city names whose present rule is built in. */
#ifndef GUEST_BIN_TIMES_H
#define GUEST_BIN_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../text/text.h"

typedef struct {
  int64_t year;
  int month, day, hour, minute, second; /* month and day from 1 */
  int32_t ns;
  int weekday, yearday; /* 0 is Sunday; 0 is 1 January */
  int32_t offset;       /* seconds east of Greenwich */
  char zone[8];
} time_parts;

typedef struct {
  int month, week, day; /* day -1: `week` is a day of the year */
  int32_t second;
} zone_change;

typedef struct {
  char name[8], summer_name[8];
  int32_t offset, summer_offset;
  bool summer;
  zone_change start, end;
} time_zone;

/* From the text of TZ; NULL, empty or unknown is UTC. */
void zone_parse(time_zone *zone, const char *text);

void time_split(int64_t seconds, int32_t ns, const time_zone *zone, time_parts *parts);
/* Fields may lie outside their usual range. With `offset_known`, parts->offset holds; else `zone`.
 */
int64_t time_join(const time_parts *parts, const time_zone *zone, bool offset_known);
int64_t days_from_civil(int64_t year, int month, int day); /* since 1970-01-01 */

/* strftime with GNU date's flags, widths, %N, %s, %:z... */
void time_format(text *out, const char *format, size_t size, const time_parts *parts,
                 int64_t seconds);

/* Reads a date as `date -d` does, relative to `now` (ns). False when it cannot be understood. */
bool time_parse(const char *text, int64_t now, const time_zone *zone, int64_t *seconds,
                int32_t *ns);

#endif
