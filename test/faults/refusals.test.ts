import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { eventLine, makeEvent, type TestEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { type Answer, OK, type Script, says } from './kit/action.ts'
import type { Received } from './kit/received.ts'
import { Service } from './kit/service.ts'

const PAGE = '<html><head><title>Request Entity Too Large</title></head></html>'
const TEXT = { 'content-type': 'text/plain; charset=utf-8' }
const HTML = { 'content-type': 'text/html' }
const REFUSED = says(400, 'failed to parse request: invalid type', TEXT)
const ENV = { POSTHOG_PROJECT_API_KEY: 'phc_refusals' }
const FAST = '--max-events-per-minute 6000000 --approved --batch-events 100 --retry-for 1s'.split(' ')

/** All of `table` on CI, the first rows of it in `npm test`. */
const some = <Row>(table: readonly Row[], few: number) => table.slice(0, kills({ few, many: table.length }))
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, n) => from + n)
const numberOf = ({ properties }: TestEvent) => properties.n as number
const numbersIn = ({ events }: Received) => events.map(({ bytes }) => numberOf(JSON.parse(bytes.toString())))

/** Answers by the whole of a request. */
const judging =
  (judge: (request: Received) => Answer): Script =>
  () => ({ answer: judge })
/** The uuids of what was taken, in order, each time it was taken. */
const takenBy = ({ requests }: Service) =>
  requests.filter((request) => request.acknowledges).flatMap(({ events }) => events.map(({ uuid }) => uuid))

/** A file of events, so many a day. */
function inputOf(count: number, perDay = count): string {
  const file = join(testFolder(), 'events.ndjson')
  const events = numbers(count).map((n) => makeEvent(n, { day: 1 + Math.floor(n / perDay) }))
  writeFileSync(file, events.map((event) => `${eventLine(event)}\n`).join(''))
  return file
}

function argvOf(server: Service, file: string, ...more: string[]): string[] {
  return ['import', '--file', file, '--host', server.url, '--json', ...FAST, ...more]
}

function rejectsOf(file: string): number[] {
  const path = `${file}.rejects.ndjson`
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => numberOf(JSON.parse(JSON.parse(line).record)))
}

/** Refuses each request with one of these events in it. */
const refusing = (bad: readonly number[]) => {
  const set = new Set(bad)
  return (request: Received) => (numbersIn(request).some((n) => set.has(n)) ? REFUSED : OK)
}

const UUIDS = (all: readonly number[]) => all.map((n) => makeEvent(n).uuid)

/** What was taken are these events: each at least once, nothing else. */
function expectTaken(server: Service, all: readonly number[]): void {
  expect([...new Set(takenBy(server))].sort()).toEqual(UUIDS(all))
}

describe('an answer that lasts makes no reject, and the same command goes on when it is over', () => {
  const LASTING: [string, Answer, RegExp][] = [
    ['400 with nothing', says(400, '', TEXT), /refused 20 events in a row .*: 400 and an empty answer/],
    ['413 with a page', says(413, PAGE, HTML), /a proxy in between takes no request/],
    ['400 with the words of the service', REFUSED, /refused 20 events in a row .* failed to parse request/],
    ['422 with nothing', says(422, '', TEXT), /refused 20 events in a row .*: 422/],
    ['413 with JSON', says(413, '{"error":"too large"}', TEXT), /refused 20 events in a row .*: 413/],
    ['400 with a page', says(400, PAGE, HTML), /did not take the events in the time/],
    ['422 said to be a page', says(422, 'no', HTML), /did not take the events/],
  ]
  test.each(some(LASTING, 2))('%s, after one acceptance', async (_, answer, words) => {
    const server = await Service.start((n) => ({ answer: n === 0 ? OK : answer }))
    const file = inputOf(2_500)
    for (const run of some([0, 1], 1)) {
      // A run after the first is refused from its beginning on.
      const before = server.requests.length
      const ended = await runHosted(argvOf(server, file), ENV)
      const { counts, error } = JSON.parse(ended.stdout)
      expect([ended.code, rejectsOf(file)], `run ${run}: ${ended.stderr}`).toEqual([5, []])
      expect(counts).toMatchObject({ read: 2_500, written: 100, rejected: 0, pending: 2_400 })
      if (run === 0) expect(error.message).toMatch(words)
      expect(server.requests.length - before).toBeLessThan(60)
    }
    server.script = () => undefined
    const healed = await runHosted(argvOf(server, file), ENV)
    expect([healed.code, rejectsOf(file)], healed.stderr).toEqual([0, []])
    expect(takenBy(server).sort()).toEqual(UUIDS(numbers(2_500)))
  })
})

// Which events is a matter of test/delivery/lanes.test.ts.
describe('events that are bad are rejects, exactly those', () => {
  const CASES: [string, number, number, readonly number[], number][] = [
    ['the first, alone on its day, and the last', 30, 1, [0, 29], 1],
    ['every other of many', 200, 50, numbers(100).map((n) => 2 * n), 4],
  ]
  test.each(some(CASES, 1))('%s', async (_, count, perDay, bad, lanes) => {
    const server = await Service.start(judging(refusing(bad)))
    const file = inputOf(count, perDay)
    const ended = await runHosted(argvOf(server, file, '--lanes', String(lanes)), ENV)
    expect([ended.code, rejectsOf(file).sort((a, b) => a - b)], ended.stderr).toEqual([3, bad])
    expectTaken(
      server,
      numbers(count).filter((n) => !bad.includes(n)),
    )
    const again = await runHosted(argvOf(server, file, '--lanes', String(lanes)), ENV)
    expect([again.code, rejectsOf(file).length]).toEqual([0, bad.length])
  })

  test.each(some([1, 4], 1))(
    'twenty in a row and more with --accept refusals alone, %i lanes',
    async (lanes) => {
      const bad = numbers(30, 20)
      const server = await Service.start(judging(refusing(bad)))
      const file = inputOf(80, 10)
      const argv = argvOf(server, file, '--lanes', String(lanes))
      const paused = await runHosted(argv, ENV)
      expect([paused.code, rejectsOf(file)]).toEqual([5, []])
      expect(paused.stderr.replace(/\s+/g, ' ')).toContain(
        'add --accept refusals, which makes rejects of them',
      )
      const accepted = await runHosted([...argv, '--accept', 'refusals'], ENV)
      expect([accepted.code, rejectsOf(file).sort((a, b) => a - b)], accepted.stderr).toEqual([3, bad])
      expectTaken(
        server,
        numbers(80).filter((n) => !bad.includes(n)),
      )
    },
  )
})

test('a proxy with a small limit takes the batches in halves; what no half fits into waits', async () => {
  const page = says(413, PAGE, HTML)
  const server = await Service.start(judging(({ body }) => (body.length > 4_000 ? page : OK)))
  const file = inputOf(100)
  await exits(0, runHosted(argvOf(server, file), ENV))
  expectTaken(server, numbers(100))
  server.script = judging(({ body }) => (body.length > 200 ? page : OK))
  const other = inputOf(10)
  const ended = await runHosted(argvOf(server, other, '--accept', 'refusals'), ENV)
  expect([ended.code, rejectsOf(other)]).toEqual([5, []])
  expect(ended.stderr.replace(/\s+/g, ' ')).toMatch(/event of line 1 needs: 413 .*client_max_body_size/)
})

test('SIGKILL while refusals are in doubt: none is lost, none is there twice', async () => {
  const bad = [3, 20, 21, 22]
  const server = await Service.start(judging(refusing(bad)))
  const file = inputOf(60, 4)
  for (const last of bad.slice(-kills({ few: 1, many: 2 }))) {
    // The answer to that refused event comes; the next request, which would confirm it, gets none.
    let answered: number | undefined
    const judge = judging((request) => {
      if (numbersIn(request).join() === String(last)) answered = server.requests.length
      return refusing(bad)(request)
    })
    server.script = (n, request) => (answered === undefined ? judge(n, request) : { hang: 'beforeBody' })
    const isHeld = () => answered !== undefined && server.requests.length > answered
    const ended = await signalWhen(startCli(argvOf(server, file), ENV), 'SIGKILL', isHeld)
    expect(ended.signal).toBe('SIGKILL')
    expect(rejectsOf(file)).not.toContain(last)
  }
  server.script = judging(refusing(bad))
  const ended = await runHosted(argvOf(server, file), ENV)
  expect([ended.code, rejectsOf(file)], ended.stderr).toEqual([3, bad])
  expectTaken(
    server,
    numbers(60).filter((n) => !bad.includes(n)),
  )
})
