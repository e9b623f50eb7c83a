// SPDX-License-Identifier: MIT
// file_binary.c -- formats that their first bytes give away. See file.h.
#include "file.h"
#include "times.h"

static uint64_t little(const unsigned char *at, size_t bytes) {
  uint64_t value = 0;
  while (bytes > 0) value = value << 8 | at[--bytes];
  return value;
}

static uint64_t big(const unsigned char *at, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; i++) value = value << 8 | at[i];
  return value;
}

static bool has(const content *c, size_t offset, const char *bytes, size_t size) {
  return c->size >= offset + size && memcmp(c->at + offset, bytes, size) == 0;
}

/* ---- formats with something to tell ---- */

static void png(const content *c, text *to) {
  static const char *const colors[] = {"-bit grayscale",  NULL, "-bit/color RGB", "-bit colormap",
                                       "-bit gray+alpha", NULL, "-bit/color RGBA"};
  text_string(to, "PNG image data");
  if (!has(c, 12, "IHDR", 4) || c->size < 29) return;
  text_format(to, ", %u x %u, %u", (unsigned)big(c->at + 16, 4), (unsigned)big(c->at + 20, 4),
              c->at[24]);
  if (c->at[25] < 7 && colors[c->at[25]] != NULL) text_string(to, colors[c->at[25]]);
  text_string(to, c->at[28] == 0 ? ", non-interlaced" : ", interlaced");
}

static void gif(const content *c, text *to) {
  text_format(to, "GIF image data, version 8%.2s", c->at + 4);
  if (c->size >= 10)
    text_format(to, ", %u x %u", (unsigned)little(c->at + 6, 2), (unsigned)little(c->at + 8, 2));
}

/* The first frame header among a JPEG's segments. */
static void jpeg_frame(const content *c, text *to) {
  for (size_t at = 2; at + 10 <= c->size && c->at[at] == 0xff;) {
    unsigned mark = c->at[at + 1];
    if (mark >= 0xc0 && mark <= 0xc2) {
      text_format(to, ", %s, precision %u, %ux%u, components %u",
                  mark == 0xc0   ? "baseline"
                  : mark == 0xc1 ? "extended sequential"
                                 : "progressive",
                  c->at[at + 4], (unsigned)big(c->at + at + 7, 2), (unsigned)big(c->at + at + 5, 2),
                  c->at[at + 9]);
      return;
    }
    at += 2 + (size_t)big(c->at + at + 2, 2);
  }
}

static void jpeg(const content *c, text *to) {
  static const char *const units[] = {"aspect ratio", "resolution (DPI)", "resolution (DPCM)"};
  text_string(to, "JPEG image data");
  if (has(c, 6, "JFIF\0", 5) && c->size >= 18) {
    text_format(to, ", JFIF standard %u.%02u", c->at[11], c->at[12]);
    if (c->at[13] < 3) text_format(to, ", %s", units[c->at[13]]);
    text_format(to, ", density %ux%u, segment length %u", (unsigned)big(c->at + 14, 2),
                (unsigned)big(c->at + 16, 2), (unsigned)big(c->at + 4, 2));
  }
  jpeg_frame(c, to);
}

static void bmp(const content *c, text *to) {
  text_string(to, "PC bitmap");
  if (c->size < 30) return;
  text_format(to, ", Windows 3.x format, %u x %d x %u", (unsigned)little(c->at + 18, 4),
              (int)little(c->at + 22, 4), (unsigned)little(c->at + 28, 2));
  text_format(to, ", cbSize %u, bits offset %u", (unsigned)little(c->at + 2, 4),
              (unsigned)little(c->at + 10, 4));
}

static void riff(const content *c, text *to) {
  text_string(to, "RIFF (little-endian) data");
  if (has(c, 8, "WEBP", 4)) text_string(to, ", Web/P image");
  if (has(c, 8, "AVI ", 4)) text_string(to, ", AVI");
  if (!has(c, 8, "WAVE", 4)) return;
  text_string(to, ", WAVE audio");
  if (c->size < 36 || little(c->at + 20, 2) != 1) return;
  unsigned channels = (unsigned)little(c->at + 22, 2);
  text_format(to, ", Microsoft PCM, %u bit", (unsigned)little(c->at + 34, 2));
  if (channels <= 2)
    text_string(to, channels == 1 ? ", mono" : ", stereo");
  else
    text_format(to, ", %u channels", channels);
  text_format(to, " %u Hz", (unsigned)little(c->at + 24, 4));
}

static void gzip_time(uint64_t seconds, text *to) {
  static const char format[] = "%a %b %e %H:%M:%S %Y";
  time_zone zone;
  time_parts parts;
  zone_parse(&zone, NULL);
  time_split((int64_t)seconds, 0, &zone, &parts);
  text_string(to, ", last modified: ");
  time_format(to, format, sizeof format - 1, &parts, (int64_t)seconds);
}

static void gzip(const content *c, text *to) {
  static const char *const systems[] = {"FAT filesystem (MS-DOS, OS/2, NT)", NULL, NULL, "Unix"};
  text_string(to, "gzip compressed data");
  if (c->size < 10) return;
  size_t name = 10;
  if ((c->at[3] & 4) != 0 && c->size >= 12) name += 2 + (size_t)little(c->at + 10, 2);
  if ((c->at[3] & 8) != 0 && name < c->size)
    text_format(to, ", was \"%.*s\"", (int)(c->size - name < 256 ? c->size - name : 256),
                c->at + name);
  if (little(c->at + 4, 4) != 0) gzip_time(little(c->at + 4, 4), to);
  if (c->at[8] == 2) text_string(to, ", max compression");
  if (c->at[8] == 4) text_string(to, ", max speed");
  if (c->at[9] < 4 && systems[c->at[9]] != NULL) text_format(to, ", from %s", systems[c->at[9]]);
}

/* The size that a file's last bytes tell. Where the file is mounted the read may wait, so this is
 * not called through the table. */
static void gzip_size(const content *c, text *to) {
  unsigned char tail[4];
  if (c->whole >= 18 && sys_pread(c->fd, tail, 4, c->whole - 4) == 4)
    text_format(to, ", original size modulo 2^32 %u", (unsigned)little(tail, 4));
}

static void zip(const content *c, text *to) {
  if (has(c, 30, "mimetypeapplication/epub+zip", 28)) {
    text_string(to, "EPUB document");
    return;
  }
  if (has(c, 30, "mimetypeapplication/vnd.oasis.opendocument.text", 47)) {
    text_string(to, "OpenDocument Text");
    return;
  }
  text_string(to, "Zip archive data");
  if (c->size < 10) return;
  unsigned version = (unsigned)little(c->at + 4, 2), method = (unsigned)little(c->at + 8, 2);
  text_format(to, ", at least v%u.%u to extract", version / 10, version % 10);
  if (method == 0 || method == 8)
    text_format(to, ", compression method=%s", method == 0 ? "store" : "deflate");
}

static void sqlite(const content *c, text *to) {
  text_string(to, "SQLite 3.x database");
  if (c->size < 100) return;
  unsigned page = (unsigned)big(c->at + 16, 2), free_pages = (unsigned)big(c->at + 36, 4);
  if (big(c->at + 60, 4) != 0) text_format(to, ", user version %u", (unsigned)big(c->at + 60, 4));
  text_format(to, ", last written using SQLite version %u", (unsigned)big(c->at + 96, 4));
  if (page != 4096) text_format(to, ", page size %u", page == 1 ? 65536 : page);
  text_format(to, ", file counter %u, database pages %u", (unsigned)big(c->at + 24, 4),
              (unsigned)big(c->at + 28, 4));
  if (free_pages > 0)
    text_format(to, ", 1st free page %u, free pages %u", (unsigned)big(c->at + 32, 4), free_pages);
  text_format(to, ", cookie 0x%x, schema %u", (unsigned)big(c->at + 40, 4),
              (unsigned)big(c->at + 44, 4));
  unsigned encoding = (unsigned)big(c->at + 56, 4);
  if (encoding >= 1 && encoding <= 3)
    text_format(to, ", %s",
                encoding == 1   ? "UTF-8"
                : encoding == 2 ? "UTF-16 little endian"
                                : "UTF-16 big endian");
  text_format(to, ", version-valid-for %u", (unsigned)big(c->at + 92, 4));
}

static void elf(const content *c, text *to) {
  static const char *const kinds[] = {"no file type", "relocatable", "executable", "shared object",
                                      "core file"};
  text_string(to, "ELF");
  if (c->size < 20) return;
  bool is_little = c->at[5] == 1;
  unsigned kind = (unsigned)(is_little ? little(c->at + 16, 2) : big(c->at + 16, 2));
  unsigned machine = (unsigned)(is_little ? little(c->at + 18, 2) : big(c->at + 18, 2));
  text_format(to, " %s-bit %s", c->at[4] == 2 ? "64" : "32", is_little ? "LSB" : "MSB");
  if (kind < 5) text_format(to, " %s", kinds[kind]);
  if (machine == 62 || machine == 183 || machine == 3 || machine == 243)
    text_format(to, ", %s",
                machine == 62    ? "x86-64"
                : machine == 183 ? "ARM aarch64"
                : machine == 3   ? "Intel 80386"
                                 : "UCB RISC-V");
  text_format(to, ", version %u (SYSV)", c->at[6]);
}

static void pdf(const content *c, text *to) {
  text_string(to, "PDF document");
  if (c->size >= 8) text_format(to, ", version %c.%c", c->at[5], c->at[7]);
}

static void bzip2(const content *c, text *to) {
  text_format(to, "bzip2 compressed data, block size = %c00k", c->at[3]);
}

static void xz(const content *c, text *to) {
  text_string(to, "XZ compressed data");
  unsigned check = c->size > 7 ? c->at[7] & 15u : 99;
  if (check == 0 || check == 1 || check == 4 || check == 10)
    text_format(to, ", checksum %s",
                check == 0   ? "NONE"
                : check == 1 ? "CRC32"
                : check == 4 ? "CRC64"
                             : "SHA-256");
}

static void wasm(const content *c, text *to) {
  text_string(to, "WebAssembly (wasm) binary module");
  if (c->size < 8) return;
  unsigned version = (unsigned)little(c->at + 4, 4);
  text_format(to, " version 0x%x%s", version, version == 1 ? " (MVP)" : "");
}

static void id3(const content *c, text *to) {
  text_string(to, "Audio file with ID3");
  if (c->size >= 5) text_format(to, " version 2.%u.%u", c->at[3], c->at[4]);
}

/* ---- the table ---- */

typedef struct {
  size_t offset;
  const char *bytes;
  size_t size;
  const char *mime, *words;                 /* words: NULL when `tell` finds them */
  void (*tell)(const content *c, text *to); /* must not wait */
} format;

#define BYTES(text) text, sizeof text - 1
static const format formats[] = {
    {0, BYTES("\x89PNG\r\n\x1a\n"), "image/png", NULL, png},
    {0, BYTES("GIF8"), "image/gif", NULL, gif},
    {0, BYTES("\xff\xd8\xff"), "image/jpeg", NULL, jpeg},
    {0, BYTES("\x1f\x8b"), "application/gzip", NULL, gzip},
    {0, BYTES("BZh"), "application/x-bzip2", NULL, bzip2},
    {0,
     BYTES("\xfd"
           "7zXZ\0"),
     "application/x-xz", NULL, xz},
    {0, BYTES("PK\3\4"), "application/zip", NULL, zip},
    {0, BYTES("PK\5\6"), "application/zip", "Zip archive data (empty)", NULL},
    {0, BYTES("SQLite format 3\0"), "application/vnd.sqlite3", NULL, sqlite},
    {0, BYTES("%PDF-"), "application/pdf", NULL, pdf},
    {0, BYTES("\177ELF"), "application/x-executable", NULL, elf},
    {0, BYTES("\0asm"), "application/wasm", NULL, wasm},
    {0, BYTES("\x28\xb5\x2f\xfd"), "application/zstd",
     "Zstandard compressed data (v0.8+), Dictionary ID: None", NULL},
    {0, BYTES("7z\xbc\xaf\x27\x1c\0\4"), "application/x-7z-compressed",
     "7-zip archive data, version 0.4", NULL},
    {0, BYTES("Rar!\x1a\7\1\0"), "application/x-rar", "RAR archive data, v5", NULL},
    {0, BYTES("\x04\x22\x4d\x18"), "application/x-lz4", "LZ4 compressed data (v1.4+)", NULL},
    {257, BYTES("ustar  \0"), "application/x-tar", "POSIX tar archive (GNU)", NULL},
    {257, BYTES("ustar\0"), "application/x-tar", "POSIX tar archive", NULL},
    {0, BYTES("RIFF"), "application/octet-stream", NULL, riff},
    {0, BYTES("OggS"), "application/ogg", "Ogg data", NULL},
    {0, BYTES("ID3"), "audio/mpeg", NULL, id3},
    {4, BYTES("ftypmp42"), "video/mp4", "ISO Media, MP4 v2 [ISO 14496-14]", NULL},
    {4, BYTES("ftypisom"), "video/mp4", "ISO Media, MP4 Base Media v1 [ISO 14496-12:2003]", NULL},
    {0, BYTES("!<arch>\n"), "application/x-archive", "current ar archive", NULL},
};

static const char *riff_mime(const content *c) {
  return has(c, 8, "WEBP", 4)   ? "image/webp"
         : has(c, 8, "WAVE", 4) ? "audio/x-wav"
         : has(c, 8, "AVI ", 4) ? "video/x-msvideo"
                                : "application/octet-stream";
}

bool file_is_binary(const content *c, verdict *v) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    const format *f = &formats[i];
    if (!has(c, f->offset, f->bytes, f->size)) continue;
    v->mime = f->tell == riff ? riff_mime(c) : f->mime;
    if (f->words != NULL)
      text_string(&v->words, f->words);
    else if (f->tell != NULL)
      f->tell(c, &v->words);
    if (f->tell == gzip) gzip_size(c, &v->words);
    return true;
  }
  if (has(c, 0, "BM", 2) && c->size >= 26 && little(c->at + 14, 4) == 40) {
    v->mime = "image/bmp";
    bmp(c, &v->words);
    return true;
  }
  return false;
}
