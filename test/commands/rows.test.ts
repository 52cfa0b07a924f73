import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { groupsView } from '../../src/commands/groups/groups-view.ts'
import { type Format, RowPrinter } from '../../src/commands/rows.ts'
import type { Group } from '../../src/service/groups.ts'
import { width } from '../../src/text/visible.ts'

const group = (key: string, properties: unknown): Group => ({
  group_type_index: 0,
  group_key: key,
  group_properties: JSON.stringify(properties),
  created_at: '2024-03-01T12:34:56.789123Z',
})

async function written(format: Format, rows: readonly Group[], columns?: number): Promise<string> {
  const out = Object.assign(new PassThrough(), columns === undefined ? {} : { columns })
  let text = ''
  out.on('data', (chunk) => {
    text += chunk
  })
  const writer = new RowPrinter(format, groupsView, out)
  for (const row of rows) await writer.write(row)
  await writer.end()
  return text
}

/** What a program reads of what was written for a group. */
const asRead = (row: Group) => ({ ...row, group_properties: JSON.parse(row.group_properties) as unknown })

const ROWS = [
  group('acme', { name: 'Acme Ltd', seats: 12, plan: 'pro' }),
  group('globex', { name: 'Globex\x1b[2J', seats: -3 }),
  group('initech', { name: 'Initech', nested: { a: [1] } }),
]

describe('table', () => {
  test('aligned, with the properties that most groups have', async () =>
    expect(await written('table', ROWS, 80)).toBe(
      [
        'key      created              name        seats',
        'acme     2024-03-01 12:34:56  Acme Ltd       12',
        'globex   2024-03-01 12:34:56  Globex␛[2J     -3',
        'initech  2024-03-01 12:34:56  Initech',
        '',
      ].join('\n'),
    ))

  test('a date is never cut: free text makes room for it', async () => {
    const rows = ROWS.map(({ group_key }) => {
      const words = Array.from({ length: 6 }, (_, i) => [`field_${i}`, 'some free text '.repeat(3)])
      return group(group_key, Object.fromEntries(words))
    })
    const [head, ...lines] = (await written('table', rows, 80)).trimEnd().split('\n')
    expect(head).toContain('field_0')
    for (const line of lines) {
      expect(line).toContain('2024-03-01 12:34:56  ')
      expect(line).toContain('some fr…')
    }
    expect(await written('table', rows, 20)).not.toContain('2024')
  })

  test.each([20, 40, 80, 200])('no line is wider than %i columns', async (columns) => {
    const wide = Array.from({ length: 120 }, (_, i) =>
      group(`key-${i}-${'x'.repeat(i)}`, {
        名前: '東京'.repeat(i % 40),
        b: 'y'.repeat(90),
        c: i,
        d: true,
        e: [i],
      }),
    )
    const lines = (await written('table', wide, columns)).trimEnd().split('\n')
    expect(lines).toHaveLength(121)
    expect(Math.max(...lines.map(width))).toBeLessThanOrEqual(columns)
  })
})

describe('json', () => {
  test('one array, also of nothing', async () => {
    expect(JSON.parse(await written('json', ROWS))).toEqual(ROWS.map(asRead))
    expect(JSON.parse(await written('json', []))).toEqual([])
  })
})

describe('ndjson', () => {
  test('a row a line, however many', async () => {
    const rows = Array.from({ length: 1000 }, (_, i) => group(`k${i}`, { text: 'line\nbreak\u2028' }))
    const lines = (await written('ndjson', rows)).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows.map(asRead))
    expect(await written('ndjson', [])).toBe('')
  })
})

describe('what a terminal would obey', () => {
  const odd = group('acme\x9b31m', { name: 'A\x1b[2J\u202e' })

  test.each(['json', 'ndjson'] as const)('is escaped in %s, which stays equal', async (format) => {
    const text = await written(format, [odd])
    expect(text).not.toMatch(/(?![\n])[\p{Cc}\p{Cf}]/u)
    expect([JSON.parse(text)].flat()).toEqual([asRead(odd)])
  })
})
