import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { history } from '../helpers/history.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { readSoundDataset } from '../helpers/sound-dataset.ts'
import { unfolded } from '../helpers/unfolded.ts'

const DAY = 86_400_000
const DAYS = 14
const START = Date.UTC(2024, 0, 1)
const LATE = 5 * DAY

const seed = seedOf('windows')

interface Arrived {
  readonly line: string
  readonly time: number
  readonly at: number
}

/** A history in the order of its time, of which a share arrived late. */
function arrivedHistory(late: number): Arrived[] {
  const random = seeded(seed + 1)
  return [...history({ seed, bytes: 400_000, days: DAYS, people: 200, broken: 0 })]
    .flatMap((text) => text.trimEnd().split('\n'))
    .map((line) => {
      const time = Date.parse(`${JSON.parse(line).event_time.replace(' ', 'T')}Z`)
      // Copies of a record arrive together, as the vendor's own do.
      const at = time + (seeded(time)() < late ? Math.floor(random() * LATE) : 0)
      return { line, time, at }
    })
    .sort((a, b) => a.time - b.time)
}

/** Ends of windows: some days in random places, then the end of the history. */
function ends(cuts: number): number[] {
  const random = seeded(seed + 2)
  const days = Array.from({ length: cuts }, () => 3 + Math.floor(random() * (DAYS - 4)))
  return [...days.sort((a, b) => a - b), DAYS].map((day) => START + day * DAY)
}

interface Counts {
  readonly [name: string]: number
}

async function transform(...argv: string[]): Promise<Counts> {
  const ended = await exits(0, runHosted(['transform', '--preset', 'amplitude', '--json', ...argv]))
  const { counts } = JSON.parse(ended.stdout) as { counts: Counts }
  const { read, generated: _, ...fates } = counts
  expect(Object.values(fates).reduce((sum, n) => sum + n, 0)).toBe(read)
  return counts
}

/** The event lines of all windows, and of one transform over all. A window that is empty of its own is for late events. */
async function bothWays(
  all: readonly Arrived[],
  windowEnds: readonly number[],
): Promise<{ windows: string[]; whole: string[] }> {
  const folder = testFolder()
  const write = (name: string, records: readonly Arrived[]) => {
    const path = join(folder, `${name}.ndjson`)
    writeFileSync(path, records.map(({ line }) => `${line}\n`).join(''))
    return path
  }
  const done: string[] = []
  const windows: string[] = []
  let [start, earlier] = [START, 0]
  for (const end of windowEnds) {
    const out = join(folder, `w${done.length}`)
    // The last one runs when everything has arrived.
    const now = start === end ? Number.POSITIVE_INFINITY : end + 2 * DAY
    const fetched = all.filter(({ time, at }) => time >= start - LATE && time < end && at < now)
    const path = write(`raw${done.length}`, fetched)
    const counts = await transform(
      '--in',
      path,
      '--out',
      out,
      ...(done.length > 0 ? ['--after', ...done] : []),
    )
    earlier += counts.earlier!
    const { lines, manifest } = readSoundDataset(out)
    expect(manifest.events.earlier ?? 0).toBe(counts.earlier)
    windows.push(...lines)
    done.push(out)
    start = end
  }
  expect(earlier).toBeGreaterThan(100)
  await transform('--in', write('all', all), '--out', join(folder, 'all'))
  return { windows, whole: [...readSoundDataset(join(folder, 'all')).lines] }
}

const isMade = (line: string) => /"event":"\$(?:group)?identify"/.test(line)

test('windows that overlap make together, byte for byte, what one transform makes of all', async () => {
  const { windows, whole } = await bothWays(arrivedHistory(0), ends(2))
  expect(whole.filter(isMade).length).toBeGreaterThan(300)
  expect(windows.sort()).toEqual(whole.sort())
})

test('of a history with late arrivals no event is missing or doubled, and no link is made twice', async () => {
  const { windows, whole } = await bothWays(arrivedHistory(0.2), [...ends(1), START + DAYS * DAY])
  const own = (lines: readonly string[]) => lines.filter((line) => !isMade(line)).sort()
  expect(own(windows)).toEqual(own(whole))
  const linked = (lines: readonly string[]) =>
    lines
      .filter((line) => line.includes('"event":"$identify"'))
      .map((line) => JSON.parse(line).properties.$anon_distinct_id as string)
      .sort()
  expect(linked(windows)).toEqual(linked(whole))
})

test('an earlier dataset that is not as it was made is refused, and costs nothing where no day is shared', async () => {
  const folder = testFolder()
  const [first, next, other] = ['first', 'next', 'other'].map((name) => join(folder, `${name}.ndjson`)) as [
    string,
    string,
    string,
  ]
  const record = (n: number, day: number) =>
    `${JSON.stringify({ event_type: 'E', event_time: `2024-03-0${day} 12:00:00`, user_id: 'u', device_id: 'd', uuid: `${n}0000000-304d-11e6-934f-000000000000` })}\n`
  writeFileSync(first, record(1, 1) + record(2, 2))
  writeFileSync(next, record(2, 2) + record(3, 3))
  writeFileSync(other, record(4, 4))
  const made = join(folder, 'w1')
  await transform('--in', first, '--out', made)
  const after = async (input: string, earlier: string) => {
    const out = join(testFolder(), 'out')
    return runHosted(['transform', '--preset', 'amplitude', '--in', input, '--out', out, '--after', earlier])
  }
  const bent = (change: (folder: string) => void) => {
    const copy = join(testFolder(), 'w1')
    cpSync(made, copy, { recursive: true })
    change(copy)
    return copy
  }
  const changed = (name: string) => (copy: string) => {
    const path = join(copy, name)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"u', '"v'))
  }
  const part = '2024-03-02.ndjson'
  const ended = [
    await after(next, bent(changed(part))),
    await after(
      next,
      bent((copy) => rmSync(join(copy, part))),
    ),
    // No part of that day is read.
    await after(other, bent(changed(part))),
  ]
  expect(ended.map(({ code }) => code)).toEqual([6, 2, 0])
  expect(unfolded(ended[0]!.stderr)).toContain(`${part} is not the part that the manifest names`)
  expect(ended[1]!.stderr).toMatch(/is\s+missing/)
  copyFileSync(first, next)
  // Nothing new is no failure.
  await exits(0, after(next, made), /written +0 .* earlier +2 /s)
})

test('a row without an id that was changed after its window is told, and one that came later in the day is not', async () => {
  const folder = testFolder()
  const row = (hour: string, plan: string) => `bought,u1,2024-03-01T${hour}:00:00Z,${plan}\n`
  const made = async (name: string, rows: string, ...more: string[]) => {
    const [path, out] = [join(folder, `${name}.csv`), join(folder, name)]
    writeFileSync(path, `event,distinct_id,timestamp,plan\n${rows}`)
    return runHosted(['transform', '--preset', 'events', '--in', path, '--out', out, ...more])
  }
  await made('w1', row('10', 'free') + row('11', 'free'))
  const rows = row('10', 'pro') + row('11', 'free') + row('12', 'free')
  const { stderr } = await made('w2', rows, '--after', join(folder, 'w1'))
  expect(unfolded(stderr)).toMatch(/written +2 .*late +1 event of days that earlier windows have is new/)
})
