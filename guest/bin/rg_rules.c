// SPDX-License-Identifier: MIT
// rg_rules.c -- which files rg looks at: ignore files, globs, types.
#include "rg.h"

const char *const rg_types[][2] = {
    {"asm", "*.asm *.s *.S"},
    {"awk", "*.awk"},
    {"c", "*.[chH] *.[chH].in *.cats"},
    {"cmake", "*.cmake CMakeLists.txt"},
    {"cpp",
     "*.[ChH] *.cc *.[ch]pp *.[ch]xx *.hh *.inl *.[ChH].in *.cc.in *.[ch]pp.in *.[ch]xx.in "
     "*.hh.in"},
    {"cs", "*.cs"},
    {"css", "*.css *.scss"},
    {"csv", "*.csv"},
    {"docker", "*Dockerfile*"},
    {"go", "*.go"},
    {"h", "*.h *.hh *.hpp"},
    {"haskell", "*.hs *.lhs *.cpphs *.c2hs *.hsc"},
    {"html", "*.htm *.html *.ejs"},
    {"ini", "*.ini"},
    {"java", "*.java *.jsp *.jspx *.properties"},
    {"js", "*.js *.jsx *.vue *.cjs *.mjs"},
    {"json", "*.json composer.lock"},
    {"jsonl", "*.jsonl"},
    {"kotlin", "*.kt *.kts"},
    {"log", "*.log"},
    {"lua", "*.lua"},
    {"make",
     "[Gg][Nn][Uu]makefile [Mm]akefile [Gg][Nn][Uu]makefile.am [Mm]akefile.am "
     "[Gg][Nn][Uu]makefile.in [Mm]akefile.in *.mk *.mak"},
    {"markdown", "*.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx"},
    {"md", "*.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx"},
    {"perl", "*.perl *.pl *.PL *.plh *.plx *.pm *.t"},
    {"php", "*.php *.php3 *.php4 *.php5 *.phtml"},
    {"protobuf", "*.proto"},
    {"py", "*.py"},
    {"r", "*.R *.r *.Rmd *.Rnw"},
    {"ruby", "Gemfile *.gemspec .irbrc Rakefile *.rb config.ru"},
    {"rust", "*.rs"},
    {"scala", "*.scala *.sbt"},
    {"sh",
     "*.bash *.bashrc .bash_login .bash_logout .bash_profile .bashrc *.csh .cshrc *.ksh .kshrc "
     "*.tcsh .profile *.sh .login .logout .tcshrc .zlogin .zlogout .zprofile .zshenv .zshrc *.zsh"},
    {"sql", "*.sql *.psql"},
    {"swift", "*.swift"},
    {"tex", "*.tex *.ltx *.cls *.sty *.bib *.dtx *.ins"},
    {"toml", "*.toml Cargo.lock"},
    {"ts", "*.ts *.tsx *.cts *.mts"},
    {"txt", "*.txt"},
    {"xml", "*.xml *.xml.dist *.dtd *.xsl *.xslt *.xsd *.xjb *.rng *.sch *.xhtml"},
    {"yaml", "*.yaml *.yml"},
    {"zig", "*.zig"},
};
const size_t rg_type_count = sizeof rg_types / sizeof *rg_types;

const char *rg_type(const char *name) {
  for (size_t i = 0; i < rg_type_count; i++) {
    if (strcmp(rg_types[i][0], name) == 0) return rg_types[i][1];
  }
  return NULL;
}

static unsigned char folded(char c, bool icase) {
  return (unsigned char)(icase && c >= 'A' && c <= 'Z' ? c + 32 : c);
}

/* [...] at `at`: whether it holds c; *end is behind it, NULL when it is no class. */
static bool in_class(const char *at, char c, bool icase, const char **end) {
  bool negated = *++at == '!' || *at == '^', found = false;
  if (negated) at++;
  for (bool first = true; *at != 0 && (first || *at != ']'); first = false) {
    if (*at == '\\' && at[1] != 0) at++;
    char low = *at++, high = low;
    if (*at == '-' && at[1] != ']' && at[1] != 0) {
      high = at[1];
      at += 2;
    }
    found |= folded(c, icase) >= folded(low, icase) && folded(c, icase) <= folded(high, icase);
  }
  *end = *at == ']' ? at + 1 : NULL;
  return found != negated;
}

/* One pattern without braces against a whole path. A "*" that fails is tried again only from the
 * last one of its kind, so the time is the product of the sizes at most, but for "**". */
static bool match_plain(const char *pattern, const char *text, bool icase, int depth) {
  const char *star = NULL, *star_text = NULL;
  for (;;) {
    if (pattern[0] == '*' && pattern[1] == '*') {
      const char *rest = pattern + 2;
      if (depth > 20) return false;
      if (*rest == '/') { /* any number of folders, or none */
        for (const char *at = text;; at++) {
          if (match_plain(rest + 1, at, icase, depth + 1)) return true;
          at = strchr(at, '/');
          if (at == NULL) return false;
        }
      }
      if (*rest == 0) return true;
      for (const char *at = text;; at++) {
        if (match_plain(rest, at, icase, depth + 1)) return true;
        if (*at == 0) return false;
      }
    }
    if (*pattern == '*') {
      star = ++pattern;
      star_text = text;
      continue;
    }
    if (*pattern == 0 && *text == 0) return true;
    if (*pattern != 0 && *text != 0) {
      const char *next = NULL;
      if (*pattern == '?' && *text != '/') {
        do text++;
        while ((*text & 0xc0) == 0x80);
        pattern++;
        continue;
      }
      if (*pattern == '[') {
        bool holds = in_class(pattern, *text, icase, &next);
        if (next != NULL && holds && *text != '/') {
          pattern = next;
          text++;
          continue;
        }
      }
      if (next == NULL) {
        const char *literal = *pattern == '\\' && pattern[1] != 0 ? pattern + 1 : pattern;
        if (*pattern != '?' && folded(*literal, icase) == folded(*text, icase)) {
          pattern = literal + 1;
          text++;
          continue;
        }
      }
    }
    if (star == NULL || *star_text == 0 || *star_text == '/') return false;
    pattern = star;
    text = ++star_text;
  }
}

/* {a,b} is tried one by one; at most 1,000 times in all. */
static bool match_braces(const char *pattern, const char *path, bool icase, int *left) {
  const char *open = NULL;
  for (const char *at = pattern; *at != 0 && open == NULL; at++) {
    if (*at == '\\' && at[1] != 0)
      at++;
    else if (*at == '{')
      open = at;
  }
  if (open == NULL || --*left < 0) return match_plain(pattern, path, icase, 0);
  int depth = 0;
  const char *close = open;
  for (; *close != 0; close++) {
    if (*close == '\\' && close[1] != 0)
      close++;
    else if (*close == '{')
      depth++;
    else if (*close == '}' && --depth == 0)
      break;
  }
  if (*close == 0) return match_plain(pattern, path, icase, 0);
  depth = 0;
  for (const char *start = open + 1, *at = start;; at++) {
    if (*at == '{') depth++;
    if (*at == '}' && at != close) depth--;
    if (at != close && (*at != ',' || depth > 0)) continue;
    text one = {0};
    text_add(&one, pattern, (size_t)(open - pattern));
    text_add(&one, start, (size_t)(at - start));
    text_string(&one, close + 1);
    bool matches = match_braces(text_end(&one), path, icase, left);
    text_free(&one);
    if (matches) return true;
    if (at == close) return false;
    start = at + 1;
  }
}

bool rg_glob(const char *pattern, const char *text, bool icase) {
  int left = 1000;
  return match_braces(pattern, text, icase, &left);
}

void rg_rule_add(rg_rules *rules, const char *folder, const char *line, size_t size, bool icase) {
  while (size > 0 && (line[size - 1] == '\r' || line[size - 1] == '\n')) size--;
  while (size > 0 && line[size - 1] == ' ' && !(size > 1 && line[size - 2] == '\\')) size--;
  if (size == 0 || *line == '#') return;
  rg_rule rule = {.folder = memory_string(folder), .icase = icase};
  if (*line == '!') {
    rule.negated = true;
    line++;
    size--;
  }
  if (size > 0 && line[size - 1] == '/') {
    rule.folders_only = true;
    size--;
  }
  if (size == 0) return;
  rule.anchored = memchr(line, '/', size) != NULL;
  if (*line == '/') {
    line++;
    size--;
  }
  rule.pattern = memory_copy(line, size);
  if (rules->count == rules->room)
    rules->at = memory_resize(rules->at, (rules->room = rules->room * 2 + 16) * sizeof *rules->at);
  rules->at[rules->count++] = rule;
}

int rg_rule_match(const rg_rules *rules, size_t from, const char *path, bool is_folder) {
  const char *base = strrchr(path, '/');
  base = base == NULL ? path : base + 1;
  for (size_t i = rules->count; i-- > from;) {
    const rg_rule *rule = &rules->at[i];
    size_t size = strlen(rule->folder);
    if (rule->folders_only && !is_folder) continue;
    if (strncmp(path, rule->folder, size) != 0) continue;
    if (rg_glob(rule->pattern, rule->anchored ? path + size : base, rule->icase))
      return rule->negated ? -1 : 1;
  }
  return 0;
}
