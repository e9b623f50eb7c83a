// SPDX-License-Identifier: MIT
// digest.c -- see digest.h. The tables hold sines (MD5) and roots of the first primes (SHA-2).
#include "digest.h"

#include <string.h>

static uint32_t left(uint32_t x, int n) {
  return x << n | x >> (32 - n);
}
static uint32_t right(uint32_t x, int n) {
  return x >> n | x << (32 - n);
}
static uint64_t right64(uint64_t x, int n) {
  return x >> n | x << (64 - n);
}

static uint32_t big32(const unsigned char *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static const uint32_t md5_sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};
/* The first 64 are the high halves of SHA-512's. */
static const uint64_t roots[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

static void md5_block(uint32_t s[4], const unsigned char *at) {
  static const unsigned char turns[4][4] = {
      {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  uint32_t w[16], a = s[0], b = s[1], c = s[2], d = s[3];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)at[i * 4] | (uint32_t)at[i * 4 + 1] << 8 | (uint32_t)at[i * 4 + 2] << 16 |
           (uint32_t)at[i * 4 + 3] << 24;
  for (int i = 0; i < 64; i++) {
    uint32_t f;
    int k;
    if (i < 16)
      f = (b & c) | (~b & d), k = i;
    else if (i < 32)
      f = (d & b) | (~d & c), k = (5 * i + 1) & 15;
    else if (i < 48)
      f = b ^ c ^ d, k = (3 * i + 5) & 15;
    else
      f = c ^ (b | ~d), k = (7 * i) & 15;
    uint32_t next = b + left(a + f + md5_sines[i] + w[k], turns[i / 16][i & 3]);
    a = d, d = c, c = b, b = next;
  }
  s[0] += a, s[1] += b, s[2] += c, s[3] += d;
}

static void sha1_block(uint32_t s[5], const unsigned char *at) {
  uint32_t w[80], a = s[0], b = s[1], c = s[2], d = s[3], e = s[4];
  for (int i = 0; i < 16; i++) w[i] = big32(at + i * 4);
  for (int i = 16; i < 80; i++) w[i] = left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  for (int i = 0; i < 80; i++) {
    uint32_t f = i < 20              ? (b & c) | (~b & d)
                 : i < 40 || i >= 60 ? b ^ c ^ d
                                     : (b & c) | (b & d) | (c & d);
    uint32_t k = i < 20 ? 0x5A827999 : i < 40 ? 0x6ED9EBA1 : i < 60 ? 0x8F1BBCDC : 0xCA62C1D6;
    uint32_t next = left(a, 5) + f + e + k + w[i];
    e = d, d = c, c = left(b, 30), b = a, a = next;
  }
  s[0] += a, s[1] += b, s[2] += c, s[3] += d, s[4] += e;
}

static void sha256_block(uint32_t s[8], const unsigned char *at) {
  uint32_t w[64], v[8];
  for (int i = 0; i < 16; i++) w[i] = big32(at + i * 4);
  for (int i = 16; i < 64; i++) {
    uint32_t x = w[i - 15], y = w[i - 2];
    w[i] = w[i - 16] + (right(x, 7) ^ right(x, 18) ^ x >> 3) + w[i - 7] +
           (right(y, 17) ^ right(y, 19) ^ y >> 10);
  }
  memcpy(v, s, sizeof v);
  for (int i = 0; i < 64; i++) {
    uint32_t e = v[4], a = v[0];
    uint32_t t = v[7] + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & v[5]) ^ (~e & v[6])) +
                 (uint32_t)(roots[i] >> 32) + w[i];
    uint32_t u =
        (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t;
    v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t + u;
  }
  for (int i = 0; i < 8; i++) s[i] += v[i];
}

static void sha512_block(uint64_t s[8], const unsigned char *at) {
  uint64_t w[80], v[8];
  for (int i = 0; i < 16; i++) w[i] = (uint64_t)big32(at + i * 8) << 32 | big32(at + i * 8 + 4);
  for (int i = 16; i < 80; i++) {
    uint64_t x = w[i - 15], y = w[i - 2];
    w[i] = w[i - 16] + (right64(x, 1) ^ right64(x, 8) ^ x >> 7) + w[i - 7] +
           (right64(y, 19) ^ right64(y, 61) ^ y >> 6);
  }
  memcpy(v, s, sizeof v);
  for (int i = 0; i < 80; i++) {
    uint64_t e = v[4], a = v[0];
    uint64_t t = v[7] + (right64(e, 14) ^ right64(e, 18) ^ right64(e, 41)) +
                 ((e & v[5]) ^ (~e & v[6])) + roots[i] + w[i];
    uint64_t u = (right64(a, 28) ^ right64(a, 34) ^ right64(a, 39)) +
                 ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t;
    v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t + u;
  }
  for (int i = 0; i < 8; i++) s[i] += v[i];
}

static size_t block_size(const digest *d) {
  return d->kind >= DIGEST_SHA384 ? 128 : 64;
}

static void take_block(digest *d, const unsigned char *at) {
  switch (d->kind) {
    case DIGEST_MD5:
      md5_block(d->state.small, at);
      return;
    case DIGEST_SHA1:
      sha1_block(d->state.small, at);
      return;
    case DIGEST_SHA224:
    case DIGEST_SHA256:
      sha256_block(d->state.small, at);
      return;
    default:
      sha512_block(d->state.large, at);
      return;
  }
}

void digest_start(digest *d, digest_kind kind) {
  static const uint32_t old[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  static const uint32_t sha224[8] = {0xC1059ED8, 0x367CD507, 0x3070DD17, 0xF70E5939,
                                     0xFFC00B31, 0x68581511, 0x64F98FA7, 0xBEFA4FA4};
  static const uint64_t sha384[8] = {
      0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
      0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
  };
  static const uint64_t sha512[8] = {
      0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
      0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
  };
  *d = (digest){.kind = kind};
  if (kind <= DIGEST_SHA1)
    memcpy(d->state.small, old, sizeof old);
  else if (kind == DIGEST_SHA224)
    memcpy(d->state.small, sha224, sizeof sha224);
  else if (kind == DIGEST_SHA256) {
    for (int i = 0; i < 8; i++) d->state.small[i] = (uint32_t)(sha512[i] >> 32);
  } else
    memcpy(d->state.large, kind == DIGEST_SHA384 ? sha384 : sha512, sizeof sha512);
}

void digest_add(digest *d, const void *from, size_t size) {
  const unsigned char *at = from;
  size_t block = block_size(d);
  d->size += size;
  while (size > 0) {
    if (d->filled == 0 && size >= block) {
      take_block(d, at);
      at += block, size -= block;
      continue;
    }
    size_t part = block - d->filled < size ? block - d->filled : size;
    memcpy(d->block + d->filled, at, part);
    d->filled += part, at += part, size -= part;
    if (d->filled == block) {
      take_block(d, d->block);
      d->filled = 0;
    }
  }
}

size_t digest_end(digest *d, unsigned char *to) {
  static const unsigned char sizes[] = {16, 20, 28, 32, 48, 64};
  size_t block = block_size(d), count = sizes[d->kind];
  uint64_t bits = d->size * 8;
  unsigned char end[256] = {0x80};
  size_t room = block == 128 ? 16 : 8,
         pad = (d->filled + 1 + room <= block ? block : 2 * block) - d->filled;
  for (int i = 0; i < 8; i++) {
    int shift = d->kind == DIGEST_MD5 ? 8 * i : 56 - 8 * i;
    end[pad - 8 + (size_t)i] = (unsigned char)(bits >> shift);
  }
  digest_add(d, end, pad);
  for (size_t i = 0; i < count; i++) {
    if (block == 128)
      to[i] = (unsigned char)(d->state.large[i / 8] >> (56 - 8 * (i % 8)));
    else if (d->kind == DIGEST_MD5)
      to[i] = (unsigned char)(d->state.small[i / 4] >> (8 * (i % 4)));
    else
      to[i] = (unsigned char)(d->state.small[i / 4] >> (24 - 8 * (i % 4)));
  }
  return count;
}
