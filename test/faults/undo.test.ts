import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { startHarness } from '../sandbox/harness.ts'
import { chosen } from './kit/chosen.ts'
import { disturb, pointsAt } from './kit/disturb.ts'
import type { Begin } from './kit/works.ts'

const random = seeded(seedOf('undo'))
const IN_A_HURRY = ['--approved', '--max-events-per-minute', '1000000', '--accept', 'project_unasked']
const FILED = { id: expect.any(String), status: 'pending', left: null }

interface Record {
  readonly requests: readonly object[]
}

/** The requests in each file of the record, the project's first. */
function recorded(folder: string): Record['requests'][] {
  const ledger = join(folder, 'home', 'posthaul')
  const names = readdirSync(ledger).filter((name) => name.endsWith('.undo.json'))
  const paths = [...names.map((name) => join(ledger, name)), join(folder, 'events.undo.json')]
  return paths.map((path) => (JSON.parse(readFileSync(path, 'utf8')) as Record).requests)
}

/** The request to take back a dataset that was imported; then all that comes after it. */
const request: Begin = async (folder) => {
  const { sandbox, get, ask } = await startHarness()
  mkdirSync(join(folder, 'home'))
  const env = { ...sandboxEnv(sandbox), XDG_STATE_HOME: join(folder, 'home') }
  const [raw, events] = [join(folder, 'raw.ndjson'), join(folder, 'events')]
  const run = async (expected: number, ...argv: string[]) => {
    const { code, stdout, stderr } = await runHosted(argv, env)
    expect(code, stderr).toBe(expected)
    return stdout
  }
  const properties = (n: number) => ({ time: 1_709_300_000 + n, distinct_id: `u${n}`, $insert_id: `i${n}` })
  const lines = [0, 1, 2].map((n) => `${JSON.stringify({ event: 'visit', properties: properties(n) })}\n`)
  writeFileSync(raw, lines.join(''))
  await run(0, 'transform', '--preset', 'mixpanel', '--in', raw, '--out', events)
  await run(0, 'import', '--dataset', events, ...IN_A_HURRY)
  return {
    argv: ['undo', events, '--request', 'Sandbox', '--json'],
    env,
    async check({ code, stdout, stderr }) {
      expect(code, stderr).toBe(0)
      expect(JSON.parse(stdout).request).toMatchObject(FILED)
      const { results } = (await get('/api/projects/1/data_deletion_requests/')).json() as {
        results: readonly { submission_id: string }[]
      }
      expect(results).toHaveLength(1)
      const one = expect.objectContaining({ ...FILED, submission_id: results[0]!.submission_id })
      expect(recorded(folder)).toEqual([[one], [one]])

      await run(6, 'import', '--dataset', events, '--restart', ...IN_A_HURRY)
      await run(5, 'undo', events, '--status')
      for (const deletions of ['approve', 'queue', 'delete']) await ask('/_sandbox', { deletions })
      await run(0, 'undo', events, '--status')
      await run(0, 'import', '--dataset', events, '--restart', ...IN_A_HURRY)
    },
  }
}

test('killed before and after its request is saved, sent or answered, an undo files one request', async () => {
  const points = await pointsAt(request, '127.0.0.1')
  // The last bytes that are sent are the request's, and the last answer is its own.
  const ends = ['send', 'answer'].map((name) => points.findLast(({ point }) => point === name)!)
  // Both files are made before it is sent, and replaced after it is answered.
  const saves = ['link', 'rename'].flatMap((point) => [1, 2].map((nth) => ({ point, nth })))
  const kills = [
    ...ends.map((end) => ({ match: '127.0.0.1', ...end })),
    ...saves.map((save) => ({ match: '.undo.json', ...save })),
  ].flatMap((place) => (['before', 'after'] as const).map((when) => ({ ...place, when })))
  for (const { match, ...kill } of chosen(kills, 2, random)) {
    const { signal } = await disturb(request, { match, kill })
    expect(signal, JSON.stringify(kill)).toBe('SIGKILL')
  }
})
