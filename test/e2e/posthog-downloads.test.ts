import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts'
import { runCommand } from '../helpers/command.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { testSandbox } from '../helpers/sandbox-env.ts'

const DAY = 86_400_000
/** Midnight, 40 days ago. The events of 16 days begin there. */
const FIRST = Math.floor(Date.now() / DAY) * DAY - 40 * DAY
const DAYS = 16

/** A sandbox whose clock a test sets. */
async function sandbox(options: SandboxOptions): Promise<{ project: Sandbox; at(instant: number): void }> {
  let shift = 0
  const project = await testSandbox({ ...options, now: () => Date.now() + shift })
  const at = (instant: number) => {
    shift = instant - Date.now()
  }
  return { project, at }
}

function eventsOf(day: number) {
  return Array.from({ length: 20 }, (_, i) => ({
    uuid: `00000000-0000-4000-8000-${String(day * 100 + i).padStart(12, '0')}`,
    event: i % 10 === 0 ? '$identify' : '$pageview',
    distinct_id: `user ${i % 7}`,
    timestamp: new Date(FIRST + day * DAY + i * 3_600_000 + i).toISOString(),
    properties: {
      n: i,
      big: 1.5e300,
      text: 'Füße "✓"\n\u2028',
      ...(i % 10 === 0 && { $set: { plan: `p${i}` } }),
    },
  }))
}

/** A project that was filled by a migration for its first six days, and then lived. */
async function filled(options: SandboxOptions) {
  const { project, at } = await sandbox(options)
  const send = async (batch: readonly unknown[]) => {
    const body = JSON.stringify({ api_key: project.projectKey, batch })
    expect((await fetch(`${project.url}/batch/`, { method: 'POST', body })).status).toBe(200)
  }
  for (let day = 6; day < DAYS; day++) {
    at(FIRST + (day + 1) * DAY)
    await send(eventsOf(day))
    // An event that comes a second time, a day later.
    if (day === 13) await send(eventsOf(12).slice(0, 1))
  }
  at(FIRST + 25 * DAY)
  for (let day = 0; day < 6; day++) await send(eventsOf(day))
  // Ahead of ours, so that the last week's settling is over.
  at(Date.now() + 120_000)
  return project
}

async function ran(argv: readonly string[], { url, personalKey }: Sandbox, code = 0) {
  const env = {
    POSTHOG_SOURCE_HOST: url,
    POSTHOG_SOURCE_PROJECT_ID: '1',
    POSTHOG_SOURCE_API_KEY: personalKey,
  }
  const done = await exits(code, runCommand(argv, { env, built: true }))
  return done
}

/** The events. A download may write a number otherwise than a query: which days come by which depends on the day of the week. */
function eventsIn(folder: string): unknown[] {
  const parts = readdirSync(folder).filter((name) => /^\d{4}-.*\.ndjson/.test(name))
  return parts.flatMap((name) => {
    const bytes = readFileSync(join(folder, name))
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  })
}

test('downloads give the same events as queries alone, whatever goes wrong', async () => {
  const project = await filled({
    faults: [
      'too-many-downloads:times=2',
      'download-expired:times=2',
      'download-expired:of=file,times=1',
      'lost:on=download,times=2',
    ],
  })
  const [from, middle, to] = [0, 6, DAYS].map((day) => new Date(FIRST + day * DAY).toISOString().slice(0, 10))
  const folder = testFolder()
  const taken = async (name: string, first: string, more: string[]) => {
    const [raw, events] = [join(folder, name), join(folder, `${name}-events`)]
    const argv = ['export', 'posthog', '--from', first, '--to', to!, '--out', raw, '--json', ...more]
    const { stdout } = await ran(argv, project)
    const summary = JSON.parse(stdout) as { reconciled: unknown }
    expect(summary.reconciled).toMatchObject({ days: first === from ? 16 : 10, short: [] })
    await ran(['transform', '--preset', 'posthog', '--in', raw, '--out', events], project)
    return eventsIn(events)
  }
  const query = await taken('query', from!, [])
  expect(query).toHaveLength(320)
  expect(await taken('downloads', middle!, ['--via', 'downloads'])).toEqual(query.slice(120))
  expect(project.stats().faults).toMatchObject({ 'too-many-downloads': 2, 'download-expired': 3, lost: 2 })
})
