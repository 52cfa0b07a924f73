import { expect, test } from 'vitest'
import { hashNumber, hashText } from '../../src/text/city-hash.ts'

const words = new Int32Array(2)
const text = () => ((BigInt(words[1]! >>> 0) << 32n) | BigInt(words[0]! >>> 0)).toString()

const TEXTS: Record<number, string> = {
  0: '11160318154034397263',
  1: '4947675599669400333',
  3: '15801372605664632734',
  4: '6980601109885121812',
  7: '13503706177584786383',
  8: '14323467942299744891',
  9: '15781391667595025456',
  16: '18255961058499077557',
  17: '14462083576506790518',
  32: '12620920786248464957',
  33: '16474122761118675582',
  63: '17872513691167454009',
  64: '2635662625183472829',
  65: '18106967989178361769',
  127: '1897058114483927166',
  128: '10493324097790847553',
  129: '1488745062732587154',
  200: '5142771303753098883',
  500: '9656491534540604196',
}

// Computed by ClickHouse 26.7: a text of each length at which the steps change.
test.each(Object.entries(TEXTS))('a text of %s bytes', (length, hash) => {
  const bytes = Buffer.from(` ${textOf(Number(length))} `)
  hashText(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 1, bytes.length - 1, words, 0)
  expect(text()).toBe(hash)
})

function textOf(length: number): string {
  return Array.from({ length }, (_, at) => String.fromCharCode(97 + ((at * 7 + length) % 26))).join('')
}

test.each([
  [0n, '4761183170873013810'],
  [12_345n, '16722121143744093920'],
  [2n ** 63n, '7378616448805205431'],
  [2n ** 64n - 1n, '14600443904207254319'],
])('the number %s', (number, hash) => {
  words[0] = Number(number & 0xffffffffn)
  words[1] = Number(number >> 32n)
  hashNumber(words, 0)
  expect(text()).toBe(hash)
})
