import { copyFileSync, linkSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { patience } from '../helpers/patience.ts'
import { seedOf } from '../helpers/random.ts'
import { FaultyImport } from './kit/run.ts'
import { Service } from './kit/service.ts'

const seed = seedOf('two runs')

/** Other names of an import's input, and another input for the same key. */
const NAMES: Readonly<Record<string, (input: string) => string>> = {
  'the same name': (input) => input,
  'a way round': (input) => join(dirname(input), '..', dirname(input).split('/').at(-1)!, 'events.ndjson'),
  'a symbolic link': (input) => {
    const link = join(testFolder(), 'link.ndjson')
    symlinkSync(input, link)
    return link
  },
  'a symbolic link of its folder': (input) => {
    const link = join(testFolder(), 'folder')
    symlinkSync(dirname(input), link)
    return join(link, 'events.ndjson')
  },
  'a hard link': (input) => {
    const link = join(testFolder(), 'hard.ndjson')
    linkSync(input, link)
    return link
  },
  'another input': (input) => {
    const copy = join(testFolder(), 'copy.ndjson')
    copyFileSync(input, copy)
    return copy
  },
}

test.each(Object.entries(NAMES).slice(0, kills({ few: 2, many: 6 })))(
  'a second import, by %s, ends with 7 and sends nothing',
  async (_, nameOf) => {
    const service = await Service.start(() => ({ hang: 'afterBody' }))
    const work = new FaultyImport({ service, seed, events: 50 })
    const first = work.start('--batch-events', '10')
    await vi.waitFor(() => expect(service.requests.length).toBe(1), { timeout: patience(30_000) })

    const caps = ['--approved', '--max-events-per-minute', '100000000']
    const env = { POSTHOG_PROJECT_API_KEY: 'phc_faults', POSTHOG_INGEST_HOST: service.url }
    await exits(7, runHosted(['import', '--file', nameOf(work.input), ...caps], env))
    expect(service.requests.length).toBe(1)

    first.kill('SIGKILL')
    await first.ended
    service.script = () => undefined
    // The dead one's place is free at once.
    await exits(0, work.run('--batch-events', '10'))
    work.judge()
  },
)

test('of several imports that begin together on one input one sends, and the others end with 7', async () => {
  const service = await Service.start()
  const work = new FaultyImport({ service, seed, events: 400 })
  const all = await Promise.all(
    Array.from({ length: kills({ few: 4, many: 8 }) }, () => work.start('--batch-events', '10').ended),
  )
  // One that begins after another has ended finds nothing left to do.
  for (const { code, stderr } of all) expect(code, stderr).toBeOneOf([0, 7])
  expect(all.map(({ code }) => code)).toContain(0)
  await exits(0, work.run())
  work.judge()
})
