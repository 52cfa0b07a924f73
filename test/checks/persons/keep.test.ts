import { appendFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type KeepOptions, KeepPersons } from '../../../src/checks/persons/keep.ts'
import { OwnLines } from '../../../src/commands/import/own-lines.ts'
import { FileSource } from '../../../src/delivery/file-source.ts'
import { EventLineReader } from '../../../src/delivery/line-reader.ts'
import { PosthaulError } from '../../../src/errors.ts'
import { formatInstant } from '../../../src/record/time.ts'
import { testFolder } from '../../helpers/folder.ts'
import { MemoryStore } from '../../helpers/memory-store.ts'
import { type ArrivedEvent, PersonProject } from '../../helpers/person-project.ts'
import { seeded, seedOf } from '../../helpers/random.ts'
import { SleepyClock } from '../../helpers/sleepy-clock.ts'

const DAY = 86_400_000_000
const HALT = new AbortController().signal
let made = 0

function event(at: number, id: string, properties: Record<string, unknown>, name = 'x'): ArrivedEvent {
  const uuid = `00000000-0000-4000-8000-${(++made).toString(16).padStart(12, '0')}`
  const timestamp = formatInstant(Date.UTC(2020, 0, 1) * 1000 + at)
  return { uuid, timestamp, event: name, distinct_id: id, properties: { distinct_id: id, ...properties } }
}

/** An import of a history into a project. */
class TestImport {
  readonly project: PersonProject
  readonly history: readonly ArrivedEvent[]
  readonly store = new MemoryStore()
  readonly folder = testFolder()
  readonly notes: string[] = []
  readonly sent: ArrivedEvent[] = []
  readonly clock = new SleepyClock()
  readonly path = join(testFolder(), 'events.ndjson')

  constructor(project: PersonProject, history: readonly ArrivedEvent[]) {
    this.project = project
    this.history = history
    writeFileSync(this.path, history.map((one) => `${JSON.stringify(one)}\n`).join(''))
  }

  keep(state: KeepOptions['state'] = { begun: false, finished: false }): KeepPersons {
    const lines = new OwnLines('1.0.0', '/data/x.checkpoint.json')
    return new KeepPersons({
      service: this.project,
      asked: false,
      arrived: async (events) => {
        const there = new Set(this.project.events.map(({ uuid }) => uuid))
        return new Set(events.map(({ uuid }) => uuid).filter((uuid) => there.has(uuid)))
      },
      input: {
        open: async () => ({ source: await FileSource.open(this.path), reader: new EventLineReader() }),
        progress: () => undefined,
      },
      place: { store: this.store, prefix: 'x.persons/' },
      target: { host: 'http://127.0.0.1:1', key: 'fingerprint' },
      line: (event) => lines.line(event),
      folder: this.folder,
      state,
      waitMs: 60_000,
      clock: this.clock,
      note: (text) => void this.notes.push(text),
    })
  }

  own = {
    send: async (lines: readonly Buffer[]): Promise<boolean> => {
      const events = lines.map((line) => JSON.parse(line.toString()) as ArrivedEvent)
      this.sent.push(...events)
      this.project.receive(...events)
      return true
    },
  }

  async begin(state?: KeepOptions['state']): Promise<KeepPersons> {
    const keep = this.keep(state)
    await keep.before(HALT)
    return keep
  }

  /** A run that goes on when all is sent. */
  async again(finished = false): Promise<KeepPersons> {
    const keep = await this.begin({ begun: true, finished })
    await keep.after(this.own, HALT)
    return keep
  }

  /** The whole import, as one run. */
  async run(): Promise<KeepPersons> {
    const keep = await this.begin()
    this.project.receive(...this.history)
    await keep.after(this.own, HALT)
    return keep
  }
}

/** A history of a few hundred persons, and a project that has some of them and others before it. */
function peopleOf(name: string) {
  const random = seeded(seedOf(name))
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const properties = (isOld: boolean) => {
    const some: Record<string, unknown> = {}
    for (const name of ['$browser', '$os', 'utm_source', '$current_url'])
      if (random() < 0.5) some[name] = pick(['a', 'b', 'c', 'd', 1])
    if (random() < 0.3) some.$set = { [pick(['plan', 'age', '$browser'])]: pick(['x', 5, { z: [1] }]) }
    if (random() < 0.2) some.$set_once = { $initial_plan: pick(['x', 'y']) }
    // That a live event takes a value away is what nobody knows afterwards.
    if (random() < 0.1 && isOld) some.$unset = ['plan']
    if (random() < 0.1) some.$process_person_profile = false
    return some
  }
  const events = (from: number, count: number, isOld: boolean) =>
    Array.from({ length: count }, (_, n) => {
      const id = `user ${Math.floor(random() * 150)}`
      const anonymous = `${id} anonymous`
      if (random() < 0.1)
        return event(from + n, id, { ...properties(isOld), $anon_distinct_id: anonymous }, '$identify')
      return event(from + n, random() < 0.3 ? anonymous : id, properties(isOld))
    })
  const [history, live] = [events(0, 800, true), events(2000 * DAY, 350, false)]
  const [inOrder, project] = [new PersonProject(), new PersonProject()]
  inOrder.receive(...history, ...live)
  project.receive(...live)
  return { random, history, live, project, wanted: () => comparable(inOrder, live) }
}

/** The persons that were not two live ones before: of those nobody knows which value was written last. */
function comparable(project: PersonProject, live: readonly ArrivedEvent[]) {
  const before = new PersonProject()
  before.receive(...live)
  const made = new Map<string, number>()
  for (const person of before.persons().keys()) {
    const root = project.rootOf(person)
    made.set(root, (made.get(root) ?? 0) + 1)
  }
  return new Map([...project.persons()].filter(([id]) => (made.get(project.rootOf(id)) ?? 0) < 2))
}

/** An import of a history into a project that has an event of the person `a`. */
function importOver(live: Record<string, unknown>, ...history: ArrivedEvent[]) {
  const project = new PersonProject()
  project.receive(event(2000 * DAY, 'a', live))
  return { project, done: new TestImport(project, history) }
}

const FIREFOX = { $browser: 'Firefox' }
const old = (at = 0) => event(at, 'a', { $browser: 'IE' })
const PUT_RIGHT = { $browser: 'Firefox', $initial_browser: 'IE' }

describe('keeping persons', () => {
  test('afterwards each person is as if all had come in order, and a second run changes nothing', async () => {
    const { history, live, project, wanted } = peopleOf('keep persons')
    const done = new TestImport(project, history)
    const keep = await done.run()
    expect(comparable(project, live)).toEqual(wanted())
    expect(comparable(project, live).size).toBeGreaterThan(120)
    const { settled } = keep.report!
    expect(settled).toMatchObject({ persons: done.sent.length, newer: 0 })
    expect(settled!.persons).toBeGreaterThan(20)
    // Own events cost nothing, and are the service's history like the rest.
    expect(new Set(done.sent.map(({ timestamp }) => timestamp.slice(0, 10)))).toEqual(new Set(['2024-05-29']))
    expect(readdirSync(done.folder)).toEqual([])

    const again = await done.again(true)
    expect(done.sent.length).toBe(settled!.persons)
    expect(again.report).toEqual(keep.report)
  })

  test('a run that is killed at any question goes on, and the end is the same', async () => {
    const { random, history, live, project, wanted } = peopleOf('keep persons, killed')
    const done = new TestImport(project, history)
    let [left, kills] = [0, 0]
    project.beforeAnswer = () => {
      if (left-- <= 0) throw new Error('killed')
    }
    const untilDone = async (work: () => Promise<void>) => {
      for (;;) {
        left = kills
        try {
          return await work()
        } catch (error) {
          expect((error as Error).message).toBe('killed')
          kills++
        }
      }
    }
    await untilDone(() => done.keep().before(HALT))
    project.receive(...history)
    kills = 0
    const own = {
      send: async (lines: readonly Buffer[]) => {
        // Only a part is taken before the kill.
        await done.own.send(lines.slice(0, 40))
        if (lines.length > 40 && random() < 0.5) throw new Error('killed')
        return done.own.send(lines.slice(40))
      },
    }
    await untilDone(async () => {
      const keep = await done.begin({ begun: true, finished: false })
      await keep.after(own, HALT)
    })
    project.beforeAnswer = () => undefined
    expect(kills).toBeGreaterThan(3)
    expect(comparable(project, live)).toEqual(wanted())
  })

  test('of a file that grew only the rest is read, and the persons are as if all had been', async () => {
    const { history, live } = peopleOf('keep persons, grown')
    const first = history.slice(0, 600)
    // Of two persons that the rest joins, each is the project's own.
    const rest = history.slice(600).filter(({ event }) => event !== '$identify')
    const grown = async (isKnown: boolean) => {
      const project = new PersonProject()
      project.receive(...live)
      const done = new TestImport(project, first)
      await done.run()
      const offset = statSync(done.path).size
      appendFileSync(done.path, rest.map((one) => `${JSON.stringify(one)}\n`).join(''))
      const ended = isKnown && { ended: { part: 0, offset, line: 601 } }
      await done.keep({ begun: true, finished: false, ...ended }).before(HALT)
      project.receive(...rest)
      // The run that goes on learns where the file had ended from the snapshot.
      const last = await done.again()
      return { persons: project.persons(), ids: last.report!.ids }
    }
    const [some, all] = [await grown(true), await grown(false)]
    expect([...some.persons]).toEqual([...all.persons])
    expect(some.ids).toBeLessThan(all.ids)
  })

  test('a snapshot that is cut short goes on after its last whole file', async () => {
    const project = new PersonProject()
    const ids = Array.from({ length: 700 }, (_, n) => `user ${String(n).padStart(4, '0')}`)
    // One person fills a file of the snapshot.
    const long = { $set: { note: 'x'.repeat(5_000_000) } }
    project.receive(
      ...ids.map((id, n) => event(2000 * DAY + n, id, n === 0 ? long : { $browser: 'Firefox' })),
    )
    const done = new TestImport(
      project,
      ids.map((id, n) => event(n, id, { $set: { note: '' } })),
    )
    const { properties } = project
    let asked: string[] = []
    project.properties = async (persons) => {
      if (persons.includes('user 0600')) throw new Error('killed')
      return properties.call(project, persons)
    }
    await expect(done.keep().before(HALT)).rejects.toThrow('killed')
    expect([...done.store.files.keys()]).toEqual(['x.persons/state.json', 'x.persons/000000.ndjson'])
    project.properties = async (persons) => {
      asked = [...asked, ...persons]
      return properties.call(project, persons)
    }
    const keep = await done.begin()
    expect([asked[0], asked.length, keep.report!.ids]).toEqual(['user 0500', 200, 700])
  })

  test('the times of persons are asked for only if the history reaches into those of the project', async () => {
    for (const [at, spans] of [
      [1999 * DAY, 0],
      [2000 * DAY, 1],
    ] as const) {
      const { project, done } = importOver(FIREFOX, old(), old(at))
      let asked = 0
      const { spans: answer } = project
      project.spans = (persons) => {
        asked++
        return answer.call(project, persons)
      }
      await done.run()
      expect([asked, project.persons().get('a')]).toEqual([spans, PUT_RIGHT])
    }
  })

  test.each(['before', 'after'] as const)(
    'a project that does not answer %s the history: the error says how to do without',
    async (when) => {
      const { project, done } = importOver(FIREFOX, old())
      const keep = done.keep()
      if (when === 'after') await keep.before(HALT)
      project.receive(...done.history)
      project.beforeAnswer = () => {
        throw new PosthaulError('it is busy', { code: 'unavailable', hint: 'try again later' })
      }
      const asking = when === 'before' ? keep.before(HALT) : keep.after(done.own, HALT)
      await expect(asking).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/persons.*: it is busy$/),
        hint: expect.stringMatching(/^try again later; .*--keep-persons no$/),
      })
    },
  )

  test('live events that come during the import are left alone', async () => {
    const { project, done } = importOver(
      { $browser: 'Firefox', $os: 'Linux' },
      event(0, 'a', { $browser: 'IE', $os: 'XP' }),
    )
    const keep = await done.begin()
    project.receive(...done.history, event(2001 * DAY, 'a', { $browser: 'Safari' }))
    await keep.after(done.own, HALT)
    expect(project.persons().get('a')).toEqual({
      $browser: 'Safari',
      $os: 'Linux',
      $initial_browser: 'IE',
      $initial_os: 'XP',
    })
    expect(keep.report!.settled).toEqual({ persons: 1, properties: 3, newer: 1 })
  })

  test('a project that has none of the persons is asked once, and gets nothing', async () => {
    const project = new PersonProject()
    project.receive(event(2000 * DAY, 'somebody else', { $browser: 'Firefox' }))
    const done = new TestImport(project, [event(0, 'a', { $browser: 'IE' })])
    expect((await done.run()).report).toBeUndefined()
    expect(done.sent).toEqual([])
    expect(done.notes).toEqual([])
  })

  test('an import that began without a snapshot says so, and leaves persons alone', async () => {
    const { project, done } = importOver(FIREFOX, old())
    await done.again()
    expect([done.sent, done.notes.length, project.asked]).toEqual([[], 1, 0])
  })

  test('nothing is put right before the last events have arrived', async () => {
    const { project, done } = importOver(FIREFOX, old(), old(1))
    const keep = await done.begin()
    await expect(keep.after(done.own, HALT)).rejects.toMatchObject({ code: 'paused' })
    expect(done.sent).toEqual([])
    // One of them the service has dropped: when no more come, the rest is put right.
    project.receive(done.history[0]!)
    await keep.after(done.own, HALT)
    expect(project.persons().get('a')).toEqual(PUT_RIGHT)
    expect(done.notes.at(-1)).toMatch(/^1 of the last 2 events/)
  })

  test('a run that is told to stop while it waits for the last events asks and says no more', async () => {
    const { project, done } = importOver(FIREFOX, old())
    const keep = await done.begin()
    const { asked } = project
    const halt = new AbortController()
    void done.clock.sleep(1).then(() => halt.abort())
    await keep.after(done.own, halt.signal)
    expect([project.asked, keep.report!.settled]).toEqual([asked, null])
    await expect(keep.after(done.own, HALT)).rejects.toMatchObject({ code: 'paused' })
    project.receive(...done.history)
    await keep.after(done.own, HALT)
    expect(project.persons().get('a')).toEqual(PUT_RIGHT)
  })

  test('the wait for the last events is announced, and ends where the service has dropped all of these', async () => {
    const history = Array.from({ length: 700 }, (_, n) => old(n))
    const { project, done } = importOver(FIREFOX, ...history)
    await done.keep().before(HALT)
    project.receive(...history.slice(0, 400))
    await done.again()
    expect(done.notes.slice(1)).toEqual([
      expect.stringMatching(/^all events are sent; .* 1 min/),
      expect.stringMatching(/^none of the last 200 events is in the project/),
    ])
    expect(project.persons().get('a')).toEqual(PUT_RIGHT)
  })

  test('odd values and names come back letter by letter, in events that the service takes', async () => {
    const project = new PersonProject()
    const odd = ['"quoted\\"', 'a\ufffdb', '\ud83d\ude00', '__proto__', 'constructor', '$set', '', ' blank ']
    const set = (value: unknown) => Object.fromEntries(odd.map((name) => [name, value]))
    const value = { deep: [[{ a: '\u2028"\\' }], null, true, -0.5e-7] }
    project.receive(event(2000 * DAY, 'a', { $set: set(value) }))
    const big = { one: 'x'.repeat(120_000), two: '\n'.repeat(120_000) }
    project.receive(event(2000 * DAY, 'a', { $set: big }))
    const old = event(0, 'a', { $set: { ...set('old'), one: 1, two: 2 }, $anon_distinct_id: 'A'.repeat(300) })
    // The service stores no NUL.
    const sent = JSON.parse(JSON.stringify(old).replaceAll('\ufffd', '\\u0000'))
    const done = new TestImport(project, [{ ...sent, event: '$identify' }])
    const keep = await done.begin()
    project.receive({ ...old, event: '$identify' })
    await keep.after(done.own, HALT)
    expect(project.persons().get('A'.repeat(300))).toEqual({ ...set(value), ...big })
    expect(done.sent.map(({ distinct_id }) => distinct_id)).toEqual(['a', 'a', 'a'])
    expect(new Set(done.sent.map(({ uuid }) => uuid)).size).toBe(3)
  })

  test("digits that a double can't hold come back; those that no service takes become text", async () => {
    const { project, done } = importOver(
      { $set: { n: 1, huge: 1, half: 1 } },
      event(0, 'a', { $set: { n: 2, huge: 2, half: 2 } }),
    )
    const properties = project.properties.bind(project)
    project.properties = async (ids) =>
      (await properties(ids)).map(([id, text]) => {
        const odd = text.replace('"n":1', '"n":1234567890123456789').replace('"huge":1', '"huge":1e400')
        return [id, odd.replace('"half":1', '"half":"\\ud800"')] as const
      })
    const lines: string[] = []
    const keep = await done.begin()
    project.receive(...done.history)
    await keep.after({ send: async (some) => lines.push(...some.map(String)) > 0 }, HALT)
    expect(lines.join()).toContain('"$set":{"half":"\\ufffd","huge":"1e400","n":1234567890123456789}')
  })

  test('the same decision makes the same event, in whatever order the project lists the properties', async () => {
    const sent: string[] = []
    for (const names of [
      ['x', 'y', 'z'],
      ['z', 'y', 'x'],
    ]) {
      const [live, old] = [1, 2].map((n) => Object.fromEntries(names.map((name) => [name, n])))
      const { done } = importOver({ $set: live }, event(0, 'a', { $set: old }))
      await done.run()
      sent.push(...done.sent.map(({ uuid }) => uuid))
    }
    expect([sent.length, new Set(sent).size]).toEqual([2, 1])
  })

  test('a line that a file has twice is one event, and is not waited for', async () => {
    const twin = old()
    const { project, done } = importOver(FIREFOX, twin, twin)
    const keep = await done.begin()
    project.receive(twin)
    const notes = done.notes.length
    await keep.after(done.own, HALT)
    expect(done.notes.slice(notes)).toEqual([])
    expect(project.persons().get('a')).toEqual(PUT_RIGHT)
  })

  test('a snapshot of which a file is gone is refused: its persons would stay as the history made them', async () => {
    const { project, done } = importOver({ $set: { plan: 'live' } }, event(0, 'a', { $set: { plan: 'old' } }))
    await done.begin()
    project.receive(...done.history)
    const file = 'x.persons/000000.ndjson'
    const bytes = done.store.files.get(file)!
    done.store.files.delete(file)
    const next = await done.begin({ begun: true, finished: false })
    await expect(next.after(done.own, HALT)).rejects.toMatchObject({ code: 'mismatch' })
    expect([done.sent, next.report!.settled]).toEqual([[], null])
    // Of several the first: the next one would be written over the second.
    done.store.files.set('x.persons/000001.ndjson', bytes)
    await expect(done.keep().before(HALT)).rejects.toMatchObject({ code: 'mismatch' })
    done.store.files.delete('x.persons/000001.ndjson')
    done.store.files.set(file, bytes)
    await done.again()
    expect(done.sent.map(({ properties }) => properties.$set)).toEqual([{ plan: 'live' }])
  })

  test('the snapshot of another project is refused', async () => {
    const { done } = importOver({}, event(0, 'a', {}))
    await done.run()
    const state = done.store.files.get('x.persons/state.json')!.toString()
    await done.store.put('x.persons/state.json', Buffer.from(state.replace('fingerprint', 'other')))
    await expect(done.keep().before(HALT)).rejects.toMatchObject({ code: 'mismatch' })
    await done.store.put('x.persons/state.json', Buffer.from('{}'))
    await expect(done.keep().before(HALT)).rejects.toMatchObject({ code: 'mismatch' })
  })
})
