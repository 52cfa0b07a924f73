import { FLAG } from './tape.ts'

/** What a byte means inside a string: 0 plain, 1 closing quote, 2 backslash, 3 control character, 4 beyond ASCII. */
export const IN_STRING = new Uint8Array(256)
IN_STRING.fill(3, 0, 0x20)
IN_STRING.fill(4, 0x80)
IN_STRING[0x22] = 1
IN_STRING[0x5c] = 2

/** FLAG.packed for what JSON of an object or array can begin with in text: brackets, blanks, and escapes of them. */
export const PACKED = new Uint8Array(256)
for (const byte of Buffer.from('{[ \\')) PACKED[byte] = FLAG.packed
