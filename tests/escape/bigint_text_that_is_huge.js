//! end: done limit.time limit.memory exception
//! options: --timeout 1s
//! why: the kind of CVE-2025-46688 and CVE-2025-62496: sizes of BigInt texts that overflow
for (const radix of [2, 3, 32, 36]) try { ((1n << 1000n) - 1n).toString(radix) } catch { }
try { BigInt('9'.repeat(300000)) } catch { }
try { BigInt('0x' + 'f'.repeat(10000000)) } catch { }
try { 1n << (2n ** 62n) } catch { }
try { (-1n) ** (2n ** 64n) } catch { }
try { BigInt.asUintN(2 ** 53 - 1, -1n) } catch { }
return 'x';
