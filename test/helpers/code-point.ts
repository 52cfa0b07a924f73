import fc from 'fast-check'

/** Any character. fast-check's own `binary` makes a table of all of them first, which takes seconds in each process. */
export const CODE_POINT = fc
  .nat(0x10ffff - 0x800)
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800))
