import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { testFolder } from '../helpers/folder.ts'

const COLUMNS = 'id,event,event_text,user_id,timestamp'
const row = (id: string, name: string) => `${id},${name.toLowerCase()},${name},u-1,2024-06-01T08:00:00Z`

// `tracks` is read between the two tables: what was read first must not decide.
test('a call in tracks and in its own table comes out once, with its properties', async () => {
  const folder = testFolder()
  const [tables, events] = [join(folder, 'tables'), join(folder, 'events')]
  mkdirSync(tables)
  writeFileSync(join(tables, 'added.csv'), `${COLUMNS},total\n${row('m-1', 'Added')},1\n`)
  writeFileSync(
    join(tables, 'tracks.csv'),
    `${COLUMNS}\n${['Added', 'Viewed', 'Dropped'].map((name, i) => row(`m-${i + 1}`, name)).join('\n')}\n`,
  )
  writeFileSync(join(tables, 'viewed.csv'), `${COLUMNS},total\n${row('m-2', 'Viewed')},2\n`)
  const argv = ['transform', '--preset', 'segment-warehouse', '--in', tables, '--out', events]
  expect(await runCommand(argv, { built: true })).toMatchObject({ code: 0 })
  const [part] = readdirSync(events).filter((name) => name.startsWith('2024-06-01'))
  const told = readFileSync(join(events, part!), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; properties: { total?: string } })
    .map(({ event, properties }) => [event, properties.total])
  expect(told.sort()).toEqual([
    ['Added', '1'],
    ['Dropped', undefined],
    ['Viewed', '2'],
  ])
})
