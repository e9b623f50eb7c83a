// SPDX-License-Identifier: MIT
/* units_test.c -- quantities, times, places in JSON, last lines: the small parts of the command
 * line. */
#define _GNU_SOURCE
#include "cli/units.h"

#include <time.h>

#include "cli/locate.h"
#include "cli/tail.h"
#include "json/buffer.h"
#include "test.h"

static const struct {
  const char *text;
  cloche__unit unit;
  uint64_t value; /* 0: refused */
} quantities[] = {
    {"5s", CLOCHE__DURATION, 5000000000},
    {"500ms", CLOCHE__DURATION, 500000000},
    {"2m", CLOCHE__DURATION, 120000000000},
    {"1h", CLOCHE__DURATION, 3600000000000},
    {"0.1s", CLOCHE__DURATION, 100000000},
    {".5s", CLOCHE__DURATION, 500000000},
    {"1.5ns", CLOCHE__DURATION, 0},
    {"5", CLOCHE__DURATION, 0},
    {"5 s", CLOCHE__DURATION, 0},
    {"-5s", CLOCHE__DURATION, 0},
    {"+5s", CLOCHE__DURATION, 0},
    {"5S", CLOCHE__DURATION, 0},
    {"0s", CLOCHE__DURATION, 0},
    {"5.s", CLOCHE__DURATION, 0},
    {"1.2.3s", CLOCHE__DURATION, 0},
    {"", CLOCHE__DURATION, 0},
    {"s", CLOCHE__DURATION, 0},
    {"9223372036s", CLOCHE__DURATION, 9223372036000000000},
    {"9223372037s", CLOCHE__DURATION, 0},
    {"none", CLOCHE__DURATION, 77},
    {"4096", CLOCHE__SIZE, 4096},
    {"64KiB", CLOCHE__SIZE, 65536},
    {"1MB", CLOCHE__SIZE, 1000000},
    {"1.5MiB", CLOCHE__SIZE, 1572864},
    {"1.5", CLOCHE__SIZE, 0},
    {"64mib", CLOCHE__SIZE, 0},
    {"99999999999999999999", CLOCHE__SIZE, 0},
    {"0x10", CLOCHE__SIZE, 0},
    {"1000", CLOCHE__COUNT, 1000},
    {"1.0", CLOCHE__COUNT, 0},
    {"1e3", CLOCHE__COUNT, 0},
};

TEST(a_quantity_is_read_exactly_or_refused) {
  for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
    TEST_ROW(quantities[i].text);
    uint64_t value = 0;
    const char *wrong =
        cloche__read_quantity(quantities[i].unit, cloche__text(quantities[i].text), 77, &value);
    CHECK_EQ(wrong == NULL, quantities[i].value != 0);
    CHECK_EQ(value, quantities[i].value);
  }
}

TEST(every_day_from_1970_to_2200_is_the_day_that_libc_says) {
  for (int64_t day = 1; day < 84000; day++) {
    time_t seconds = (time_t)(day * 86400 + day % 86400);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    char text[64];
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    int64_t value = 0;
    CHECK(cloche__read_time(cloche__text(text), &value) == NULL);
    CHECK_EQ(value, (int64_t)seconds * 1000000000);
  }
}

static const struct {
  const char *text;
  int64_t value; /* 0: refused */
} times[] = {
    {"2026-03-01", 1772323200000000000},
    {"2026-03-01T12:00:00Z", 1772366400000000000},
    {"2026-03-01 12:00:00Z", 1772366400000000000},
    {"2026-03-01T13:30:00+01:30", 1772366400000000000},
    {"2026-03-01T07:00:00-05:00", 1772366400000000000},
    {"2026-03-01T12:00:00.000000001Z", 1772366400000000001},
    {"2026-03-01T12:00:00.5Z", 1772366400500000000},
    {"2026-03-01T12:00:00", 0},
    {"2026-03-01T12:00Z", 0},
    {"2026-02-29", 0},
    {"2024-02-29", 1709164800000000000},
    {"2100-02-29", 0},
    {"2026-13-01", 0},
    {"2026-00-01", 0},
    {"2026-01-00", 0},
    {"2026-03-01T24:00:00Z", 0},
    {"2026-03-01T12:60:00Z", 0},
    {"2026-03-01T12:00:00.Z", 0},
    {"2026-03-01T12:00:00.0000000001Z", 0},
    {"2026-03-01T12:00:00Zx", 0},
    {"2026-3-1", 0},
    {"1969-12-31", 0},
    {"9999-01-01", 0},
    {"", 0},
};

TEST(a_time_is_read_exactly_or_refused) {
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    TEST_ROW(times[i].text);
    int64_t value = 0;
    const char *wrong = cloche__read_time(cloche__text(times[i].text), &value);
    CHECK_EQ(wrong == NULL, times[i].value != 0);
    CHECK_EQ(value, times[i].value);
  }
}

static const struct {
  const char *pointer;
  size_t line, column;
} places[] = {
    {"", 1, 1},        {"/a", 1, 3},        {"/ä\"b", 2, 2},       {"/ä\"b/0", 2, 17},
    {"/ä\"b/1", 3, 4}, {"/ä\"b/1/c", 3, 5}, {"/d~1~0", 4, 3},      {"/nosuch", 1, 1},
    {"/ä\"b/9", 2, 2}, {"/a/b/c", 1, 3},    {"/ä\"b/1/c/x", 3, 5},
};

TEST(a_pointer_leads_to_its_line_and_column) {
  cloche_text text = cloche__text(
      "{ \"a\": \"x,]}\\\"\",\n \"\\u00e4\\\"b\" : [true,\n   {\"c\":[[]]}],\n  \"d/~\": 1 }");
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    TEST_ROW(places[i].pointer);
    size_t line, column;
    cloche__json_locate(text, places[i].pointer, &line, &column);
    CHECK_EQ(line, places[i].line);
    CHECK_EQ(column, places[i].column);
  }
}

TEST(the_tail_keeps_the_last_whole_lines) {
  static cloche__tail tail;
  CHECK_EQ(cloche__tail_lines(&tail).len, 0);
  char line[64];
  for (int i = 0; i < 1000; i++) {
    int length = snprintf(line, sizeof line, "line %d\n", i);
    cloche__tail_add(&tail, line, (size_t)length);
  }
  cloche_text lines = cloche__tail_lines(&tail);
  CHECK(
      cloche__text_equal(lines, cloche__text("line 995\nline 996\nline 997\nline 998\nline 999")));
  static char flood[100000];
  memset(flood, 'x', sizeof flood);
  cloche__tail_add(&tail, flood, sizeof flood);
  CHECK_EQ(cloche__tail_lines(&tail).len, CLOCHE__TAIL_BYTES);
  cloche__tail_add(&tail, "\nend\n\n", 6);
  CHECK(cloche__text_equal(cloche__tail_lines(&tail), cloche__text("end")));
}

TEST_MAIN(TEST_ENTRY(a_quantity_is_read_exactly_or_refused),
          TEST_ENTRY(every_day_from_1970_to_2200_is_the_day_that_libc_says),
          TEST_ENTRY(a_time_is_read_exactly_or_refused),
          TEST_ENTRY(a_pointer_leads_to_its_line_and_column),
          TEST_ENTRY(the_tail_keeps_the_last_whole_lines))
