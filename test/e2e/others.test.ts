import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { unfolded } from '../helpers/unfolded.ts'

// What the project holds of a dataset's days already, from somebody else or by other rules, is said before anything is sent.

const FAST = ['--max-events-per-minute', '1000000', '--approved']
const PLAIN = 'preset: mixpanel\n'

let sandbox: Sandbox
afterEach(() => sandbox.close())

describe('another import of the same days', () => {
  /** A place with raw records of two days, and a project of its own. */
  async function place(storage: 'json' | 'table' = 'json') {
    sandbox = await startSandbox({ storage, mergeAfterMs: 0 })
    const folder = testFolder()
    const lines = Array.from({ length: 20 }, (_, n) => {
      const properties = {
        time: 1_709_294_400 + n * 7200,
        distinct_id: `u${n}`,
        $insert_id: `id-${n}`,
        order: `o${n}`,
      }
      return JSON.stringify({ event: n % 2 ? 'login' : 'signup', properties })
    })
    writeFileSync(join(folder, 'raw.ndjson'), `${lines.join('\n')}\n`)
    const env: Record<string, string> = { ...sandboxEnv(sandbox), XDG_STATE_HOME: join(folder, 'home') }
    const { POSTHOG_PERSONAL_API_KEY: _, ...keylessEnv } = env
    const run = async (...words: string[]) => {
      const keyless = words.includes('--keyless')
      const argv = words.filter((word) => word !== '--keyless')
      const { code, stdout, stderr } = await runHosted(argv, keyless ? keylessEnv : env, folder)
      return { code, stdout, text: unfolded(stderr) }
    }
    const transform = (mapping: string, out = 'g1', ...more: string[]) => {
      writeFileSync(join(folder, 'm.yaml'), mapping)
      return run('transform', '--map', 'm.yaml', '--in', 'raw.ndjson', '--out', out, ...more)
    }
    const send = (out = 'g1', ...more: string[]) => run('import', '--dataset', out, ...FAST, ...more)
    const problems = async (out = 'g1', ...more: string[]) => {
      const { code, stdout } = await run('check', out, '--json', ...more)
      return {
        code,
        problems: JSON.parse(stdout).problems as { code: string; text: string; count: number }[],
      }
    }
    const count = async () => (await sandbox.query('SELECT count() FROM events')).results[0]![0]
    return { folder, run, transform, send, problems, count }
  }

  /** Posts the events of a dataset as another importer does: the same ids, times a second later, marks of its own. */
  async function managed(folder: string, marks: object, out = 'g1'): Promise<void> {
    const files = readdirSync(join(folder, out)).filter((name) => name.startsWith('2024-'))
    const lines = files.flatMap((file) =>
      readFileSync(join(folder, out, file), 'utf8')
        .trim()
        .split('\n'),
    )
    const batch = lines.map((line) => {
      const { uuid, event, distinct_id, timestamp } = JSON.parse(line)
      const later = new Date(Date.parse(timestamp) + 1000).toISOString()
      return { uuid, event, distinct_id, timestamp: later, properties: marks }
    })
    const body = JSON.stringify({ api_key: sandbox.projectKey, historical_migration: true, batch })
    expect((await fetch(`${sandbox.url}/batch/`, { method: 'POST', body })).status).toBe(200)
  }

  test.each(['json', 'table'] as const)(
    'a managed migration is a finding of check, and import stops before the first event (%s)',
    async (storage) => {
      const { folder, transform, send, problems, count } = await place(storage)
      await transform(PLAIN)
      await managed(folder, { $import_job_id: 'job-1', analytics_source: 'mixpanel' })

      const checked = await exits(3, problems())
      const found = checked.problems.find(({ code }) => code === 'other_imports')!
      expect(found.text).toContain('20 events of another import (mixpanel, job-1) are there on 3 days')
      expect(found.text).toContain('20 would be there twice, because their times differ')
      const accepted = await problems('g1', '--accept', 'other_imports')
      expect([accepted.code, accepted.problems.find(({ code }) => code === 'other_imports')]).toEqual([
        0,
        expect.objectContaining({ level: 'warning' }),
      ])

      const stopped = await exits(3, send(), '20 events of another import')
      expect(stopped.text).toContain('filter.to')
      expect(await count()).toBe(20)
      await exits(0, send('g1', '--accept', 'other_imports'), '20 events of another import')
      expect(await count()).toBe(storage === 'json' ? 40 : 20)
      // Whoever goes on has been asked.
      await exits(0, send())
    },
  )

  test('the same history by another time rule is caught, although its marks are our own', async () => {
    const { transform, send, count } = await place()
    await transform(PLAIN)
    await exits(0, send())
    await transform(`${PLAIN}source_timezone: Europe/Berlin\n`, 'g2')
    await exits(3, send('g2'), 'would be there twice, because their times differ')
    await transform(`${PLAIN}events:\n  rename: { signup: user_signed_up }\n`, 'g3')
    await exits(3, send('g3'), 'under another name or person')
    await transform(`${PLAIN}fields: { uuid: properties.order }\n`, 'g4')
    const again = await exits(3, send('g4'), '20 would be there twice, because their uuids differ')
    expect(again.text).toContain('the mapping file that made what is there')
    expect(await count()).toBe(20)
  })

  test.each([
    ['another-window', PLAIN],
    ['posthaul-2024-03-02_2024-03-03', `${PLAIN}properties:\n  set: { $lib: web }\n`],
  ])(
    'what this import, or another window of its history, has sent is no other import: %s',
    async (window, mapping) => {
      const { folder, run, transform, send, problems, count } = await place()
      await transform(mapping)
      await exits(5, run('import', '--dataset', 'g1', '--max-events', '5'))
      await exits(0, send())
      await exits(0, send('g1', '--restart'))

      const again = JSON.stringify({
        event: 'login',
        properties: { time: 1_709_300_000, distinct_id: 'u1', $insert_id: 'new' },
      })
      writeFileSync(join(folder, 'raw.ndjson'), `${again}\n`)
      await transform(mapping, 'g2', '--import-id', window, '--after', 'g1')
      expect((await problems('g2')).problems.map(({ code }) => code)).toContain('project_in_use')
      await exits(0, send('g2'))
      await transform(mapping, 'g3', '--import-id', 'none')
      await exits(0, send('g3'))
      expect(await count()).toBe(21)
    },
  )

  test('without a personal key nobody is asked, which is said', async () => {
    const { folder, run, transform, count } = await place()
    await transform(PLAIN)
    await managed(folder, { analytics_source: 'mixpanel' })
    const sent = await run('import', '--dataset', 'g1', ...FAST, '--keyless')
    expect(sent.text).toContain("it can't be told whether another import has sent events")
    expect(await count()).toBe(40)
  })
})
