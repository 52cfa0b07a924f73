import { expect, test } from 'vitest'
import { RangeFilter } from '../../../src/sources/posthog/download-file.ts'

const DAY = { start: Date.UTC(2024, 2, 1), end: Date.UTC(2024, 2, 2) }
const at = (timestamp: string) => `{"timestamp":"${timestamp}","n":1.0}`

function taken(lines: readonly string[]): { readonly text: string; readonly filtered: number } {
  const filter = new RangeFilter(DAY)
  const text = `${filter.push(Buffer.from(lines.join('\n')))}${filter.end()}`
  return { text, filtered: filter.filtered }
}

test('a range takes its first instant and not its end, byte for byte', () => {
  const within = [at('2024-03-01 00:00:00.000000'), at('2024-03-01 23:59:59.999999')]
  const beside = [at('2024-02-29 23:59:59.999999'), at('2024-03-02 00:00:00.000000')]
  const { text, filtered } = taken([beside[0]!, ...within, beside[1]!])
  expect(text).toBe(`${within.join('\n')}\n`)
  expect(filtered).toBe(2)
})

test('a line whose time can not be read is taken: transform says what is wrong with it', () => {
  const lines = ['{"timestamp":"2024-02-01","torn', at('soon'), '{"n":1}', '{"timestamp":null}']
  expect(taken(lines)).toEqual({ text: `${lines.join('\n')}\n`, filtered: 0 })
})
